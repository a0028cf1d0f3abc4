// From a turn to a result: what of a run is sent, and what is not.

import type { Check, Result } from '@dogwatch/monitor-sdk'
import { expect, test } from '@jest/globals'
import { type Definitions, parseDefinitions } from '../../src/definitions/private-definitions.ts'
import { OwnTrouble } from '../../src/process/own-trouble.ts'
import type { ResultKind, RunResult } from '../../src/run/run-result.ts'
import { firstChars } from '../../src/run/sent-result.ts'
import { planRuns } from '../../src/schedule/planning.ts'
import { Runner, type RunnerOptions } from '../../src/schedule/runner.ts'
import { statusOf } from '../../src/sync/report.ts'
import { checkRow } from './support/scripted-api.ts'

const NOW = Date.parse('2026-11-20T10:00:00Z')
const failed: RunResult = {
  kind: 'timeout',
  success: false,
  error: 'timeout: no answer from 10.0.0.5 in 10 s',
  http_status: 0,
  latency_ms: 10_000.4,
  response_sample: 'vault sealed',
  phases: {},
}
const ok: RunResult = { ...failed, kind: 'ok', success: true, error: '', http_status: 200, latency_ms: 7.5 }

function setUp(row: Partial<Check>, result: RunResult, options: Partial<RunnerOptions> = {}) {
  const check = checkRow({ guid: 'a', ...row })
  const kept: Result[] = []
  const logged: unknown[] = []
  const ran: Check[] = []
  const stopping = new AbortController()
  const runner = new Runner({
    runCheck: async (run) => {
      ran.push(run)
      return result
    },
    checks: () => new Map([[check.guid, check]]),
    definitions: () => new Map(),
    wasOut: async () => false,
    couldNotResolve: async () => false,
    hasResolvedSince: () => true,
    hasStalled: () => false,
    keep: (result) => kept.push(result),
    mono: () => 0,
    now: () => NOW,
    publicTargetsOnly: () => false,
    signal: stopping.signal,
    log: (event) => logged.push(event),
    ...options,
  })
  return { runner, kept, logged, ran, stopping }
}

test('a result has the time at which its run began and whole numbers', async () => {
  const { runner, kept } = setUp({}, ok)
  await runner.run('a')
  expect(kept).toEqual([
    {
      check_guid: 'a',
      monitor_id: '',
      ran_at: '2026-11-20T10:00:00.000Z',
      success: true,
      http_status: 200,
      latency_ms: 8,
      response_sample: 'vault sealed',
    },
  ])
})

test('two results of a check never have the same time', async () => {
  const { runner, kept } = setUp({}, ok)
  for (let n = 0; n < 3; n += 1) await runner.run('a')
  expect(kept.map(({ ran_at }) => ran_at.slice(-5))).toEqual(['.000Z', '.001Z', '.002Z'].map((end) => end))
})

test('once a clock that was two hours ahead is corrected, results have the right time at once, runs under way too', async () => {
  const time = { now: NOW + 2 * 3_600_000, mono: 0 }
  const runCheck = async () => {
    time.mono += 5000
    time.now += 5000
    if (time.now > NOW + 3_600_000 && time.mono >= 10_000) time.now -= 2 * 3_600_000
    return ok
  }
  const { runner, kept } = setUp({}, ok, { runCheck, now: () => time.now, mono: () => time.mono })
  for (let n = 0; n < 3; n += 1) await runner.run('a')
  expect(kept.map(({ ran_at }) => Date.parse(ran_at) - NOW)).toEqual([2 * 3_600_000, 5000, 10_000])
})

test('details are cut to what the check allows, in whole characters; 0 sends none', async () => {
  const cut = setUp({ result_detail_max_chars: 9 }, { ...failed, error: 'status: ✓ grün' })
  await cut.runner.run('a')
  expect(cut.kept[0]).toMatchObject({ error: 'status: ✓', response_sample: 'vault sea' })
  const none = setUp({ result_detail_max_chars: 0 }, failed)
  await none.runner.run('a')
  expect(Object.keys(none.kept[0] ?? {})).toEqual(
    'check_guid monitor_id ran_at success http_status latency_ms'.split(' '),
  )
  expect([firstChars('a😀b', 2), firstChars('', 5)]).toEqual(['a😀', ''])
})

const definitions: Definitions = parseDefinitions(
  JSON.stringify({ a: { url: 'http://vault.internal.example/', match_string: 'sealed' } }),
)

