// Defines the values of fields that are one word of several, with their labels.

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

/** The values of a field with their labels. The first value is empty. */
export type Words = readonly [readonly ['', string], ...(readonly (readonly [string, string])[])]
