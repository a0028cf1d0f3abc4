// More than was expected is not deleted before an operator says so; ordinary days go on.

import { foldHistory } from '@dogwatch/domain/results/history'
import { dropPartitions } from '@dogwatch/domain/results/partitions'
import { confirmRetention, readHeld } from '@dogwatch/domain/retention/gate'
import { pruneOrgs } from '@dogwatch/domain/retention/prune'
import { readLags } from '@dogwatch/store/processes/lags'
import { insertPartition } from '@dogwatch/store/results/sealing/partitions'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { type Org, type World, world } from '../support/world.ts'
import { setLimits, setPlan } from './plans.ts'
import { ages, DAY_SEC, daysAgo, setDatabaseTime, store } from './rows.ts'

let w: World
const lines: string[] = []
beforeAll(async () => {
  w = await world({ log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }) })
})
afterAll(() => w.close())
beforeEach(async () => {
  lines.length = 0
  for (const table of ['results', 'rollups', 'rollups_daily', 'rollup_progress', 'retention', 'retention_calendar'])
    await w.rows(`delete from ${table}`)
  await setDatabaseTime(w)
  await pruneOrgs(w.deps)
})

/** An org with a result of each of these ages in days, folded into its history. */
async function orgWith(retention_days: number, days: readonly number[]): Promise<Org> {
  const org = await w.org()
  await setLimits(w, org, { retention_days })
  const [guid = ''] = await w.checks(org, [{}])
  const at = days.map((age) => daysAgo(w, age))
  await store(w, org, guid, at)
  await w.rows('delete from rollup_progress')
  await foldHistory(w.deps)
  return org
}

const upTo = (days: number): number[] => Array.from({ length: days + 1 }, (_, age) => age)

/** The next day of a server that runs all the time. */
async function nextDay(): Promise<void> {
  w.clock.forward(DAY_SEC)
  await setDatabaseTime(w)
  await pruneOrgs(w.deps)
}

const held = async () => (await readLags(w.deps.database.pools.machines, 5000)).retention_orgs_held

test('an ordinary day goes however much of the history it is', async () => {
  const org = await orgWith(3, upTo(4))
  await pruneOrgs(w.deps)
  for (let day = 1; day <= 4; day++) {
    await nextDay()
    expect(await readHeld(w.deps, org.org_id)).toBeUndefined()
    expect(await ages(w, org)).toEqual([1, 2, 3, 4].filter((age) => age >= day))
  }
  expect(await held()).toBe(0)
})

test('a first pass over a backlog waits, says so, keeps its months, and goes on an operator`s word', async () => {
  await w.deps.database.people.transaction().execute((trx) => insertPartition(trx, '2026-06-01', '2026-07-01'))
  const org = await orgWith(30, [1, 2, 3, 150, 160])
  await pruneOrgs(w.deps)
  expect(await dropPartitions(w.deps)).not.toContain('results_2026_06')
  expect(await ages(w, org)).toEqual([1, 2, 3, 150, 160])
  expect(await readHeld(w.deps, org.org_id)).toBeCloseTo(0.4)
  expect(await held()).toBe(1)
  expect(lines.join()).toContain(`40% of its runs are waiting for dogwatch retention confirm --org ${org.org_id}`)
  await confirmRetention(w.deps, org.org_id)
  await pruneOrgs(w.deps)
  expect(await ages(w, org)).toEqual([1, 2, 3])
  expect([await readHeld(w.deps, org.org_id), await held()]).toEqual([undefined, 0])
  expect(await dropPartitions(w.deps)).toContain('results_2026_06')
})

test('months of an org that nobody has looked through yet stay', async () => {
  await w.deps.database.people.transaction().execute((trx) => insertPartition(trx, '2026-06-01', '2026-07-01'))
  const org = await orgWith(30, [1, 2, 3, 150, 160])
  expect(await dropPartitions(w.deps)).not.toContain('results_2026_06')
  expect(await ages(w, org)).toEqual([1, 2, 3, 150, 160])
})

test('a first pass that finds little goes at once', async () => {
  const org = await orgWith(30, [...upTo(20), 40])
  await pruneOrgs(w.deps)
  expect(await ages(w, org)).toEqual(upTo(20))
})

test('a downgrade waits after its week, and ordinary days go on by the longer promise', async () => {
  const org = await orgWith(40, upTo(41))
  await pruneOrgs(w.deps)
  await setPlan(w, org, 'free')
  for (let day = 1; day <= 9; day++) await nextDay()
  expect(await readHeld(w.deps, org.org_id)).toBeGreaterThan(0.2)
  // Ten days more than it promises now, as long as nobody says a word.
  expect(Math.max(...(await ages(w, org)))).toBe(41)
  await nextDay()
  expect(Math.max(...(await ages(w, org)))).toBe(41)
  await confirmRetention(w.deps)
  await pruneOrgs(w.deps)
  expect(Math.max(...(await ages(w, org)))).toBe(31)
  await nextDay()
  expect(await held()).toBe(0)
})

test('an upgrade ends the waiting', async () => {
  const org = await orgWith(30, [1, 2, 3, 150, 160])
  await pruneOrgs(w.deps)
  expect(await held()).toBe(1)
  await setPlan(w, org, 'team')
  await nextDay()
  expect([await held(), await ages(w, org)]).toEqual([0, [2, 3, 4, 151, 161]])
})
