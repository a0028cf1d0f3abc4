// What becomes of monitors that fall silent.

import { tellPresence } from '@dogwatch/domain/availability'
import { sweepPresence } from '@dogwatch/domain/monitors/presence'
import { resetMonitor, switchMonitor } from '@dogwatch/domain/monitors/switches'
import { updateOffline, updateOnline } from '@dogwatch/store/checks/monitor-presence'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { fakeClock } from '../../../runtime/test/support/fake-clock.ts'
import { eventually, type Org, type World, world } from '../support/world.ts'
import { manyChecks, pass, run, sweep, told, types } from './silence.ts'

let w: World
let org: Org
beforeEach(async () => {
  w = await world()
  org = await w.org()
})
afterEach(() => w.close())

test('a private monitor without a request for three minutes is offline, and online with its next; each told once', async () => {
  const monitor = await w.monitor(org)
  await monitor.client.ping()
  const seen = w.clock.now().toISOString().replace('Z', '000Z')
  await pass(w, 150)
  expect(await types(w, org)).toEqual([])
  await pass(w, 600)
  const [offline, ...more] = await told(w, org)
  expect(more).toEqual([])
  expect(offline).toMatchObject({ type: 'monitor.offline', subject: 'monitors' })
  expect(offline?.data).toMatchObject({
    state: 'offline',
    monitor: { id: monitor.id, name: 'rack 4' },
    monitors: [{ id: monitor.id, since: seen, last_seen_at: seen, checks: 0 }],
  })
  await monitor.client.ping()
  await pass(w, 120)
  expect(await types(w, org)).toEqual(['monitor.offline', 'monitor.online'])
  expect((await told(w, org))[1]?.data).toMatchObject({ state: 'online', monitors: [{ id: monitor.id, since: seen }] })
})

test('a monitor that calls a process which does not believe the database yet is online to one that does', async () => {
  const monitor = await w.monitor(org)
  await monitor.client.ping()
  w.clock.jump(7200)
  await monitor.client.ping()
  const { database, random, log } = w.deps
  const right = { database, random, log, clock: fakeClock(w.clock.asTold().toISOString()) }
  await tellPresence(right)
  expect(await sweepPresence(right)).toBe(0)
  expect(await types(w, org)).toEqual([])
})

test('monitors of one org that are lost at once are one message; those that come back by and by are told as they come', async () => {
  const monitors = [await w.monitor(org, 'a'), await w.monitor(org, 'b'), await w.monitor(org, 'c')]
  for (const { client } of monitors) await client.ping()
  await pass(w, 300)
  const [a, b, c] = monitors
  await b?.client.ping()
  await pass(w, 30, async () => b?.client.ping())
  const [lost, back] = await told(w, org)
  expect(lost?.data.monitors.map(({ name }) => name).sort()).toEqual(['a', 'b', 'c'])
  expect(back?.data).toMatchObject({ state: 'online', monitor: { name: 'b' } })
  // Whoever did not get the first message learns the rest from the second, which takes its place.
  expect(back?.data.still_offline.map(({ id }) => id).sort()).toEqual([a?.id, c?.id].sort())
  expect(back?.subject).toBe(lost?.subject)
})

test('of two processes the second tells what it finds once the first has told', async () => {
  const monitor = await w.monitor(org)
  await monitor.client.ping()
  await w.rows('insert into service_presence (alive_at) values ($1)', w.clock.now().toISOString())
  w.clock.forward(600)
  await w.rows('update service_presence set alive_at = $1', w.clock.now().toISOString())
  const first = new pg.Client({ connectionString: w.databaseUrl })
  await first.connect()
  await first.query(
    "begin; select pg_advisory_xact_lock(hashtextextended($1 || ':monitors', 0))".replace('$1', `'${org.org_id}'`),
  )
  const second = sweepPresence(w.deps)
  second.catch(() => {})
  const waits = "select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'"
  try {
    await eventually(async () => (await w.rows(waits)).length === 1, 'the second waits')
    // The first process notes that the monitor is offline.
    await first.query('update monitors set offline_since = last_seen_at where id = $1', [monitor.id])
    await first.query('commit')
  } finally {
    await first.end()
  }
  expect(await second).toBe(0)
  expect(await types(w, org)).toEqual([])
})

test('one that was never seen, one of the shared fleet, and one of another org are nobody`s news', async () => {
  const other = await w.org()
  await w.monitor(org)
  const shared = await w.monitor(null)
  await shared.client.ping()
  await pass(w, 600)
  expect(await types(w, org)).toEqual([])
  expect(await types(w, other)).toEqual([])
})

test('an agent that is dead with 500 checks is one message', async () => {
  const monitor = await w.monitor(org)
  const guids = await manyChecks(w, org, 500, [monitor])
  await run(w, monitor, guids)
  await pass(w, 240)
  w.clock.forward(3600)
  await sweep(w.deps)
  const all = await told(w, org)
  expect(all.map(({ type }) => type)).toEqual(['monitor.offline'])
  expect(all[0]?.data).toMatchObject({ monitors: [{ id: monitor.id, checks: 500 }] })
  // Back, and it takes a minute until its results come.
  await pass(w, 60, () => monitor.client.sync())
  await pass(w, 90, () => run(w, monitor, guids))
  expect(await types(w, org)).toEqual(['monitor.offline', 'monitor.online'])
})

