// Ten thousand definitions with hostile requests and assertions: every refusal is a line that names the field, and no answer is a
// 5xx. SEED=n makes other ones, DEFINITIONS=n as many.

import { OPERATOR_NAMES, SUBJECT_NAMES } from '@dogwatch/check-rules/assertions'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readCheck } from '../../src/domain/checks/check.ts'
import { DomainError } from '../../src/domain/errors.ts'
import { configToken, configurator } from '../support/config-api.ts'
import { type Dice, dice, seedFromEnvironment, tell } from '../support/dice.ts'
import { type World, world } from '../support/world.ts'

const COUNT = Number(process.env.DEFINITIONS ?? 10_000)
const [REQUESTS, AT_ONCE] = [10, 100]

let w: World
beforeAll(async () => {
  w = await world({ pages: false })
})
afterAll(() => w.close())

const NESTED = JSON.parse(`${'['.repeat(10)}${']'.repeat(10)}`) as unknown
/** Values that fit nowhere, or nearly. */
const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -0,
  -1,
  0.1,
  1e308,
  2 ** 53,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e',
  '\u001b[31m\n',
  '__proto__',
  'toString',
  'x'.repeat(1001),
  [],
  {},
  NESTED,
  [null],
  { on: 'json' },
]
const PATHS = [
  '$',
  '$.a[0]',
  "$['\\u0000']",
  '$..a',
  '$[*]',
  '$[?@.a]',
  `$${'.a'.repeat(51)}`,
  `$${'[0]'.repeat(200)}`,
  '$[99999999999999999999]',
  '$.__proto__',
  "$['",
  '$[-0]',
  '$.\u{10ffff}',
]
const PATTERNS = [
  '(',
  '(a+)+$',
  'a{1000}{1000}',
  '(?=a)',
  '\\1',
  '[[:alpha:]',
  '(?i)x|'.repeat(200),
  '\\p{Greek}',
  '.*',
]
const OWN = {
  method: ['', 'PUT', 'put', 'CONNECT', 'G\r\nET', 'X'.repeat(21)],
  status_codes: [[], ['200-299'], ['299-200'], ['2xx'], ['600'], Array.from({ length: 21 }, () => '200'), '200'],
  ip_family: ['', '4', '6', 'both', 'any', '5', 4],
  max_redirects: [0, 20, 21, -1, 1.5, '3'],
  proxy: [
    '',
    'http://p.example:1',
    'socks5://u:p@[::1]:1080',
    'http://p.example',
    'http://:0',
    'ftp://p:1',
    'http://a@b@c:1',
    'http://u:p@h.example:99999',
    `http://${'u'.repeat(300)}:p@h.example:1`,
  ],
  cert_warn_percent: [0, 99, 100, -1, 'x'],
}

function assertion(d: Dice): unknown {
  if (d.below(20) === 0) return d.one(ODD)
  const mostly = (usual: readonly unknown[]): unknown => (d.below(4) === 0 ? d.one(ODD) : d.one(usual))
  return {
    on: mostly(SUBJECT_NAMES),
    ...(d.below(5) > 0 && { at: mostly([...PATHS, 'content-type', 'total', 'issuer', 'a b', 'x'.repeat(500)]) }),
    is: mostly(OPERATOR_NAMES),
    ...(d.below(5) > 0 && { value: mostly([...PATTERNS, 'up', 5, -1.5, false]) }),
  }
}

function definition(d: Dice): Record<string, unknown> {
  const schemes = [
    'https://h.example/',
    'http://h.example/',
    'tcp://h.example:1',
    'tls://h.example:1',
    'dns:///h.example',
  ]
  const set = d.some(Object.entries(OWN), 2)
  const length = d.one([0, 1, 1, 2, 3, 20, 21])
  return {
    name: 'a',
    url: d.one(schemes),
    interval_sec: 60,
    ...(d.below(3) === 0 &&
      Object.fromEntries(set.map(([field, values]) => [field, d.below(4) ? d.one<unknown>(values) : d.one(ODD)]))),
    assertions: d.below(30) === 0 ? d.one(ODD) : Array.from({ length }, () => assertion(d)),
  }
}

const FAULT = /^check\.[a-z_]{2,30}(?:\[\d{1,2}\](?:\.(?:on|at|is|value))?)? [a-z][^\n]{5,400}$/

function refusalOf(entry: unknown): string | undefined {
  try {
    readCheck('check', entry)
    return undefined
  } catch (error) {
    if (error instanceof DomainError) return error.message
    throw error
  }
}

test('hostile definitions are refused in a line that names the field', () => {
  const d = dice(seedFromEnvironment())
  const lines = Array.from({ length: COUNT }, () => refusalOf(definition(d)))
  const refused = lines.filter((line) => line !== undefined)
  tell('hostile definitions', { refused: refused.length, accepted: COUNT - refused.length })
  expect(refused.filter((line) => !FAULT.test(line)).slice(0, 3)).toEqual([])
  expect(refused.length).toBeGreaterThan(COUNT / 4)
  expect(refused.length).toBeLessThan(COUNT)
})

test('a server refuses them without a 5xx, and stores nothing', async () => {
  const d = dice(seedFromEnvironment() + 1)
  const org = await w.org()
  const ask = configurator(w, await configToken(w, org))
  for (let sent = 0; sent < REQUESTS; sent++) {
    const bodies = Array.from({ length: AT_ONCE }, () => definition(d))
    const changes = bodies.map((body, index) => ({ action: 'put', kind: 'check', key: `k${index}`, body }))
    const { status, text } = await ask('post', '/bulk', { changes })
    expect([sent, status, text.includes('\n')]).toEqual([sent, 400, false])
    expect(text).toMatch(/^changes\[\d{1,3}\]\.body\.[a-z_]+/)
  }
  expect(await w.rows('select from checks where org_id = $1', org.org_id)).toEqual([])
})
