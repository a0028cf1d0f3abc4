// What others must not see: one rule for plans, for files that are pulled, and for what programs are told.

/** Headers that say who asks. */
const CREDENTIAL = /auth|cookie|credential|key|passw|secret|session|token/i

export function isCredential(header: string): boolean {
  return CREDENTIAL.test(header)
}

/** Fields that may hold a secret anywhere in them. */
export function isConfidential(field: string): boolean {
  return field === 'headers' || field === 'post_data' || field === 'destination'
}

/** How the server ends the text of a value of which it tells the beginning only. */
export const CUT = /… \(\d+ characters\)$/

/** A target may carry a password. */
export function withoutUserinfo(url: string): string {
  const start = url.indexOf('://')
  if (start === -1) return url
  const slash = url.indexOf('/', start + 3)
  // What is cut may be a password without its end.
  if (slash === -1 && CUT.test(url)) return `${url.slice(0, start + 3)}***`
  const end = slash === -1 ? url.length : slash
  const at = url.lastIndexOf('@', end)
  return at > start ? `${url.slice(0, start + 3)}***@${url.slice(at + 1)}` : url
}