test('one of three agents that is dead is told, and no check of theirs is unmonitored', async () => {
  const [dead, ...alive] = [await w.monitor(org, 'a'), await w.monitor(org, 'b'), await w.monitor(org, 'c')]
  const guids = await w.checks(org, [{ interval_sec: 60 }, { interval_sec: 120 }], 'all')
  await dead?.client.ping()
  let turn = 0
  await pass(w, 3600, async () => {
    for (const { client } of alive) await client.ping()
    // Each runs its own turn in three minutes.
    const monitor = turn++ % 6 === 0 ? alive[0] : turn % 6 === 3 ? alive[1] : undefined
    if (monitor) await run(w, monitor, guids)
  })
  expect(await types(w, org)).toEqual(['monitor.offline'])
})

test('an outage of the service of an hour is no silence of theirs', async () => {
  const monitor = await w.monitor(org)
  await tellPresence(w.deps)
  await monitor.client.ping()
  w.clock.forward(3600)
  // The worker is up before anybody could call us.
  await sweepPresence(w.deps)
  await tellPresence(w.deps)
  await sweepPresence(w.deps)
  expect(await types(w, org)).toEqual([])
  for (let passed = 0; passed < 170; passed += 5) {
    w.clock.forward(5)
    await tellPresence(w.deps)
    await sweepPresence(w.deps)
  }
  expect(await types(w, org)).toEqual([])
  for (let passed = 0; passed < 20; passed += 5) {
    w.clock.forward(5)
    await tellPresence(w.deps)
    await sweepPresence(w.deps)
  }
  expect(await types(w, org)).toEqual(['monitor.offline'])
})

test.each(['enabled', 'platform_enabled'] as const)(
  'one that is switched off (%s) while offline is forgotten; switched on, it is waited for anew',
  async (which) => {
    const monitor = await w.monitor(org)
    await monitor.client.ping()
    await pass(w, 300)
    await switchMonitor(w.deps, monitor.id, which, false)
    await pass(w, 300)
    await switchMonitor(w.deps, monitor.id, which, true)
    await pass(w, 150)
    expect(await types(w, org)).toEqual(['monitor.offline'])
    await pass(w, 60)
    expect(await types(w, org)).toEqual(['monitor.offline', 'monitor.offline'])
  },
)

test('switching on what is on keeps what is known of it', async () => {
  const monitor = await w.monitor(org)
  await monitor.client.ping()
  await pass(w, 300)
  await switchMonitor(w.deps, monitor.id, 'enabled', true)
  await pass(w, 300)
  expect(await types(w, org)).toEqual(['monitor.offline'])
})

test('one that is reset while offline is forgotten', async () => {
  const monitor = await w.monitor(org)
  await monitor.client.ping()
  await pass(w, 300)
  await resetMonitor(w.deps, monitor.id)
  await pass(w, 300)
  expect(await types(w, org)).toEqual(['monitor.offline'])
  expect(await w.rows('select offline_since from monitors where id = $1', monitor.id)).toEqual([
    { offline_since: null },
  ])
})

test('agents hear nothing of it: the sync clock does not tick', async () => {
  const monitor = await w.monitor(org)
  await w.checks(org, [{}], 'all')
  const { server_time } = await monitor.client.sync()
  const clock = () => w.rows('select changed_at, (select max(updated_at) from checks) as updated_at from sync_clock')
  const before = await clock()
  await pass(w, 300)
  await monitor.client.ping()
  await pass(w, 30)
  expect(await types(w, org)).toEqual(['monitor.offline', 'monitor.online'])
  expect(await clock()).toEqual(before)
  expect((await monitor.client.sync(server_time)).checks).toEqual([])
})

test('several workers at once tell once', async () => {
  const monitors = await Promise.all(['a', 'b', 'c', 'd'].map((name) => w.monitor(org, name)))
  for (let round = 1; round <= 5; round++) {
    for (const { client } of monitors) await client.ping()
    await Promise.all([1, 2, 3, 4].map(() => sweepPresence(w.deps)))
    w.clock.forward(300)
    await Promise.all([1, 2, 3, 4].map(() => sweepPresence(w.deps)))
    const named = (await told(w, org)).flatMap(({ type, data }) => data.monitors.map(({ name }) => `${type} ${name}`))
    expect(named.filter((one) => one === 'monitor.offline b')).toHaveLength(round)
    expect(named).toHaveLength(4 * (2 * round - 1))
  }
})

test('of two workers that found the same monitor, the second notes nothing', async () => {
  const { id, client } = await w.monitor(org)
  await client.ping()
  w.clock.forward(300)
  const [now, db] = [w.clock.now().toISOString(), w.deps.database.machines]
  expect(await updateOffline(db, [id], now)).toEqual([id])
  expect(await updateOffline(db, [id], now)).toEqual([])
  await client.ping()
  expect(await updateOnline(db, [id], now)).toEqual([id])
  expect(await updateOnline(db, [id], now)).toEqual([])
})

test('one that is seen at the moment of the sweep is not offline', async () => {
  const { id, client } = await w.monitor(org)
  await client.ping()
  w.clock.forward(300)
  const [now, db] = [w.clock.now().toISOString(), w.deps.database.machines]
  // Between the finding and the noting.
  await client.ping()
  w.clock.forward(1)
  expect(await updateOffline(db, [id], new Date(Date.parse(now) - 180_000).toISOString())).toEqual([])
})
