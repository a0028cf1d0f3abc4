// Reads the JSON in responses of vendors. A response can be cut off, or come from a server other than the vendor's.
import { oneLine } from './wording.ts'

const MAX_TOLD = 200

/** Returns the object that a body contains. Returns an empty object if the body is no JSON object or was cut off. */
function objectIn(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** Returns the value at a path of keys in a JSON body. */
export function jsonValueAt(body: string, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    objectIn(body),
  )
}

/** Returns the text at a path of keys in a JSON body, as one line. Returns undefined if there is no text. */
export function jsonTextAt(body: string, ...keys: readonly string[]): string | undefined {
  const value = jsonValueAt(body, ...keys)
  const text = typeof value === 'string' ? oneLine(value, MAX_TOLD) : ''
  return text === '' ? undefined : text
}

/** Returns the texts of the list at a path of keys in a JSON body, separated by commas. */
export function jsonListAt(body: string, ...keys: readonly string[]): string | undefined {
  const value = jsonValueAt(body, ...keys)
  const texts = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  return texts.length === 0 ? undefined : oneLine(texts.join(', '), MAX_TOLD)
}

/** Returns the number at a path of keys in a JSON body. */
export function jsonNumberAt(body: string, ...keys: readonly string[]): number | undefined {
  const value = jsonValueAt(body, ...keys)
  return typeof value === 'number' ? value : undefined
}

/** Joins the defined parts to a text such as `a: b`. */
export function joinParts(...parts: readonly (string | undefined)[]): string | undefined {
  const told = parts.filter((part) => part !== undefined)
  return told.length === 0 ? undefined : told.join(': ')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
