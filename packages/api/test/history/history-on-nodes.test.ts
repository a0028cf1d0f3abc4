// The history of organisations on two nodes: while one is away the others are folded, and what its own lack is made up for.

import { foldHistory } from '@dogwatch/domain/results/history'
import { listBehind } from '@dogwatch/store/results/behind'
import { foldHoursBehind, listDays, listHours } from '@dogwatch/store/results/history'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { TwoNodes } from '../../../store/test/support/nodes.ts'
import { eventually, type Org, type World, world } from '../support/world.ts'

const HOUR_SEC = 3600

let w: World
let nodes: TwoNodes
/** One on each node. */
let here: Org
let there: Org
beforeAll(async () => {
  w = await world({ nodes: (url) => (nodes = new TwoNodes(url)) })
  here = await w.org()
  there = await w.org()
  for (const org of [here, there]) await w.checks(org, [{}, {}], 'all')
})
afterAll(() => w.close())
beforeEach(async () => {
  nodes.faults.clear()
  for (const table of ['results', 'rollups', 'rollups_daily', 'rollup_marks', 'rollup_progress', 'rollups_behind'])
    await w.rows(`delete from ${table}`)
  // To the beginning of a day.
  w.clock.forward(86_400 - (Math.floor(w.clock.now().getTime() / 1000) % 86_400))
  await foldHistory(w.deps)
})

const away = (org: Org) => nodes.faults.set(org.org_id % 2 === 0 ? 'even' : 'odd', 'away')

/** Results of every check, one each ten minutes, while time goes by. */
async function runFor(hours: number): Promise<void> {
  const until = w.clock.now().getTime() / 1000 + hours * HOUR_SEC
  await w.rows(
    `insert into results (org_id, check_id, ran_at, monitor_id, latency_ms, http_status, success)
     select org_id, check_id, to_timestamp(s), 'm', (s / 600)::integer % 100, 200, (s / 600)::integer % 7 > 0
     from checks, generate_series($1::float8::numeric, $2::float8::numeric - 1, 600) s`,
    until - hours * HOUR_SEC,
    until,
  )
  w.clock.forward(hours * HOUR_SEC)
}

async function markLate(org: Org): Promise<void> {
  // One statement each: Citus cannot insert what another insert of the same statement returns.
  await w.rows(
    `insert into results (org_id, check_id, ran_at, monitor_id, latency_ms, http_status, success)
     select org_id, check_id, min(ran_at) + interval '1 second', 'm', 900, 200, true from results where org_id = $1
     group by 1, 2`,
    org.org_id,
  )
  await w.rows(
    `insert into rollup_marks (org_id, check_id, hour)
     select org_id, check_id, date_trunc('hour', min(ran_at), 'UTC') from results where org_id = $1 group by 1, 2`,
    org.org_id,
  )
}

/** Whether hours and days are what the results say, and how many of each are folded. */
async function check(org: Org): Promise<{ hours: number; days: number }> {
  const check_ids = (await w.rows('select check_id from checks where org_id = $1', org.org_id)).map(({ check_id }) =>
    Number(check_id),
  )
  const span = {
    org_id: org.org_id,
    check_ids,
    from: '2026-01-01T00:00:00.000000Z',
    until: '2028-01-01T00:00:00.000000Z',
  }
  for (const [unit, list] of [
    ['hour', listHours],
    ['day', listDays],
  ] as const) {
    const counted = await w.rows(
      `select check_id, wire_time(date_trunc($2, ran_at, 'UTC')) as at, count(*)::integer as runs,
        (count(*) filter (where not success))::integer as failures,
        (sum(latency_ms) filter (where success))::float8 / count(*) filter (where success) as latency_avg_ms,
        max(latency_ms) filter (where success) as latency_max_ms
       from results where org_id = $1 group by 1, date_trunc($2, ran_at, 'UTC') order by 1, 2`,
      org.org_id,
      unit,
    )
    expect(await list(w.deps.database, span)).toEqual(counted)
  }
  const count = async (table: string) =>
    (await w.rows(`select count(*)::integer as count from ${table} where org_id = $1`, org.org_id))[0]?.count as number
  return { hours: (await count('rollups')) / 2, days: (await count('rollups_daily')) / 2 }
}

const behind = async () => (await w.rows('select org_id::integer from rollups_behind')).map(({ org_id }) => org_id)

test('the history of others goes on while a node is away, and its own is made up for afterwards', async () => {
  await runFor(5)
  await foldHistory(w.deps)
  expect([await check(here), await check(there)]).toEqual([
    { hours: 4, days: 0 },
    { hours: 4, days: 0 },
  ])
  away(there)
  await runFor(20)
  await markLate(here)
  await markLate(there)
  await foldHistory(w.deps)
  expect([await check(here), await check(there), await behind()]).toEqual([
    { hours: 24, days: 1 },
    { hours: 4, days: 0 },
    [there.org_id],
  ])
  expect(await w.rows('select distinct org_id::integer from rollup_marks')).toEqual([{ org_id: there.org_id }])
  // An organisation that came meanwhile changes nothing.
  await runFor(30)
  await foldHistory(w.deps)
  expect([await check(here), await check(there)]).toEqual([
    { hours: 54, days: 2 },
    { hours: 4, days: 0 },
  ])
  nodes.faults.clear()
  await foldHistory(w.deps)
  const all = { hours: 54, days: 2 }
  expect([await check(here), await check(there), await behind()]).toEqual([all, all, []])
  expect(await w.rows('select from rollup_marks')).toEqual([])
  await runFor(24)
  await foldHistory(w.deps)
  expect([await check(here), await check(there)]).toEqual([
    { hours: 78, days: 3 },
    { hours: 78, days: 3 },
  ])
})

