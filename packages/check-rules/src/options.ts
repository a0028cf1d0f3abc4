// Reads the options of a target, which stand in the query of its URL.
import { decoded, type Fault } from './address.ts'

/** Field for an option in the form of a check. */
interface OptionLabel {
  /** Label of the field. Absent if people write the option only in the target. */
  label?: string
  hint?: string
  /** Unit of the option's numbers, shown after the input. */
  unit?: string
}

/** Kind of an option, and its limits. An absent option has its default: the first word, no, or an empty text. */
export type OptionRow = OptionLabel &
  (
    | { kind: 'word'; words: readonly [string, ...string[]]; said?: Readonly<Record<string, string>> }
    | { kind: 'whole'; min: number; max: number; default: number }
    | { kind: 'yes-no' }
    /** Bytes, written as text with percent-encoding and with the escapes `\n`, `\r`, `\t`, `\\` and `\xHH`. */
    | { kind: 'bytes'; max: number; isSecret?: true }
    /** Text in percent-encoding. */
    | { kind: 'text'; max: number }
  )

export type OptionRows = Readonly<Record<string, OptionRow>>

type OptionValue<Row> = Row extends { kind: 'word'; words: readonly (infer Word)[] }
  ? Word
  : Row extends { kind: 'whole' }
    ? number
    : Row extends { kind: 'yes-no' }
      ? boolean
      : Row extends { kind: 'text' }
        ? string
        : Uint8Array

/** The values of all options of a table. */
export type OptionsOf<Rows extends OptionRows> = { -readonly [Name in keyof Rows]: OptionValue<Rows[Name]> }

const NAME_MAX_SHOWN = 40

/** Reads the text after the question mark of a target, or returns the fault as text that follows the name of the field. */
export function readOptions<const Rows extends OptionRows>(rows: Rows, query: string): OptionsOf<Rows> | Fault {
  const pairs = readPairs(rows, query)
  if ('fault' in pairs) return pairs
  const names = pairs.map(({ name }) => name)
  const twice = names.find((name, n) => names.indexOf(name) < n)
  if (twice !== undefined) return { fault: `must have the option ${twice} only once` }
  const values = new Map<string, unknown>(Object.entries(rows).map(([name, row]) => [name, defaultOf(row)]))
  for (const { name, value } of pairs) values.set(name, value)
  return Object.fromEntries(values) as OptionsOf<Rows>
}

/** An option that a target has. */
export interface GivenOption {
  name: string
  value: unknown
}

/** Reads options whose order matters, and which may occur several times. */
export function readSteps(rows: OptionRows, query: string, max: number): GivenOption[] | Fault {
  if (query.split('&', max + 1).length > max) return { fault: `must have ${max} options or fewer` }
  return readPairs(rows, query)
}

function readPairs(rows: OptionRows, query: string): GivenOption[] | Fault {
  const table = new Map(Object.entries(rows))
  const pairs: GivenOption[] = []
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const [name = '', ...rest] = pair.split('=')
    const row = table.get(name)
    if (!row)
      return { fault: `must not have the option ${quoted(name)}; the options are ${[...table.keys()].join(', ')}` }
    const value = readOption(row, rest.join('='))
    if (value === undefined) return { fault: `must have ${wantedOf(row)} as the option ${name}` }
    pairs.push({ name, value })
  }
  return pairs
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, NAME_MAX_SHOWN))
}

function defaultOf(row: OptionRow): unknown {
  if (row.kind === 'word') return row.words[0]
  if (row.kind === 'whole') return row.default
  if (row.kind === 'text') return ''
  return row.kind === 'yes-no' ? false : new Uint8Array()
}

/** Reads the value of an option as it is written in a target. Returns undefined if it is not valid. */
export function readOption(row: OptionRow, text: string): unknown {
  const lower = text.toLowerCase()
  if (row.kind === 'word') return row.words.find((word) => word.toLowerCase() === lower)
  if (row.kind === 'yes-no') return lower === 'yes' || (lower === 'no' ? false : undefined)
  if (row.kind === 'bytes') return readBytes(text, row.max)
  if (row.kind === 'text') return readText(text, row.max)
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return number >= row.min && number <= row.max ? number : undefined
}

/** Describes the values that an option can have. */
export function wantedOf(row: OptionRow): string {
  if (row.kind === 'word') return row.words.length === 1 ? row.words[0] : `one of ${row.words.join(', ')}`
  if (row.kind === 'yes-no') return 'yes or no'
  if (row.kind === 'whole') return `a number from ${row.min} to ${row.max}`
  if (row.kind === 'text') return `1 to ${row.max} characters in percent-encoding`
  return `1 to ${row.max} bytes, with only the escapes \\n, \\r, \\t, \\\\, \\xHH and %HH,`
}

const ESCAPE = /%[\da-f]{2}|\\(?:x[\da-f]{2}|[nrt\\])|[^\\%]+|[\\%]/gi
const CONTROLS = new Map([
  ['\\n', 10],
  ['\\r', 13],
  ['\\t', 9],
  ['\\\\', 92],
])

/** Returns the bytes of a text with escapes, or undefined if it is empty, too long, or has another escape. */
function readBytes(text: string, max: number): Uint8Array | undefined {
  const encoder = new TextEncoder()
  const bytes: number[] = []
  for (const [part] of text.matchAll(ESCAPE)) {
    if (part === '\\' || part === '%') return undefined
    const control = CONTROLS.get(part.toLowerCase())
    if (control !== undefined) bytes.push(control)
    else if (part.startsWith('%') || part.startsWith('\\')) bytes.push(Number.parseInt(part.slice(-2), 16))
    else bytes.push(...encoder.encode(part.slice(0, max + 1)))
    if (bytes.length > max) return undefined
  }
  return bytes.length === 0 ? undefined : Uint8Array.from(bytes)
}

// biome-ignore lint: control characters are what is looked for
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/

/** Decodes a text, or returns undefined if it is empty, too long, or not valid. */
export function readText(written: string, max: number): string | undefined {
  const text = decoded(written) ?? ''
  return text === '' || text.length > max || CONTROL.test(text) ? undefined : text
}
