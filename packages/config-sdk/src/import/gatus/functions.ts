// Reads the functions that conditions of Gatus have.

/** A condition of Gatus, such as `[STATUS] == any(200, 204)`. */
export interface Condition {
  left: string
  operator: string
  right: string
}

export const VARIABLE = /\$\{[A-Za-z_]\w{0,99}\}/

export const CLASS = /[[\]\\]/
export const NO_CLASSES = 'patterns with character classes are not supported; use match_mode regex'

/** Replaces the escaped wildcards of a text with the wildcards of a regular expression. */
export function globbed(escaped: string): string {
  return escaped.replaceAll('\\*', '.*').replaceAll('\\?', '.')
}

/** Returns the arguments in `name(…)`, or undefined if the text has another form. */
export function argumentsOf(name: 'any' | 'pat' | 'len' | 'has', text: string): string[] | undefined {
  if (!text.startsWith(`${name}(`) || !text.endsWith(')')) return undefined
  const inner = text.slice(name.length + 1, -1)
  return name === 'any' ? inner.split(',').map((part) => part.trim()) : [inner]
}
