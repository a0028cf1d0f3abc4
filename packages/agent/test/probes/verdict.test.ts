// Cases 15, 22 and 23, and the order of the rules: what is made of what was seen.
import type { Check } from '@dogwatch/monitor-sdk'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Observation } from '../../src/probes/observation.ts'
import type { RunResult } from '../../src/run/run-result.ts'
import { resultOf } from '../../src/run/sent-result.ts'
import { inverted, readRules, unrunnable, verdictOn } from '../../src/run/verdict.ts'
import { aCheck, run } from '../support/checks.ts'
import { closedPort, serveHttp, serveTcp } from '../support/servers.ts'

const NOW = new Date('2026-11-20T10:00:00Z')
const DAY_MS = 86_400_000

function seen(fields: Partial<Observation> = {}): Observation {
  return {
    http_status: 200,
    latency_ms: 100,
    content: 'all is well',
    facts: {},
    certificates: [],
    phases: {},
    ...fields,
  }
}

function judged(
  check: Partial<Check>,
  observation: Partial<Observation> = {},
  url = 'https://shop.example/',
): RunResult {
  const rules = readRules(aCheck(url, check))
  if ('fault' in rules) return unrunnable(rules.fault)
  const result = verdictOn(rules, seen(observation), NOW)
  return check.invert_result ? inverted(result) : result
}

const endsIn = (days: number) => {
  const not_after = new Date(NOW.getTime() + days * DAY_MS)
  return [{ summary: '', not_after, path_ends: not_after }]
}

test.each([
  ['300 ms of 200', { latency_ms: 300 }, 'slow'],
  ['201 ms of 200', { latency_ms: 201 }, 'slow'],
  ['exactly 200 ms', { latency_ms: 200 }, 'ok'],
  ['300 ms and a 500: the earlier rule', { latency_ms: 300, http_status: 500 }, 'status'],
])('case 15: max_response_time_ms, %s', (_what, observation, kind) => {
  expect(judged({ max_response_time_ms: 200 }, observation).kind).toBe(kind)
})

test('case 15: an answer that comes too late over the wire is slow, and its latency is to its end', async () => {
  const url = await serveHttp((_req, res) => {
    res.write('soon')
    setTimeout(() => res.end('late'), 150)
  })
  expect((await run(url, { max_response_time_ms: 100 })).kind).toBe('slow')
  expect((await run(url, { max_response_time_ms: 4000 })).kind).toBe('ok')
})

test('case 17: no certificate, on any hop, is no good certificate', () => {
  const rule = { cert_expiry_warn_days: 14 }
  expect(judged(rule, { certificates: [] }).kind).toBe('cert_expiry')
  expect(judged(rule, { certificates: [...endsIn(90), undefined] }).kind).toBe('cert_expiry')
  expect(judged(rule, { certificates: [...endsIn(90), ...endsIn(3)] }).error).toBe(
    'cert_expiry: the certificate has 3.0 days left; the check fails at 14 or fewer',
  )
  expect(judged(rule, { certificates: [] }, 'http://shop.example/').kind).toBe('ok')
})

test('case 22: a healthy target fails upside down, an unhealthy one passes without an error', async () => {
  const up = await run(await serveHttp((_req, res) => res.end()), { invert_result: true })
  expect(up).toMatchObject({
    success: false,
    kind: 'inverted',
    error: 'inverted: the target is healthy, and the check is inverted',
  })
  const upsideDown = { invert_result: true, timeout_sec: 0.3 }
  const unhealthy = [
    `http://127.0.0.1:${await closedPort()}`,
    `http://127.0.0.1:${await serveTcp(() => undefined)}`,
    await serveHttp((_req, res) => res.writeHead(404).end()),
  ]
  for (const url of unhealthy)
    expect(await run(url, upsideDown)).toMatchObject({ success: true, kind: 'ok', error: '' })
  expect(judged({ invert_result: true, max_response_time_ms: 50 })).toMatchObject({ success: true, error: '' })
})

test.each([{ match_mode: 'like', match_string: 'x' }, { url: 'gopher://x' }, { url: '' }, { headers: { 'a b': '' } }])(
  'case 22: a check that cannot be run is a failure upside down too: %j',
  async (fields) => {
    const found = await run('http://127.0.0.1/', { invert_result: true, ...fields })
    expect(found).toMatchObject({ success: false, kind: 'config' })
  },
)

