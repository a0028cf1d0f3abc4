// Describes an error in words that people of an organisation may read.

/**
 * Names no address that a name resolved to, nor one of this machine: with EGRESS_ALLOW they may be internal. System
 * errors contain both, and a certificate error lists the names in the certificate.
 */
export function faultWords(error: unknown): string {
  // A host of several addresses that all refuse: the error itself has no message.
  const { message, code, errors } = error as { message?: string; code?: string; errors?: unknown }
  if (Array.isArray(errors) && !message) return [...new Set(errors.map(faultWords))].join(', ')
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'the certificate does not match this host'
  const [, dialling] = /^(connect E[A-Z]+)\b/.exec(message ?? '') ?? []
  return dialling ?? (message || code || 'the connection was lost')
}
