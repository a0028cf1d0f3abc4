// Months that nobody is promised are dropped whole, and nobody waits for it.
import { dropPartitions, ensurePartitions } from '@dogwatch/domain/results/partitions'
import { pruneOrgs } from '@dogwatch/domain/retention/prune'
import { insertPartition } from '@dogwatch/store/results/sealing/partitions'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { eventually, type Monitor, type Org, result, type World, world } from '../support/world.ts'
import { setLimits, setPlan } from './plans.ts'
import { ages, DAY_SEC, daysAgo, liveOn, store } from './rows.ts'

let w: World
let org: Org
let monitor: Monitor
let guid: string
beforeAll(async () => {
  w = await world()
  org = await w.org('free')
  monitor = await w.monitor(org)
  ;[guid = ''] = await w.checks(org, [{ interval_sec: 120 }], 'all')
})
afterAll(() => w.close())

/** Duration of a run of a chore, in seconds, on a server that has run every day. */
async function live<Answer>(chore: (deps: World['deps']) => Promise<Answer>): Promise<Answer> {
  await liveOn(w)
  return chore(w.deps)
}

beforeEach(async () => {
  await ensurePartitions(w.deps)
  for (const [month, next] of [
    ['2025-10-01', '2025-11-01'],
    ['2025-11-01', '2025-12-01'],
    ['2026-09-01', '2026-10-01'],
  ] as const)
    await w.deps.database.people.transaction().execute((trx) => insertPartition(trx, month, next))
})

async function partitions(): Promise<string[]> {
  const rows = await w.rows("select relid::text as name from pg_partition_tree('results') where level = 1 order by 1")
  return rows.map(({ name }) => String(name))
}

async function tables(): Promise<string[]> {
  const rows = await w.rows(
    "select relname from pg_class where relkind = 'r' and relname like '%results\\_2%' order by 1",
  )
  return rows.map(({ relname }) => String(relname))
}

const upload = () => monitor.client.upload([result(guid, { ran_at: w.clock.now().toISOString() })])
/** Lists the connections that wait to drop a month. */
const WAITING =
  "select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%detach partition%' and datname = current_database()"
const KEPT = ['results_2026_10', 'results_2026_11', 'results_2026_12', 'results_2027_01']

test('a month goes when it is older than what any org keeps, and not before', async () => {
  const long = await w.org('team')
  // The last day of October 2025 is 385 days old, the first of December 354.
  expect(await live(dropPartitions)).toEqual(['results_2025_10'])
  await setLimits(w, long, { retention_days: 400 })
  expect(await live(dropPartitions)).toEqual([])
  await setPlan(w, long, 'free')
  expect(await live(dropPartitions)).toEqual(['results_2025_11', 'results_2026_09'])
  expect(await partitions()).toEqual([...KEPT, 'results_default'])
  expect(await tables()).toEqual(KEPT)
})

test('what is in the month is gone with it, and late results of it land in the default partition and go by and by', async () => {
  await store(w, org, guid, [daysAgo(w, 385), daysAgo(w, 1)])
  await live(dropPartitions)
  expect(await ages(w, org)).toEqual([1])
  expect(await monitor.client.upload([result(guid, { ran_at: daysAgo(w, 385) })])).toMatchObject({ accepted: 1 })
  expect(await w.rows('select count(*) from results_default')).toEqual([{ count: 1 }])
  await live(pruneOrgs)
  expect(await ages(w, org)).toEqual([1])
})

test('a check that is judged by older results keeps their month', async () => {
  const [slow = ''] = await w.checks(org, [{ interval_sec: 31 * DAY_SEC, down_interval_sec: 6 }], 'all')
  expect(await live(dropPartitions)).toEqual(['results_2025_10'])
  await w.rows('update checks set deleted = true where guid = $1', slow)
  expect(await live(dropPartitions)).toEqual(['results_2025_11', 'results_2026_09'])
})

