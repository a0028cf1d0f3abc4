// Whether hours are sealed changes no answer: everything that is read of results is asked in a world with rows, and once more when
// most of them are in sealed hours. What changes results finds them there, too.

import { readStanding } from '@dogwatch/domain/checks/inspect'
import { sweepUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import { streamResults } from '@dogwatch/domain/export'
import { foldHistory } from '@dogwatch/domain/results/history'
import { dropPartitions } from '@dogwatch/domain/results/partitions'
import { pruneOrgs } from '@dogwatch/domain/retention/prune'
import { claimDownChecks, listChecksToRemind } from '@dogwatch/store/alerting/reminders'
import { listDependents } from '@dogwatch/store/checks/dependencies'
import { listFailingChecks } from '@dogwatch/store/checks/failing'
import { listSights } from '@dogwatch/store/checks/failing-monitors'
import { ALL_KEYS } from '@dogwatch/store/checks/key-spans'
import { listHeardChecks, listSilentChecks } from '@dogwatch/store/checks/unmonitored'
import { listFirstWitnesses, listNeighbours } from '@dogwatch/store/incidents/incident-list'
import { listUnmonitored, readStateCounts } from '@dogwatch/store/incidents/state-counts'
import { insertLateResults, listArrivals } from '@dogwatch/store/results/arrivals'
import { listSpread, listStepsByMonitor } from '@dogwatch/store/results/check-history'
import { countSinceDown } from '@dogwatch/store/results/counts'
import { findFailure } from '@dogwatch/store/results/failures'
import { listCountedHours } from '@dogwatch/store/results/folded-runs'
import { shiftFutureResults } from '@dogwatch/store/results/future-results'
import { listSketchedDays, listSketchedHours, readFolding, type SketchedRow } from '@dogwatch/store/results/history'
import { listCertificatesAt, listLatestByMonitor, listNewestRuns } from '@dogwatch/store/results/newest'
import type { NewestRun } from '@dogwatch/store/results/newest-of-checks'
import { listAssignedResults, listFreshResults } from '@dogwatch/store/results/result-budgets'
import { END, listResults, listResultsBefore, type ResultRow, START } from '@dogwatch/store/results/result-pages'
import { searchResults } from '@dogwatch/store/results/result-search'
import { readOldestDay, readShareBetween } from '@dogwatch/store/results/retention'
import { listRunsWithin } from '@dogwatch/store/results/runs-within'
import { addCounts, noCounts } from '@dogwatch/store/results/sketch'
import {
  listCertificates as listCertificatesToJudge,
  listLatestResults,
  listResultsAfter,
  listResultsToJudge,
  listSpeeds,
} from '@dogwatch/store/results/to-judge'
import { updateResultsWiped } from '@dogwatch/store/results/wiping'
import type { Tables } from '@dogwatch/store/tables'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { sql, type Transaction } from 'kysely'
import pg from 'pg'
import { readCheckStates } from '../../../domain/src/checks/overview.ts'
import { Sealing } from '../../../store/src/results/sealing/known.ts'
import { readHowStored } from '../../../store/src/results/stored/shifted.ts'
import { liveOn, makeDue } from '../retention/rows.ts'
import { sealBefore } from '../support/sealed.ts'
import { eventually, type Monitor, type Org, result, type World, world } from '../support/world.ts'

const NOW = '2026-11-20T12:00:00.000000Z'
const FROM = '2026-11-18T22:00:00.000000Z'
const at = (text: string) => `2026-11-20T${text}:00.000000Z`

/** Nothing is sealed; most is; everything is, the newest result as well. */
const WATERMARKS = ['2026-11-20T03:00:00Z', '2026-11-20T12:00:00Z']

let w: World
let org: Org
let monitors: Monitor[]
let guids: string[]
let check_ids: number[]
beforeAll(async () => {
  w = await world()
  ;({ org, monitors, guids, check_ids } = await fill(w))
})
afterAll(() => w.close())

/** Four checks with some days of results, one of which ran seldom; incidents, and results whose clock was wrong. */
async function fill(to: World) {
  const made = await to.org()
  const its: Monitor[] = []
  for (const name of ['one', 'two', 'three']) its.push(await to.monitor(made, name))
  const often = { interval_sec: 120, down_interval_sec: 2, resend_interval_sec: 3600 }
  const rules = { ...often, degraded_over_ms: 500, cert_warn_days: 14 }
  const found = await to.checks(made, [rules, rules, often, { interval_sec: 3600 }, often], 'all')
  await to.rows('update checks set depends_on = $2 where guid = $1', found[1], found[0])
  const rows = await to.rows('select check_id from checks where org_id = $1 order by check_id', made.org_id)
  const ids = rows.map(({ check_id }) => Number(check_id))
  await to.rows(
    `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error, response_sample, connect_ms,
       first_byte_ms, retries, cert_expires_at)
     select $1, k.check_id, t + k.n * interval '1.5 seconds' + m.n * interval '17 microseconds', 40 + (s * 7 + k.n * 11) % 900,
       case when f.failed then 503 else 200 end, not f.failed, m.id, case when f.failed then 'status: the status is 503' end,
       case when s % 5 > 0 then 'sample ' || s % 3 end, 3, s % 40, nullif(s % 6, 0), case when k.n < 2 then timestamptz '2026-11-25Z' end
     from unnest($2::bigint[]) with ordinality as k(check_id, n)
     cross join generate_series(0, 1140) s
     cross join lateral (select $4::timestamptz + s * interval '2 minutes' as t) t
     join unnest($3::text[]) with ordinality as m(id, n) on m.n = 1 + s % 3
     cross join lateral (select k.n = 1 and s % 97 > 93 or k.n = 2 and s > 1130 or k.n = 3 and (m.n = 2 or s > 1137) as failed) f
     where (k.n <> 4 or s % 30 = 7) and t < timestamptz '${NOW}'`,
    made.org_id,
    ids,
    its.map(({ id }) => id),
    FROM,
  )
  await to.rows(
    `insert into shifted_results (org_id, check_id, ran_at, monitor_id, effective_at)
     select org_id, check_id, ran_at, monitor_id, ran_at - interval '90 seconds' from results where latency_ms % 10 = 6`,
  )
  await to.rows(
    `insert into late_results (org_id, check_id, n, ran_at, monitor_id)
     select org_id, check_id, row_number() over (partition by check_id order by ran_at desc), ran_at, monitor_id
     from results where latency_ms % 100 = 7`,
  )
  await to.rows(
    `insert into incidents (org_id, incident_id, check_id, began_at, told_at, ended_at, end_reason)
     select $1, 'inc_' || check_id || '_' || row_number() over (order by ran_at), check_id, ran_at, ran_at - interval '2 hours',
       case when check_id = $2 then ran_at + interval '6 minutes' end, case when check_id = $2 then 'recovered' end
     from (
       select check_id, ran_at, success, lag(success) over (partition by check_id order by ran_at) as before from results) r
     where not success and before and (check_id = $2 or check_id = $3)`,
    ...[made.org_id, ids[0], ids[1]],
  )
  await to.rows(
    `insert into check_states (org_id, check_id, judged_at, late_n)
     select $1, check_id, $3, (select count(*) from late_results l where l.check_id = k.check_id) from unnest($2::bigint[]) k(check_id)
     on conflict (org_id, check_id) do update set judged_at = excluded.judged_at, late_n = excluded.late_n`,
    ...[made.org_id, ids, NOW],
  )
  await to.rows('update monitors set last_seen_at = $1, enrolled_at = $2', NOW, FROM)
  await sweepUnmonitored(to.deps)
  await to.rows('update check_schedules set since = $1, watched_since = $1', FROM)
  await to.rows('update check_states set unmonitored_since = $2 where check_id = $1', ids[3], at('09:00'))
  // Nobody runs the last one any more.
  await to.rows('update assignments set active = false where check_id = $1', ids[4])
  await foldHistory(to.deps)
  await to.rows(
    `insert into rollup_marks (org_id, check_id, hour) select $1, check_id, hour from unnest($2::bigint[]) k(check_id)
     cross join unnest($3::timestamptz[]) h(hour) on conflict do nothing`,
    ...[made.org_id, ids, [at('01:00'), at('02:00'), '2026-11-18T23:00:00Z']],
  )
  return { org: made, monitors: its, guids: found, check_ids: ids }
}

const first = <Value>(values: readonly Value[]): Value => values[0] as Value

async function all(read: (last: ResultRow | undefined) => Promise<ResultRow[]>, size: number): Promise<ResultRow[]> {
  const rows: ResultRow[] = []
  for (;;) {
    const page = await read(rows.at(-1))
    rows.push(...page)
    if (page.length < size) return rows
  }
}

/** The buckets of a sketch stand in any order. */
function counted({ latency_sketch, ...row }: SketchedRow) {
  const counts = noCounts()
  if (latency_sketch) addCounts(counts, latency_sketch)
  return { ...row, counts: latency_sketch && counts }
}

/** Pages, searches, the export, charts and counts: what people read. */
async function readPages(): Promise<Record<string, unknown>> {
  const { database } = w.deps
  const { org_id } = org
  const span = { org_id, check_ids, from: FROM, until: NOW }
  const folding = await readFolding(database, { ...span, from: '2026-11-18T00:00:00.000000Z' })
  const pages: unknown[] = []
  for (const check_id of check_ids) {
    const check = { org_id, check_id, result_detail_max_chars: 10 }
    const middle = { ran_at: at('00:20'), monitor_id: '' }
    pages.push(
      await all((last) => listResults(database, check, last ?? START, 50), 50),
      await all(
        (last) =>
          listResultsBefore(database, check, last ?? END, 70, {
            ms: 3_600_000,
            until: new Date(at('11:00')),
            page_ms: 0,
          }),
        70,
      ),
      await listResults(database, check, middle, 9),
      await listResultsBefore(database, check, middle, 9, { ms: 300_000, until: new Date(at('00:20')), page_ms: 0 }),
      await searchResults(database, check, END, 30, { success: false, monitor_id: monitors[1]?.id }),
      await searchResults(database, check, END, 2000, { success: true }),
      await listStepsByMonitor(database, check, { from: FROM, until: NOW, step_sec: 900 }),
      await listSpread(database, check, { from: at('01:10'), until: at('11:20'), step_sec: 300 }),
    )
  }
  const exported: Record<string, ResultRow[]> = {}
  const reading = <Value>(read: (deps: World['deps']) => Promise<Value>) => read(w.deps)
  const checks = check_ids.map((check_id, n) => ({ check_id, guid: guids[n] ?? '', result_detail_max_chars: 256 }))
  for await (const chunk of streamResults(reading, org_id, checks)) (exported[chunk.guid] ??= []).push(...chunk.rows)
  return {
    pages,
    exported,
    within: await listRunsWithin(
      database,
      org_id,
      check_ids.flatMap((check_id) => [
        { check_id, from: at('00:10'), until: at('05:25'), is_folded: false },
        { check_id, from: at('01:00'), until: at('05:00'), is_folded: true },
        { check_id, from: at('00:10'), until: at('05:25'), is_folded: false, times: 1 },
      ]),
      [`{[${at('00:10')},${at('01:40')}),[${at('03:00')},${at('04:50')})}`],
    ),
    counted: (await listCountedHours(database, org_id, { from: FROM, until: NOW })).toSorted(
      (a, b) => a.check_id - b.check_id || a.at_sec - b.at_sec,
    ),
    hours: (await listSketchedHours(database, span, folding)).map(counted),
    days: (await listSketchedDays(database, { ...span, from: '2026-11-18T00:00:00.000000Z' }, folding)).map(counted),
  }
}

/** Newest results come with more where they are not among the open ones. */
function withBareRun<Of extends { latest: NewestRun | undefined }>({ latest, ...rest }: Of) {
  return { ...rest, latest: latest && [latest.at, latest.ran_at, latest.success, latest.latency_ms] }
}

/** Judging, incidents, states and silence: what decides. */
async function readStates(): Promise<Record<string, unknown>> {
  const { database, clock } = w.deps
  const { machines } = database
  const { org_id } = org
  const now = clock.now().toISOString()
  const keys = check_ids.map((check_id) => ({ org_id, check_id }))
  const spans = keys.map((key) => ({ ...key, since: FROM, before: NOW, limit: 400 }))
  const failures = await w.rows(
    `select incident_id, check_id, wire_time(began_at) as began_at from incidents where org_id = $1 order by began_at, incident_id`,
    org_id,
  )
  const ids = failures.map(({ incident_id }) => String(incident_id))
  const search = {
    ...{ now, patience: { turns: 2, timeout_sec: 10, slack_sec: 60, least_sec: 180 } },
    ...{ onlineSince: at('11:57'), seenSince: at('11:59') },
  }
  const found: unknown[] = []
  for (const failure of failures.slice(0, 6)) {
    const key = { org_id, check_id: Number(failure.check_id), result_detail_max_chars: 256 }
    found.push(await findFailure(machines, key, String(failure.began_at)))
    found.push(await findFailure(machines, key, String(failure.began_at), monitors[0]?.id))
  }
  const [check_id = 0] = check_ids
  const due = { now, until: NOW, since: at('00:00') }
  const { rows: newest } = await listNewestRuns(machines, keys, NOW)
  const stored = await readHowStored(machines, spans)
  return {
    toJudge: await listResultsToJudge(machines, spans, at('00:00'), stored),
    toJudgeSince: [
      // Before and after one of the watermarks.
      await listResultsToJudge(machines, spans, at('02:58'), stored),
      await listResultsToJudge(machines, spans, at('03:00'), stored),
      await listResultsToJudge(machines, spans, at('11:00'), stored),
    ],
    few: await listResultsToJudge(
      machines,
      spans.map((one) => ({ ...one, before: at('02:30'), limit: 3 })),
      FROM,
      stored,
    ),
    after: await listResultsAfter(machines, first(keys), { at: at('01:30'), monitor_id: '' }, at('09:00'), 150),
    latest: await listLatestResults(machines, keys, { until: NOW, since: FROM, limits: [5, 5, 5, 5, 5] }),
    speeds: await listSpeeds(machines, spans, FROM),
    certificates: await listCertificatesToJudge(machines, spans, FROM),
    dependents: await listDependents(machines, org_id, check_ids, FROM),
    sights: (await listSights(machines, org_id, check_ids, now)).map((one) => JSON.stringify(one)).toSorted(),
    failing: await listFailingChecks(database, org_id, at('12:10')),
    silent: await listSilentChecks(machines, { ...search, now: at('13:30') }, ALL_KEYS),
    notSilent: await listSilentChecks(machines, search, ALL_KEYS),
    heard: await listHeardChecks(machines, search),
    newest,
    overview: (await readCheckStates(database, org_id, new Date(NOW))).map(withBareRun),
    detail: withBareRun(await readStanding(w.deps, org_id, first(guids), 5)),
    byMonitor: await listLatestByMonitor(
      machines,
      { org_id, check_id, result_detail_max_chars: 30 },
      { since: FROM, until: NOW },
    ),
    seen: await listCertificatesAt(
      database,
      org_id,
      newest.map((one) => ({ check_id: one.check_id, ran_at: one.at })),
    ).then((map) => [...map]),
    neighbours: await listNeighbours(machines, org_id, { incident_id: 'none', from: FROM, until: NOW, limit: 9 }),
    witnesses: (await listFirstWitnesses(machines, org_id, ids, { from: FROM, until: NOW }))
      .map((one) => JSON.stringify(one))
      .toSorted(),
    failures: found,
    counts: await readStateCounts(database, org_id, now),
    unmonitored: await listUnmonitored(machines, org_id, 9),
    remind: await listChecksToRemind(machines, due),
    sinceDown: await machines
      .transaction()
      .execute(async (trx) => [
        ...(await countSinceDown(trx, await claimDownChecks(trx, keys), { until: NOW, limit: 300 })),
      ]),
  }
}

/** Retention, budgets, arrivals and a clock that was set back. */
async function readRest(): Promise<Record<string, unknown>> {
  const { database } = w.deps
  const { machines } = database
  const { org_id } = org
  const [check_id = 0] = check_ids
  const check = { org_id, check_id, result_detail_max_chars: 256 }
  const sent = await w.rows(
    `select wire_time(ran_at) as ran_at from unnest($1::timestamptz[]) as k(ran_at)`,
    ['00:00:01.500017', '00:06:01.500017', '00:00:01', '11:54:01.500017'].map((time) => `2026-11-20T${time}Z`),
  )
  const ran_at = sent.map((row) => String(row.ran_at))
  const batch = { check_guid: ran_at.map(() => first(guids)), ran_at }
  const assigned = await listAssignedResults(database, first(monitors).id, batch)
  const undo = new Error('undone')
  let shifted: unknown
  await machines
    .transaction()
    .execute(async (trx) => {
      const count = await shiftFutureResults(
        trx,
        org_id,
        { now: at('02:00'), limit: at('02:05'), ahead_ms: 1e7 },
        90_000,
      )
      // Which column is named tells when: the statement runs in the transaction that is undone.
      shifted = { count }
      throw undo
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error
    })
  return {
    fresh: await Promise.all(
      monitors.map(({ id }) =>
        listFreshResults(machines, id, batch, assigned).then((rows) => rows.map((row) => row.place)),
      ),
    ),
    shifted,
    share: [
      await readShareBetween(machines, org_id, null, at('00:00')),
      await readShareBetween(machines, org_id, '2026-11-17T00:00:00Z', FROM),
    ],
    oldest: await readOldestDay(machines, org_id),
    arrivals: await machines
      .transaction()
      .execute((trx) => listArrivals(trx, check, { position: { ran_at: at('00:30'), monitor_id: '' }, late_n: 1 }, 40)),
  }
}

/** The same while no result is shifted: where hours are sealed, statements are others then. */
async function readUnshifted(): Promise<Record<string, unknown>> {
  await w.rows('create table kept as select * from shifted_results')
  await w.rows('delete from shifted_results')
  const states = Object.entries(await readStates()).map(([name, value]) => [`${name}, unshifted`, value])
  await w.rows('insert into shifted_results select * from kept')
  await w.rows('drop table kept')
  return Object.fromEntries(states) as Record<string, unknown>
}

const readAll = async () => ({
  ...(await readPages()),
  ...(await readStates()),
  ...(await readUnshifted()),
  ...(await readRest()),
})

test('a process looks now and then whether hours are sealed, and at once when it turns that on itself', async () => {
  const pool = new pg.Pool({ connectionString: w.databaseUrl, max: 1 })
  const sealing = new Sealing(pool)
  expect(await sealing.hasBegun()).toBe(false)
  let isThere = true
  // Answers at once: what is known for so short a time may be over before Postgres answers.
  const query = async () => {
    if (!isThere) throw new Error('cut off')
    return { rows: [{ is_so: false }] }
  }
  const cutOff = new Sealing({ query } as never, { last_known_ms: 500 })
  expect(await cutOff.sealedUntil()).toBe(false)
  await w.rows('update seal_progress set is_on = true')
  expect(await sealing.hasBegun()).toBe(false)
  sealing.forget()
  expect(await sealing.hasBegun()).toBe(true)
  await w.rows('update seal_progress set is_on = false')
  // Nobody can be asked: what was known last counts, and who knows nothing reads everything.
  sealing.forget()
  await pool.end()
  expect(await sealing.hasBegun()).toBe(true)
  expect(await new Sealing(pool).hasBegun()).toBe(true)
  // Others may have sealed meanwhile.
  isThere = false
  cutOff.forget()
  await eventually(async () => (await cutOff.sealedUntil()) === undefined, 'it does not take that for known any more')
  expect(await cutOff.hasBegun()).toBe(true)
})

describe('sealed', () => {
  let asRows: Record<string, unknown>
  beforeAll(async () => {
    await w.rows('update arrival_horizon set announced = $1, settled = $1', at('09:00'))
    asRows = await readAll()
  })

  test('a world with rows answers something everywhere', () => {
    const empty = Object.entries(asRows).filter(([, value]) => JSON.stringify(value)?.length < 5)
    expect(empty.map(([name]) => name)).toEqual(['notSilent', 'notSilent, unshifted'])
  })

  test.each(WATERMARKS)('nothing changes when it is sealed until %s', async (until) => {
    await sealBefore(w, until)
    const sealed = await readAll()
    const differing = Object.keys(asRows).filter(
      (name) => JSON.stringify(sealed[name]) !== JSON.stringify(asRows[name]),
    )
    expect(differing).toEqual([])
  })

  test('late results begin and end the same incidents', async () => {
    const plain = await world()
    try {
      const twin = await fill(plain)
      const answers = []
      for (const [its, of] of [
        [plain, twin],
        [w, { monitors, guids }],
      ] as const) {
        const runs = [0, 1, 2, 3].map((n) =>
          result(of.guids[0] ?? '', { ran_at: at(`05:0${n}`), success: n === 3, http_status: n === 3 ? 200 : 503 }),
        )
        const accepted = [await of.monitors[0]?.client.upload(runs), await of.monitors[0]?.client.upload(runs)]
        await its.judgeLate()
        const incidents = await its.rows(
          `select c.name, i.began_at, i.ended_at, i.end_reason from incidents i join checks c using (org_id, check_id)
           order by i.began_at, c.name`,
        )
        answers.push({ accepted: accepted.map((one) => one?.accepted), incidents })
      }
      expect(answers[1]).toEqual(answers[0])
      expect(answers[0]?.incidents.map(({ began_at }) => began_at)).toContain('2026-11-20 05:01:00+00')
    } finally {
      await plain.close()
    }
    expect(await w.rows('select ran_at from reopened_results where ran_at = $1', at('05:01'))).toHaveLength(1)
  })

  test('hours are folded again from what is sealed', async () => {
    type Spans = { check_id: number; at: string; runs: number }[]
    const before = (await readPages()) as { hours: Spans; days: Spans }
    const brief = ({ hours, days }: typeof before) =>
      [...hours, ...days].map(({ check_id, at: begun, runs }) => `${check_id} ${begun} ${runs}`)
    await w.rows('update rollups set runs = 1, failures = 0, latency_sum_ms = 5')
    await w.rows(
      `insert into rollup_marks (org_id, check_id, hour) select org_id, check_id, hour from rollups
       where hour < $1 on conflict do nothing`,
      at('09:00'),
    )
    await w.rows('delete from rollups where hour >= $1', at('09:00'))
    await w.rows('update rollup_progress set hours_until = $1', at('09:00'))
    await foldHistory(w.deps)
    expect(await w.rows('select 1 from rollup_marks')).toEqual([])
    const folded = (await readPages()) as typeof before
    expect(brief(folded)).toEqual(brief(before))
    expect({ hours: folded.hours, days: folded.days }).toEqual({ hours: before.hours, days: before.days })
  })

  test('an hour is looked up once, however many late results of it there are', async () => {
    const { database } = w.deps
    const times = Array.from(
      { length: 12 },
      (_, at) => `2026-11-20T00:${String(6 * (at % 10)).padStart(2, '0')}:01.500017Z`,
    )
    const batch = { check_guid: times.map(() => first(guids)), ran_at: times }
    const id = first(monitors).id
    const assigned = await listAssignedResults(database, id, batch)
    const [check_id = 0] = check_ids
    const late = times.slice(0, 10).map((ran_at) => ({ org_id: org.org_id, check_id, ran_at }))
    const undo = new Error('undone')
    const looksOf = async (trx: Transaction<Tables>): Promise<number> => {
      const { rows } = await sql<{ looks: number }>`
        select coalesce(sum(idx_tup_fetch), 0)::integer as looks from pg_stat_xact_user_tables
        where relname like 'sealed_hours%'`.execute(trx)
      return rows[0]?.looks ?? 0
    }
    // Where results are distributed, nodes look.
    const once: unknown = (await database.nodes.isDistributed()) ? expect.any(Number) : 1
    const looks = async (work: (trx: Transaction<Tables>) => Promise<unknown>): Promise<unknown> => {
      let found: unknown
      await database.machines
        .transaction()
        .execute(async (trx) => {
          await sql`set local enable_seqscan = off`.execute(trx)
          await sql`delete from late_results`.execute(trx)
          await insertLateResults(trx, id, late)
          // What this connection did shortly before counts as well.
          const before = await looksOf(trx)
          found = [await work(trx), (await looksOf(trx)) - before]
          throw undo
        })
        .catch((error: unknown) => {
          if (error !== undo) throw error
        })
      return found
    }
    expect(await looks((trx) => listFreshResults(trx, id, batch, assigned))).toEqual([[], once])
    const place = { position: { ran_at: '2026-11-20T11:59:59.000000Z', monitor_id: '' }, late_n: 0 }
    const check = { org_id: org.org_id, check_id, result_detail_max_chars: 256 }
    expect(await looks((trx) => listArrivals(trx, check, place, 40).then(({ late }) => late.length))).toEqual([
      10,
      once,
    ])
  })

  test('a definition is wiped wherever it is quoted, step by step', async () => {
    const { machines } = w.deps.database
    const key = { org_id: org.org_id, check_id: first(check_ids) }
    const read = (check_id: number) =>
      all(
        (last) => listResults(w.deps.database, { ...key, check_id, result_detail_max_chars: 99 }, last ?? START, 500),
        500,
      )
    const [before, other] = [await read(key.check_id), await read(check_ids[1] ?? 0)]
    let steps = 0
    for (let after: string | undefined = '-infinity'; after !== undefined; steps++) {
      const from: string = after
      after = await machines.transaction().execute((trx) => updateResultsWiped(trx, key, from, 150))
    }
    expect(steps).toBeGreaterThan(10)
    expect(await read(key.check_id)).toEqual(
      before.map((row) => ({ ...row, error: null, response_sample: null, cert_expires_at: null })),
    )
    expect(await read(check_ids[1] ?? 0)).toEqual(other)
    const quoting = 'select 1 from results where check_id = $1 and (error is not null or response_sample is not null)'
    expect(await w.rows(quoting, key.check_id)).toEqual([])
  })

  test('retention deletes sealed hours whole, and days with their partition', async () => {
    const read = () =>
      all(
        (last) =>
          listResults(
            w.deps.database,
            { org_id: org.org_id, check_id: check_ids[1] ?? 0, result_detail_max_chars: 99 },
            last ?? START,
            500,
          ),
        500,
      )
    const late = { ran_at: '2026-11-18T22:00:30.000000Z', latency_ms: 7 }
    await monitors[0]?.client.upload([result(guids[1] ?? '', late)])
    const before = await read()
    w.clock.forward(365 * 86_400)
    await liveOn(w)
    await makeDue(w)
    const pruned = await pruneOrgs(w.deps)
    expect(pruned.sealed_hours).toBeGreaterThan(5)
    expect(pruned.reopened_results).toBe(1)
    const kept = before.filter(({ ran_at }) => ran_at >= '2026-11-19')
    expect(kept.length).toBeLessThan(before.length)
    expect(await read()).toEqual(kept)
    expect(await dropPartitions(w.deps)).toContain('sealed_hours_2026_11_18')
    expect(await read()).toEqual(kept)
  })
})
