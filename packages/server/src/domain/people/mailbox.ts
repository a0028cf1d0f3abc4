// Which addresses reach the same mailbox.

/** What is written after a + reaches the same mailbox. */
export function mailboxOf(email: string): string {
  const [local = '', ...rest] = folded(email).split('@')
  const plus = rest.length === 0 ? -1 : local.indexOf('+')
  return [plus === -1 ? local : local.slice(0, plus), ...rest].join('@')
}

/** By more than a database folds, or what it takes for one address would have several limits: many fold a dotted I to an i. */
export function folded(email: string): string {
  // Nobody's, and dear to fold.
  if (email.length > 254) return email
  return email.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '')
}
