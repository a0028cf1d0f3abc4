// Databases in which hours are sealed are distributed over nodes and brought back, while readers see the same. This needs a cluster.

import type { Deps } from '@dogwatch/domain/deps'
import { foldHistory } from '@dogwatch/domain/results/history'
import { type SealOutcome, sealHours } from '@dogwatch/domain/results/seal'
import { silentLog } from '@dogwatch/runtime/log'
import { listResults, START } from '@dogwatch/store/results/result-pages'
import { readSealProgress } from '@dogwatch/store/results/sealing/sealing'
import { shardTables, unshardTables } from '@dogwatch/store/results/sharding/shard'
import { afterAll, beforeAll, expect } from '@jest/globals'
import pg from 'pg'
import { testOnCluster } from '../support/on-cluster.ts'
import { eventually, type Monitor, type Org, result, type World, world } from '../support/world.ts'

let w: World
let org: Org
let monitor: Monitor
let guid: string
let check_id: number
beforeAll(async () => {
  w = await world()
  org = await w.org()
  monitor = await w.monitor(org)
  ;[guid = ''] = await w.checks(org, [{ interval_sec: 60 }], [monitor.id])
  check_id = Number((await w.rows('select check_id from checks where guid = $1', guid))[0]?.check_id)
})
afterAll(() => w.close())

const ago = (min: number) => new Date(w.clock.now().getTime() - min * 60_000).toISOString()
const upload = (...mins: number[]) =>
  monitor.client.upload(mins.map((min) => result(guid, { ran_at: ago(min), response_sample: `sample ${min}` })))
const read = () => {
  const check = { org_id: org.org_id, check_id, result_detail_max_chars: 256 }
  return listResults(w.deps.database, check, START, 500)
}
const viewed = () =>
  w.rows('select ran_at, response_sample from stored_results where org_id = $1 and check_id = $2', org.org_id, check_id)
const countOf = async (table: string) =>
  (await w.rows(`select count(*)::integer as count from ${table} where org_id = $1`, org.org_id))[0]?.count
const options = () => ({ url: w.databaseUrl, monotonicMs: () => performance.now(), tell: () => {} })

/** Until everything that is over is sealed, and every process has noticed. */
async function seal(): Promise<void> {
  const over = Math.floor((w.clock.now().getTime() - 600_000) / 3_600_000) * 3_600_000
  for (let runs = 0; Date.parse((await readSealProgress(w.deps.database.machines)).sealed_until) !== over; runs++) {
    if (runs === 40) throw new Error('not all that is over was sealed')
    await foldHistory(w.deps)
    await sealHours(w.deps)
    await w.rows("update seal_progress set turned_on_at = turned_on_at - interval '1 minute'")
  }
  for (let runs = 0; runs < 2; runs++) {
    await w.rows("update seal_progress set noticing_since = noticing_since - interval '1 minute'")
    await sealHours(w.deps)
  }
  await foldHistory(w.deps)
}

async function move(isDistributed: boolean): Promise<void> {
  // Until the tables are where they are to be, nothing is sealed.
  const said: unknown[] = []
  const log = { ...silentLog, warn: (bindings: unknown) => void said.push(bindings) } as Deps['log']
  let sealing: Promise<SealOutcome> | undefined
  const tell = () => (sealing ??= sealHours({ ...w.deps, log }))
  const done = isDistributed
    ? await shardTables({ ...options(), tell, shards: 4 })
    : await unshardTables({ ...options(), tell })
  expect(await sealing).toEqual({ hours: 0 })
  expect(said).toEqual([{ reason: 'dogwatch shard is running' }])
  expect(done.map(({ is }) => is)).toEqual(done.map(() => (isDistributed ? 'sharded' : 'plain')))
  const { nodes, sealing: known } = w.deps.database
  await eventually(async () => (await nodes.isDistributed()) === isDistributed, 'the server knows where results are')
  known.forget()
}

testOnCluster('hours that are sealed move with the others, and are sealed and merged in both places', async () => {
  await upload(300, 299, 200, 0)
  await seal()
  await upload(298)
  expect([await countOf('sealed_hours'), await countOf('reopened_results')]).toEqual([2, 1])
  for (const isDistributed of [false, true]) {
    const before = [await read(), await viewed()]
    await move(isDistributed)
    expect([await read(), await viewed()]).toEqual(before)
    // The late result is merged, another hour is sealed, and one more result arrives late.
    await upload(1)
    w.clock.forward(2 * 3600)
    await seal()
    expect(await countOf('reopened_results')).toBe(0)
    expect(await upload(360, 360)).toMatchObject({ accepted: 2 })
    expect(await countOf('reopened_results')).toBe(1)
    expect(await read()).toHaveLength((before[0]?.length ?? 0) + 2)
  }
  expect(await read()).toHaveLength(9)
})

testOnCluster(
  'sharding that goes on while an attempt that was killed still runs places all tables together',
  async () => {
    await unshardTables(options())
    const earlier = new pg.Client({ connectionString: w.databaseUrl })
    await earlier.connect()
    try {
      await earlier.query("select citus_add_local_table_to_metadata('sealed_hours')")
      const running = earlier.query(
        "select create_distributed_table_concurrently('sealed_hours', 'org_id', colocate_with => 'none', shard_count => 4)",
      )
      await shardTables({ ...options(), shards: 4 })
      await running
    } finally {
      await earlier.end()
    }
    const places = await w.rows("select distinct colocationid from pg_dist_partition where partmethod = 'h'")
    expect(places).toHaveLength(1)
  },
)
