// Reads values from a text of JSON.
import { type JsonPath, valueAt } from '@dogwatch/check-rules/json-path'

/** Replacement of an object, whose content no rule compares. */
export const AN_OBJECT = Object.freeze({})

/** Returns the value at each path, or undefined if the text is not JSON. A path that leads nowhere has undefined as its value. */
export function jsonValues(text: string, paths: readonly JsonPath[]): unknown[] | undefined {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  return paths.map((path) => simplified(valueAt(json, path)))
}

/** Replaces objects, and lists within a list, because no rule compares their content. */
function simplified(value: unknown): unknown {
  return Array.isArray(value) ? value.map(scalar) : scalar(value)
}

function scalar(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? AN_OBJECT : value
}
