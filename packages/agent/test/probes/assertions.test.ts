// Rules on parts of a response: which value each sees, how it compares, and what a result says.
import { type Assertion, type Comparand, OPERATOR_NAMES, type Operator } from '@dogwatch/check-rules/assertions'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { query } from 'jsonpath-rfc9535'
import type { Observation } from '../../src/probes/observation.ts'
import { type AssertionOutcome, judgeAssertions, readAssertions } from '../../src/run/assertions.ts'
import { reportOf } from '../../src/run/run-report.ts'
import { resultOf } from '../../src/run/sent-result.ts'
import { mint } from '../support/certificates.ts'
import { aCheck, run } from '../support/checks.ts'
import { heldUp } from '../support/held-up.ts'
import { lettersOf } from '../support/letters.ts'
import { serveHttp, serveHttps, serveTcp, serveTls } from '../support/servers.ts'

const NOW = new Date('2026-11-20T10:00:00Z')
const letters = lettersOf(1_000_000)

async function judged(rules: readonly Assertion[], seen: Partial<Observation>): Promise<AssertionOutcome[]> {
  const read = readAssertions(rules)
  if ('fault' in read) throw new Error(read.fault)
  const nothing = { http_status: 200, latency_ms: 100, content: '', facts: {}, certificates: [], phases: {} }
  return judgeAssertions(read, { ...nothing, ...seen }, NOW, () => ({ left_ms: 60_000, signal: undefined }))
}

const onJson = (at: string, is: Operator, value: Comparand = null): Assertion => ({ on: 'json', at, is, value })
const passes = async (rule: Assertion, content: string) => (await judged([rule], { content }))[0]?.passed

/** The operators that pass. */
async function passing(content: string, value: (is: Operator) => Comparand): Promise<Operator[]> {
  const all = await Promise.all(OPERATOR_NAMES.map((is) => passes(onJson('$.a', is, value(is)), content)))
  return OPERATOR_NAMES.filter((_, index) => all[index])
}

const ofKind = (text: string, number: number) => (is: Operator) => {
  if (is === 'regex' || is === 'not_regex') return text
  return ['lt', 'lte', 'gt', 'gte'].includes(is) ? number : text
}

test.each<[what: string, content: string, Operator[]]>([
  ['a body that is not JSON', '<html>', []],
  ['an empty body', '', []],
  ['a missing path', '{"b":1}', ['absent']],
  ['a path through a text', '"text"', ['absent']],
  ['null', '{"a":null}', ['ne', 'exists']],
  ['an empty list', '{"a":[]}', ['ne', 'not_contains', 'not_regex', 'exists']],
  ['a list of numbers', '{"a":[5]}', ['ne', 'not_contains', 'not_regex', 'exists']],
  ['a list with the text', '{"a":["x","5"]}', ['ne', 'contains', 'regex', 'exists']],
  ['an object', '{"a":{"5":5}}', ['ne', 'exists']],
  ['a number', '{"a":5}', ['ne', 'lte', 'gte', 'exists']],
  ['the same text', '{"a":"5"}', ['eq', 'contains', 'regex', 'exists']],
  ['another text', '{"a":"7"}', ['ne', 'not_contains', 'not_regex', 'exists']],
  ['true', '{"a":true}', ['ne', 'exists']],
])('of the rules on "5" and 5, %s passes these', async (_what, content, wanted) => {
  expect(await passing(content, ofKind('5', 5))).toEqual(wanted)
})

test.each<[Comparand, string, boolean]>([
  [null, '{"a":null}', true],
  [false, '{"a":0}', false],
  [0, '{"a":false}', false],
  [0, '{"a":-0.0}', true],
  ['', '{"a":null}', false],
  [1, '{"a":1.0}', true],
  [1, '{"a":[1]}', false],
  ['é', '{"a":"e\u0301"}', false],
])('%p equals the value of %s: %p', async (value, content, isEqual) => {
  expect(await passes(onJson('$.a', 'eq', value), content)).toBe(isEqual)
  expect(await passes(onJson('$.a', 'ne', value), content)).toBe(!isEqual)
})

