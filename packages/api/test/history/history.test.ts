// The history is what the results say, at any moment: while hours are folded, and after late results.

import { foldHistory } from '@dogwatch/domain/results/history'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { listDaysAndHours } from '@dogwatch/store/results/check-history'
import {
  listDays,
  listHours,
  listSketchedDays,
  listSketchedHours,
  readFolding,
  type SketchedRow,
} from '@dogwatch/store/results/history'
import { addCounts, MOST_ERROR, noCounts } from '@dogwatch/store/results/sketch'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { startOfPeriod } from '../../../domain/src/checks/chart-span.ts'
import { readOverview } from '../../../domain/src/checks/overview.ts'
import { percentilesOf } from '../../../domain/src/results/percentiles.ts'
import { type Monitor, type Org, result, type World, world } from '../support/world.ts'

let w: World
let org: Org
let monitor: Monitor
let guids: string[]
let check_ids: number[]
beforeAll(async () => {
  w = await world()
  org = await w.org()
  monitor = await w.monitor(org)
  guids = await w.checks(org, [{}, {}, {}], 'all')
  check_ids = (await w.rows('select check_id from checks where org_id = $1 order by check_id', org.org_id)).map(
    ({ check_id }) => Number(check_id),
  )
})
afterAll(() => w.close())

const FROM = '2026-11-01T00:00:00.000000Z'
const UNTIL = '2027-01-01T00:00:00.000000Z'

async function forget(): Promise<void> {
  await w.rows('delete from results where org_id = $1', org.org_id)
  for (const table of ['rollups', 'rollups_daily', 'rollup_marks', 'rollup_progress'])
    await w.rows(`delete from ${table}`)
}

async function recount(unit: 'hour' | 'day'): Promise<unknown[]> {
  return w.rows(
    `select check_id, wire_time(date_trunc($2, ran_at, 'UTC')) as at, count(*)::integer as runs,
      (count(*) filter (where not success))::integer as failures,
      (sum(latency_ms) filter (where success))::float8 / nullif(count(*) filter (where success), 0) as latency_avg_ms,
      max(latency_ms) filter (where success) as latency_max_ms
     from results where org_id = $1 group by 1, date_trunc($2, ran_at, 'UTC') order by 1, 2`,
    org.org_id,
    unit,
  )
}

async function expectExact(): Promise<void> {
  const span = { org_id: org.org_id, check_ids, from: FROM, until: UNTIL }
  expect(await listHours(w.deps.database, span)).toEqual(await recount('hour'))
  expect(await listDays(w.deps.database, span)).toEqual(await recount('day'))
  await expectSketched()
}

/** Percentiles of hours and days are within 2 % of those of the results, and a day has the counts of its hours. */
async function expectSketched(): Promise<void> {
  const span = { org_id: org.org_id, check_ids, from: FROM, until: UNTIL }
  const folding = await readFolding(w.deps.database, span)
  const hours = await listSketchedHours(w.deps.database, span, folding)
  const days = await listSketchedDays(w.deps.database, span, folding)
  for (const [unit, rows] of [
    ['hour', hours],
    ['day', days],
  ] as const) {
    const exact = await w.rows(
      `select percentile_disc(0.5) within group (order by latency_ms) filter (where success) as p50_ms,
         percentile_disc(0.95) within group (order by latency_ms) filter (where success) as p95_ms
       from results where org_id = $1 group by check_id, date_trunc($2, ran_at, 'UTC')
       order by check_id, date_trunc($2, ran_at, 'UTC')`,
      org.org_id,
      unit,
    )
    expect(rows.map((row) => isNear(percentilesOf([row]), exact[rows.indexOf(row)]))).toEqual(exact.map(() => true))
  }
  const countsOfDays = new Map(days.map((row) => [`${row.check_id} ${row.at.slice(0, 10)}`, countsIn([row])]))
  const hoursOfDays = Map.groupBy(hours, ({ check_id, at }) => `${check_id} ${at.slice(0, 10)}`)
  expect(new Map(Array.from(hoursOfDays, ([day, its]) => [day, countsIn(its)]))).toEqual(countsOfDays)
  // The page of a check reads its days and its last hours as texts. The parts of a sketch come in any order.
  const counted = (row: SketchedRow) => ({ ...row, latency_sketch: countsIn([row]) })
  for (const check_id of check_ids) {
    const its = { ...span, check_ids: [check_id] }
    const [after] = hours.slice(hours.length >> 1)
    const hours_from = after?.at ?? span.from
    const known = await readFolding(w.deps.database, its)
    const told = await listDaysAndHours(w.deps.database, its, hours_from, known)
    const rowsOf = (sums: typeof told.days) =>
      sums.map(({ from, ...sum }) => counted({ check_id, at: fromDate(new Date(from)), ...sum }))
    const own = (rows: readonly SketchedRow[]) => rows.filter((one) => one.check_id === check_id).map(counted)
    expect(rowsOf(told.days)).toEqual(own(days))
    expect(rowsOf(told.hours)).toEqual(own(hours.filter(({ at }) => at >= hours_from)))
  }
}

