// No clock that is wrong deletes what is promised: neither a process' nor the database's.

import { foldHistory } from '@dogwatch/domain/results/history'
import { dropPartitions, ensurePartitions } from '@dogwatch/domain/results/partitions'
import { confirmRetention } from '@dogwatch/domain/retention/gate'
import { pruneOrgs } from '@dogwatch/domain/retention/prune'
import { readLags } from '@dogwatch/store/processes/lags'
import { insertPartition } from '@dogwatch/store/results/sealing/partitions'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { type Org, result, type World, world } from '../support/world.ts'
import { ages, DAY_SEC, daysAgo, liveOn, makeDue, setDatabaseTime, store } from './rows.ts'

let w: World
let org: Org
let guid: string
const lines: string[] = []
beforeAll(async () => {
  w = await world({ log: pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }) })
  await ensurePartitions(w.deps)
  await w.deps.database.people.transaction().execute((trx) => insertPartition(trx, '2026-09-01', '2026-10-01'))
})
afterAll(() => w.close())
beforeEach(async () => {
  lines.length = 0
  await w.rows('delete from results')
  await w.rows('delete from rollups_daily')
  await w.rows('delete from retention')
  org = await w.org('free')
  ;[guid = ''] = await w.checks(org, [{ interval_sec: 120 }])
  await store(
    w,
    org,
    guid,
    Array.from({ length: 31 }, (_, day) => daysAgo(w, day)),
  )
  await liveOn(w)
  await pruneOrgs(w.deps)
  expect(await ages(w, org)).toHaveLength(31)
})

const count = async () => Number((await w.rows('select count(*) as n from results'))[0]?.n)
const months = async () =>
  (await w.rows("select relid::text as name from pg_partition_tree('results') where level = 1")).length
const ahead = (days: number) => new Date(w.clock.now().getTime() + days * DAY_SEC * 1000)

test('a process whose clock is not the database`s deletes nothing, even if it did not notice', async () => {
  const before = await months()
  for (const days of [3, 400]) {
    const wrong = { ...w.deps, clock: { ...w.clock, now: () => ahead(days) } }
    await expect(pruneOrgs(wrong)).rejects.toThrow('nothing is deleted while the time is in doubt')
    await expect(dropPartitions(wrong)).rejects.toThrow('nothing is deleted while the time is in doubt')
  }
  w.clock.skew(6)
  await expect(pruneOrgs(w.deps)).rejects.toThrow('nothing is deleted while the time is in doubt')
  w.clock.skew(0)
  expect([await count(), await months()]).toEqual([31, before])
})

test.each([3, 8, 400])(
  'all clocks %d days ahead delete nothing, say so, and nothing is lost when they are back',
  async (days) => {
    const before = await months()
    w.clock.forward(days * DAY_SEC)
    await setDatabaseTime(w)
    const pruned = await pruneOrgs({ ...w.deps })
    expect([pruned, await dropPartitions(w.deps)]).toEqual([{}, []])
    expect(lines.join()).toContain('the database date jumped, so nothing is deleted')
    expect(lines.join()).toContain(`"days_ahead":${days}`)
    expect(await readLags(w.deps.database.pools.machines, 1000)).toMatchObject({ retention_days_ahead: days })
    w.clock.forward(-days * DAY_SEC)
    await setDatabaseTime(w)
    await pruneOrgs(w.deps)
    expect([await count(), await months()]).toEqual([31, before])
    expect(await readLags(w.deps.database.pools.machines, 1000)).toMatchObject({ retention_days_ahead: 0 })
  },
)

test('a server that was off for a week waits for a day, and for an operator`s word about more than was expected', async () => {
  await foldHistory(w.deps)
  w.clock.forward(7 * DAY_SEC)
  await setDatabaseTime(w)
  await pruneOrgs(w.deps)
  expect(await count()).toBe(31)
  // It has looked on for a day, every quarter of a minute.
  w.clock.forward(DAY_SEC)
  await setDatabaseTime(w)
  await w.rows(
    "update retention_calendar set observed_sec = 86399, seen_at = $1::timestamptz - interval '15 seconds'",
    w.clock.now(),
  )
  const left = []
  for (let day = 0; day < 4; day++) {
    await pruneOrgs(w.deps)
    left.push(await count())
    w.clock.forward(DAY_SEC)
    await setDatabaseTime(w)
  }
  expect(left).toEqual([31, 30, 29, 28])
  expect(await readLags(w.deps.database.pools.machines, 5000)).toMatchObject({ retention_orgs_held: 1 })
  await confirmRetention(w.deps)
  await pruneOrgs(w.deps)
  expect(await count()).toBe(20)
  expect(await readLags(w.deps.database.pools.machines, 5000)).toMatchObject({ retention_orgs_held: 0 })
  w.clock.forward(-12 * DAY_SEC)
})

test('an operator`s word lets one org go on, or all', async () => {
  const other = await w.org('free')
  const [its = ''] = await w.checks(other, [{ interval_sec: 120 }])
  await store(w, other, its, [daysAgo(w, 0)])
  w.clock.forward(60 * DAY_SEC)
  await setDatabaseTime(w)
  await pruneOrgs(w.deps)
  expect(await count()).toBe(32)
  const day = w.clock.now().toISOString().slice(0, 10)
  expect(await confirmRetention(w.deps, org.org_id)).toEqual({ day, org_ids: [org.org_id] })
  await pruneOrgs(w.deps)
  expect([await ages(w, org), await ages(w, other)]).toEqual([[], [60]])
  await expect(confirmRetention(w.deps, 99_999)).rejects.toThrow('no such organisation')
  expect((await confirmRetention(w.deps)).org_ids).toContain(other.org_id)
  await pruneOrgs(w.deps)
  expect(await count()).toBe(0)
  w.clock.forward(-60 * DAY_SEC)
})

test('what a clock far ahead put off is not put off when it is right again', async () => {
  await w.rows("update retention set due_at = $1::timestamptz + interval '400 days'", w.clock.now())
  await store(w, org, guid, [daysAgo(w, 40)])
  await pruneOrgs(w.deps)
  expect(await count()).toBe(31)
  await makeDue(w)
})

test('hours that a clock three days ahead folded are folded again when they have been', async () => {
  const monitor = await w.monitor(org)
  const [watched = ''] = await w.checks(org, [{ interval_sec: 120 }], 'all')
  await foldHistory(w.deps)
  w.clock.forward(3 * DAY_SEC)
  await foldHistory(w.deps)
  w.clock.forward(-3 * DAY_SEC)
  const fail = (n: number) =>
    result(watched, { ran_at: new Date(w.clock.now().getTime() + n).toISOString(), success: false })
  const { accepted } = await monitor.client.upload(Array.from({ length: 100 }, (_, n) => fail(n)))
  expect(accepted).toBe(100)
  await foldHistory(w.deps)
  w.clock.forward(2 * 3600)
  await foldHistory(w.deps)
  const [row] = await w.rows(
    'select sum(runs)::int as runs, sum(failures)::int as failures from rollups join checks using (org_id, check_id) where guid = $1',
    watched,
  )
  expect(row).toEqual({ runs: 100, failures: 100 })
  w.clock.forward(-2 * 3600)
})
