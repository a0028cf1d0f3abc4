// Which email addresses reach the same mailbox.

/**
 * Whatever follows a + reaches the same mailbox; with or without dots, it does so at the largest provider. Mail servers
 * and the way to them also read past quotes, comments, invisible characters and whatever cannot be part of a domain. Two
 * mailboxes may be taken for one: this is what limits go by, and nothing is sent to it.
 */
export function mailboxOf(email: string): string {
  const [local = '', ...rest] = folded(email).split('@')
  if (rest.length === 0 || email.length > LONGEST) return [local, ...rest].join('@')
  const plain = local.replaceAll(IGNORED, '')
  const plus = plain.indexOf('+')
  return [(plus === -1 ? plain : plain.slice(0, plus)).replaceAll('.', ''), ...rest.map(domainOf)].join('@')
}

const IGNORED = /\([^)]*\)|["\\()<>\p{C}]/gu

function domainOf(text: string): string {
  const [name = ''] = /^[\p{L}\p{N}._+-]*/u.exec(decode(text).replaceAll(IGNORED, '').replaceAll('\u3002', '.')) ?? []
  return name.replace(/\.$/, '')
}

/** The way to the mail server reads a domain as that of a URL. */
function decode(text: string): string {
  try {
    return folded(decodeURIComponent(text))
  } catch {
    return text
  }
}

/** Nobody has a longer address, and folding it would be expensive. */
const LONGEST = 254

/**
 * Folds more than the database does, or one of its addresses could have several limits: many mail servers fold a dotted
 * I to an i.
 */
export function folded(email: string): string {
  if (email.length > LONGEST) return email
  return email.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '')
}