function isNear(told: { p50_ms: number; p95_ms: number } | undefined, exact: Record<string, unknown> | undefined) {
  if (exact?.p50_ms == null) return told === undefined
  return (['p50_ms', 'p95_ms'] as const).every(
    (name) => Math.abs((told?.[name] ?? Infinity) - Number(exact[name])) <= MOST_ERROR * Number(exact[name]) + 1e-9,
  )
}

function countsIn(rows: readonly SketchedRow[]): number[] {
  const counts = noCounts()
  for (const { latency_sketch } of rows) addCounts(counts, latency_sketch ?? new Uint8Array())
  return counts
}

/** What the overview tells of each check: of its last 24 hours how each was, all of them together, and the last 7 days. */
async function expectOverview(): Promise<void> {
  const { checks } = await readOverview(w.deps, org.org_id)
  const from = startOfPeriod('day', w.clock.now())
  const until = from.getTime() + 24 * 3_600_000
  const today = Math.floor(w.clock.now().getTime() / 86_400_000) * 86_400_000
  const horizon = w.clock.now().getTime() + 600_000
  const within = (begin: number, end: number) => (row: Record<string, unknown>) => {
    const at = Number(row.at)
    return at >= begin && at < Math.min(end, horizon)
  }
  const rows = await w.rows(
    `select check_id::integer, extract(epoch from ran_at)::float8 * 1000 as at, success from results where org_id = $1`,
    org.org_id,
  )
  for (const check of checks) {
    const its = rows.filter((row) => row.check_id === check.check_id)
    const hours = Array.from({ length: 24 }, (_, index) => {
      const begin = from.getTime() + index * 3_600_000
      return count(its.filter(within(begin, begin + 3_600_000)))
    })
    expect([check.hours, ...[check.day, check.week].map(({ runs, failures }) => ({ runs, failures }))]).toEqual([
      hours,
      count(its.filter(within(from.getTime(), until))),
      count(its.filter(within(today - 6 * 86_400_000, today + 86_400_000))),
    ])
  }
}

function count(rows: readonly Record<string, unknown>[]): { runs: number; failures: number } {
  return { runs: rows.length, failures: rows.filter(({ success }) => success === false).length }
}

/** What happens to the service: a batch of results that ran some minutes ago, time that goes by, a run of the chore. */
type Step =
  | {
      kind: 'upload'
      runs: { check: number; minutes_ago: number; success: boolean; latency_ms: number }[]
      twice: boolean
    }
  /** It ran in every hour of more than a day. */
  | { kind: 'run on'; check: number; fails_every: number }
  | { kind: 'wait'; minutes: number }
  | { kind: 'fold' }

const run = fc.record({
  check: fc.integer({ min: 0, max: 2 }),
  minutes_ago: fc.oneof(
    fc.integer({ min: 0, max: 90 }),
    fc.integer({ min: 0, max: 4 * 1440 }),
    fc.integer({ min: -30, max: 0 }),
  ),
  success: fc.boolean(),
  latency_ms: fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.constantFrom(0, 1, 49, 50, 60_000)),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('upload' as const),
    runs: fc.array(run, { minLength: 1, maxLength: 12 }),
    twice: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('run on' as const),
    check: fc.integer({ min: 0, max: 2 }),
    fails_every: fc.integer({ min: 2, max: 40 }),
  }),
  fc.record({ kind: fc.constant('wait' as const), minutes: fc.constantFrom(1, 7, 30, 61, 300, 1440) }),
  fc.constant({ kind: 'fold' as const }),
)

async function runOn({ check, fails_every }: Step & { kind: 'run on' }): Promise<void> {
  const now = w.clock.now().getTime()
  const results = Array.from({ length: 60 }, (_, half_hours) =>
    result(guids[check] ?? '', {
      ran_at: new Date(now - half_hours * 1_800_000).toISOString(),
      success: half_hours % fails_every > 0,
      latency_ms: half_hours,
    }),
  )
  await monitor.client.upload(results)
}

test('hours and days equal a recount of the results, whatever comes in what order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 15 }), async (steps) => {
      for (const one of steps) {
        if (one.kind === 'wait') w.clock.forward(one.minutes * 60)
        else if (one.kind === 'fold') await foldHistory(w.deps)
        else if (one.kind === 'run on') await runOn(one)
        else {
          const now = w.clock.now().getTime()
          const results = one.runs.map(({ check, minutes_ago, success, latency_ms }) =>
            result(guids[check] ?? '', {
              ran_at: new Date(now - minutes_ago * 60_000).toISOString(),
              success,
              latency_ms,
            }),
          )
          for (let times = one.twice ? 2 : 1; times > 0; times--) await monitor.client.upload(results)
        }
        await expectExact()
        await expectOverview()
      }
      await foldHistory(w.deps)
      await expectExact()
      await expectOverview()
      // The next one begins where nothing is: months that this one did not touch are too far away.
      await forget()
    }),
    { numRuns: 12 },
  )
})

