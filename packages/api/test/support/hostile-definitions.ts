// Definitions of checks that nobody should send: targets of every kind, with hostile parts, and hostile values in every field.

import { OPERATOR_NAMES, SUBJECT_NAMES } from '@dogwatch/check-rules/assertions'
import { FIELD_NAMES, type FieldName, rowOf } from '@dogwatch/check-rules/fields'
import { SCHEME_ROWS, startOf } from '@dogwatch/check-rules/schemes'
import type { Dice } from '../../../runtime/test/support/dice.ts'

const NESTED = JSON.parse(`${'['.repeat(10)}${']'.repeat(10)}`) as unknown
/** Values that fit nowhere, or nearly. */
const ODD: readonly unknown[] = [
  ...[null, true, 0, -0, -1, 0.1, 1e308, 2 ** 53, '', ' '],
  ...['\u0000', '\ud800', '\u202e', '\u001b[31m\n', '__proto__', 'toString', 'x'.repeat(1001)],
  ...[[], {}, NESTED, [null], { on: 'json' }],
]
const PATHS = [
  ...['$', '$.a[0]', "$['\\u0000']", '$..a', '$[*]', '$[?@.a]', `$${'.a'.repeat(51)}`, `$${'[0]'.repeat(200)}`],
  ...['$[99999999999999999999]', '$.__proto__', "$['", '$[-0]', '$.\u{10ffff}'],
]
const PATTERNS = [
  ...['(', '(a+)+$', 'a{1000}{1000}', '(?=a)', '\\1', '[[:alpha:]', '(?i)x|'.repeat(200), '\\p{Greek}', '.*'],
]
/** Texts in the parts of a target. */
const PARTS = [
  ...['', 'x', '%', '%00', '%ff', '%2f%2e%2e', '\\', '\u0000', '\ud800', '\u202e', 'ü', '\n', '#', '?', '@', ':', '/'],
  ...[
    '&',
    '=',
    'a=b',
    '+',
    '%25',
    '\\x00',
    '\\xzz',
    '\\',
    'select 1',
    'drop table x',
    'x'.repeat(300),
    '%41'.repeat(99),
  ],
]
const HOSTS = [
  ...['127.1', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '[::', '[fe80::1%25lo]', '0', '0.0.0.0', '255.255.255.255'],
  ...['localhost', 'localhost.', 'x.invalid', 'xn--', 'ü.invalid', 'a..b', '-', `${'x'.repeat(64)}.invalid`, '', ' '],
  ...['127.0.0.1 ', '127.0.0.1\u0000', 'u:p@127.0.0.1', '*', '%31%32%37.0.0.1', 'x'.repeat(5000)],
]
/** Targets without the form of one. */
const TARGETS: readonly unknown[] = [
  ...ODD,
  ...['x', '://', 'https:', 'https://', 'HTTPS://', 'gopher://x', 'javascript:alert(1)', 'file:///etc/passwd'],
  ...['composite:', 'composite:tag:x', 'composite:key:nosuch', `composite:${'tag:x,'.repeat(201)}`, 'domain:'],
  ...[
    'domain:example.com?warn=9999',
    'domain:localhost',
    'domain:ü.example',
    `https://127.0.0.1/${'x'.repeat(70_000)}`,
  ],
]
/** Values of fields that have rules of their own. */
const OWN: { [Name in FieldName]?: readonly unknown[] } = {
  method: ['PUT', 'put', 'CONNECT', 'G\r\nET', 'X'.repeat(21)],
  status_codes: [[], ['200-299'], ['299-200'], ['2xx'], ['600'], Array.from({ length: 21 }, () => '200'), '200'],
  max_redirects: [0, 20, 21, -1, 1.5, '3'],
  headers: [
    ...[{}, { A: 'b' }, { 'A\r\nB': 'x' }, { A: 'b\r\nC: d' }, { Host: 'x' }, { 'Transfer-Encoding': 'chunked' }],
    ...[{ A: '\u0000' }, { A: 'ü' }, { '': 'x' }, { toString: 'x' }, { A: 1 }, { A: 'x'.repeat(9000) }],
    Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`X-${n}`, 'v'])),
  ],
  proxy: [
    ...[
      'http://p.invalid:1',
      'socks5://u:p@[::1]:1',
      'http://127.0.0.1:1',
      'http://p.example',
      'http://:0',
      'ftp://p:1',
    ],
    ...['http://a@b@c:1', 'http://u:p@h.example:99999', `http://${'u'.repeat(300)}:p@h.example:1`],
  ],
  match_string: [...PATTERNS, 'x'.repeat(65_536), 'x'.repeat(65_537), '\u0000', '\ud800'],
  post_data: ['x', '\u0000', '\ud800', 'x'.repeat(65_536), 'x'.repeat(65_537)],
  tags: [['a'], [''], ['A', 'a'], ['\u0000'], ['x'.repeat(300)], Array.from({ length: 60 }, (_, n) => `t${n}`), 'a'],
  depends_on: ['key:nosuch', '00000000-0000-4000-8000-000000000000', 'x'],
}