test('of a private definition only the kind of failure leaves this machine, and its log', async () => {
  const { runner, kept, logged, ran } = setUp({ url: '' }, failed, { definitions: () => definitions })
  await runner.run('a')
  expect(ran[0]).toMatchObject({ url: 'http://vault.internal.example/', match_string: 'sealed' })
  expect(kept[0]).toMatchObject({ error: 'timeout', success: false })
  expect(kept[0]).not.toHaveProperty('response_sample')
  expect(JSON.stringify([kept, logged])).not.toMatch(/vault|sealed|10\.0\.0\.5/)
})

test('a probe is told whose content it is', async () => {
  const told: unknown[] = []
  const runCheck: RunnerOptions['runCheck'] = async (_, { is_private }) => (told.push(is_private), ok)
  await setUp({ url: '' }, ok, { definitions: () => definitions, runCheck }).runner.run('a')
  await setUp({}, ok, { runCheck }).runner.run('a')
  expect(told).toEqual([true, false])
})

test('a bug in a private run is logged without its words', async () => {
  const runCheck = async () => Promise.reject(new TypeError('cannot read vault.internal.example'))
  const { runner, kept, logged } = setUp({ url: '' }, ok, { definitions: () => definitions, runCheck })
  await runner.run('a')
  expect([kept, logged]).toEqual([[], [{ event: 'crashed', check: 'a', error: 'TypeError' }]])
})

test('a run that this machine could not make is told and counted, and leaves no result', async () => {
  const runCheck = async () => Promise.reject(new OwnTrouble('EMFILE'))
  const counted: string[] = []
  const { runner, kept, logged } = setUp({}, ok, { runCheck, onRun: (kind) => counted.push(kind) })
  await runner.run('a')
  expect([kept, logged, counted]).toEqual([[], [{ event: 'own_trouble', check: 'a', why: 'EMFILE' }], ['own_trouble']])
})

test('a failure in an own outage leaves no result, and upside-down mode makes no success of it', async () => {
  for (const invert_result of [false, true]) {
    const { runner, kept } = setUp({ invert_result }, failed, { wasOut: async () => true })
    await runner.run('a')
    expect(kept).toEqual([])
  }
})

test('a name that this machine could not look up leaves no result, whatever the check', async () => {
  const counted: string[] = []
  for (const more of [{}, { invert_result: true }]) {
    for (const kind of ['dns', 'timeout'] as const) {
      const options = { couldNotResolve: async () => true, onRun: (kind: string) => counted.push(kind) }
      const { runner, kept } = setUp(more, { ...failed, kind, failed_in: 'dns' }, options)
      await runner.run('a')
      expect(kept).toEqual([])
    }
  }
  expect(counted).toEqual(Array(4).fill('own_resolver'))
  const { runner, kept } = setUp({}, failed, { couldNotResolve: async () => true })
  await runner.run('a')
  expect(kept).toHaveLength(1)
})

test('a lookup that hangs is held against what was when it was begun, not when this run came to share it', async () => {
  const asked: number[] = []
  const notOut = async (began: number) => asked.push(began) < 0
  const hung = { ...failed, kind: 'timeout' as const, lookup_age_ms: 3000 }
  for (const failed_in of ['dns', 'connect'] as const) {
    const options = { mono: () => 10_000, wasOut: notOut, couldNotResolve: notOut, hasResolvedSince: () => true }
    const { runner } = setUp({ url: 'http://shop.example/' }, { ...hung, failed_in }, options)
    await runner.run('a')
  }
  expect(asked).toEqual([7000, 7000, 10_000])
})

test('a name that could not be looked up is looked up again, unless others could be meanwhile', async () => {
  for (const [hasResolved, looks, success] of [
    [false, 2, true],
    [true, 1, false],
  ] as const) {
    const results = [{ ...failed, failed_in: 'dns' as const }, ok]
    let looked = 0
    const runCheck = async () => results[looked++] ?? ok
    const { runner, kept } = setUp({}, ok, { runCheck, hasResolvedSince: () => hasResolved })
    await runner.run('a')
    expect([looked, kept.map((result) => result.success)]).toEqual([looks, [success]])
  }
})

test('a name counts as one that resolves once there was a connection to its address', async () => {
  const noted: string[] = []
  const noteResolved = (host: string) => noted.push(host)
  for (const phases of [{ dns: 1, connect: 1 }, { dns: 1 }, { connect: 1 }]) {
    const { runner } = setUp({ url: 'http://shop.example/' }, { ...ok, phases }, { noteResolved })
    await runner.run('a')
  }
  expect(noted).toEqual(['shop.example'])
})

