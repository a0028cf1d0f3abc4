// What text from outside may hold. Postgres takes no U+0000, and UTF-8 has no lone surrogates.
import { DomainError } from './errors.ts'

const CONTROL = /\p{Cc}/u

/** Whether Postgres can hold the text as it is. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** For what a machine found: U+0000 goes, a lone surrogate becomes U+FFFD. */
export function toStorable(text: string): string {
  return isStorable(text) ? text : text.replaceAll('\0', '').toWellFormed()
}

/** For what a person names, on one line: refuses what cannot be stored or shown. */
export function requireName(field: string, text: string, { mayBeBlank = false, max = 200 } = {}): string {
  if (!text.isWellFormed() || CONTROL.test(text)) {
    throw new DomainError('invalid', `${field} must not hold control characters or lone surrogates`)
  }
  if (!mayBeBlank && text.trim() === '') throw new DomainError('invalid', `${field} must not be blank`)
  // As the contract counts: in code points.
  if (Array.from(text).length > max) throw new DomainError('invalid', `${field} must have at most ${max} characters`)
  return text
}
