// A submitted form: fields by name, as text.
import { FieldError } from '../domain/errors.ts'

export class Form {
  readonly #fields: URLSearchParams

  constructor(text = '') {
    this.#fields = new URLSearchParams(text)
  }

  /** The text of a field; empty when it was not sent. */
  text(name: string): string {
    return this.#fields.get(name) ?? ''
  }

  /** All values of a field that may be repeated. */
  all(name: string): string[] {
    return this.#fields.getAll(name)
  }

  /** Whether a box was ticked. */
  isOn(name: string): boolean {
    return this.#fields.has(name)
  }

  /** A whole number; `blank` when the field is empty. */
  integer(name: string, blank = 0): number {
    const text = this.text(name).trim()
    if (text === '') return blank
    if (!/^-?\d{1,15}$/.test(text)) throw new FieldError('invalid', name, 'must be a whole number')
    return Number(text)
  }
}