test('upside-down mode turns the verdict around after everything else', async () => {
  for (const [result, success] of [
    [ok, false],
    [failed, true],
    [{ ...failed, kind: 'config' as const }, false],
  ] as const) {
    const asked: unknown[] = []
    const runCheck: RunnerOptions['runCheck'] = async (_, { is_upright }) => (asked.push(is_upright), result)
    const { runner, kept } = setUp({ invert_result: true }, result, { runCheck })
    await runner.run('a')
    expect([kept[0]?.success, asked]).toEqual([success, [true]])
  }
})

test('a run that is aborted leaves no result', async () => {
  const runCheck: RunnerOptions['runCheck'] = (_, { signal }) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  const { runner, kept, logged, stopping } = setUp({}, ok, { runCheck })
  const running = runner.run('a')
  stopping.abort()
  await running
  expect([kept, logged]).toEqual([[], []])
})

test('a check that is taken away while it runs leaves no result', async () => {
  const checks = new Map([['a', checkRow({ guid: 'a' })]])
  const runCheck = async () => {
    checks.clear()
    return ok
  }
  const { runner, kept } = setUp({}, ok, { runCheck, checks: () => checks })
  await runner.run('a')
  expect(kept).toEqual([])
})

test.each<ResultKind>(['timeout', 'slow', 'reset', 'dns', 'refused', 'tls', 'http', 'status', 'match'])(
  'a failure by %s of a process that stands still again is no result; one that it did not is',
  async (kind) => {
    const stalls = [true, true, true, false]
    const { runner, kept, logged, ran } = setUp({}, { ...failed, kind }, { hasStalled: () => stalls.shift() ?? false })
    await runner.run('a')
    expect([ran.length, kept, logged]).toEqual([2, [], [{ event: 'own_trouble', check: 'a', why: 'stalled' }]])
    await runner.run('a')
    expect([ran.length, kept.length, kept[0]?.success]).toEqual([4, 1, false])
  },
)

const crawling: RunResult = { ...ok, latency_ms: 5000 }
test.each([
  ['a success', ok, [true, false], 8],
  ['a failure while it stands still again', failed, [true, true], 5000],
  ['a failure', failed, [true, false], 10_000],
] as const)('a slow success of a process that stands still, and then %s', async (_, second, told, latency_ms) => {
  const looks = [crawling, second]
  const stalls: boolean[] = [...told]
  const runCheck = async () => looks.shift() ?? ok
  const { runner, kept } = setUp({}, ok, { runCheck, hasStalled: () => stalls.shift() ?? false })
  await runner.run('a')
  expect(kept).toMatchObject([{ latency_ms, success: latency_ms !== 10_000 }])
})

test('only enabled checks with content are planned', () => {
  const rows = [
    checkRow({ guid: 'a', url: '' }),
    checkRow({ guid: 'b', enabled: false }),
    checkRow({ guid: 'c', url: 'HTTPS://shop.example' }),
    checkRow({ guid: 'd', url: '' }),
    checkRow({ guid: 'e', monitor_count: 3, monitor_rank: 3 }),
  ]
  const { planned, undefined_guids, unranked_guids } = planRuns(rows, definitions)
  expect(planned.map(({ guid, cost }) => [guid, cost])).toEqual([
    ['a', 'plain'],
    ['c', 'tls'],
    ['e', 'plain'],
  ])
  expect([undefined_guids, unranked_guids]).toEqual([['d'], ['e']])
})

test('a status report tells of an outage once one has ended', () => {
  const condition = { version: '1.2.3', uptime_ms: 61_900, unsent_results: 4, sent_at: NOW }
  expect(statusOf({ ...condition, last_outage: undefined })).toEqual({
    version: '1.2.3',
    uptime_sec: 61,
    unsent_results: 4,
    sent_at: '2026-11-20T10:00:00.000Z',
    abilities: expect.arrayContaining(['http', 'tcp', 'tls']),
  })
  expect(statusOf({ ...condition, last_outage: { ended_at: NOW, seconds: 5 } })).toMatchObject({
    last_outage_sec: 5,
    last_outage_ended_at: '2026-11-20T10:00:00.000Z',
  })
})

/** A runner whose runs come to these, one after the other, with a retry each time it asks for one. */
function setUpRetries(row: Partial<Check>, outcomes: (RunResult | Error)[], options: Partial<RunnerOptions> = {}) {
  const planned: number[] = []
  const time = { now: NOW }
  const left = [...outcomes]
  const base = setUp({ retry_count: 2, retry_interval_sec: 7, ...row }, ok, {
    runCheck: async () => {
      const next = left.shift() ?? ok
      if (next instanceof Error) throw next
      return next
    },
    now: () => time.now,
    retry: (_, after_ms) => planned.push(after_ms) > 0,
    ...options,
  })
  /** Runs the check as often as it is asked for. */
  const runAll = async (): Promise<void> => {
    for (let runs = 0; runs <= planned.length; runs += 1) {
      await base.runner.run('a')
      time.now += 10_000
    }
  }
  return { ...base, planned, runAll, time }
}

