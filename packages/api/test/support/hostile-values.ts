// Numbers, dates and names that nobody should send, and the places in a document where one may stand.

/** Numbers as JSON text, because JSON.stringify has no way to write some of them. */
export const NUMBERS = [
  '0',
  '-0',
  '-1',
  '1.5',
  '0.1e1',
  '1e400',
  '-1e400',
  '1e308',
  '1e300',
  '1e-400',
  '999',
  '1000',
  '2147483647',
  '2147483648',
  '-2147483649',
  '9007199254740992',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
] as const

/** Numbers as people and scripts write them where a text is read as a number. */
export const NUMBER_TEXTS = [
  ...NUMBERS,
  '',
  ' ',
  ' 5',
  '+5',
  '5 ',
  '007',
  '0x10',
  '0b1',
  '1e2',
  '1_000',
  '1,000',
  '٣',
  'NaN',
  'Infinity',
  '-Infinity',
  '9'.repeat(400),
] as const

export const DATES = [
  '2026-11-20T10:00:00Z',
  '2026-11-20t10:00:00.123456789z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '0001-01-01T00:00:00+00:01',
  '0001-01-01T00:00:00-23:59',
  '0001-01-01T12:00:00+11:59',
  '1970-01-01T00:00:00Z',
  '1969-12-31T23:59:59.999999Z',
  '2026-10-26T10:00:00Z',
  '2026-12-15T10:00:00Z',
  '2038-01-19T03:14:08Z',
  '9999-12-31T23:59:59.999999999Z',
  '9999-12-31T23:59:59-00:01',
  '9999-12-31T23:59:60Z',
  '9999-12-31T23:59:59+23:59',
  '+010000-01-01T00:00:00Z',
  '12026-11-20T10:00:00Z',
  '-000001-01-01T00:00:00Z',
  '2026-06-30T23:59:60Z',
  '2026-06-30T23:59:60.999999999Z',
  '2026-06-30T22:59:60.5-01:00',
  '2026-06-30T12:00:60Z',
  '2026-06-30T23:59:61Z',
  '2026-02-30T00:00:00Z',
  '2024-02-29T00:00:00+23:59',
  '2026-11-20T24:00:00Z',
  '2026-11-20T10:00:00+24:00',
  '2026-11-20T10:00:00',
  '2026-11-20 10:00:00Z',
  '2026-11-20T10:00',
  '0000-01-01T00:00',
  '0001-01-01T00:00',
  '1970-01-01T00:00',
  '9999-12-31T23:59',
  '9999-12-31',
  '0001-01-01',
  '99:99',
  '24:00',
  'now',
  'infinity',
  '-infinity',
  'epoch',
  'today',
  'allballs',
  '1e99',
  `2026-11-20T10:00:00.${'9'.repeat(5000)}Z`,
] as const

/** Names that every plain object has without its own doing. */
export const PROTOTYPE_NAMES = [
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'isPrototypeOf',
  '__defineGetter__',
  'prototype',
] as const

/** A schema of a bundled document, whose references are resolved. */
export interface Schema {
  type?: string
  format?: string
  enum?: readonly unknown[]
  minimum?: number
  maximum?: number
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: boolean | Schema
  items?: Schema
  allOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  anyOf?: readonly Schema[]
}

/** A value in a body. `path`: the names that lead to it; `[]` is the first entry of an array, `{}` a name of one's own in an object. */
export interface Place {
  path: readonly string[]
  schema: Schema
}

/** Lists the places of a body that hold a single value, at any depth. */
export function placesIn(schema: Schema | undefined, path: readonly string[] = []): Place[] {
  if (schema === undefined) return []
  const { properties = {}, items, additionalProperties: others, allOf = [], oneOf = [], anyOf = [] } = schema
  const isMap = schema.type === 'object' && Object.keys(properties).length === 0
  const inner = [
    ...Object.entries(properties).flatMap(([name, one]) => placesIn(one, [...path, name])),
    ...placesIn(items, [...path, '[]']),
    ...(isMap ? placesIn(typeof others === 'object' ? others : { type: 'string' }, [...path, '{}']) : []),
    ...[...allOf, ...oneOf, ...anyOf].flatMap((one) => placesIn(one, path)),
  ]
  return inner.length > 0 ? inner : [{ path, schema }]
}

