// Reads the JSON that vendors answer with. It may be cut off, or not theirs at all.
import { oneLine } from './wording.ts'

const MAX_TOLD = 200

/** The object that a body is; empty when it is none, or was not read to its end. */
function objectIn(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** What is below some keys, one after the other. */
export function below(body: string, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    objectIn(body),
  )
}

/** A text there, on one line; undefined when there is none. */
export function textBelow(body: string, ...keys: readonly string[]): string | undefined {
  const value = below(body, ...keys)
  const text = typeof value === 'string' ? oneLine(value, MAX_TOLD) : ''
  return text === '' ? undefined : text
}

/** The texts of a list there, with commas between. */
export function listBelow(body: string, ...keys: readonly string[]): string | undefined {
  const value = below(body, ...keys)
  const texts = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  return texts.length === 0 ? undefined : oneLine(texts.join(', '), MAX_TOLD)
}

/** A number there. */
export function numberBelow(body: string, ...keys: readonly string[]): number | undefined {
  const value = below(body, ...keys)
  return typeof value === 'number' ? value : undefined
}

/** `a: b`, of what there is. */
export function joined(...parts: readonly (string | undefined)[]): string | undefined {
  const told = parts.filter((part) => part !== undefined)
  return told.length === 0 ? undefined : told.join(': ')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
