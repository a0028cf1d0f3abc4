// Decides which email addresses reach the same mailbox.

/**
 * Returns a text that is the same for all addresses of one mailbox. Two mailboxes can have the same one, because only limits use
 * it, and no email is sent to it.
 */
export function mailboxOf(email: string): string {
  const [local = '', ...rest] = folded(email).split('@')
  if (rest.length === 0 || email.length > LONGEST) return [local, ...rest].join('@')
  // Whatever follows a + reaches the same mailbox. With or without dots, an address does so at the largest provider. Mail servers
  // also ignore quotes, comments, invisible characters and whatever cannot be part of a domain.
  const plain = local.replaceAll(IGNORED, '')
  const plus = plain.indexOf('+')
  return [(plus === -1 ? plain : plain.slice(0, plus)).replaceAll('.', ''), ...rest.map(domainOf)].join('@')
}

const IGNORED = /\([^)]*\)|["\\()<>\p{C}]/gu

function domainOf(text: string): string {
  const [name = ''] = /^[\p{L}\p{N}._+-]*/u.exec(decode(text).replaceAll(IGNORED, '').replaceAll('\u3002', '.')) ?? []
  return name.replace(/\.$/, '')
}

/** Decodes percent-encoding and folds the text, because the library that sends mail does the same. Returns a malformed text as it is. */
function decode(text: string): string {
  try {
    return folded(decodeURIComponent(text))
  } catch {
    return text
  }
}

/** Maximum length of an address. No one has a longer one, and folding it would be expensive. */
const LONGEST = 254

/**
 * Folds more than the database does, because one address could have several limits otherwise: many mail servers fold a dotted I
 * to an i.
 */
export function folded(email: string): string {
  if (email.length > LONGEST) return email
  return email.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '')
}
