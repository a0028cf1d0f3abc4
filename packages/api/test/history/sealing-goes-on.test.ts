// Sealing goes on whatever is in its way: readers that hold partitions, steps that are too large, results that come before their day is there.

import type { Deps } from '@dogwatch/domain/deps'
import { foldHistory } from '@dogwatch/domain/results/history'
import { ensurePartitions } from '@dogwatch/domain/results/partitions'
import { sealHours, sealSome } from '@dogwatch/domain/results/seal'
import { silentLog } from '@dogwatch/runtime/log'
import { isHeldUp, readSealProgress } from '@dogwatch/store/results/sealing/sealing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { holdSealingUp } from '../../../store/src/results/sealing/known.ts'
import { IS_ON_CLUSTER, plantTriggers } from '../../../store/test/support/cluster.ts'
import { describeOnOne } from '../support/on-cluster.ts'
import { eventually, type Monitor, type Org, result, type World, world } from '../support/world.ts'

let w: World
let org: Org
let monitor: Monitor
let guids: string[]
beforeAll(async () => {
  await begin(await world())
})
async function begin(one: World): Promise<void> {
  w = one
  forwardTo('2026-11-30T20:00:00Z')
  await ensurePartitions(w.deps)
  await foldHistory(w.deps)
  await sealHours(w.deps)
  w.clock.forward(60)
}
afterAll(() => w.close())
beforeEach(async () => {
  org = await w.org()
  monitor = await w.monitor(org)
  guids = await w.checks(
    org,
    Array.from({ length: 6 }, () => ({ interval_sec: 60 })),
    [monitor.id],
  )
})

const HOUR_MS = 3_600_000
const progress = () => readSealProgress(w.deps.database.machines)
const upload = (min: number) => {
  const ran_at = new Date(w.clock.now().getTime() - min * 60_000).toISOString()
  return monitor.client.upload(guids.map((guid) => result(guid, { ran_at })))
}
const countOf = async (table: string) =>
  (await w.rows(`select count(*)::integer as count from ${table} where org_id = $1`, org.org_id))[0]?.count
const parts = async (like: string) =>
  (
    await w.rows("select relid::text as name from pg_partition_tree('results') where relid::text ~ $1 order by 1", like)
  ).map(({ name }) => String(name))
const forwardTo = (at: string) => w.clock.forward((Date.parse(at) - w.clock.now().getTime()) / 1000)

async function seal(): Promise<void> {
  const over = Math.floor((w.clock.now().getTime() - 600_000) / HOUR_MS) * HOUR_MS
  for (let runs = 0; runs < 40; runs++) {
    await foldHistory(w.deps)
    await sealHours(w.deps)
    if (Date.parse((await progress()).sealed_until) === over) return
  }
  throw new Error('not all that is over was sealed')
}

test('a step that takes too long is done with fewer checks', async () => {
  await upload(200)
  await plantTriggers(
    w.databaseUrl,
    `create function refuse() returns trigger language plpgsql as $$ begin
      if (select count(distinct check_id) from made) > 2 then raise 'too slow' using errcode = '57014'; end if; return null; end $$`,
    'create trigger refuse after insert on sealed_hours referencing new table as made for each statement execute function refuse()',
  )
  try {
    await seal()
  } finally {
    await plantTriggers(w.databaseUrl, 'drop trigger refuse on sealed_hours')
  }
  expect(await countOf('sealed_hours')).toBe(6)
})

test('results for a day that has no sealed hours hold up no other, also when they are folded first', async () => {
  await seal()
  await upload(20 * 24 * 60)
  expect(await foldHistory(w.deps)).toMatchObject({ again: 6, merged: 0 })
  expect(await countOf('reopened_results')).toBe(6)
  // On nodes, when every process has noticed.
  for (let runs = IS_ON_CLUSTER ? 2 : 1; runs > 0; runs--) {
    await w.rows("update seal_progress set noticing_since = noticing_since - interval '1 minute'")
    await sealHours(w.deps)
  }
  expect(await foldHistory(w.deps)).toMatchObject({ again: 6, merged: 6 })
  expect(await countOf('reopened_results')).toBe(0)
})

