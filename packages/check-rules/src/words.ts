// Defines words that people read: labels for fields whose value is one word of several, and lists of the schemes.
import { SCHEME_ROWS, startOf } from './schemes.ts'

export const MATCH_WORDS = [
  ['', 'must contain the text'],
  ['contains', 'must contain the text'],
  ['not_contains', 'must not contain the text'],
  ['regex', 'must match the regular expression (RE2)'],
  ['not_regex', 'must not match the regular expression (RE2)'],
] as const

export const STATUS_WORDS = [
  ['', 'must be below 400 (default)'],
  ['eq', 'must be'],
  ['ne', 'must not be'],
  ['lt', 'must be less than'],
  ['lte', 'must be at most'],
  ['gt', 'must be more than'],
  ['gte', 'must be at least'],
] as const

export const FAMILY_WORDS = [
  ['', 'IPv4 or IPv6 (default)'],
  ['any', 'IPv4 or IPv6 (default)'],
  ['4', 'IPv4'],
  ['6', 'IPv6'],
  ['both', 'IPv4 and IPv6'],
] as const

/** The values of a field with their labels. The first value is empty. */
export type Words = readonly [readonly ['', string], ...(readonly (readonly [string, string])[])]

/** All kinds of targets, with the form of each. */
export const TARGETS = listed(
  SCHEME_ROWS.flatMap(({ hint = [] }) => hint),
  ', or ',
)

/** Fault of a target whose scheme is unknown. */
export const UNKNOWN_SCHEME = `must start with ${listed(
  SCHEME_ROWS.map(({ name }) => startOf(name)),
  ' or ',
)}`

/** Joins words as in a sentence, each once. */
export function listed(all: readonly string[], last: ' and ' | ' or ' | ', or '): string {
  const words = [...new Set(all)]
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(last)
}
