// Requests to the configuration API's writing operations that nobody should send: each begins as one that succeeds, and is broken by
// chance, with the fields that the document names and with others.
import { document } from '@dogwatch/contract/config'
import type { Method } from '../../../api/test/support/config-api.ts'
import { DATES, NUMBERS, PROTOTYPE_NAMES } from '../../../api/test/support/hostile-values.ts'
import type { Dice } from '../../../runtime/test/support/dice.ts'

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
  allOf?: Schema[]
  oneOf?: Schema[]
}
interface Operation {
  operationId: string
  requestBody?: { content: { 'application/json': { schema: Schema } } }
}

export interface WritingOperation {
  id: string
  method: Method
  path: string
  /** The names of all fields that its body may have, at any depth. */
  fields: readonly string[]
}

export const WRITING: readonly WritingOperation[] = Object.entries(
  document.paths as Record<string, Record<string, Operation>>,
).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => method !== 'get')
    .map(([method, { operationId, requestBody }]) => ({
      id: operationId,
      method: method as Method,
      path,
      fields: [...new Set(fieldsOf(requestBody?.content['application/json'].schema))],
    })),
)

function fieldsOf(schema: Schema | undefined): string[] {
  if (schema === undefined) return []
  const { properties = {}, items, allOf = [], oneOf = [] } = schema
  const inner = [...Object.values(properties), ...(items ? [items] : []), ...allOf, ...oneOf]
  return [...Object.keys(properties), ...inner.flatMap(fieldsOf)]
}

export interface HostileRequest {
  path: string
  headers: Record<string, string>
  /** Undefined: none is sent. */
  body: string | undefined
}

/** `foreign`: guids and ids of another organisation. */
export function hostileChange(
  d: Dice,
  { method, path, fields }: WritingOperation,
  sample: { path?: Readonly<Record<string, string>>; body?: unknown },
  foreign: readonly string[],
): HostileRequest {
  const names = Object.entries(sample.path ?? {}).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, inPath(d, value, foreign)),
    path,
  )
  const headers = {
    ...(d.below(3) === 0 && { 'Idempotency-Key': d.one(['a', 'b', 'x'.repeat(255), 'x'.repeat(300), 'é', ' ']) }),
    ...(d.below(4) === 0 && { 'If-Match': d.one(['*', '""', '"x"', 'W/"0"', `"${'0'.repeat(32)}"`, '"a", "b"']) }),
  }
  if (sample.body === undefined && d.below(4) > 0) return { path: names, headers, body: undefined }
  let body: unknown = structuredClone(sample.body ?? {})
  const times = d.below(12) === 0 ? 0 : 1 + d.below(3)
  for (let n = 0; n < times; n++) body = broken(d, body, fields, foreign)
  const text = JSON.stringify(body) ?? 'null'
  return { path: names, headers, body: method === 'delete' && d.below(2) === 0 ? undefined : cutAtTimes(d, text) }
}

function inPath(d: Dice, value: string, foreign: readonly string[]): string {
  const odd = [
    ...foreign,
    'key:nothing',
    'key:',
    'key:%00',
    '%00',
    '%ED%A0%80',
    '%',
    '..%2f',
    '0',
    '-1',
    '9'.repeat(30),
    'x'.repeat(3000),
  ]
  return d.below(4) === 0 ? d.one(odd) : value
}

/** Here and there, what is no JSON at all. */
function cutAtTimes(d: Dice, text: string): string {
  if (d.below(40) > 0) return text
  return d.one([
    text.slice(0, d.below(text.length + 1)),
    `${text}}`,
    '',
    '\u0000',
    `{"a":${text},"a":1}`,
    '[1,',
    '"\\ud800"',
  ])
}

function broken(d: Dice, value: unknown, fields: readonly string[], foreign: readonly string[]): unknown {
  const way = d.below(10)
  if (way === 0 || typeof value !== 'object' || value === null) return odd(d, foreign)
  if (Array.isArray(value)) {
    if (value.length === 0 || way < 3)
      return d.one([[...value, odd(d, foreign)], [...value, ...value], manyOf(value[0])])
    const at = d.below(value.length)
    return value.with(at, broken(d, value[at], fields, foreign))
  }
  const names = Object.keys(value)
  if (way < 4 && fields.length > 0) return { ...value, [d.one(fields)]: odd(d, foreign) }
  if (way === 4)
    return {
      ...value,
      [d.one([...PROTOTYPE_NAMES, '', 'x'.repeat(500), 'org_id'])]: odd(d, foreign),
    }
  if (names.length === 0) return { ...value, x: odd(d, foreign) }
  const name = d.one(names)
  if (way === 5) return Object.fromEntries(Object.entries(value).filter(([one]) => one !== name))
  return { ...value, [name]: broken(d, (value as Record<string, unknown>)[name], fields, foreign) }
}

/** More than any list may have, unless that would be more than one can send. */
function manyOf(value: unknown): unknown[] {
  const length = JSON.stringify(value)?.length ?? 0
  return Array(length * 1500 < MOST_CHARS ? 1500 : 2).fill(value)
}
const MOST_CHARS = 20_000_000

function odd(d: Dice, foreign: readonly string[]): unknown {
  const deep = () =>
    Array.from({ length: 300 }).reduce<unknown>((inner) => (d.below(2) === 0 ? [inner] : { x: inner }), 1)
  const things: (() => unknown)[] = [
    () => JSON.parse(d.one(NUMBERS)) as number,
    () => d.one([null, true, false, [], {}, [[]], [null], { x: null }]),
    () => d.one(['', ' ', '\u0000', '\uD800', 'x\uDFFF', '\u202E', '\n', 'é'.repeat(70), '💥'.repeat(40), '__proto__']),
    () => 'x'.repeat(d.one([65, 201, 2049, 20_000])),
    () =>
      d.one([
        'gopher://x',
        'http://',
        'https://[::1',
        'javascript:alert(1)',
        'https://example.com/',
        '(',
        '(a+)+$',
        '[',
      ]),
    () => d.one([...DATES, 'UTC', 'Mars/Base']),
    () =>
      d.one([
        '* * * * *',
        '99 99 * * *',
        'FREQ=SECONDLY',
        'FREQ=DAILY;COUNT=99999',
        'FREQ=WEEKLY;BYDAY=XX',
        'put',
        'delete',
      ]),
    () =>
      d.one([...foreign, 'key:nothing', 'key:', `key:${'x'.repeat(65)}`, '00000000-0000-0000-0000-000000000000', '1']),
    () =>
      d.one([
        foreign,
        ['key:nothing'],
        ['', ''],
        ['\uD800'],
        { all: true },
        { tags: ['\u0000'] },
        { checks: [foreign[0]] },
      ]),
    () => Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`X-${n}`, 'v'])),
    deep,
  ]
  return d.one(things)()
}
