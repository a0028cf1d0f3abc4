// A database whose owner prefers other forms of dates, zones and bytes: every connection brings its own, and nothing is read wrongly.

import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { ensurePartitions } from '@dogwatch/domain/results/partitions'
import { openDatabase } from '@dogwatch/store/database'
import { migrateToLatest } from '@dogwatch/store/migrate'
import type { Pooler } from '@dogwatch/store/postgres/connections'
import { openSparePool } from '@dogwatch/store/postgres/spare-pool'
import { readLags } from '@dogwatch/store/processes/lags'
import { listPartitionsBefore } from '@dogwatch/store/results/sealing/partitions'
import { listHeartbeatDays } from '@dogwatch/store/status-pages'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SESSION } from '../../../store/src/postgres/session.ts'
import { createTestDatabase, type TestDatabase } from '../../../store/test/support/database.ts'
import { ACCOUNT, result, type World, world } from '../support/world.ts'

const ODD = {
  datestyle: 'German, DMY',
  timezone: 'Asia/Kolkata',
  intervalstyle: 'sql_standard',
  bytea_output: 'escape',
  extra_float_digits: '-10',
  standard_conforming_strings: 'off',
  array_nulls: 'off',
  transform_null_equals: 'on',
  default_transaction_isolation: 'repeatable read',
}

let odd: TestDatabase
let w: World
beforeAll(async () => {
  odd = await createTestDatabase('template0')
  const setter = openDatabase({ url: odd.url, poolSize: 1 })
  const name = new URL(odd.url).pathname.slice(1)
  for (const [setting, value] of Object.entries(ODD))
    await setter.pools.machines.query(`alter database ${name} set ${setting} to '${value.split(', ').join("', '")}'`)
  await setter.close()
  await migrateToLatest(odd.url)
  w = await world({ testDatabase: odd })
})
afterAll(() => w.close())

const WAYS: [string, Pooler | undefined][] = [
  ['the session is ours', undefined],
  ['a pooler lends it', { isPrepared: false }],
  ['a pooler lends it, and bears names', { isPrepared: true }],
]

describe.each(WAYS)('%s', (_, pooler) => {
  test('every connection is set to our forms, in a transaction and outside', async () => {
    const shown = Object.keys(SESSION)
      .map((name) => `current_setting('${name}') as ${name}`)
      .join(', ')
    const database = openDatabase({ url: odd.url, pooler, poolSize: 1 })
    const sparePool = openSparePool(odd.url, 5000, { pooler })
    try {
      for (const [name, pool] of Object.entries({
        durable: database.pools.machines,
        editing: database.pools.people,
        relaxed: database.pools.asyncCommit,
        sparePool,
      })) {
        const wanted = { ...SESSION, datestyle: expect.stringMatching(/^ISO, /) as unknown }
        expect([name, (await pool.query(`select ${shown}`)).rows]).toEqual([name, [wanted]])
        const client = await pool.connect()
        await client.query('begin')
        expect((await client.query(`select ${shown}`)).rows).toEqual([wanted])
        await client.query('rollback')
        client.release()
      }
    } finally {
      await sparePool.end()
      await database.close()
    }
  })
})

test('each statement sees what was committed before it, whatever the database has as its default', async () => {
  const { rows } = await w.deps.database.pools.machines.query('show transaction_isolation')
  expect(rows).toEqual([{ transaction_isolation: 'read committed' }])
})

test('days of heartbeats, months of results, results and lags are read as they are', async () => {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ interval_sec: 60 }], 'all')
  const made = { name: 'job', interval_sec: 60, grace_sec: 60, resend_interval_sec: 0, show_on_status_page: true }
  const { token } = await createHeartbeat(w.deps, org.org_id, made)
  expect((await w.http.get(`/ping/${token}`)).status).toBe(200)
  const [heartbeat] = await w.rows('select heartbeat_id from heartbeats where org_id = $1', org.org_id)
  const days = await listHeartbeatDays(w.deps.database.people, org.org_id, [Number(heartbeat?.heartbeat_id)], {
    from: '2026-11-01T00:00:00Z',
    until: '2026-11-30T00:00:00Z',
  })
  expect(days.map(({ day }) => day)).toEqual(['2026-11-20'])
  await ensurePartitions(w.deps)
  const before = (edge: string) => listPartitionsBefore(w.deps.database.machines, edge)
  expect(await before('2026-11-30T23:59:59Z')).toEqual(['results_2026_10'])
  expect(await before('2026-12-01T00:00:00Z')).toEqual(['results_2026_10', 'results_2026_11'])
  const ran_at = '2026-11-20T11:58:07.123456Z'
  await monitor.client.upload([result(guid, { ran_at, error: 'back\\slash', success: false })])
  const page = await w.http.get(`${ACCOUNT}/checks/${guid}/results`).set('Authorization', `Bearer ${await w.pat(org)}`)
  expect(page.body.results).toMatchObject([{ ran_at, error: 'back\\slash' }])
  const sparePool = openSparePool(odd.url, 5000)
  const { partitions_until_timestamp_seconds: until } = await readLags(sparePool, 1000)
  await sparePool.end()
  expect(until).toBe(Date.parse('2027-02-01T00:00:00Z') / 1000)
})
