// Reads a submitted form: fields by name, as text.
import { FieldError } from '@dogwatch/domain/errors'

export class Form {
  readonly #fields: URLSearchParams

  constructor(text = '') {
    this.#fields = new URLSearchParams(text)
  }

  /** Returns the text of a field. It is empty if the field was not sent. */
  text(name: string): string {
    return this.#fields.get(name) ?? ''
  }

  /** Returns the texts of several fields, without spaces around them. */
  texts<Name extends string>(names: readonly Name[]): Record<Name, string> {
    return Object.fromEntries(names.map((name) => [name, this.text(name).trim()])) as Record<Name, string>
  }

  /** Returns all values of a field that can occur several times. */
  all(name: string): string[] {
    return this.#fields.getAll(name)
  }

  /** Whether a checkbox was ticked. */
  isOn(name: string): boolean {
    return this.#fields.has(name)
  }

  /** Returns a field as a whole number, or `blank` if the field is empty. Throws FieldError for any other text. */
  integer(name: string, blank = 0): number {
    const text = this.text(name).trim()
    if (text === '') return blank
    if (!/^-?\d{1,15}$/.test(text)) throw new FieldError('invalid', name, 'must be a whole number')
    return Number(text)
  }
}