test('values in JSON compare as another implementation of JSONPath and plain comparison say', async () => {
  const scalar = fc.constantFrom<Comparand>(null, true, false, 0, 1, -1, 1.5, '', 'a', 'ab', '1')
  const document = fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })))
  const path = fc.constantFrom('$', '$.a', '$.b', '$.a[0]', '$.a[-1]', "$['b'][1]")
  const order = fc.constantFrom('lt', 'lte', 'gt', 'gte', 'eq', 'ne', 'contains', 'not_contains', 'exists', 'absent')
  const plain = (found: unknown[], is: string, value: Comparand): boolean => {
    const [one] = found
    if (is === 'exists' || is === 'absent') return (found.length === 1) === (is === 'exists')
    if (found.length === 0) return false
    if (is === 'eq' || is === 'ne') return (JSON.stringify(one) === JSON.stringify(value)) === (is === 'eq')
    if (is === 'contains' || is === 'not_contains') {
      if (Array.isArray(one)) return one.includes(value) === (is === 'contains')
      return typeof one === 'string' && typeof value === 'string' && one.split(value).length > 1 === (is === 'contains')
    }
    if (typeof one !== 'number' || typeof value !== 'number') return false
    return { lt: one < value, lte: !(one > value), gt: one > value, gte: !(one < value) }[is] === true
  }
  await fc.assert(
    fc.asyncProperty(document, path, order, scalar, async (given, at, is, value) => {
      const got = await passes(onJson(at, is, value), JSON.stringify(given))
      // An empty text is in every text.
      const isEmpty = value === '' && is.endsWith('contains') && typeof query(given, at)[0] === 'string'
      expect({ at, is, value, got }).toEqual({
        at,
        is,
        value,
        got: isEmpty ? is === 'contains' : plain(query(given, at), is, value),
      })
    }),
    { numRuns: 400 },
  )
})

test('each part of a response over HTTP is seen, and a rule that fails names it with its value', async () => {
  const url = await serveHttp((req, res) => {
    if (req.url === '/from') return res.writeHead(302, { location: '/to?token=x' }).end()
    res.setHeader('X-Many', ['a', 'b'])
    return res.end('{"db":{"status":"down"}}')
  })
  const rules: Assertion[] = [
    { on: 'json', at: '$.db.status', is: 'eq', value: 'up' },
    { on: 'header', at: 'x-many', is: 'eq', value: 'a, b' },
    { on: 'header', at: 'constructor', is: 'absent' },
    { on: 'size', is: 'eq', value: 24 },
    { on: 'redirects', is: 'eq', value: 1 },
    { on: 'final_url', is: 'eq', value: `${url}/to` },
    { on: 'http_version', is: 'eq', value: '1.1' },
    { on: 'timing', at: 'total', is: 'lt', value: 5000 },
    { on: 'timing', at: 'tls', is: 'absent' },
    { on: 'body', is: 'regex', value: '"(up|down)"' },
    { on: 'certificate', at: 'issuer', is: 'absent' },
  ]
  const check = { assertions: rules }
  const result = await run(`${url}/from`, check, { shows_certificates: true })
  expect(result.outcomes?.map(({ passed }) => passed)).toEqual([false, ...rules.slice(1).map(() => true)])
  expect(result.error).toBe('assertion: rule 1: json $.db.status is "down", expected eq "up"')
  const given = { check: aCheck(url, check), ran_at: NOW.toISOString(), result }
  expect(resultOf({ ...given, isPrivate: false }).error).toBe(result.error)
  expect(resultOf({ ...given, isPrivate: true }).error).toBe('assertion: rule 1')
  expect(reportOf('1', { ...given, isPrivate: false }, 0).assertions?.[0]).toEqual({ passed: false, seen: '"down"' })
  expect(reportOf('1', { ...given, isPrivate: true }, 0)).not.toHaveProperty('assertions')
})

test('rules are judged after the other fields and before the result is inverted', async () => {
  const url = await serveHttp((_req, res) => res.writeHead(500).end('no'))
  const assertions = [{ on: 'body', is: 'eq', value: 'ok' }]
  expect((await run(url, { assertions })).kind).toBe('status')
  expect(await run(url, { assertions, status_codes: ['500'] })).toMatchObject({ kind: 'assertion', success: false })
  expect((await run(url, { assertions, status_codes: ['500'], invert_result: true })).success).toBe(true)
})

test('a body of JSON that is long is read in the pattern thread, and one that is too long is not judged', async () => {
  const long = JSON.stringify({ list: Array.from({ length: 20_000 }, (_, n) => `entry ${n}`), end: 7 })
  expect(long.length).toBeGreaterThan(200_000)
  const bodies = new Map([
    ['/long', long],
    ['/longer', JSON.stringify({ text: 'x'.repeat(1_100_000), end: 7 })],
  ])
  const url = await serveHttp((req, res) => res.end(bodies.get(req.url ?? '')))
  const assertions = [
    { on: 'json', at: '$.end', is: 'eq', value: 7 },
    { on: 'json', at: '$.list', is: 'contains', value: 'entry 19999' },
  ]
  expect((await run(`${url}/long`, { assertions })).kind).toBe('ok')
  const { error } = await run(`${url}/longer`, { assertions })
  expect(error).toBe(
    'assertion: rule 1: json $.end is unknown, because only the first 1 MiB of the body is read, expected eq 7',
  )
  const size = (is: string, value: number) => run(`${url}/longer`, { assertions: [{ on: 'size', is, value }] })
  expect((await size('gt', 1_000_000)).kind).toBe('ok')
  expect((await size('lt', 2_000_000)).kind).toBe('assertion')
})

