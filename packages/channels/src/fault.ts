// Describes an error in words that members of an organisation may read.

/**
 * Returns an error in words. Contains neither an address that a name resolved to nor an address of this machine, because
 * EGRESS_ALLOW permits internal addresses. System errors contain both, and certificate errors list names.
 */
export function faultWords(error: unknown): string {
  // If all addresses of a host refuse, the error itself has no message.
  const { message, code, errors } = error as { message?: string; code?: string; errors?: unknown }
  if (Array.isArray(errors) && !message) return [...new Set(errors.map(faultWords))].join(', ')
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'the certificate does not match this host'
  const [, dialling] = /^(connect E[A-Z]+)\b/.exec(message ?? '') ?? []
  return dialling ?? (message || code || 'the connection was lost')
}
