// Which email addresses reach the same mailbox.

/** Whatever follows a + reaches the same mailbox. */
export function mailboxOf(email: string): string {
  const [local = '', ...rest] = folded(email).split('@')
  const plus = rest.length === 0 ? -1 : local.indexOf('+')
  return [plus === -1 ? local : local.slice(0, plus), ...rest].join('@')
}

/**
 * Folds more than the database does, or one of its addresses could have several limits: many mail servers fold a dotted
 * I to an i.
 */
export function folded(email: string): string {
  // Nobody has such an address, and folding it would be expensive.
  if (email.length > 254) return email
  return email.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '')
}