test('that nothing is sealed while tables move between nodes is said once an hour', async () => {
  const said: unknown[] = []
  const log = { ...silentLog, warn: (...given: unknown[]) => void said.push(given) } as Deps['log']
  const deps = { ...w.deps, log }
  const line = [{ reason: 'dogwatch shard is running' }, 'hours are not sealed']
  const moving = new pg.Client({ connectionString: w.databaseUrl })
  await moving.connect()
  try {
    await holdSealingUp(moving)
    await sealHours(deps)
    await sealHours(deps)
    expect(said).toEqual([line])
    w.clock.forward(3600)
    await sealHours(deps)
    expect(said).toEqual([line, line])
    // The session would end a moment after its connection.
    await moving.query('rollback')
  } finally {
    await moving.end()
  }
})

// Where results are distributed, months stay whole.
async function useOther(plain: World): Promise<() => void> {
  const before = w
  await begin(plain)
  return () => {
    w = before
  }
}

describeOnOne(useOther, () => {
  test('short partitions are made while sealing keeps up, and a rest that came into use is cut where it is free', async () => {
    forwardTo('2026-11-30T23:15:00Z')
    await ensurePartitions(w.deps)
    expect(await parts('2026_12')).toEqual(['results_2026_12'])
    await seal()
    await ensurePartitions(w.deps)
    expect(await parts('2026_12')).toHaveLength(15)
    forwardTo('2026-12-01T03:02:00Z')
    await ensurePartitions(w.deps)
    expect(await parts('2026_12')).toHaveLength(15)
    await upload(1)
    expect(await countOf('results_2026_12')).toBe(6)
    await seal()
    await ensurePartitions(w.deps)
    const [, ...others] = await parts('2026_12_01_03|2026_12$')
    expect(others).toEqual(['results_2026_12_01_0330', 'results_2026_12_01_0340', 'results_2026_12_01_0350'])
    expect(await countOf('results_2026_12')).toBe(6)
    forwardTo('2026-12-01T05:02:00Z')
    await upload(1)
    await seal()
    // The rest begins where a short partition will begin.
    await ensurePartitions(w.deps)
    const [{ until } = {}] = await w.rows(
      "select max(relid::text) as until from pg_partition_tree('results') where relid::text ~ '2026_12_01_...._*$'",
    )
    expect(until).toBe('results_2026_12_01_0800')
    await upload(-5)
    expect(await countOf('results_default')).toBe(0)
  })
})

test('a transaction that reads results for long holds up the dropping of partitions and those of days long past, and nothing else', async () => {
  await seal()
  w.clock.forward(5 * 3600)
  await seal()
  const before = await progress()
  w.clock.forward(3600)
  const dump = new pg.Client({ connectionString: w.databaseUrl })
  await dump.connect()
  const passed = async () => (await parts('2026_1[12]')).length
  const held = await passed()
  try {
    await dump.query('begin')
    await dump.query('lock table results, sealed_hours in access share mode')
    await upload(30 * 24 * 60)
    await foldHistory(w.deps)
    await sealHours(w.deps)
    expect((await progress()).sealed_until > before.sealed_until).toBe(true)
    expect(await passed()).toBe(held)
    expect(await countOf('reopened_results')).toBe(guids.length)
    // The session would end a moment after its connection.
    await dump.query('rollback')
  } finally {
    await dump.end()
  }
  await sealHours(w.deps)
  expect(await passed()).toBe(held)
  w.clock.forward(60)
  await sealHours(w.deps)
  expect(await passed()).toBeLessThan(held)
  await foldHistory(w.deps)
  expect([await countOf('reopened_results'), await countOf('sealed_hours')]).toEqual([0, guids.length])
})

test('while tables move between nodes nothing is sealed or merged', async () => {
  await upload(200)
  await seal()
  await upload(199)
  const before = await progress()
  w.clock.forward(2 * 3600)
  const moving = new pg.Client({ connectionString: w.databaseUrl })
  await moving.connect()
  try {
    await holdSealingUp(moving)
    await foldHistory(w.deps)
    expect(await sealHours(w.deps)).toEqual({ hours: 0 })
    expect(await sealSome(w.deps, 100)).toBeUndefined()
    expect(await progress()).toMatchObject({ closed: before.closed, sealed_until: before.sealed_until })
    expect(await countOf('reopened_results')).toBe(6)
  } finally {
    await moving.end()
  }
  // The session ends a moment after its connection.
  await eventually(async () => !(await isHeldUp(w.deps.database.machines)), 'the lock of dogwatch shard is released')
  await seal()
  expect(await countOf('sealed_hours')).toBe(6)
})
