// Where sealing begins, results lie in partitions of ten minutes as soon as that can be done at no cost.

import { foldHistory } from '@dogwatch/domain/results/history'
import { ensurePartitions } from '@dogwatch/domain/results/partitions'
import { restAfter, sealHours } from '@dogwatch/domain/results/seal'
import { readSealProgress } from '@dogwatch/store/results/sealing/sealing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { plainWorld } from '../support/on-cluster.ts'
import { type Monitor, type Org, result, type World } from '../support/world.ts'

// In a plain world: where results are distributed, months stay whole.

let w: World
let org: Org
let monitor: Monitor
let guid: string
beforeAll(async () => {
  w = await plainWorld()
  org = await w.org()
  monitor = await w.monitor(org)
  ;[guid = ''] = await w.checks(org, [{ interval_sec: 60 }], [monitor.id])
})
afterAll(() => w.close())

const forwardTo = (at: string) => w.clock.forward((Date.parse(at) - w.clock.now().getTime()) / 1000)
const parts = async (like: string) =>
  (
    await w.rows(
      "select relid::text as name from pg_partition_tree('results') where isleaf and relid::text ~ $1 order by 1",
      like,
    )
  ).map(({ name }) => String(name))
const upload = () => monitor.client.upload([result(guid, { ran_at: w.clock.now().toISOString() })])
const placeOfNewest = async () =>
  (await w.rows('select tableoid::regclass::text as place from results order by ran_at desc limit 1'))[0]?.place
const sealedUntil = (at: string) => w.rows('update seal_progress set sealed_until = $1', at)

test('a new installation has partitions of ten minutes before its first hour is over', async () => {
  forwardTo('2026-11-30T12:14:00Z')
  await ensurePartitions(w.deps)
  await foldHistory(w.deps)
  await sealHours(w.deps)
  expect(await parts('2026_11')).toEqual(['results_2026_11'])
  w.clock.forward(60)
  await sealHours(w.deps)
  // The month ends with the day, so three hours ahead are all short, and a rest is left.
  const made = await parts('2026_11')
  expect(made.slice(0, 3)).toEqual(['results_2026_11', 'results_2026_11_30_1210', 'results_2026_11_30_1220'])
  expect(made).toHaveLength(21)
  await upload()
  expect(await placeOfNewest()).toBe('results_2026_11_30_1210')
})

test('a month under way that holds little is cut behind whatever may come', async () => {
  forwardTo('2026-12-10T12:05:00Z')
  await upload()
  await sealedUntil('2026-12-10T11:00Z')
  await ensurePartitions(w.deps)
  const made = await parts('2026_12')
  expect(made.slice(0, 2)).toEqual(['results_2026_12', 'results_2026_12_10_1230'])
  expect(made.at(-1)).toBe('results_2026_12_10_1510')
  expect(await placeOfNewest()).toBe('results_2026_12')
})

test('a month under way that holds much stays whole', async () => {
  forwardTo('2027-01-10T12:05:00Z')
  await ensurePartitions(w.deps)
  await w.rows(
    `insert into results (org_id, check_id, ran_at, monitor_id, success, latency_ms, http_status, error)
     select c.org_id, c.check_id, timestamptz '2027-01-10T00:00Z' + n * interval '1 second', $1, true, 1, 200, repeat(md5(n::text), 55)
     from checks c, generate_series(1, 20000) n where c.guid = $2`,
    monitor.id,
    guid,
  )
  await sealedUntil('2027-01-10T11:00Z')
  const plenty = async () => Number((await w.rows("select pg_relation_size('results_2027_01') as bytes"))[0]?.bytes)
  expect(await plenty()).toBeGreaterThan(32_000_000)
  await ensurePartitions(w.deps)
  expect(await parts('2027_01')).toEqual(['results_2027_01'])
  // It was the size that was in the way.
  await w.rows('truncate results_2027_01')
  await ensurePartitions(w.deps)
  expect((await parts('2027_01')).slice(0, 2)).toEqual(['results_2027_01', 'results_2027_01_10_1200'])
})

test('sealing rests less when an hour of its time is late, and never hurries with the past', async () => {
  const known = await readSealProgress(w.deps.database.machines)
  const rest = (sealed_until: string, at: string) =>
    restAfter({ ...known, turned_on_at: '2027-01-05T00:00:00.000000Z', sealed_until }, new Date(at))
  const hour = '2027-01-10T09:00:00.000000Z'
  expect(rest(hour, '2027-01-10T10:40:00Z')).toBe(3)
  expect(rest(hour, '2027-01-10T10:41:00Z')).toBe(1)
  expect(rest(hour, '2027-01-10T10:51:00Z')).toBe(0)
  expect(rest('2027-01-04T09:00:00.000000Z', '2027-01-10T10:51:00Z')).toBe(3)
  expect(rest('-infinity', '2027-01-10T10:51:00Z')).toBe(3)
})