test('case 23: what is told is cut by characters, or left out, and the verdict is not', async () => {
  const url = await serveHttp((_req, res) => res.writeHead(500).end('status: ✓ grün'))
  const told = async (result_detail_max_chars: number) => {
    const check = aCheck(url, { result_detail_max_chars })
    return resultOf({ check, isPrivate: false, ran_at: '2026-11-20T10:00:00.000Z', result: await run(url) })
  }
  expect(await told(9)).toMatchObject({ success: false, error: 'status: t', response_sample: 'status: ✓' })
  const silent = await told(0)
  expect(silent).toMatchObject({ success: false, http_status: 500 })
  expect([silent.error ?? '', silent.response_sample ?? '']).toEqual(['', ''])
})

/** Every rule, the observation that breaks it and the one that keeps it. */
const RULES = {
  timeout: [{ fault: { kind: 'timeout', words: 'while connecting' } }, {}],
  status: [{ http_status: 500 }, { http_status: 200 }],
  cert_expiry: [{ certificates: endsIn(1) }, { certificates: endsIn(90) }],
  match: [{ content: 'oops' }, { content: 'all is well' }],
  slow: [{ latency_ms: 900 }, { latency_ms: 100 }],
} as const satisfies Record<string, readonly [Partial<Observation>, Partial<Observation>]>
const ALL = { cert_expiry_warn_days: 14, match_string: 'well', max_response_time_ms: 500 }

const broken = fc.record({
  timeout: fc.boolean(),
  status: fc.boolean(),
  cert_expiry: fc.boolean(),
  match: fc.boolean(),
  slow: fc.boolean(),
})

test('the first rule that fails gives the verdict: transport, status, certificate, match, time', () => {
  fc.assert(
    fc.property(broken, (breaks) => {
      const names = Object.keys(RULES) as (keyof typeof RULES)[]
      const observation = Object.assign({}, ...names.map((name) => RULES[name][breaks[name] ? 0 : 1]))
      const found = judged(ALL, observation)
      const first = names.find((name) => breaks[name])
      expect(found.kind).toBe(first ?? 'ok')
      expect(found.success).toBe(first === undefined)
      expect(found.error.startsWith(first ? `${first}: ` : '')).toBe(true)
      expect(found.error === '').toBe(found.success)
    }),
  )
})

test('upside down is applied last, and to every verdict', () => {
  fc.assert(
    fc.property(broken, (breaks) => {
      const names = Object.keys(RULES) as (keyof typeof RULES)[]
      const observation = Object.assign({}, ...names.map((name) => RULES[name][breaks[name] ? 0 : 1]))
      const found = judged({ ...ALL, invert_result: true }, observation)
      expect(found.success).toBe(Object.values(breaks).includes(true))
      expect(found.kind).toBe(found.success ? 'ok' : 'inverted')
      expect(found.error === '').toBe(found.success)
    }),
  )
})

const KINDS = 'dns refused timeout unreachable reset tls http redirect status cert_expiry match slow'.split(' ')

test('upside down twice is the verdict as it was, but for what is no verdict about the target', () => {
  const result = fc
    .constantFrom('ok', 'config', 'blocked', ...KINDS)
    .map(
      (kind) =>
        ({ ...judged({}), kind, success: kind === 'ok', error: kind === 'ok' ? '' : `${kind}: x` }) as RunResult,
    )
  fc.assert(
    fc.property(result, (found) => {
      expect(inverted(inverted(found)).success).toBe(found.success)
      const isStuck = found.kind === 'config' || found.kind === 'blocked'
      expect(inverted(found).success).toBe(isStuck ? false : !found.success)
    }),
  )
})

test('whatever a check holds, it is read or refused, and never throws', () => {
  const url = fc.oneof(
    fc.webUrl(),
    fc.string(),
    fc.string().map((text) => `tcp://${text}`),
  )
  const check = fc.record({
    url,
    match_mode: fc.oneof(fc.string(), fc.constantFrom('regex', 'not_regex', 'contains')),
    match_string: fc.string(),
    status_code_op: fc.oneof(fc.string(), fc.constantFrom('eq', 'constructor')),
    status_code_value: fc.integer(),
    headers: fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }),
  })
  fc.assert(
    fc.property(check, (fields) => {
      const rules = readRules(aCheck('', fields))
      if ('fault' in rules) expect(rules.fault).toMatch(/^(the \w+|a header) (must|is required)\b/)
      else expect(typeof verdictOn(rules, seen(), NOW).success).toBe('boolean')
    }),
  )
})
