// The truth of charts and percentages: whatever happened to checks, what pages show equals a recount of the export by a
// model that knows nothing of rollups, steps or schedules' tables.

import { PERIODS, type Period } from '@dogwatch/domain/checks/chart-span'
import { inspectCheck } from '@dogwatch/domain/checks/inspect'
import { setStatusPage } from '@dogwatch/domain/organisations/organisation'
import { type Segment, uptimeOf } from '@dogwatch/domain/results/division'
import { foldHistory } from '@dogwatch/domain/results/history'
import { uptime } from '@dogwatch/domain/results/uptime'
import { editStatusPage } from '@dogwatch/domain/status-page/edit'
import { readPublicStatus } from '@dogwatch/domain/status-page/read'
import { percentOf } from '@dogwatch/domain/status-page/status'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readOverview } from '../../../domain/src/checks/overview.ts'
import { ACCOUNT, type Monitor, type Org, result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const MIN = 60_000
const HOUR = 60 * MIN
const DAY = 24 * HOUR
const AT_ONCE = 20
const RUNS = 10

interface Span {
  from: number
  until: number
}
/** A time in which the check was to run; between two of them it was paused. */
type Setting = Span & { interval: number }

interface History {
  settings: Setting[]
  created: number
  maintenance: (Span & { isPublic: boolean })[]
  runs: { at: number; monitor: number; success: boolean; latency: number; isLate: boolean }[]
  monitors: number
}

/** Minutes before now, as pairs of a beginning and a length. */
const spans = (within: number, most: number) =>
  fc.array(fc.tuple(fc.nat(within), fc.integer({ min: 1, max: Math.max(1, Math.floor(within / 3)) })), {
    maxLength: most,
  })

const history: fc.Arbitrary<Made> = fc
  .constantFrom(
    { interval: MIN, length: 3 * HOUR },
    { interval: 5 * MIN, length: 14 * HOUR },
    { interval: HOUR, length: 7 * DAY },
    { interval: 6 * HOUR, length: 40 * DAY },
  )
  .chain(({ interval, length }) => {
    const units = length / interval
    return fc.record({
      interval: fc.constant(interval),
      length: fc.constant(length),
      phase: fc.nat(interval / 1000 - 1),
      monitors: fc.integer({ min: 1, max: 3 }),
      gaps: spans(units, 3),
      failing: spans(units, 3),
      pauses: spans(units, 2),
      maintenance: fc.array(
        fc.tuple(fc.nat(length / MIN), fc.integer({ min: 1, max: length / MIN / 4 }), fc.boolean()),
        { maxLength: 3 },
      ),
      late: spans(units, 2),
      dead: fc.option(fc.tuple(fc.nat(2), fc.nat(units)), { nil: undefined }),
      slower: fc.option(fc.constantFrom(2, 3), { nil: undefined }),
      salt: fc.nat(1000),
    })
  })

interface Made {
  interval: number
  length: number
  phase: number
  monitors: number
  gaps: [number, number][]
  failing: [number, number][]
  pauses: [number, number][]
  maintenance: [number, number, boolean][]
  late: [number, number][]
  dead: [monitor: number, since: number] | undefined
  slower: number | undefined
  salt: number
}

function build(now: number, made: Made): History {
  const { interval, length } = made
  const created = now - length
  const inUnits = (pairs: [number, number][]): Span[] =>
    pairs.map(([ago, count]) => ({ from: now - ago * interval, until: now - ago * interval + count * interval }))
  const [gaps, failing, pauses, late] = [made.gaps, made.failing, made.pauses, made.late].map(inUnits) as [
    Span[],
    Span[],
    Span[],
    Span[],
  ]
  // It became slower at midnight, in the middle of what there is.
  const change = made.slower === undefined ? Infinity : Math.floor((now - length / 2) / DAY) * DAY
  let settings: Setting[] = [{ from: created, until: now, interval }]
  if (change > created && change < now && made.slower !== undefined) {
    settings = [
      { from: created, until: change, interval },
      { from: change, until: now, interval: interval * made.slower },
    ]
  }
  for (const pause of pauses) settings = settings.flatMap((one) => less(one, pause))
  const runs = settings.flatMap((setting) => {
    const first = Math.ceil((setting.from - made.phase * 1000) / setting.interval)
    const last = Math.ceil((setting.until - made.phase * 1000) / setting.interval)
    return Array.from({ length: Math.max(0, last - first) }, (_, index) => {
      const slot = first + index
      const at = slot * setting.interval + made.phase * 1000
      const monitor = slot % made.monitors
      const success = !failing.some((one) => holds(one, at)) || (slot * 7 + made.salt) % 5 === 0
      return {
        at,
        monitor,
        success,
        // Some of them are very slow.
        latency: 1 + ((slot * 31 + made.salt) % 400) * (slot % 17 === 0 ? 61 : 1),
        isLate: late.some((one) => holds(one, at)),
      }
    })
  })
  const isDead = (monitor: number, at: number) =>
    made.dead !== undefined && made.dead[0] === monitor && at >= now - made.dead[1] * interval
  return {
    settings,
    created,
    monitors: made.monitors,
    maintenance: made.maintenance.map(([ago, minutes, isPublic]) => ({
      from: now - ago * MIN,
      until: now - ago * MIN + minutes * MIN,
      isPublic,
    })),
    runs: runs.filter(({ at, monitor }) => at <= now && !gaps.some((one) => holds(one, at)) && !isDead(monitor, at)),
  }
}

const holds = ({ from, until }: Span, at: number) => at >= from && at < until
const less = (one: Setting, { from, until }: Span): Setting[] =>
  [
    { ...one, until: Math.min(one.until, from) },
    { ...one, from: Math.max(one.from, until) },
  ].filter((part) => part.until > part.from)
const wire = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z')
const lengthOf = (all: Span[]) => all.reduce((sum, { from, until }) => sum + until - from, 0)
const clip = (all: Span[], from: number, until: number): Span[] =>
  all
    .map((one) => ({ from: Math.max(from, one.from), until: Math.min(until, one.until) }))
    .filter((one) => one.until > one.from)

/** The moments that are in any of these, as disjoint spans. */
function union(all: Span[]): Span[] {
  const edges = [...new Set(all.flatMap(({ from, until }) => [from, until]))].sort((a, b) => a - b)
  return edges
    .slice(0, -1)
    .map((from, index) => ({ from, until: edges[index + 1] ?? from }))
    .filter(({ from }) => all.some((one) => holds(one, from)))
}

const both = (a: Span[], b: Span[]): Span[] => a.flatMap((one) => clip(b, one.from, one.until))

async function store(org: Org, guid: string, its: History): Promise<void> {
  const [{ check_id } = { check_id: 0 }] = await w.rows(
    'update checks set created_at = $2 where guid = $1 returning check_id',
    guid,
    wire(its.created),
  )
  for (const [index, { from, until, interval }] of its.settings.entries()) {
    const isOpen = index === its.settings.length - 1 && until >= w.clock.now().getTime()
    await w.rows(
      `insert into check_schedules (org_id, check_id, since, until, interval_sec, run_by, watched_since)
       values ($1, $2, $3, $4, $5, 0, $3)`,
      org.org_id,
      check_id,
      wire(from),
      isOpen ? null : wire(until),
      interval / 1000,
    )
  }
  for (const [index, { from, until, isPublic }] of its.maintenance.entries()) {
    const scope = JSON.stringify({ checks: [guid], heartbeats: [] })
    const window_id = Number(check_id) * 10 + index
    // Of what is over, the window may be gone.
    if (until > w.clock.now().getTime()) {
      await w.rows(
        `insert into maintenance_windows (org_id, window_id, guid, name, scope, starts_at, duration_sec, zone, is_public,
           spread_until, created_at) overriding system value
         values ($1, $2, $3, 'racks', $4, '', 60, 'UTC', $5, $6, $6)`,
        org.org_id,
        window_id,
        `${guid}-${index}`,
        scope,
        isPublic,
        wire(from),
      )
    }
    await w.rows(
      `insert into maintenance_spans (org_id, window_id, begins_at, ends_at, name, scope, is_public)
       values ($1, $2, $3, $4, 'racks', $5, $6)`,
      org.org_id,
      window_id,
      wire(from),
      wire(until),
      scope,
      isPublic,
    )
  }
  // A check of which nothing is on at the end is paused.
  const isOn = its.settings.some(({ until }) => until >= w.clock.now().getTime())
  if (!isOn) await w.rows('update checks set enabled = false where guid = $1', guid)
}

async function upload(monitors: Monitor[], guids: string[], all: History[], isLate: boolean): Promise<void> {
  for (const [index, monitor] of monitors.entries()) {
    const results = all.flatMap((its, which) =>
      its.runs
        .filter((run) => run.monitor === index && run.isLate === isLate)
        .map(({ at, success, latency }) =>
          result(guids[which] ?? '', { ran_at: wire(at), success, latency_ms: latency }),
        ),
    )
    for (let at = 0; at < results.length; at += 500) await monitor.client.upload(results.slice(at, at + 500))
  }
}

interface Exported {
  ran_at: string
  /** `ran_at` in milliseconds. */
  at: number
  monitor_id: string
  success: boolean
  latency_ms: number
}

const inside = (rows: Exported[], from: number, until: number) => rows.filter(({ at }) => at >= from && at < until)
const share = (rows: Exported[]) =>
  rows.length === 0 ? null : Math.floor((10_000 * rows.filter(({ success }) => success).length) / rows.length) / 100

/** When a range begins: of hours or of days, of which the current one is the last. */
function begins(period: Period, now: number): number {
  if (period === 'day') return Math.floor(now / HOUR) * HOUR - 23 * HOUR
  return Math.floor(now / DAY) * DAY - ({ week: 7, month: 30, quarter: 90, year: 365 }[period] - 1) * DAY
}

function expectRange(its: History, rows: Exported[], period: Period, now: number, told: Record<string, unknown>): void {
  const from = Math.max(begins(period, now), its.created)
  const scheduled = clip(its.settings, from, now)
  const maintenance = union(clip(its.maintenance, from, now))
  const counted = inside(rows, begins(period, now), now + HOUR).filter(
    ({ at }) => !its.maintenance.some((one) => holds(one, at)),
  )
  const arrived = inside(rows, begins(period, now), now + HOUR)
  const due = its.settings.reduce((sum, one) => sum + lengthOf(clip([one], from, now)) / one.interval, 0)
  const excluded = lengthOf(both(scheduled, maintenance))
  const toWatch = lengthOf(scheduled) - excluded
  // Each result stands for the time until the next one is due.
  const covered = union(
    rows.map(({ at }) => {
      const interval = its.settings.find((one) => holds({ ...one, until: one.until + 1 }, at))?.interval ?? 0
      return { from: at, until: at + interval }
    }),
  )
  const watchable = scheduled
    .flatMap((one) => less({ ...one, interval: 0 }, { from: 0, until: 0 }))
    .flatMap((one) =>
      maintenance.reduce<Span[]>((parts, gone) => parts.flatMap((part) => less({ ...part, interval: 0 }, gone)), [one]),
    )
  const watched = counted.length === 0 ? 0 : lengthOf(both(union(covered), watchable))
  expect({ period, ...told }).toMatchObject({
    period,
    percent: share(counted),
    runs: counted.length,
    arrived: arrived.length,
    due: Math.floor(due + 0.001),
    total: Math.round((now - from) / 1000),
    paused: Math.round((now - from - lengthOf(scheduled)) / 1000),
    maintenance: Math.round(excluded / 1000),
  })
  const longest = Math.max(...its.settings.map(({ interval }) => interval), 0)
  // A result may be an interval late, wherever the time that is watched begins or ends.
  const edges = 2 + watchable.length + both(union(covered), watchable).length
  const unknown = Number(told.unknown) * 1000
  expect(Math.abs(unknown - (toWatch - watched))).toBeLessThanOrEqual(2 * longest * edges + 1000)
  expect(Number(told.sum)).toBeCloseTo(Number(told.whole), 3)
}

function expectSegments(
  its: History,
  rows: Exported[],
  chart: { segments: Segment[]; step: number; from: number },
  now: number,
): void {
  const { segments, step, from } = chart
  expect(segments[0]?.from).toBe(from)
  expect(segments.at(-1)?.until).toBe(now)
  expect(segments.slice(1).map((one) => one.from)).toEqual(segments.slice(0, -1).map((one) => one.until))
  // Thousands: all of them are compared at once, since to expect something takes longer than to compare it.
  const kinds: { at: string; kind: string | undefined }[] = []
  const wantedKinds: typeof kinds = []
  let farthest = 0
  for (let begin = from; begin < now; begin += step) {
    const end = Math.min(begin + step, now)
    const arrived = inside(rows, begin, begin + step)
    const counted = arrived.filter(({ at }) => !its.maintenance.some((one) => holds(one, at)))
    const edges = [...its.settings, ...its.maintenance]
      .flatMap((one) => [one.from, one.until])
      .filter((at) => at > begin && at < end)
    const marks = [begin, ...new Set(edges.sort((a, b) => a - b)), end]
    // Too much in one step to be drawn apart.
    if (marks.length > 8) continue
    for (const [index, mark] of marks.slice(0, -1).entries()) {
      const at = (mark + (marks[index + 1] ?? end)) / 2
      const segment = segments.find((one) => holds(one, at))
      const isOn = its.settings.some((one) => holds(one, at))
      const kind = !isOn ? 'paused' : its.maintenance.some((one) => holds(one, at)) ? 'maintenance' : 'watched'
      kinds.push({ at: wire(at), kind: segment?.kind })
      wantedKinds.push({ at: wire(at), kind })
      if (kind !== 'watched') continue
      const failures = counted.filter(({ success }) => !success).length
      if (counted.length > 0)
        farthest = Math.max(farthest, Math.abs((segment?.failed ?? Infinity) - failures / counted.length))
      const interval = Math.max(...its.settings.map((one) => one.interval))
      // After a pause or maintenance the next run may take an interval to come.
      const isFresh = [...its.settings.map((one) => one.from), ...its.maintenance.map((one) => one.until)].some(
        (edge) => edge > begin - 2 * interval && edge < end,
      )
      // Nobody ran it since long before: all of it is unknown, and nothing of it is red.
      if (!isFresh && inside(rows, begin - 2 * interval, end).length === 0)
        expect({ at: wire(at), ...segment }).toMatchObject({ at: wire(at), unknown: 1, failed: 0 })
    }
  }
  expect(kinds).toEqual(wantedKinds)
  expect(farthest).toBeCloseTo(0, 9)
}

/** A percentile equals that of the successes within 2 %, and is there unless there were none. */
function expectNear(told: number | null | undefined, rows: Exported[], share: number): void {
  const sorted = rows
    .filter(({ success }) => success)
    .map(({ latency_ms }) => latency_ms)
    .sort((a, b) => a - b)
  const exact = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
  if (exact === undefined) expect(told ?? null).toBeNull()
  else expect(Math.abs((told ?? Infinity) - exact)).toBeLessThanOrEqual(0.02 * exact + 1e-9)
}

function expectLines(
  rows: Exported[],
  chart: Awaited<ReturnType<typeof inspectCheck>>['chart'],
  names: Map<string, string>,
): void {
  const { lines, step_sec, from } = chart
  const begin = from.getTime()
  const steps = Map.groupBy(inside(rows, begin, Infinity), ({ at }) => Math.floor(at / step_sec / 1000) * step_sec)
  const sorted = [...steps].sort(([a], [b]) => a - b)
  expect(lines.at).toEqual(sorted.map(([at]) => at))
  expect(lines.runs).toEqual(sorted.map(([, its]) => its.length))
  if (lines.kind !== 'monitors') {
    // Longer ranges are read from sketches.
    const isSpread = rows.some(({ success, at }) => success && at >= begin)
    expect([lines.kind, lines.unsketched]).toEqual([isSpread ? 'spread' : 'sums', 0])
    if (!isSpread) return
    for (const [place, share] of [0.5, 0.95].entries())
      for (const [index, [, its]] of sorted.entries()) expectNear(lines.lines[place]?.values[index], its, share)
    return
  }
  for (const { label, values } of lines.lines) {
    const want = sorted.map(([, its]) => {
      const passed = its.filter(({ success, monitor_id }) => success && names.get(monitor_id) === label)
      const mean = passed.reduce((sum, { latency_ms }) => sum + latency_ms, 0) / passed.length
      return passed.length === 0 ? null : mean
    })
    for (const [index, value] of values.entries()) {
      const wanted = want[index] ?? null
      if (wanted === null || value === null) expect(value).toBe(wanted)
      else expect(Math.abs(value - wanted)).toBeLessThanOrEqual(0.5)
    }
  }
}

async function expectTruth(
  org: Org,
  period: Period,
  guid: string,
  its: History,
  rows: Exported[],
  names: Map<string, string>,
): Promise<void> {
  const now = w.clock.now().getTime()
  const { chart, ranges } = await inspectCheck(w.deps, org.org_id, guid, { period })
  expect(ranges.map((range) => range.period)).toEqual(PERIODS)
  for (const { period: name, division: d, percentiles } of ranges) {
    const measured = inside(rows, begins(name, now), now + HOUR)
    expectNear(percentiles?.p50_ms, measured, 0.5)
    expectNear(percentiles?.p95_ms, measured, 0.95)
    expectRange(its, rows, name, now, {
      percent: uptimeOf(d),
      runs: d.runs,
      arrived: d.arrived,
      due: d.due,
      total: Math.round(d.total_sec),
      paused: Math.round(d.paused_sec),
      maintenance: Math.round(d.maintenance_sec),
      unknown: d.unknown_sec,
      whole: d.total_sec,
      sum: d.up_sec + d.failing_sec + d.unknown_sec + d.paused_sec + d.maintenance_sec,
    })
  }
  const same = ranges.find((range) => range.period === period)?.division
  expect([uptimeOf(chart.division), chart.division.runs]).toEqual([same && uptimeOf(same), same?.runs])
  expectSegments(its, rows, { segments: chart.segments, step: chart.step_sec * 1000, from: chart.from.getTime() }, now)
  expectLines(rows, chart, names)
}

async function expectStatusPage(
  org: Org,
  guids: string[],
  all: History[],
  results: Record<string, Exported[]>,
): Promise<void> {
  const now = w.clock.now().getTime()
  const slug = `truth-${org.org_id}`
  await setStatusPage(w.deps, org.org_id, true)
  const entries = guids.map((guid, order) => ({ kind: 'check' as const, guid, public_name: `check ${order}`, order }))
  await editStatusPage(w.deps, org.org_id, { slug, title: 'Truth', description: '', entries })
  const status = await readPublicStatus(w.deps, slug)
  const recounted = all.map((its, index) => {
    const rows = inside(results[guids[index] ?? ''] ?? [], begins('quarter', now), now + HOUR)
    const shown = its.maintenance.filter(({ isPublic }) => isPublic)
    return share(rows.filter(({ at }) => !shown.some((one) => holds(one, at))))
  })
  expect(status?.entries.map((entry) => percentOf(entry.share))).toEqual(recounted)
}

/** The list of checks, from which the weekly report takes its numbers. */
async function expectList(
  org: Org,
  guids: string[],
  all: History[],
  results: Record<string, Exported[]>,
): Promise<void> {
  const now = w.clock.now().getTime()
  const { checks } = await readOverview(w.deps, org.org_id)
  for (const [index, guid] of guids.entries()) {
    const check = checks.find((one) => one.guid === guid)
    const recount = (period: Period) =>
      share(
        inside(results[guid] ?? [], begins(period, now), now + HOUR).filter(
          ({ at }) => !all[index]?.maintenance.some((one) => holds(one, at)),
        ),
      )
    expect([check && uptime(check.day), check && uptime(check.week)]).toEqual([recount('day'), recount('week')])
  }
}

test(`the charts and percentages of ${AT_ONCE * RUNS} histories equal a recount of the export`, async () => {
  const now = w.clock.now().getTime()
  await fc.assert(
    fc.asyncProperty(
      fc.array(history, { minLength: AT_ONCE, maxLength: AT_ONCE }),
      fc.constantFrom('before', 'between', 'after', 'never'),
      async (made, folds) => {
        const all = made.map((one) => build(now, one))
        const org = await w.org()
        const monitors = [await w.monitor(org, 'attic'), await w.monitor(org, 'cellar'), await w.monitor(org, 'garage')]
        const guids = await w.checks(
          org,
          all.map(() => ({})),
          'all',
        )
        for (const [index, its] of all.entries()) await store(org, guids[index] ?? '', its)
        await upload(monitors, guids, all, false)
        if (folds === 'between') await foldHistory(w.deps)
        await upload(monitors, guids, all, true)
        if (folds === 'after') await foldHistory(w.deps)
        const answer = await w.http
          .get(`${ACCOUNT}/export`)
          .set('Authorization', `Bearer ${await w.pat(org)}`)
          .expect(200)
        const { results, monitors: exported } = answer.body as {
          results: Record<string, Exported[]>
          monitors: { id: string; name: string }[]
        }
        const names = new Map(exported.map(({ id, name }) => [id, name]))
        for (const row of Object.values(results).flat()) row.at = Date.parse(row.ran_at)
        for (const [index, guid] of guids.entries())
          await expectTruth(
            org,
            PERIODS[index % PERIODS.length] as Period,
            guid,
            all[index] as History,
            results[guid] ?? [],
            names,
          )
        await expectStatusPage(org, guids, all, results)
        await expectList(org, guids, all, results)
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  )
})