/** Puts JSON text at a place of a body, in the objects and first entries that are there or that it makes. Returns the whole as JSON text. */
export function withJsonAt(body: unknown, path: readonly string[], json: string): string {
  return JSON.stringify(putAt(body, path)).replace(JSON.stringify(MARK), () => json)
}

const MARK = 'here stands the value'

function putAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return MARK
  if (name === '[]') {
    const [first, ...others] = Array.isArray(value) ? value : []
    return [putAt(first, rest), ...others]
  }
  const held = typeof value === 'object' && value !== null ? value : {}
  return { ...held, [name]: putAt((held as Record<string, unknown>)[name], rest) }
}

/** The value at a place of a body; undefined where there is none. */
export function valueAt(body: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => {
    if (typeof value !== 'object' || value === null) return undefined
    return Array.isArray(value) ? value[0] : Object.hasOwn(value, name) ? value[name as keyof typeof value] : undefined
  }, body)
}

const SOME_NAMES = PROTOTYPE_NAMES.slice(0, 3)
const SOME_NUMBERS = [
  '-0',
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '1e308',
  '2147483648',
  '-2147483649',
  '9007199254740993',
  '9223372036854775808',
]
const FEW_NUMBERS = ['1e400', '2147483648']
const SOME_DATES = [
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:60Z',
  '+010000-01-01T00:00:00Z',
  '0001-01-01T00:00',
  '9999-12-31T23:59',
  '9999-12-31',
]

/** Instants of each kind of {@link DATES}, for the many places of the documents. */
const INSTANTS = [
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '0001-01-01T00:00:00+00:01',
  '0001-01-01T00:00:00-23:59',
  '1970-01-01T00:00:00Z',
  '2026-06-30T23:59:60.999999999Z',
  '2026-12-15T10:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '9999-12-31T23:59:60Z',
  '9999-12-31T23:59:59+23:59',
  '+010000-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-11-20T10:00:00',
  'infinity',
]

/** JSON texts that nobody should send where a document has a value of this schema. `isBrief`: a few, where the same rules are tried elsewhere. */
export function hostileJson({ type, format, enum: words }: Schema, isBrief: boolean): readonly string[] {
  if (type === 'integer' || type === 'number')
    return [...(isBrief ? FEW_NUMBERS : SOME_NUMBERS), quoted('1e400'), quoted('constructor')]
  if (type === 'boolean') return isBrief ? [] : ['1e400', quoted('constructor')]
  const names = (isBrief ? SOME_NAMES : PROTOTYPE_NAMES).map(quoted)
  if (words) return [...names, '1e400']
  if (format === 'date-time') return [...names, ...(isBrief ? SOME_DATES : INSTANTS).map(quoted)]
  return isBrief ? SOME_NAMES.map(quoted) : [...[...SOME_NAMES, ...SOME_DATES, '1e400'].map(quoted), '1e400']
}

/** Texts that nobody should send where a path, a query or a header has a value of this schema. */
export function hostileTexts(
  { type, format, enum: words }: Schema,
  part: 'path' | 'query' | 'header',
): readonly string[] {
  if (type === 'integer' || type === 'number') return [...NUMBER_TEXTS, ...SOME_NAMES]
  if (words || type === 'boolean') return PROTOTYPE_NAMES
  if (format === 'date-time') return [...SOME_NAMES, ...INSTANTS]
  const texts = [...SOME_NAMES, '1e400', '9223372036854775808', '9'.repeat(15)]
  return part === 'query' ? [...texts, '-1', '0001-01-01T00:00:00Z', '9999-12-31T23:59:60Z'] : texts
}

function quoted(text: string): string {
  return JSON.stringify(text)
}

/** Whether a schema admits a number. */
export function admitsNumber(
  { type, format, minimum = -Infinity, maximum = Infinity }: Schema,
  value: number,
): boolean {
  if (!Number.isFinite(value) || value < minimum || value > maximum) return false
  if (type === 'integer' && !Number.isInteger(value)) return false
  return format !== 'int32' || Math.abs(value) <= 2 ** 31
}
