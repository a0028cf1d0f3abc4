// Reads the fields of a body. The document holds requests to their types before; a body in a larger change may not have passed it.
import { FieldError } from '../errors.ts'
import type { Input } from './kind.ts'

/** A field of a body that is a text; undefined when it is null or left out. */
export function textIn(input: Input, field: string): string | undefined {
  const value = input[field] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw new FieldError('invalid', field, 'must be a string')
}

/** A field that is a number. Whether it is whole and within its bounds is for the rules of what it belongs to. */
export function numberIn(input: Input, field: string): number | undefined {
  const value = input[field] ?? undefined
  if (value === undefined || typeof value === 'number') return value
  throw new FieldError('invalid', field, 'must be an integer')
}

/** A field that is yes or no. */
export function switchIn(input: Input, field: string): boolean | undefined {
  const value = input[field] ?? undefined
  if (value === undefined || typeof value === 'boolean') return value
  throw new FieldError('invalid', field, 'must be a boolean')
}

export function requireGiven<Value>(field: string, value: Value | undefined): Value {
  if (value === undefined) throw new FieldError('invalid', field, 'is required')
  return value
}
