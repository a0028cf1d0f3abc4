// Reads values from a text of JSON.
import { type JsonPath, valueAt } from '@dogwatch/check-rules/json-path'

/** Value that takes the place of every JSON object, because no rule compares the content of an object. */
export const AN_OBJECT = Object.freeze({})

/** Maximum depth of lists and objects within each other. */
export const LEVELS_MAX = 1000

/** Returns the value at each path, or undefined if the text is not JSON. A path that leads nowhere has undefined as its value. */
export function jsonValues(text: string, paths: readonly JsonPath[]): unknown[] | undefined {
  if (isTooDeep(text)) return undefined
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  return paths.map((path) => simplified(valueAt(json, path)))
}

const [QUOTE, BACKSLASH, LIST, LIST_END, OBJECT, OBJECT_END] = ['"', '\\', '[', ']', '{', '}'].map((mark) =>
  mark.charCodeAt(0),
)

/**
 * Whether lists and objects in a text are nested too deeply. For each level, the parser needs fifty times the memory of the text,
 * which no limit counts.
 */
function isTooDeep(text: string): boolean {
  let [levels, isInText] = [0, false]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) isInText = !isInText
    else if (isInText) at += code === BACKSLASH ? 1 : 0
    else if (code === LIST || code === OBJECT) levels += 1
    else if (code === LIST_END || code === OBJECT_END) levels -= 1
    if (levels > LEVELS_MAX) return true
  }
  return false
}

/** Replaces objects, and lists within a list, because no rule compares their content. */
function simplified(value: unknown): unknown {
  return Array.isArray(value) ? value.map(scalar) : scalar(value)
}

function scalar(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? AN_OBJECT : value
}
