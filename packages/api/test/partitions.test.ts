// The months of results are made ahead, and what came before them moves in.

import { ensurePartitions } from '@dogwatch/domain/results/partitions'
import { isMisrouted } from '@dogwatch/store/results/results'
import { insertPartition, insertSealedDay } from '@dogwatch/store/results/sealing/partitions'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { askEach } from '../../store/test/support/cluster.ts'
import { store } from './retention/rows.ts'
import { describeOnOne } from './support/on-cluster.ts'
import { eventually, result, type World, world } from './support/world.ts'

/** Partitions to learn, which takes some milliseconds, and sessions that learn them. */
const KNOWN_DAYS = 40
const FIRST_READS = 40

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

// The nodes of a cluster number the pieces of each partition.
const counts = async () => {
  const part = "regexp_replace(tableoid::regclass::text, '_[0-9]{6,}$', '')"
  const rows = await w.rows(`select ${part} as part, count(*) from results group by 1 order by 1`)
  return Object.fromEntries(rows.map(({ part, count }) => [part, count]))
}

test('the month before, this one and two ahead are made, once, also by several at once', async () => {
  const made = await Promise.all([ensurePartitions(w.deps), ensurePartitions(w.deps), ensurePartitions(w.deps)])
  expect(made.flat().sort()).toEqual(['2026-10-01', '2026-11-01', '2026-12-01', '2027-01-01'])
  expect(await ensurePartitions(w.deps)).toEqual([])
})

test('what lies outside lands in the default partition and moves when its month is made; nothing is lost or doubled', async () => {
  const org = await w.org()
  const [guid = ''] = await w.checks(org, [{}], 'all')
  const batch = ['2026-11-30T23:59:59.999999Z', '2027-02-01T00:00:00Z', '2027-02-28T23:59:59Z', '2027-03-01T00:00:00Z']
  await store(w, org, guid, batch)
  expect(await counts()).toEqual({ results_2026_11: 1, results_default: 3 })
  w.clock.forward(31 * 86_400)
  expect(await ensurePartitions(w.deps)).toEqual(['2027-02-01'])
  expect(await counts()).toEqual({ results_2026_11: 1, results_2027_02: 2, results_default: 1 })
  await store(w, org, guid, batch)
  expect(await counts()).toEqual({ results_2026_11: 1, results_2027_02: 2, results_default: 1 })
})

test('an upload that comes while its month is made is stored in it, whether it brings failures or none', async () => {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{}], 'all')
  const well = result(guid, { ran_at: '2026-06-01T00:00:00Z' })
  const ill = result(guid, { ran_at: '2026-06-02T00:00:00Z', success: false })
  // The SDK would try again.
  const upload = (one: object) => monitor.client.upload([one as typeof well], { retries: 0 })
  const waits = `select from pg_locks where not granted and relation::regclass::text like 'results%'
    and database = (select oid from pg_database where datname = current_database())`
  const isWaiting = async () => (await askEach(w.databaseUrl, waits)).length === 2
  const uploads = await w.deps.database.people.transaction().execute(async (trx) => {
    await insertPartition(trx, '2026-06-01', '2026-07-01')
    const both = Promise.all([upload(well), upload(ill)])
    both.catch(() => {})
    await eventually(isWaiting, 'both wait')
    return { both }
  })
  expect(await uploads.both).toMatchObject([{ accepted: 1 }, { accepted: 1 }])
  expect(await counts()).toMatchObject({ results_2026_06: 2 })
})

test('a node that misroutes a result names its shard of the partition', () => {
  for (const table of ['results_default', 'results_default_102047'])
    expect(isMisrouted({ code: '23514', table })).toBe(true)
  expect(isMisrouted({ code: '23514', table: 'results_2026_06_102047' })).toBe(false)
})

test('a session that reads for the first time while a partition is attached sees what is stored in it', async () => {
  const dayOf = (n: number) => new Date(Date.UTC(2024, 0, 1 + n)).toISOString().slice(0, 10)
  const { people } = w.deps.database
  for (let n = 0; n < KNOWN_DAYS; n++) await people.transaction().execute((trx) => insertSealedDay(trx, dayOf(n)))
  const countIn = 'select count(*)::integer as count from sealed_hours where org_id = 0'
  const seen: number[] = []
  for (let n = 0; n < FIRST_READS; n++) {
    const client = new pg.Client({ connectionString: w.databaseUrl })
    await client.connect()
    try {
      const day = dayOf(KNOWN_DAYS + n)
      const first = await people.transaction().execute(async (trx) => {
        await insertSealedDay(trx, day)
        const reading = client.query(countIn)
        await new Promise((resolve) => setTimeout(resolve, n % 4))
        return { reading }
      })
      await first.reading
      await w.rows('insert into sealed_hours (org_id, check_id, since, runs) values (0, 0, $1, 1)', `${day}T00:00:00Z`)
      seen.push((await client.query<{ count: number }>(countIn)).rows[0]?.count ?? 0)
    } finally {
      await client.end()
    }
  }
  expect(seen).toEqual(Array.from({ length: FIRST_READS }, (_, n) => n + 1))
})

/** Puts a plain database in place of a cluster, where months stay whole. */
async function usePlain(plain: World): Promise<() => void> {
  const before = w
  w = plain
  await ensurePartitions(w.deps)
  return () => {
    w = before
  }
}

describeOnOne(usePlain, () => {
  test('where hours are sealed, what is ahead begins with partitions of ten minutes, and what holds results stays whole', async () => {
    const until = Date.parse('2026-12-31T22:05:00Z') - w.clock.now().getTime()
    w.clock.forward(until / 1000)
    await w.rows(
      "update seal_progress set is_on = true, turned_on_at = '2026-12-15T00:00Z', sealed_until = '2026-12-31T21:00Z'",
    )
    const january = async () =>
      (
        await w.rows(
          "select relid::text as name from pg_partition_tree('results') where relid::text ~ '2027_01' order by 1",
        )
      ).map(({ name }) => String(name))
    await ensurePartitions(w.deps)
    const [whole, first] = await january()
    expect([whole, first]).toEqual(['results_2027_01', 'results_2027_01_01_0000'])
    expect(await january()).toHaveLength(8)
    const settings = await w.rows(
      "select relname, reloptions from pg_class where relname in ('results_2027_01', 'results_2027_01_01_0000') order by 1",
    )
    expect(settings).toEqual([
      { relname: 'results_2027_01', reloptions: null },
      // It is dropped in two hours, and not vacuumed for what is inserted.
      {
        relname: 'results_2027_01_01_0000',
        reloptions: ['autovacuum_vacuum_insert_threshold=-1', 'autovacuum_analyze_scale_factor=1'],
      },
    ])
    const org = await w.org()
    const [guid = ''] = await w.checks(org, [{}], 'all')
    await store(w, org, guid, ['2027-01-01T00:09:59.999999Z', '2027-01-01T01:09:59Z', '2027-01-01T01:10:00Z'])
    expect(await counts()).toMatchObject({
      results_2027_01_01_0000: 1,
      results_2027_01_01_0100: 1,
      results_2027_01: 1,
    })
    w.clock.forward(3600)
    expect(await ensurePartitions(w.deps)).toEqual([])
    expect(await january()).toHaveLength(8)
    await w.rows('delete from results_2027_01')
    expect(await ensurePartitions(w.deps)).toEqual([])
    expect(await january()).toHaveLength(14)
  })
})
