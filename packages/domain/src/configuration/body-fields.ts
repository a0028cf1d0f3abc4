// Reads typed fields of a request body. Requests are validated against the API document before, but a body inside a bulk change
// may not be.
import { FieldError } from '../errors.ts'
import type { Input } from './kind.ts'

/** Returns a field that must be a string, or undefined if it is null or absent. Throws FieldError if it has another type. */
export function textIn(input: Input, field: string): string | undefined {
  const value = input[field] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw new FieldError('invalid', field, 'must be a string')
}

/**
 * Returns a field that must be a number, like {@link textIn}. The rules of the item check that it is whole and within its bounds.
 */
export function numberIn(input: Input, field: string): number | undefined {
  const value = input[field] ?? undefined
  if (value === undefined || typeof value === 'number') return value
  throw new FieldError('invalid', field, 'must be an integer')
}

/**
 * Returns a field that must be a boolean. Returns undefined if it is null or absent. Throws FieldError if it has another type.
 */
export function switchIn(input: Input, field: string): boolean | undefined {
  const value = input[field] ?? undefined
  if (value === undefined || typeof value === 'boolean') return value
  throw new FieldError('invalid', field, 'must be a boolean')
}

export function requireGiven<Value>(field: string, value: Value | undefined): Value {
  if (value === undefined) throw new FieldError('invalid', field, 'is required')
  return value
}
