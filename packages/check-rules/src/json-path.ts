// Reads JSON paths that lead to at most one value: the singular queries of RFC 9535, with names and indexes only.

/** Names and indexes that lead to a value. A negative index counts from the end. */
export type JsonPath = readonly (string | number)[]

const PATH_MAX_CHARS = 500
const STEPS_MAX = 50

/** Fault of a text that is not such a path, as text that follows the name of the field. */
export const PATH_FAULT = `must be a JSON path of at most ${PATH_MAX_CHARS} characters with names and indexes only, such as $.items[0].name`

const BLANK = /[ \t\n\r]*/y
const NAME = /\.([A-Z_a-z\u0080-\ud7ff\ue000-\u{10ffff}][\w\u0080-\ud7ff\ue000-\u{10ffff}]*)/uy
const INDEX = /\[[ \t\n\r]*(0|-?[1-9]\d*)[ \t\n\r]*\]/y
// Matches a character that a quoted name may contain unescaped. Control characters and lone surrogates must be escaped.
const PLAIN = String.raw`[ -!#-&(-\[\]-\ud7ff\ue000-\u{10ffff}]`
const UNICODE = String.raw`u(?:[\da-cefA-CEF][\da-fA-F]{3}|[dD][0-7][\da-fA-F]{2}|[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2})`
const SINGLE = new RegExp(String.raw`\[[ \t\n\r]*'((?:${PLAIN}|"|\\(?:[bfnrt/\\']|${UNICODE}))*)'[ \t\n\r]*\]`, 'uy')
const DOUBLE = new RegExp(String.raw`\[[ \t\n\r]*"((?:${PLAIN}|'|\\(?:[bfnrt/\\"]|${UNICODE}))*)"[ \t\n\r]*\]`, 'uy')

/** Reads a path. Returns undefined if the text is not one, or is too long. */
export function readJsonPath(text: string): JsonPath | undefined {
  if (!text.startsWith('$') || text.length > PATH_MAX_CHARS) return undefined
  const steps: (string | number)[] = []
  let at = 1
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at = pattern.lastIndex
    return found
  }
  while (at < text.length) {
    match(BLANK)
    const step = match(NAME)?.[1] ?? indexOf(match(INDEX)?.[1]) ?? unescaped(match(SINGLE)?.[1] ?? match(DOUBLE)?.[1])
    if (step === undefined || steps.length === STEPS_MAX) return undefined
    steps.push(step)
  }
  return steps
}

function indexOf(digits: string | undefined): number | undefined {
  const index = Number(digits)
  return digits !== undefined && Number.isSafeInteger(index) ? index : undefined
}

const CONTROLS = new Map(Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }))

function unescaped(name: string | undefined): string | undefined {
  return name?.replace(/\\(?:u([\da-f]{4})|(.))/gi, (_, code: string | undefined, char: string) =>
    code === undefined ? (CONTROLS.get(char) ?? char) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

/** Returns the value that a path leads to in parsed JSON, or undefined if there is none. */
export function valueAt(json: unknown, path: JsonPath): unknown {
  let value = json
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined
    if (typeof step === 'number') value = Array.isArray(value) ? value.at(step) : undefined
    else value = !Array.isArray(value) && Object.hasOwn(value, step) ? Reflect.get(value, step) : undefined
  }
  return value
}