const told = (kept: readonly Result[]) =>
  kept.map(({ success, retries, ran_at }) => [success, retries, (Date.parse(ran_at) - NOW) / 1000])

test('a failure is repeated, and one result of the last run says how many failed before it', async () => {
  const healed = setUpRetries({}, [failed, failed, ok])
  await healed.runAll()
  expect([told(healed.kept), healed.planned]).toEqual([[[true, 2, 20]], [7000, 7000]])
  const lasting = setUpRetries({}, [failed, failed, failed, failed])
  await lasting.runAll()
  expect(told(lasting.kept)).toEqual([[false, 2, 20]])
})

test('a success says that nothing was repeated; a check without retries says nothing of them', async () => {
  const well = setUpRetries({}, [ok])
  await well.runAll()
  expect(told(well.kept)).toEqual([[true, 0, 0]])
  const plain = setUpRetries({ retry_count: 0 }, [failed])
  await plain.runAll()
  expect([told(plain.kept), plain.planned]).toEqual([[[false, undefined, 0]], []])
})

test('without an interval a retry comes five seconds after', async () => {
  const { runAll, planned } = setUpRetries({ retry_interval_sec: 0, retry_count: 1 }, [failed, failed])
  await runAll()
  expect(planned).toEqual([5000])
})

test('what fails by being upside down is repeated, and what cannot be run is not', async () => {
  const inverted = setUpRetries({ invert_result: true }, [ok, failed])
  await inverted.runAll()
  expect(told(inverted.kept)).toEqual([[true, 1, 10]])
  const odd = setUpRetries({}, [{ ...failed, kind: 'config' }])
  await odd.runAll()
  expect([told(odd.kept), odd.planned]).toEqual([[[false, 0, 0]], []])
})

test('a failure for whose retry there is no time counts at once', async () => {
  const { runAll, kept } = setUpRetries({}, [failed], { retry: () => false })
  await runAll()
  expect(told(kept)).toEqual([[false, 0, 0]])
})

test('a run that was asked for is not repeated, and takes the place of a retry', async () => {
  const { runner, kept, planned, time } = setUpRetries({}, [failed, failed])
  await runner.run('a')
  time.now += 3000
  expect(await runner.run('a', true)).toMatchObject({ retries: 1 })
  expect([told(kept), planned]).toEqual([[[false, 1, 3]], [7000]])
})

test.each<[string, RunResult | Error, Partial<RunnerOptions>]>([
  ['this machine could not make', new OwnTrouble('EMFILE'), {}],
  ['fell into an own outage', failed, { wasOut: async () => true }],
])('of a retry that %s, the failure before it remains', async (_, second, options) => {
  let runs = 0
  const wasOut = async (began: number) => (runs += 1) > 1 && ((await options.wasOut?.(began)) ?? false)
  const { runAll, kept } = setUpRetries({}, [failed, second], { ...options, wasOut })
  await runAll()
  expect(told(kept)).toEqual([[false, 0, 0]])
})

test('while this process stands still, a retry is made once and a failure of it says nothing', async () => {
  const stalls = [false, true]
  const { runAll, kept } = setUpRetries({}, [failed, failed, ok], { hasStalled: () => stalls.shift() ?? false })
  await runAll()
  expect(told(kept)).toEqual([[false, 0, 0]])
})

test('a failure that waits for its retry is kept when the agent ends, with the time of its run', async () => {
  const { runner, kept, time } = setUpRetries({}, [failed])
  await runner.run('a')
  expect(kept).toEqual([])
  time.now += 60_000
  runner.settleAll()
  runner.settleAll()
  expect(told(kept)).toEqual([[false, 0, 0]])
})

test('a failure of a check that is gone is not kept', async () => {
  const checks = new Map([['a', checkRow({ guid: 'a', retry_count: 2 })]])
  const { runner, kept } = setUpRetries({}, [failed], { checks: () => checks })
  await runner.run('a')
  checks.delete('a')
  runner.settle('a')
  expect(kept).toEqual([])
})

test('of a private definition that is repeated, the kind of failure alone is told', async () => {
  const { runAll, kept } = setUpRetries({ url: '', retry_count: 1 }, [failed, failed], {
    definitions: () => definitions,
  })
  await runAll()
  expect(kept).toEqual([expect.objectContaining({ error: 'timeout', retries: 1 })])
  expect(JSON.stringify(kept)).not.toMatch(/vault|sealed|10\.0\.0\.5/)
})
