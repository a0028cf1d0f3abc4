// What came into an hour after it was sealed is stored before its partition goes, with fewer at a time where that takes long.

import { foldHistory } from '@dogwatch/domain/results/history'
import { dropSealed, ensurePartitions } from '@dogwatch/domain/results/partitions'
import { closeHours, sealHours, sealSome } from '@dogwatch/domain/results/seal'
import { readSealProgress } from '@dogwatch/store/results/sealing/sealing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { KyselyPlugin } from 'kysely'
import { plainWorld } from '../support/on-cluster.ts'
import { result, type World } from '../support/world.ts'

// In a plain world: where results are distributed, months stay whole.

const CHECKS = 6
/** A statement about more of them takes too long. */
const MOST = 2

let w: World
beforeAll(async () => {
  w = await plainWorld()
})
afterAll(() => w.close())

const forwardTo = (at: string) => w.clock.forward((Date.parse(at) - w.clock.now().getTime()) / 1000)
const countOf = async (table: string) => (await w.rows(`select count(*)::integer as count from ${table}`))[0]?.count
const parts = async () =>
  (await w.rows("select relid::text as name from pg_partition_tree('results') where isleaf")).map(({ name }) => name)

/** Without the chore, which drops what is sealed. */
async function seal(): Promise<string> {
  await foldHistory(w.deps)
  await closeHours(w.deps)
  while (await sealSome(w.deps, 100)) continue
  return (await readSealProgress(w.deps.database.machines)).sealed_until
}

const tooSlow = () => Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })
/** Comparing runs takes too long. */
const slow: KyselyPlugin = {
  transformQuery: ({ node }) => {
    const text = JSON.stringify(node)
    const lists = [...text.matchAll(/"value":\[([^\]]*)\]/g)].map(([, list = '']) => list.match(/\d+/g)?.length ?? 0)
    if (text.includes('is distinct from r.runs') && Math.max(...lists) > MOST) throw tooSlow()
    return node
  },
  transformResult: async ({ result: found }) => found,
}

test('neither what finds them nor what stores them need do it at once', async () => {
  forwardTo('2026-11-30T20:05:00Z')
  await ensurePartitions(w.deps)
  await foldHistory(w.deps)
  await sealHours(w.deps)
  const org = await w.org()
  const monitor = await w.monitor(org)
  const guids = await w.checks(
    org,
    Array.from({ length: CHECKS }, () => ({ interval_sec: 60 })),
    [monitor.id],
  )
  await monitor.client.upload(guids.map((guid) => result(guid, { ran_at: '2026-11-30T20:04:00Z' })))
  forwardTo('2026-12-01T03:15:00Z')
  const sealed_until = await seal()
  expect(sealed_until).toBe('2026-12-01T03:00:00.000000Z')
  await w.rows(
    `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
     select org_id, check_id, '2026-11-30T20:03:00Z', 7, 200, true, $1 from checks`,
    monitor.id,
  )
  await w.rows(
    `create function refuse() returns trigger language plpgsql as $$ begin
      if (select count(*) from made) > ${MOST} then raise 'too slow' using errcode = '57014'; end if; return null; end $$`,
  )
  await w.rows(
    `create trigger refuse after insert on reopened_results referencing new table as made
     for each statement execute function refuse()`,
  )
  const database = { ...w.deps.database, machines: w.deps.database.machines.withPlugin(slow) }
  await dropSealed({ ...w.deps, database }, sealed_until)
  expect(await countOf('reopened_results')).toBe(CHECKS)
  expect(await parts()).not.toContain('results_2026_11')
})
