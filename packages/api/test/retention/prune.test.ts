// What each plan promises is kept, a day more, and no longer.

import { rejudgeChecks } from '@dogwatch/domain/checks/update-health'
import { PLANS, type PlanName } from '@dogwatch/domain/organisations/plans'
import { foldHistory } from '@dogwatch/domain/results/history'
import { pruneOrgs, untilNextPruning } from '@dogwatch/domain/retention/prune'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { eventually, result, type World, world } from '../support/world.ts'
import { setLimits, setPlan } from './plans.ts'
import { ages, DAY_SEC, daysAgo, liveOn, makeDue, store } from './rows.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

/** Duration of a run of a chore, in seconds, on a server that has run every day. */
async function live<Answer>(chore: (deps: World['deps']) => Promise<Answer>): Promise<Answer> {
  await liveOn(w)
  return chore(w.deps)
}

/** Today, the last promised day, the margin, and what is past it. */
const AROUND = (days: number): number[] => [0, days - 1, days, days + 1, days + 2, days + 400]

test.each(Object.keys(PLANS) as PlanName[])('%s: a day more than its plan promises', async (plan) => {
  const org = await w.org(plan)
  const [guid = ''] = await w.checks(org, [{ interval_sec: 120 }])
  const { retention_days: days } = PLANS[plan]
  // At noon: one that is 31 days old ran 30 days and a half before midnight.
  await store(
    w,
    org,
    guid,
    AROUND(days).map((age) => daysAgo(w, age)),
  )
  await live(pruneOrgs)
  expect(await ages(w, org)).toEqual([0, days - 1, days, days + 1])
  // Each org once a day: the next day begins at midnight.
  w.clock.forward(DAY_SEC / 2)
  await live(pruneOrgs)
  expect(await ages(w, org)).toEqual([0, days - 1, days])
  w.clock.forward(DAY_SEC / 2)
})

test('a run has something to do for a new organisation and on a new day, and nothing once all are done', async () => {
  await w.org()
  expect(await untilNextPruning(w.deps)).toBe(0)
  await live(pruneOrgs)
  expect(await untilNextPruning(w.deps)).toBe(Infinity)
  w.clock.forward(DAY_SEC)
  expect(await untilNextPruning(w.deps)).toBe(0)
  // What a clock that was days ahead postponed.
  await live(pruneOrgs)
  await w.rows("update retention set due_at = due_at + interval '9 days'")
  expect(await untilNextPruning(w.deps)).toBe(0)
  await live(pruneOrgs)
})

test('limits that were set by hand count, up to ten years', async () => {
  const org = await w.org()
  const [guid = ''] = await w.checks(org, [{}])
  await setLimits(w, org, { retention_days: 3650 })
  await store(
    w,
    org,
    guid,
    AROUND(3650).map((age) => daysAgo(w, age)),
  )
  await live(pruneOrgs)
  expect(await ages(w, org)).toEqual([0, 3649, 3650, 3651])
})

test('hours and days of the history go with the results they were made of', async () => {
  const org = await w.org('free')
  const [guid = ''] = await w.checks(org, [{ interval_sec: 120 }])
  await store(
    w,
    org,
    guid,
    [1, 5, 30, 31, 32, 33].map((age) => daysAgo(w, age)),
  )
  await w.rows('delete from rollup_progress')
  await foldHistory(w.deps)
  expect(await ages(w, org, 'rollups', 'hour')).toContain(33)
  await live(pruneOrgs)
  expect(await ages(w, org, 'rollups', 'hour')).toEqual([1, 5, 30, 31])
  expect(await ages(w, org, 'rollups_daily', 'day')).toEqual([1, 5, 30, 31])
})

test('a late result of a day that is gone is stored, makes no history that stays, and goes the next day', async () => {
  const org = await w.org('free')
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ interval_sec: 120 }], 'all')
  await live(pruneOrgs)
  const batch = [0, 40, 300, 398].map((age) => result(guid, { ran_at: daysAgo(w, age) }))
  for (let day = 1; day <= 2; day++) {
    expect(await monitor.client.upload(batch)).toMatchObject({ accepted: 4 })
    await foldHistory(w.deps)
    w.clock.forward(DAY_SEC)
    await live(pruneOrgs)
    expect(await ages(w, org)).toEqual([day])
    expect((await ages(w, org, 'rollups_daily', 'day')).filter((age) => age > 31)).toEqual([])
    expect(await w.rows('select * from rollup_marks where org_id = $1', org.org_id)).toEqual([])
  }
})