test('the months that are made ahead stay, however little is promised', async () => {
  await setLimits(w, org, { retention_days: 1 })
  await live(dropPartitions)
  expect(await partitions()).toEqual([...KEPT, 'results_default'])
  expect(await ensurePartitions(w.deps)).toEqual([])
  await setPlan(w, org, 'free')
})

test('while a month is read it stays, uploads go through, and the next run drops it', async () => {
  const reader = new pg.Client({ connectionString: w.databaseUrl })
  await reader.connect()
  try {
    await reader.query('begin')
    await reader.query('select count(*) from results_2026_09')
    await reader.query('select count(*) from results')
    // The drop waits for 100 ms. On a busy machine, this can be shorter than an upload.
    const passes = async () => {
      let isOver = false
      const dropping = live(dropPartitions)
        .then(
          () => 'dropped',
          (error: { code?: string }) => error.code,
        )
        .finally(() => (isOver = true))
      while (!isOver && (await w.rows(WAITING)).length === 0);
      await upload()
      const isThrough = !isOver
      w.clock.forward(0.001)
      expect(await dropping).toBe('55P03')
      return isThrough
    }
    await eventually(passes, 'an upload goes through while it waits')
    expect(await partitions()).toContain('results_2026_09')
  } finally {
    await reader.query('rollback')
    await reader.end()
  }
  expect(await live(dropPartitions)).toContain('results_2026_09')
})

test('uploads and readers that use all months meanwhile see no error', async () => {
  let isOver = false
  const using = [0, 1, 2].map(async (lane) => {
    for (let n = 0; !isOver; n++) {
      if (lane === 0) await upload()
      else await w.rows('select count(*) from results where org_id = $1 and check_id = $2', org.org_id, lane)
      w.clock.forward(0.001)
    }
  })
  try {
    expect(await live(dropPartitions)).toEqual(['results_2025_10', 'results_2025_11', 'results_2026_09'])
  } finally {
    isOver = true
    await Promise.all(using)
  }
})

test('several processes at once drop each month once', async () => {
  await liveOn(w)
  const dropped = await Promise.all([dropPartitions(w.deps), dropPartitions(w.deps), dropPartitions(w.deps)])
  expect([...new Set(dropped.flat())].sort()).toEqual(['results_2025_10', 'results_2025_11', 'results_2026_09'])
  expect(await tables()).toEqual(KEPT)
})

test('one that is ended while it waits leaves the month as it was', async () => {
  const reader = new pg.Client({ connectionString: w.databaseUrl })
  await reader.connect()
  try {
    await reader.query('begin')
    await reader.query('select count(*) from results')
    const isEnded = async (): Promise<boolean> => {
      let [isOver, ended] = [false, 0]
      const dropping = live(dropPartitions)
        .catch((error: unknown) => error)
        .finally(() => (isOver = true))
      while (!isOver && ended === 0)
        ended += (await w.rows(`select pg_terminate_backend(pid) from (${WAITING}) w`)).length
      expect(await dropping).toBeInstanceOf(Error)
      return ended > 0
    }
    await eventually(isEnded, 'it is ended while it waits')
  } finally {
    await reader.query('rollback')
    await reader.end()
  }
  expect(await partitions()).toContain('results_2025_10')
  expect(await live(dropPartitions)).toContain('results_2025_10')
})

test('what somebody retired and did not drop is dropped by the next run, and its month can be made again', async () => {
  await w.rows('alter table results detach partition results_2025_10')
  await w.rows('alter table results_2025_10 rename to retired_results_2025_10')
  await w.deps.database.people.transaction().execute((trx) => insertPartition(trx, '2025-10-01', '2025-11-01'))
  expect(await live(dropPartitions)).toEqual([
    'results_2025_10',
    'results_2025_10',
    'results_2025_11',
    'results_2026_09',
  ])
  expect(await tables()).toEqual(KEPT)
})