test('a node that goes away before a day is folded leaves that day to be made up for', async () => {
  await runFor(23)
  await foldHistory(w.deps)
  await w.rows("update rollup_progress set days_until = days_until - interval '1 day'")
  await runFor(1)
  w.clock.forward(-600)
  away(there)
  await foldHistory(w.deps)
  w.clock.forward(1200)
  nodes.faults.clear()
  await foldHistory(w.deps)
  const all = { hours: 24, days: 1 }
  expect([await check(here), await check(there), await behind()]).toEqual([all, all, []])
})

test('a clock that was ahead while a node was away makes nobody miss an hour', async () => {
  away(there)
  await runFor(3)
  w.clock.forward(2 * HOUR_SEC)
  await foldHistory(w.deps)
  w.clock.forward(-2 * HOUR_SEC)
  await foldHistory(w.deps)
  await runFor(4)
  nodes.faults.clear()
  await foldHistory(w.deps)
  const all = { hours: 6, days: 0 }
  expect([await check(here), await check(there), await behind()]).toEqual([all, all, []])
})

test('a transaction that waits for nodes is not idle, however long they take', async () => {
  await runFor(2)
  const blocking = new pg.Client({ connectionString: w.databaseUrl })
  await blocking.connect()
  try {
    await blocking.query('begin; lock table rollups in share mode')
    const folding = foldHistory(w.deps)
    const said = new Set<string>()
    await eventually(async () => {
      const idle = await w.rows(
        `select state_change::text as at from pg_stat_activity
         where datname = current_database() and application_name = 'dogwatch' and state = 'idle in transaction'`,
      )
      for (const { at } of idle) said.add(String(at))
      return said.size > 1
    }, 'the waiting transaction says something')
    await blocking.query('rollback')
    await folding
  } finally {
    await blocking.end()
  }
  expect(await check(there)).toEqual({ hours: 1, days: 0 })
})

test('those that are behind catch up some at a time, and what was folded stays when a later one fails', async () => {
  await w.rows(`insert into organisations (name, plan) select 'behind ' || n, 'team' from generate_series(1, 25) n`)
  await runFor(3)
  await foldHistory(w.deps)
  const failing = await w.org()
  await w.checks(failing, [{}], 'all')
  const last = failing.org_id
  await w.rows(
    `insert into rollups_behind (org_id, hours_until, days_until)
     select org_id, hours_until - interval '1 hour', days_until from organisations, rollup_progress where org_id <= $1`,
    last,
  )
  await w.rows(
    `insert into results (org_id, check_id, ran_at, monitor_id, latency_ms, http_status, success)
     select org_id, check_id, hours_until - interval '1 minute', 'm', 5, 200, true from rollup_progress, checks
     where org_id = $1`,
    last,
  )
  await w.rows(`alter table rollups add constraint fails check (org_id <> ${last}) not valid`)
  await expect(foldHistory(w.deps)).rejects.toThrow('fails')
  expect(await behind()).toContain(last)
  expect(await behind()).not.toContain(here.org_id)
  await w.rows('alter table rollups drop constraint fails')
  await foldHistory(w.deps)
  expect(await behind()).toEqual([])
})

test('hours that are lacking are folded some checks at a time, and days one at a time', async () => {
  await runFor(60)
  // One run folds two days.
  for (const _ of [1, 2]) await foldHistory(w.deps)
  const [folded] = await w.rows(
    `select wire_time(hours_until) as hours_until, wire_time(days_until) as days_until from rollup_progress`,
  )
  const until = String(folded?.hours_until)
  await w.rows(
    `insert into rollups_behind (org_id, hours_until, days_until)
     select org_id, hours_until - interval '59 hours', days_until - interval '2 days' from organisations, rollup_progress
     where org_id = any($1)`,
    [here.org_id, there.org_id],
  )
  for (const table of ['rollups', 'rollups_daily']) await w.rows(`delete from ${table}`)
  const { machines } = w.deps.database
  await machines.transaction().execute(async (trx) => {
    const some = (await listBehind(trx)).map((one) => ({ ...one, until }))
    expect(await foldHoursBehind(trx, some, 1)).toEqual(new Set())
  })
  expect([await check(here), await check(there)]).toEqual([
    { hours: 59, days: 0 },
    { hours: 59, days: 0 },
  ])
  await foldHistory(w.deps)
  const all = { hours: 59, days: 2 }
  expect([await check(here), await check(there), await behind()]).toEqual([all, all, []])
})