export function hostileAssertion(d: Dice): unknown {
  if (d.below(20) === 0) return d.one(ODD)
  const mostly = (usual: readonly unknown[]): unknown => (d.below(4) === 0 ? d.one(ODD) : d.one(usual))
  return {
    on: mostly(SUBJECT_NAMES),
    ...(d.below(5) > 0 && { at: mostly([...PATHS, 'content-type', 'total', 'issuer', 'a b', 'x'.repeat(500)]) }),
    is: mostly(OPERATOR_NAMES),
    ...(d.below(5) > 0 && { value: mostly([...PATTERNS, 'up', 5, -1.5, false]) }),
  }
}

/** Returns a definition that a server may refuse. Most of its parts are valid, so that each of the others matters. */
export function hostileDefinition(d: Dice, portOf: (scheme: string) => number = () => 1): Record<string, unknown> {
  const fields = d.below(3) > 0 ? [] : d.some(FIELD_NAMES, 3)
  return {
    ...{ name: 'a', url: hostileTarget(d, portOf), interval_sec: 60 },
    ...Object.fromEntries(fields.filter((field) => field !== 'url').map((field) => [field, hostileValue(d, field)])),
    ...(d.below(5) === 0 && { assertions: hostileAssertions(d) }),
  }
}

function hostileAssertions(d: Dice): unknown {
  return d.below(30) === 0
    ? d.one(ODD)
    : Array.from({ length: d.one([0, 1, 1, 2, 3, 20, 21]) }, () => hostileAssertion(d))
}

function hostileTarget(d: Dice, portOf: (scheme: string) => number): unknown {
  if (d.below(20) === 0) return d.one(TARGETS)
  const { name, options = {} } = d.one(SCHEME_ROWS)
  const part = (): string => (d.below(4) === 0 ? d.one(PARTS) : '')
  const login = d.below(4) === 0 ? `${d.one(['u', part()])}:${d.one(['p', part()])}@` : ''
  const host = d.below(8) === 0 ? d.one(HOSTS) : '127.0.0.1'
  const port = name === 'icmp' ? '' : `:${d.below(20) === 0 ? d.one([0, -1, 65_536, '', 'x', 1e9]) : portOf(name)}`
  const path = name === 'dns' ? `/${d.one(['x.invalid', part()])}` : d.below(3) === 0 ? `/${part()}` : ''
  const pairs = d.some(Object.entries(options), 3).map(([option, row]) => {
    const usual =
      row.kind === 'word' ? row.words : row.kind === 'whole' ? [row.min, row.max, row.max + 1] : ['yes', 'x']
    return `${option}=${String(d.one([d.one<unknown>(usual), part()]))}`
  })
  const query = pairs.length > 0 && d.below(2) === 0 ? `?${pairs.join('&')}` : ''
  return `${startOf(name)}${login}${host}${port}${path}${query}`
}

function hostileValue(d: Dice, field: FieldName): unknown {
  if (d.below(4) === 0) return d.one(ODD)
  const row = rowOf(field)
  const own = OWN[field]
  if (own) return d.one(own)
  if (row.kind === 'assertions') return hostileAssertions(d)
  if (row.kind === 'whole') return d.one([row.min, row.max, row.max + 1, row.min - 1, 1, 1.5, '1'])
  if (row.kind === 'word') return d.one([...row.words, 'x'])
  return row.kind === 'yes-no' ? d.one([true, false, 'yes']) : d.one(['x', 'x'.repeat(200), 'x'.repeat(201)])
}
