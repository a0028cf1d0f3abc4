// Which checks fail is asked whenever a page is read: only days that may hold what is asked for are opened.

import { listFailingChecks } from '@dogwatch/store/checks/failing'
import type { Database } from '@dogwatch/store/database'
import { insertPartition } from '@dogwatch/store/results/sealing/partitions'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { plainWorld } from '../support/on-cluster.ts'
import { result, type World } from '../support/world.ts'

const PARTITIONS = 40
const failed = { success: false, error: 'refused: connection refused' }

let w: World
beforeAll(async () => {
  w = await plainWorld()
})
afterAll(() => w.close())

const at = (sec: number) => new Date(w.clock.now().getTime() + sec * 1000).toISOString()

// In a plain world: a coordinator locks all of a table of which it asks a node.

test('months before the failures of a check are neither planned for nor locked, however often it is asked', async () => {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = '', other = ''] = await w.checks(org, [{ down_interval_sec: 600 }, {}], 'all')
  await w.deps.database.people.transaction().execute(async (trx) => {
    const month = (ago: number) => new Date(Date.UTC(2026, 10 - ago, 1)).toISOString().slice(0, 10)
    for (let ago = 0; ago < PARTITIONS; ago++) await insertPartition(trx, month(ago), month(ago - 1))
  })
  await monitor.client.upload([result(guid, { ran_at: at(-60), ...failed }), result(other, { ran_at: at(-60) })])
  const client = await w.deps.database.pools.machines.connect()
  try {
    const database = {
      ...w.deps.database,
      pools: { ...w.deps.database.pools, machines: client },
    } as unknown as Database
    // Statements that are asked often enough may get a plan for all that could be asked.
    for (let nth = 0; nth < 8; nth++) {
      await client.query('begin')
      expect((await listFailingChecks(database, org.org_id, at(600))).map((one) => one.guid)).toEqual([guid])
      const { rows } = await client.query<{ name: string }>(
        `select distinct relation::regclass::text as name from pg_locks
         where pid = pg_backend_pid() and relation::regclass::text ~ '^results_[0-9]{4}_[0-9]{2}$'`,
      )
      await client.query('commit')
      expect(rows.map(({ name }) => name)).toEqual(['results_2026_11'])
    }
  } finally {
    client.release()
  }
})
