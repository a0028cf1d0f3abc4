// Says assertions in words, for pages and programs that people read.
import { type Assertion, OPERATORS, type Operator, subjectRow } from './assertions.ts'

/** Words for each comparison, as the label of an option and within a sentence. */
export const OPERATOR_WORDS: Readonly<Record<Operator, string>> = {
  eq: 'is',
  ne: 'is not',
  lt: 'is less than',
  lte: 'is at most',
  gt: 'is more than',
  gte: 'is at least',
  contains: 'contains',
  not_contains: 'does not contain',
  regex: 'matches (RE2)',
  not_regex: 'does not match (RE2)',
  exists: 'exists',
  absent: 'does not exist',
}

/** Maximum number of characters of a value in a sentence. */
const SHOWN = 100

/** Returns an assertion as a sentence: `JSON body $.db.status is "up"`. */
export function assertionWords({ on, at = '', is, value }: Assertion): string {
  const start = [subjectRow(on).label, at, OPERATOR_WORDS[is]].filter((part) => part !== '').join(' ')
  return OPERATORS[is] === 'none' ? start : `${start} ${valueWords(value)}`
}

function valueWords(value: Assertion['value']): string {
  const text = JSON.stringify(value ?? null)
  return text.length > SHOWN ? `${Array.from(text).slice(0, SHOWN).join('')}…` : text
}
