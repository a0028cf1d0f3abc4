// Derives two things from the rows of the fields: the types of a check's content, and the order in which fields are read, sent
// and reported.
import { type Assertion, tidyAssertions } from './assertions.ts'
import { CHECK_FIELDS, type Common, type FieldRow } from './rows.ts'
import { isJudgedByServer, SCHEME_NAMES, SCHEMES, type Scheme } from './schemes.ts'
import { tidyTags } from './tags.ts'

export { CHECK_FIELDS, type FieldRow } from './rows.ts'

type Rows = typeof CHECK_FIELDS
export type FieldName = keyof Rows

/** Names of the fields whose row has all properties of `Part`. */
export type FieldsWith<Part> = { [Name in FieldName]: Rows[Name] extends Part ? Name : never }[FieldName]

/** Empty value of each kind of field. An omitted optional field has this value. */
const BLANKS = {
  url: '',
  text: '',
  word: '',
  whole: 0,
  'yes-no': false,
  headers: {},
  tags: [],
  statuses: [],
  assertions: [],
}

interface Values {
  url: string
  text: string
  word: string
  whole: number
  'yes-no': boolean
  headers: Record<string, string>
  /** Tags in lower case, sorted, each once. */
  tags: string[]
  /** HTTP status codes, and ranges of them. */
  statuses: string[]
  assertions: Assertion[]
}

/** The values of all fields that people write of a check. Omitted optional fields are 0, false or empty. */
export type CheckFields = { -readonly [Name in FieldName]: Values[Rows[Name]['kind']] }

/** The part of the fields that a private definition keeps from the server. */
export type Definition = Pick<CheckFields, FieldsWith<{ isDefinition: true }>>

/** The names of all fields, in the order of the rows. */
export const FIELD_NAMES: readonly FieldName[] = Object.keys(CHECK_FIELDS).filter(isField)

export function isField(name: string): name is FieldName {
  return Object.hasOwn(CHECK_FIELDS, name)
}

/** Returns the row of a field, with the type that all rows share. */
export function rowOf(field: FieldName): FieldRow {
  return CHECK_FIELDS[field]
}

/** Returns the names of the fields whose row has all properties of `part`, in the order of the rows. */
export function fieldsWith<const Part extends Partial<Common> & { kind?: FieldRow['kind'] }>(
  part: Part,
): FieldsWith<Part>[] {
  const wanted = Object.entries(part)
  const hasAll = (row: FieldRow): boolean => wanted.every(([key, value]) => Reflect.get(row, key) === value)
  return FIELD_NAMES.filter((name): name is FieldsWith<Part> => hasAll(rowOf(name)))
}

/** Whether a field means something for the targets of a scheme. */
export function appliesTo(field: FieldName, scheme: Scheme): boolean {
  if (isJudgedByServer(scheme) && rowOf(field).ofRuns === true) return false
  const isNamedFor = (one: Scheme): boolean => {
    const named: readonly FieldName[] = SCHEMES[one].fields
    return named.includes(field)
  }
  return isNamedFor(scheme) || !SCHEME_NAMES.some(isNamedFor)
}

/** Fields whose faults are reported first, in this order. The other fields follow in the order of the rows. */
const TOLD_FIRST: readonly (keyof Definition)[] = ['url', 'match_string', 'match_mode', 'post_data', 'headers']

export const DEFINITION_FIELDS: readonly (keyof Definition)[] = [
  ...new Set([...TOLD_FIRST, ...fieldsWith({ isDefinition: true })]),
]

const KIND_ORDER: readonly FieldRow['kind'][] = ['url', 'text', 'word', 'headers', 'tags', 'yes-no', 'whole']

/** All fields in the order of reading an entry, and of reporting its faults and changes. */
export const READING_ORDER: readonly FieldName[] = [
  ...new Set<FieldName>([
    'name',
    ...DEFINITION_FIELDS,
    ...KIND_ORDER.flatMap((kind) => fieldsWith({ kind })),
    ...FIELD_NAMES,
  ]),
]

/** Returns the value of an omitted field. */
export function defaultOf(field: FieldName): unknown {
  const row = rowOf(field)
  return 'default' in row ? row.default : blankOf(field)
}

export function blankOf(field: FieldName): unknown {
  return BLANKS[rowOf(field).kind]
}

/** Whether a value is empty: 0, false, an empty text, list or object, or absent. */
export function isBlank(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length === 0 : !value
}

/** Whether only own monitors may run a check because of a field that it sets. */
export function isForOwnMonitors(check: Readonly<Partial<Record<FieldName, unknown>>>): boolean {
  return fieldsWith({ isForOwnMonitors: true }).some((field) => !isBlank(check[field]))
}

/** Returns the complete content of a validated entry. Omitted fields are empty. */
export function toFields(given: Readonly<Record<string, unknown>>): CheckFields {
  const values = READING_ORDER.map((field) => [field, copyOf(field, given[field] ?? blankOf(field))] as const)
  const content: Record<string, unknown> = Object.fromEntries(values)
  requireFields(content)
  return content
}

export const BLANK_CHECK: Readonly<CheckFields> = toFields({})

/** Returns only the named fields of a content. */
export function pick<Name extends FieldName, From extends Pick<CheckFields, Name>>(
  from: From,
  names: readonly Name[],
): Pick<From, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<From, Name>
}

/**
 * Headers of a check that contain no secret, in lower case. After a redirect to another site, an agent sends only these. Their
 * values stay visible if the response of the target repeats them.
 */
export const HARMLESS_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-type',
  'pragma',
  'user-agent',
])

/** Fields as in files and responses, which omit optional fields that are 0, false or empty. */
export type SentFields<Name extends FieldName> = Pick<CheckFields, Name & AlwaysSent> & Partial<Pick<CheckFields, Name>>
type AlwaysSent = FieldsWith<{ isAlwaysSent: true }>

/**
 * Returns a function that picks the named fields to send. It computes the optional ones in advance, because a first sync sends
 * thousands of checks.
 */
export function senderOf<Name extends FieldName>(
  names: readonly Name[],
): (content: Pick<CheckFields, Name>) => SentFields<Name> {
  const always = names.filter((name) => rowOf(name).isAlwaysSent)
  const optional = names.filter((name) => !rowOf(name).isAlwaysSent)
  const deciding: readonly FieldName[] = optional.map((name) => rowOf(name).sentWith ?? name)
  return (content: Partial<CheckFields>) => {
    const sent: Partial<Record<FieldName, unknown>> = {}
    for (const name of always) sent[name] = content[name]
    for (const [index, name] of optional.entries()) {
      if (!isBlank(content[deciding[index] ?? name])) sent[name] = content[name]
    }
    return sent as SentFields<Name>
  }
}

function copyOf(field: FieldName, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { kind } = rowOf(field)
    if (kind === 'assertions') return tidyAssertions(value)
    return kind === 'tags' ? tidyTags(value.map(String)) : value.map(String)
  }
  return typeof value === 'object' ? { ...value } : value
}

function requireFields(given: Record<string, unknown>): asserts given is CheckFields {
  for (const field of FIELD_NAMES) {
    const [value, blank] = [given[field], blankOf(field)]
    if (typeof value !== typeof blank || Array.isArray(value) !== Array.isArray(blank))
      throw new TypeError(`${field} was read before it was validated`)
  }
}