test('what is over is folded, and read from there', async () => {
  await monitor.client.upload([result(guids[0] ?? '', { ran_at: w.clock.now().toISOString() })])
  w.clock.forward(3 * 86_400)
  await foldHistory(w.deps)
  const folded = await w.rows('select runs from rollups where org_id = $1', org.org_id)
  const daily = await w.rows('select runs from rollups_daily where org_id = $1', org.org_id)
  expect([folded, daily]).toEqual([[{ runs: 1 }], [{ runs: 1 }]])
  // Were it read from the results, it would be gone now.
  await w.rows('delete from results where org_id = $1', org.org_id)
  const span = { org_id: org.org_id, check_ids, from: FROM, until: UNTIL }
  expect(await listHours(w.deps.database, span)).toHaveLength(1)
  expect(await listDays(w.deps.database, span)).toHaveLength(1)
})

test('batches that come while hours are folded again are not lost', async () => {
  const guid = guids[1] ?? ''
  const now = w.clock.now().getTime()
  await foldHistory(w.deps)
  let sent = 0
  let isSending = true
  const senders = [0, 1, 2].map(async (lane) => {
    for (let i = 0; i < 40; i++) {
      const ran_at = new Date(now - 2 * 86_400_000 + (lane * 1000 + i) * 1000).toISOString()
      await monitor.client.upload([result(guid, { ran_at, latency_ms: i })])
      sent++
    }
  })
  const folding = (async () => {
    while (isSending) await foldHistory(w.deps)
  })()
  await Promise.all(senders)
  isSending = false
  await folding
  await foldHistory(w.deps)
  const [{ runs } = { runs: 0 }] = (await w.rows(
    'select sum(runs)::integer as runs from rollups where org_id = $1 and check_id = $2',
    org.org_id,
    check_ids[1],
  )) as { runs: number }[]
  expect(runs).toBe(sent)
  const marks = await w.rows('select * from rollup_marks')
  expect(marks).toEqual([])
})

test('an hour that was folded while the clock was ahead is folded once more when it is over', async () => {
  const guid = guids[2] ?? ''
  const minutes = (count: number) => w.clock.forward(count * 60)
  const upload = () => monitor.client.upload([result(guid, { ran_at: w.clock.now().toISOString() })])
  await forget()
  // To the beginning of an hour.
  w.clock.forward(3600 - (Math.floor(w.clock.now().getTime() / 1000) % 3600))
  await foldHistory(w.deps)
  minutes(5)
  await upload()
  minutes(66)
  await foldHistory(w.deps)
  minutes(-50)
  await foldHistory(w.deps)
  for (let n = 0; n < 3; n++) {
    minutes(10)
    await upload()
    await expectExact()
  }
  minutes(30)
  await foldHistory(w.deps)
  await expectExact()
})

describe('sums without a whole sketch', () => {
  const fold = async () => {
    await forget()
    for (const [check, fails_every] of [3, 7, 50].entries()) await runOn({ kind: 'run on', check, fails_every })
    w.clock.forward(2 * 86_400)
    await foldHistory(w.deps)
  }

  test('have no percentiles if they changed after they were sketched', async () => {
    await fold()
    const [{ hour, check_id } = {}] = await w.rows(
      `with changed as (
         update rollups set runs = runs + 1 where (check_id, hour) = (select check_id, hour from rollups where runs > failures
         order by hour limit 1) returning check_id, hour)
       select check_id::integer, wire_time(hour) as hour from changed`,
    )
    const span = { org_id: org.org_id, check_ids: [Number(check_id)], from: FROM, until: UNTIL }
    const rows = await listSketchedHours(w.deps.database, span, await readFolding(w.deps.database, span))
    expect(percentilesOf(rows.filter(({ at }) => at === hour))).toBeUndefined()
    expect(percentilesOf(rows.filter(({ at }) => at !== hour))).toBeDefined()
  })

  test('take the percentiles of their day away, so that none are wrong', async () => {
    await fold()
    await w.rows('update rollups set latency_sketch = null')
    await w.rows('update rollups_daily set latency_sketch = null')
    await monitor.client.upload([result(guids[0] ?? '', { ran_at: w.clock.now().toISOString(), latency_ms: 700 })])
    w.clock.forward(3 * 3600)
    await foldHistory(w.deps)
    const span = { org_id: org.org_id, check_ids, from: FROM, until: UNTIL }
    const days = await listSketchedDays(w.deps.database, span, await readFolding(w.deps.database, span))
    expect(days.filter((day) => percentilesOf([day]) !== undefined)).toHaveLength(1)
  })
})
