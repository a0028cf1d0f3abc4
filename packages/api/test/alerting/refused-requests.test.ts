// Agents that we refuse for reasons of our own are not away.
import { randomBytes } from 'node:crypto'
import { tellPresence } from '@dogwatch/domain/availability'
import { LostCalls } from '@dogwatch/domain/lost-calls'
import { authenticateMonitor } from '@dogwatch/domain/monitors/authenticate'
import { newToken } from '@dogwatch/runtime/tokens'
import { openDatabase } from '@dogwatch/store/database'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { wayTo } from '../../../store/test/support/database.ts'
import { noticeLost } from '../../src/lost.ts'
import { type Monitor, PREFIX, type World, world } from '../support/world.ts'
import { run, sweep, types } from './silence.ts'

let w: World
let holder: pg.Client
let lost: LostCalls
beforeAll(async () => {
  const clock = { monotonicMs: () => w.clock.monotonicMs() }
  w = await world({ early: [(req, res) => noticeLost(lost, clock)(req, res)] })
  await w.deps.database.close()
  Object.assign(w.deps.database, openDatabase({ ...wayTo(w.databaseUrl), poolSize: 4, lock_ms: 50 }))
  holder = new pg.Client({ connectionString: w.databaseUrl })
  await holder.connect()
})
afterAll(async () => {
  await holder.end()
  await w.close()
})
beforeEach(async () => {
  await holder.query('rollback')
  lost = new LostCalls(w.clock)
  await w.rows('delete from refused_requests')
})

const sync = async (key: string) => (await w.http.get(`${PREFIX}/checks`).set('Authorization', `Bearer ${key}`)).status

/** Time goes by while these agents ask twice a minute. */
async function pass(seconds: number, monitors: readonly Monitor[], status = 200): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 30) {
    for (let step = 0; step < 15; step++) {
      w.clock.forward(2)
      await tellPresence(w.deps, { lost })
    }
    for (const { key } of monitors) expect(await sync(key)).toBe(status)
    await tellPresence(w.deps, { lost })
    await sweep(w.deps)
  }
}

test('monitors whose rows somebody holds are not told offline, nor their checks unmonitored; another that is silent is', async () => {
  const [ours, theirs] = [await w.org(), await w.org()]
  const [calling, silent] = [await w.monitor(ours), await w.monitor(theirs)]
  const guids = await w.checks(ours, [{ interval_sec: 30 }], 'all')
  await silent.client.ping()
  await run(w, calling, guids)
  await tellPresence(w.deps, { lost })
  await holder.query(`begin; select from monitors where id = '${calling.id}' for update`)
  await pass(210, [calling], 503)
  await holder.query('rollback')
  await sweep(w.deps)
  expect(await types(w, theirs)).toEqual(['monitor.offline'])
  expect(await types(w, ours)).toEqual([])
  // It asks again, and what it found meanwhile is on its way.
  await pass(30, [calling])
  expect(await types(w, ours)).toEqual([])
  await run(w, calling, guids)
  await pass(240, [])
  expect(await types(w, ours)).toEqual(['monitor.offline'])
})

test('refusals excuse a monitor for an hour, and no longer', async () => {
  const org = await w.org()
  const monitor = await w.monitor(org)
  await monitor.client.ping()
  const refuse = (at: number) =>
    w.rows(
      'insert into refused_requests values ($1, $2) on conflict (monitor_id) do update set refused_at = excluded.refused_at',
      monitor.id,
      new Date(at),
    )
  w.clock.forward(3600 + 179)
  await tellPresence(w.deps)
  await w.rows('delete from service_outages')
  await refuse(w.clock.now().getTime())
  await sweep(w.deps)
  expect(await types(w, org)).toEqual([])
  w.clock.forward(2)
  await tellPresence(w.deps)
  await refuse(w.clock.now().getTime())
  await sweep(w.deps)
  expect(await types(w, org)).toEqual(['monitor.offline'])
})

test('a request that waited never moves back when its monitor was last seen', async () => {
  const { id, key } = await w.monitor(await w.org())
  const earlier = w.clock.now()
  w.clock.forward(40)
  await authenticateMonitor(w.deps, key)
  const [seen] = await w.rows('select last_seen_at from monitors where id = $1', id)
  await authenticateMonitor({ ...w.deps, clock: { ...w.clock, now: () => earlier } }, key)
  expect(await w.rows('select last_seen_at from monitors where id = $1', id)).toEqual([seen])
})

test('keys that were made up write nothing', async () => {
  await holder.query('begin; lock table monitors in exclusive mode')
  expect(await sync(newToken('key', randomBytes))).toBe(503)
  await holder.query('rollback')
  await tellPresence(w.deps, { lost })
  expect(await w.rows('select from refused_requests')).toEqual([])
})
