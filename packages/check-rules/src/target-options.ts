// Moves options between the query of a target and the fields of a form. Each option with a label has a field.
import { parted } from './address.ts'
import { type OptionRow, type OptionRows, readOption, wantedOf } from './options.ts'
import { SCHEME_ROWS, type Scheme, schemeOf, schemeRow } from './schemes.ts'

/** Option that has a field in the form. */
export interface OptionField {
  name: string
  row: OptionRow & { label: string }
  /** Schemes whose targets have the option. */
  schemes: readonly Scheme[]
}

/** All options that have a field. Options with the same name are the same field. */
export const OPTION_FIELDS: readonly OptionField[] = [
  ...Map.groupBy(
    SCHEME_ROWS.flatMap(({ name: scheme, options = {} }) =>
      Object.entries(options).flatMap(([name, row]) => (hasLabel(row) ? [{ name, row, scheme }] : [])),
    ),
    ({ name }) => name,
  ),
].flatMap(([name, uses]) => uses.slice(0, 1).map(({ row }) => ({ name, row, schemes: uses.map((use) => use.scheme) })))

function hasLabel(row: OptionRow): row is OptionField['row'] {
  return row.label !== undefined
}

/** Values of option fields, as they are typed. An option without a text has its default. */
export type OptionTexts = ReadonlyMap<string, string>

/** Returns the default of an option as text. Returns an empty text if only an empty input means the default. */
export function defaultText(row: OptionRow): string {
  if (row.kind === 'word') return row.words[0]
  return row.kind === 'whole' && row.default >= row.min ? String(row.default) : ''
}

/** Takes the options that have a field out of the query of a target. Invalid and repeated options stay in the query. */
export function takeOptions(url: string): { url: string; options: Map<string, string> } {
  const rows = rowsOf(url)
  const { authority, query } = parted(url)
  const options = new Map<string, string>()
  const kept = pairsOf(url, query).filter((pair) => {
    const name = nameIn(pair)
    const row = rows.get(name)
    const text = row && textOf(row, pair.slice(name.length + 1))
    if (text === undefined || options.has(name)) return true
    options.set(name, text)
    return false
  })
  return options.size === 0 ? { url, options } : { url: withQuery(authority, kept), options }
}

/** Fault of an option field. */
export interface OptionFault {
  name: string
  /** Fault as text that follows the label of the field. */
  must: string
}

/**
 * Writes the options of fields into the query of a target. Omits defaults, and options that the target contains with the same
 * value. An option that the target contains with another value is a fault.
 */
export function giveOptions(url: string, given: OptionTexts): { url: string; faults: OptionFault[] } {
  const { authority, query } = parted(url)
  const pairs = query === '' ? [] : [query]
  const typed = takeOptions(url).options
  const faults: OptionFault[] = []
  for (const [name, row] of rowsOf(url)) {
    const text = (given.get(name) ?? '').trim()
    if (text === '' || text === defaultText(row) || text === typed.get(name)) continue
    const isTyped = pairsOf(url, query).some((pair) => nameIn(pair) === name)
    if (isTyped)
      faults.push({ name, must: 'is also in the target; remove the option from the target or clear this field' })
    else if (readOption(row, encoded(row, text)) === undefined) faults.push({ name, must: `must be ${wantedOf(row)}` })
    else pairs.push(`${name}=${encoded(row, text)}`)
  }
  return { url: pairs.length === 0 ? url : withQuery(authority, pairs), faults }
}

/** Whether two targets differ only in how their options are written. */
export function isSameTarget(one: string, other: string): boolean {
  const [first, second] = [takeOptions(one), takeOptions(other)]
  const isEqual = [...rowsOf(one)].every(
    ([name, row]) => (first.options.get(name) ?? defaultText(row)) === (second.options.get(name) ?? defaultText(row)),
  )
  return first.url === second.url && isEqual
}

function rowsOf(url: string): Map<string, OptionField['row']> {
  const scheme = schemeOf(url)
  const rows: OptionRows = (scheme && schemeRow(scheme).options) ?? {}
  return new Map(Object.entries(rows).flatMap(([name, row]) => (hasLabel(row) ? [[name, row]] : [])))
}

function pairsOf(url: string, query: string): string[] {
  if (query === '') return []
  // RFC 4501 separates options with a semicolon.
  return query.split(schemeOf(url) === 'dns' ? /[&;]/ : '&').filter((pair) => pair !== '')
}

function nameIn(pair: string): string {
  const at = pair.indexOf('=')
  return at < 0 ? pair : pair.slice(0, at)
}

function withQuery(start: string, pairs: readonly string[]): string {
  return pairs.length === 0 ? start : `${start}?${pairs.join('&')}`
}

/** Returns the value of an option as people type it, or undefined if it is not valid. */
function textOf(row: OptionRow, value: string): string | undefined {
  const read = readOption(row, value)
  if (read === undefined || row.kind === 'bytes') return undefined
  if (typeof read === 'boolean') return read ? 'yes' : ''
  return typeof read === 'number' ? `${read}` : (read as string)
}

/** Characters that are readable in a query, and do not end it or an option. */
const READABLE = /%(?:20|2C|2F|3A|3D|40)/g

function encoded(row: OptionRow, text: string): string {
  return row.kind === 'text' ? encodeURIComponent(text).replace(READABLE, decodeURIComponent) : text
}