test('what readers of arrivals are told of late goes with the results', async () => {
  const org = await w.org('free')
  const [guid = ''] = await w.checks(org, [{ interval_sec: 120 }])
  for (const [n, age] of [40, 1, 31, 400].entries())
    await w.rows(
      `insert into late_results (org_id, check_id, n, ran_at, monitor_id)
       select org_id, check_id, $2, $3, 'm1' from checks where guid = $1`,
      ...[guid, n + 1, daysAgo(w, age)],
    )
  expect(await live(pruneOrgs)).toMatchObject({ late_results: 2 })
  expect(await ages(w, org, 'late_results')).toEqual([1, 31])
})

test('after a downgrade nothing goes for a week; after an upgrade what is there stays', async () => {
  const org = await w.org('team')
  const [guid = ''] = await w.checks(org, [{ interval_sec: 120 }])
  await store(
    w,
    org,
    guid,
    [1, 20, 100, 300].map((age) => daysAgo(w, age)),
  )
  const after = async (days: number) => {
    w.clock.forward(days * DAY_SEC)
    await live(pruneOrgs)
    return ages(w, org)
  }
  await live(pruneOrgs)
  await setPlan(w, org, 'free')
  expect(await after(1)).toEqual([2, 21, 101, 301])
  expect(await after(6)).toEqual([8, 27, 107, 307])
  await setPlan(w, org, 'team')
  expect(await after(1)).toEqual([9, 28, 108, 308])
  await setPlan(w, org, 'free')
  expect(await after(1)).toEqual([10, 29, 109, 309])
  expect(await after(7)).toEqual([17])
  await setPlan(w, org, 'team')
  expect(await after(60)).toEqual([77])
})

test('results that a check is judged by stay as long as that takes', async () => {
  const org = await w.org('free')
  const day = 86_400
  const [guid = ''] = await w.checks(org, [{ interval_sec: 31 * day, down_interval_sec: 3 }])
  await store(
    w,
    org,
    guid,
    [31, 62, 93, 187, 400].map((age) => daysAgo(w, age)),
    false,
  )
  await live(pruneOrgs)
  expect(await ages(w, org)).toEqual([31, 62, 93])
})

test('a check that is down stays down when its results go, and when a first failure comes again', async () => {
  const org = await w.org('free')
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ interval_sec: 120, down_interval_sec: 3 }], 'all')
  const fail = () => monitor.client.upload([result(guid, { ran_at: w.clock.now().toISOString(), success: false })])
  for (let i = 0; i < 4; i++) {
    await fail()
    w.clock.forward(120)
  }
  const told = async () =>
    (await w.rows('select type from events where org_id = $1 order by created_at', org.org_id)).map(({ type }) => type)
  const open = () =>
    w.rows(
      'select incident_id from incidents where org_id = $1 and ended_at is null and began_at is not null',
      org.org_id,
    )
  expect(await told()).toEqual(['check.down'])
  const [incident] = await open()
  w.clock.forward(60 * DAY_SEC)
  await live(pruneOrgs)
  expect(await ages(w, org)).toEqual([])
  await fail()
  w.clock.forward(60)
  await rejudgeChecks(w.deps)
  expect(await open()).toEqual([incident])
  expect(await told()).toEqual(['check.down'])
  await monitor.client.upload([result(guid, { ran_at: w.clock.now().toISOString() })])
  expect(await open()).toEqual([])
  expect(await told()).toEqual(['check.down', 'check.up'])
})