test('a long list of texts is searched without blocking other checks, and one that is too long is not judged', async () => {
  const rule: Assertion = { on: 'json', at: '$', is: 'not_regex', value: 'a[ab]{200}[cd]' }
  const texts = Array.from({ length: 100 }, (_, n) => letters.slice(n * 1000, n * 1000 + 1000))
  const longest = await heldUp(async () => {
    const [outcome] = await judged([rule], { content: JSON.stringify(texts) })
    expect(outcome).toMatchObject({ passed: true })
  })
  expect(longest).toBeLessThan(1000)
  const [long] = await judged([rule], { content: JSON.stringify(Array(1001).fill('')) })
  expect(long).toMatchObject({ isTooCostly: true })
})

test('a value that is long is cut, and a control character is escaped', async () => {
  const [outcome] = await judged([{ on: 'body', is: 'eq', value: 'x' }], { content: `\u001b${'é'.repeat(200)}` })
  expect(outcome?.seen).toBe(`"\\u001b${'é'.repeat(99)}"…`)
})

test('a pattern that costs too much is a fault of the check', async () => {
  const url = await serveHttp((_req, res) => res.end(letters))
  const assertions = [{ on: 'body', is: 'not_regex', value: 'a[ab]{900}[cd]' }]
  const { kind, success } = await run(url, { assertions, invert_result: true, timeout_sec: 60 })
  expect({ kind, success }).toEqual({ kind: 'config', success: false })
})

test('a certificate is seen, of TLS alone and of HTTPS', async () => {
  const minted = mint({
    name: 'shop.example',
    for: ['shop.example', '127.0.0.1'],
    not_before: new Date('2026-11-01T00:00:00Z'),
    not_after: new Date('2026-12-01T00:00:00Z'),
  })
  const rules: Assertion[] = [
    { on: 'certificate', at: 'subject', is: 'eq', value: 'CN=shop.example' },
    { on: 'certificate', at: 'issuer', is: 'contains', value: 'shop.example' },
    { on: 'certificate', at: 'names', is: 'contains', value: '127.0.0.1' },
    { on: 'certificate', at: 'key', is: 'eq', value: 'EC P-256' },
    { on: 'certificate', at: 'signature', is: 'eq', value: 'ecdsa-with-SHA256' },
    { on: 'certificate', at: 'tls_version', is: 'eq', value: 'TLSv1.3' },
    { on: 'certificate', at: 'fingerprint', is: 'regex', value: '^([0-9A-F]{2}:){31}[0-9A-F]{2}$' },
    { on: 'certificate', at: 'days_left', is: 'eq', value: 10.58 },
    { on: 'certificate', at: 'lifetime_left_percent', is: 'eq', value: 35.27 },
  ]
  const options = { now: () => NOW }
  const check = { assertions: rules, insecure_skip_verify: true }
  for (const url of [`https://127.0.0.1:${await serveHttps(minted)}`, `tls://127.0.0.1:${await serveTls(minted)}`]) {
    const result = await run(url, check, options)
    expect({ url, error: result.error }).toEqual({ url, error: '' })
    const sent = resultOf({
      check: aCheck(url, { cert_warn_percent: 33 }),
      isPrivate: true,
      ran_at: NOW.toISOString(),
      result,
    })
    expect(sent).toMatchObject({
      cert_issued_at: '2026-11-01T00:00:00.000Z',
      cert_expires_at: '2026-12-01T00:00:00.000Z',
    })
  }
})

test('a banner is read until it decides the rules', async () => {
  const port = await serveTcp((socket) => {
    socket.write('220 mail')
    setTimeout(() => socket.write('.example ESMTP\r\n'), 20)
  })
  const assertions = [
    { on: 'banner', is: 'regex', value: '^220 ' },
    { on: 'banner', is: 'contains', value: 'ESMTP' },
  ]
  expect((await run(`tcp://127.0.0.1:${port}`, { assertions, timeout_sec: 20 })).kind).toBe('ok')
})
