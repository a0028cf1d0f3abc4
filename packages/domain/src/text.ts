// Makes text from outside storable, or refuses it. Postgres stores no U+0000, and UTF-8 has no lone surrogates.
import { FieldError } from './errors.ts'

const CONTROL = /\p{Cc}/u

/** Whether Postgres can store the text as it is. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** Makes text from machines storable: removes U+0000, and replaces a lone surrogate by U+FFFD. */
export function toStorable(text: string): string {
  return isStorable(text) ? text : text.replaceAll('\0', '').toWellFormed()
}

/** Refuses a text of several lines that is too long or cannot be stored. */
export function requireLines(field: string, text: string, max: number): string {
  if (!isStorable(text)) throw new FieldError('invalid', field, 'must not contain null characters or invalid Unicode')
  if (Array.from(text).length > max) throw new FieldError('invalid', field, `must be ${max} characters or fewer`)
  return text
}

/** Refuses a name, on one line, that is blank or too long, or cannot be stored or shown. */
export function requireName(field: string, text: string, options: NameOptions = {}): string {
  const must = faultOfName(text, options)
  if (must !== undefined) throw new FieldError('invalid', field, must)
  return text
}

interface NameOptions {
  mayBeBlank?: boolean
  max?: number
}

/** Returns the fault of a name on one line, in words to follow the name of its field. */
export function faultOfName(text: string, { mayBeBlank = false, max = 200 }: NameOptions = {}): string | undefined {
  if (!text.isWellFormed() || CONTROL.test(text)) return 'must not contain control characters or invalid Unicode'
  if (!mayBeBlank && text.trim() === '') return 'must not be blank'
  // Counted in code points, like in the contract.
  return Array.from(text).length > max ? `must be ${max} characters or fewer` : undefined
}