test('events, deliveries, incidents and audit entries go; what is open or waits stays', async () => {
  const org = await w.org('free')
  const [guid = ''] = await w.checks(org, [{ interval_sec: 120 }])
  await w.rows(
    `insert into notification_channels (org_id, name, kind, destination)
     values ($1, 'all', 'ntfy', '{"ntfy_topic":"topic"}')`,
    org.org_id,
  )
  const old = daysAgo(w, 40)
  const add = async (name: string, at: string, state: 'delivered' | 'pending', ended_at: string | null) => {
    await w.rows(
      `insert into incidents (org_id, incident_id, check_id, began_at, told_at, ended_at, end_reason)
       select $1, $2, check_id, $4, $4, $5::timestamptz, case when $5::timestamptz is null then null else 'recovered' end
       from checks where org_id = $1 and guid = $3`,
      org.org_id,
      name,
      guid,
      at,
      ended_at,
    )
    await w.rows(
      `insert into events (org_id, event_id, type, created_at, subject, incident_id, data)
       values ($1, $2, 'check.down', $3, 'check:1', $2, '{}')`,
      org.org_id,
      name,
      at,
    )
    await w.rows(
      `insert into deliveries (org_id, event_id, channel_id, subject, created_at, state, next_attempt_at)
       select $1, $2, id, 'check:1', $3, $4, case when $4 = 'pending' then $3::timestamptz end
       from notification_channels where org_id = $1`,
      org.org_id,
      name,
      at,
      state,
    )
  }
  await add('over', old, 'delivered', old)
  await add('waiting', old, 'pending', old)
  await add('open', old, 'delivered', null)
  await add('ended lately', daysAgo(w, 41), 'delivered', daysAgo(w, 3))
  for (const age of [10, 40, 366, 367])
    await w.rows(
      `insert into audit_entries (org_id, created_at, actor, action, subject) values ($1, $2, 'a', 'b', 'c')`,
      org.org_id,
      daysAgo(w, age),
    )
  await live(pruneOrgs)
  const names = async (table: string, column: string) =>
    (await w.rows(`select ${column} as name from ${table} where org_id = $1 order by 1`, org.org_id)).map(
      ({ name }) => name,
    )
  expect(await names('deliveries', 'event_id')).toEqual(['waiting'])
  expect(await names('events', 'event_id')).toEqual(['open', 'waiting'])
  expect(await names('incidents', 'incident_id')).toEqual(['ended lately', 'open'])
  // The newest is that the org was made.
  expect(await ages(w, org, 'audit_entries', 'created_at')).toEqual([0, 10, 40, 366])
})

test('two processes at once delete everything once, also more than fits one transaction', async () => {
  const orgs = await Promise.all([w.org('free'), w.org('free'), w.org('free')])
  for (const org of orgs) {
    const [guid = ''] = await w.checks(org, [{ interval_sec: 120 }])
    const from = w.clock.now().getTime() - 50 * DAY_SEC * 1000
    await store(
      w,
      org,
      guid,
      Array.from({ length: 2500 }, (_, n) => new Date(from + n * 1000).toISOString()),
    )
    await store(w, org, guid, [daysAgo(w, 2)])
  }
  await liveOn(w)
  const pruned = await Promise.all([pruneOrgs(w.deps), pruneOrgs(w.deps), pruneOrgs(w.deps)])
  expect(pruned.reduce((sum, { results = 0 }) => sum + results, 0)).toBe(7500)
  for (const org of orgs) expect(await ages(w, org)).toEqual([2])
})

test('one that is ended midway leaves nothing half done, and the next run goes on', async () => {
  const org = await w.org('free')
  const [guid = ''] = await w.checks(org, [{ interval_sec: 120 }])
  await store(w, org, guid, [daysAgo(w, 2), daysAgo(w, 50)])
  await w.rows(
    `insert into incidents (org_id, incident_id, check_id, began_at, told_at, ended_at, end_reason)
     select $1, 'over', check_id, $3, $3, $3, 'recovered' from checks where org_id = $1 and guid = $2`,
    org.org_id,
    guid,
    daysAgo(w, 50),
  )
  const other = new pg.Client({ connectionString: w.databaseUrl })
  await other.connect()
  try {
    await other.query('begin')
    await other.query("select from incidents where incident_id = 'over' for update")
    const pruning = live(pruneOrgs)
    const waiting = `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%delete from "incidents"%' and datname = current_database()`
    await eventually(async () => (await w.rows(waiting)).length === 1, 'it waits for the incident')
    await w.rows(`select pg_terminate_backend(pid) from (${waiting}) w`)
    await pruning
  } finally {
    await other.query('rollback')
    await other.end()
  }
  expect(await w.rows('select days from retention where org_id = $1', org.org_id)).toEqual([{ days: null }])
  expect(await ages(w, org)).toEqual([2, 50])
  expect(await w.rows('select incident_id from incidents where org_id = $1', org.org_id)).toHaveLength(1)
  await live(pruneOrgs)
  expect(await ages(w, org)).toEqual([2])
  expect(await w.rows('select incident_id from incidents where org_id = $1', org.org_id)).toEqual([])
  await makeDue(w)
})
