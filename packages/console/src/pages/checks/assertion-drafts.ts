// Converts the assertions in the form of a check: from the lines of its draft to rows of inputs, and back as they were typed.
import { assertionWords } from '@dogwatch/check-rules/assertion-words'
import {
  ASSERTIONS_MAX,
  type Assertion,
  faultsOfAssertions,
  SUBJECT_NAMES,
  subjectRow,
} from '@dogwatch/check-rules/assertions'
import type { Form } from '../../form.ts'
import { assertionLines } from './words.ts'

/** An assertion as a row of inputs. */
export interface AssertionRow {
  on: string
  at: string
  is: string
  value: string
}

/** Number of empty rows of a form without scripts. */
export const SPARE_ROWS = 3

export const BLANK_ROW: AssertionRow = { on: '', at: '', is: 'eq', value: '' }

/** Returns the rows of a form as lines. Omits empty rows. */
export function linesFrom(form: Form): string {
  const [on = [], at = [], is = [], value = []] = PARTS.map((part) => form.all(`assertion_${part}`))
  // One row too many is enough for a refusal.
  const rows = on.slice(0, ASSERTIONS_MAX + SPARE_ROWS + 1).map((subject, index) => ({
    on: subject,
    at: pathIn(subject, (at[index] ?? '').trim()),
    is: is[index] ?? '',
    value: value[index] ?? '',
  }))
  return assertionLines(rows.filter((row) => row.on !== '' || row.at !== '' || row.value !== '').map(assertionIn))
}

/** Completes a JSON path that is written without its start, such as `database.status`. */
function pathIn(on: string, typed: string): string {
  const isPath = SUBJECT_NAMES.some((name) => name === on && subjectRow(name).at === 'path')
  if (!isPath || typed === '' || typed.startsWith('$')) return typed
  return typed.startsWith('[') ? `$${typed}` : `$.${typed}`
}

const PARTS = ['on', 'at', 'is', 'value'] as const

function assertionIn({ on, at, is, value }: AssertionRow): object {
  const isUnused = value === '' && (is === 'exists' || is === 'absent')
  return { ...(at !== '' && { at }), is, on, ...(isUnused ? {} : { value: readValue(on, value) }) }
}

/** Returns the rows of the lines of a draft. */
export function rowsOf(lines: string): AssertionRow[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { on, at = '', is, value } = JSON.parse(line) as { on: string; at?: string; is: string; value?: unknown }
      return { on, at, is, value: valueText(on, value) }
    })
}

/** Returns the assertions of a draft in words. An incomplete assertion becomes an empty text. */
export function wordsOf(lines: string): string[] {
  return lines.split('\n').flatMap((line) => {
    const one: unknown = line === '' ? undefined : JSON.parse(line)
    return one === undefined ? [] : faultsOfAssertions([one]).length > 0 ? '' : assertionWords(one as Assertion)
  })
}

/** Subjects whose values are text, even if it looks like a number. */
const TEXTUAL: readonly string[] = [
  'header',
  'body',
  'banner',
  'final_url',
  'http_version',
  'dns_answer',
  'dns_serials',
]

const NUMBER = /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?$/

/** Reads a value as it was typed. Numbers, true, false and null are JSON, unless they are in quotes or the subject is text. */
function readValue(on: string, typed: string): unknown {
  const text = typed.trim()
  if (text.startsWith('"') && text.endsWith('"')) return quoted(text) ?? typed
  if (TEXTUAL.includes(on)) return typed
  if (text === 'true' || text === 'false') return text === 'true'
  if (text === 'null') return null
  return NUMBER.test(text) ? Number(text) : typed
}

function quoted(text: string): string | undefined {
  try {
    return String(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Writes a value so that {@link readValue} returns the same one. Values of several lines are in quotes, because an input has one. */
function valueText(on: string, value: unknown): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') return JSON.stringify(value)
  return readValue(on, value) === value && !/[\r\n]/.test(value) ? value : JSON.stringify(value)
}
