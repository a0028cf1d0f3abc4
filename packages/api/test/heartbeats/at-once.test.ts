// Several workers and a job, all at the same moment.

import { createChannel, removeChannel } from '@dogwatch/domain/channels/edit'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { sweepHeartbeats, untilNextDue } from '@dogwatch/domain/heartbeats/sweep'
import { findHeartbeatOfToken, takePing } from '@dogwatch/domain/heartbeats/take-ping'
import { openDatabase } from '@dogwatch/store/database'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { pino } from 'pino'
import { wayTo } from '../../../store/test/support/database.ts'
import { eventually, type World, world } from '../support/world.ts'
import { story } from './story.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const overdue = 3600 + 300

const holders = new Set<pg.Client>()
afterEach(async () => {
  for (const client of holders) await client.end()
  holders.clear()
})

/** Holds what the statements hold until it lets go. */
async function holding(statements: string[]): Promise<{ letGo(): Promise<void> }> {
  const client = new pg.Client({ connectionString: w.databaseUrl })
  await client.connect()
  holders.add(client)
  for (const statement of ['begin', ...statements]) await client.query(statement)
  return {
    letGo: async () => {
      await client.query('commit')
      holders.delete(client)
      await client.end()
    },
  }
}

const waiting = async (like: string, count: number) => {
  const rows = await w.rows(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1",
    `%${like}%`,
  )
  return rows.length >= count
}

test('two workers that sweep at once tell of each heartbeat once, and share the work', async () => {
  const orgs = await Promise.all(Array.from({ length: 6 }, () => w.org()))
  await w.rows('delete from heartbeats')
  const other = openDatabase({ ...wayTo(w.databaseUrl), poolSize: 4 })
  try {
    for (const { org_id } of orgs) {
      await createChannel(w.deps, org_id, { kind: 'ntfy', name: 'phone', ntfy_topic: 'ops' })
      for (let i = 0; i < 25; i++) {
        const name = `job ${i}`
        const { guid } = await createHeartbeat(w.deps, org_id, {
          name,
          interval_sec: 60,
          grace_sec: 0,
          resend_interval_sec: 0,
          show_on_status_page: false,
        })
        await w.rows(
          `update heartbeats set state = 'up', last_heartbeat_at = $2::timestamptz,
             due_at = $2::timestamptz + interval '60 seconds' where guid = $1`,
          guid,
          w.clock.now(),
        )
      }
    }
    w.clock.forward(61)
    const counts = await Promise.all([
      sweepHeartbeats(w.deps),
      sweepHeartbeats({ ...w.deps, database: other }),
      sweepHeartbeats(w.deps),
    ])
    expect(counts.reduce((sum, count) => sum + count)).toBe(150)
    const [told] = await w.rows(
      `select count(*) as events, count(distinct subject) as subjects, (select count(*) from deliveries) as deliveries,
         (select count(*) from incidents where ended_at is null) as open from events where type = 'heartbeat.down'`,
    )
    expect(told).toEqual({ events: 150, subjects: 150, deliveries: 150, open: 150 })
  } finally {
    await other.close()
  }
})

test('a job that calls while the sweep takes its heartbeat down brings it up again: both are told', async () => {
  const { call, sweep, types, shown } = await story(w)
  await call()
  w.clock.forward(overdue)
  // The sweep holds the row by then, and waits to write its event.
  const events = await holding(['lock table events in share mode'])
  const sweeping = sweep()
  await eventually(() => waiting('insert into "events"', 1), 'the sweep waits')
  const calling = call()
  await eventually(() => waiting('for update of h', 1), 'the call waits for the sweep')
  await events.letGo()
  expect(await sweeping).toBe(1)
  await calling
  expect(await types()).toEqual(['heartbeat.down', 'heartbeat.up'])
  expect(await shown()).toMatchObject({ state: 'up' })
})

test('a sweep does not wait for a heartbeat that is being called, and finds it called', async () => {
  const { call, sweep, types, org } = await story(w)
  await call()
  w.clock.forward(overdue)
  const row = await holding([`select 1 from heartbeats where org_id = ${org.org_id} for update`])
  const calling = call()
  await eventually(() => waiting('for update of h', 1), 'the call waits')
  expect(await sweep()).toBe(0)
  await row.letGo()
  await calling
  expect(await sweep()).toBe(0)
  expect(await types()).toEqual([])
})

test('calls of many jobs and one at once: none is lost, and what changes is told once', async () => {
  const { call, pings, types, token } = await story(w)
  await call('/fail')
  const place = await findHeartbeatOfToken(w.deps, token)
  // Half of them by another server, which knows nothing of the order here.
  const elsewhere = (rid: string) =>
    takePing(w.deps, place, { kind: 'beat', exit_code: null, rid, body: null }, w.clock.now())
  await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 ? call(`?rid=run-${i}`) : elsewhere(`run-${i}`))))
  expect((await pings()).map(({ n }) => n)).toEqual(Array.from({ length: 21 }, (_, i) => 21 - i))
  expect(await types()).toEqual(['heartbeat.down', 'heartbeat.up'])
})

test('a job that calls without end, and is held up, holds up nobody else', async () => {
  const other = await story(w)
  const { call, org, pings } = await story(w, {}, { besides: true })
  const row = await holding([`select 1 from heartbeats where org_id = ${org.org_id} for update`])
  // More than there are connections.
  const calling = Array.from({ length: 12 }, (_, i) => call('/log', `line ${i}`))
  await eventually(() => waiting('for update of h', 1), 'they wait')
  await other.call()
  expect(await other.shown()).toMatchObject({ state: 'up' })
  await row.letGo()
  await Promise.all(calling)
  expect(await pings()).toHaveLength(12)
})

const heartbeat = { name: 'hb', interval_sec: 60, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }

test('a call that tells a channel which is being deleted waits, is kept, and tells the others', async () => {
  const { org_id } = await w.org()
  const hook = { kind: 'webhook', name: 'hook', webhook_url: 'https://hook.example/' }
  const { id } = await createChannel(w.deps, org_id, hook)
  const other = await createChannel(w.deps, org_id, hook)
  const { token } = await createHeartbeat(w.deps, org_id, heartbeat)
  await w.http.get(`/ping/${token}`)
  const deleting = await holding([`delete from notification_channels where org_id = ${org_id} and id = ${id}`])
  const answer = w.http.get(`/ping/${token}/fail`).then(({ status }) => status)
  await eventually(() => waiting('notification_channels', 1), 'the call waits')
  await deleting.letGo()
  expect(await answer).toBe(200)
  expect(await w.rows('select channel_id from deliveries where org_id = $1', org_id)).toEqual([
    { channel_id: other.id },
  ])
})

test('a call that follows what still waits for a channel, and the deletion of the channel, both succeed', async () => {
  const { org_id } = await w.org()
  const hook = { kind: 'webhook', name: 'hook', webhook_url: 'https://hook.example/' }
  const { id } = await createChannel(w.deps, org_id, hook)
  const { token } = await createHeartbeat(w.deps, org_id, heartbeat)
  for (const suffix of ['', '/fail']) {
    await w.http.get(`/ping/${token}${suffix}`)
    w.clock.forward(5)
  }
  const holder = await holding([`select from deliveries where org_id = ${org_id} for update`])
  const answer = w.http.get(`/ping/${token}`).then(({ status }) => status)
  await eventually(() => waiting('update deliveries', 1), 'the call waits')
  const removed = removeChannel(w.deps, id)
  await eventually(() => waiting('notification_channels', 1), 'the deletion waits')
  await holder.letGo()
  expect(await answer).toBe(200)
  await removed
  expect(await w.rows('select kind from pings where org_id = $1', org_id)).toHaveLength(3)
})

test('a call that somebody crossed is taken the second time', async () => {
  const { org_id } = await w.org()
  const { token, guid } = await createHeartbeat(w.deps, org_id, heartbeat)
  const database = openDatabase({ ...wayTo(w.databaseUrl), lock_ms: 1000 })
  const place = await findHeartbeatOfToken(w.deps, token)
  const holder = await holding([`select from heartbeats where guid = '${guid}' for update`])
  const signal = { kind: 'beat', exit_code: null, rid: null, body: null } as const
  let letGo: Promise<void> | undefined
  const onCrossed = (): void => void (letGo = holder.letGo())
  await takePing({ ...w.deps, database }, place, signal, w.clock.now(), { onCrossed })
  expect(letGo).toBeDefined()
  await letGo
  expect(await w.rows('select kind from pings where org_id = $1', org_id)).toEqual([{ kind: 'beat' }])
  await database.close()
})

test('one that cannot be taken down is told in the log, and stops none of the others', async () => {
  const lines: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
  const [a, b, c] = [await w.org(), await w.org(), await w.org()]
  const made = []
  for (const { org_id } of [a, b, c]) made.push(await createHeartbeat(w.deps, org_id, heartbeat))
  for (const { token } of made) await w.http.get(`/ping/${token}`)
  // An incident that its state knows nothing of, and an org that somebody holds.
  await w.rows(
    `insert into incidents (org_id, incident_id, heartbeat_id, began_at, told_at)
      select org_id, 'x', heartbeat_id, now(), now() from heartbeats where org_id = $1`,
    a.org_id,
  )
  const holder = await holding([`select from organisations where org_id = ${b.org_id} for update`])
  const database = openDatabase({ ...wayTo(w.databaseUrl), lock_ms: 300 })
  w.clock.forward(100)
  await sweepHeartbeats({ ...w.deps, database, log })
  await holder.letGo()
  const state = 'select state from heartbeats where org_id = $1'
  expect(await w.rows(state, c.org_id)).toEqual([{ state: 'down' }])
  expect(await w.rows(state, a.org_id)).toEqual([{ state: 'up' }])
  const failed = lines.map((line) => JSON.parse(line) as { org_id?: number }).flatMap(({ org_id }) => org_id ?? [])
  expect(failed.sort()).toEqual([a.org_id, b.org_id].sort())
  await sweepHeartbeats({ ...w.deps, database, log })
  expect(await w.rows(state, b.org_id)).toEqual([{ state: 'down' }])
  await w.rows('delete from heartbeats where org_id = $1', a.org_id)
  await database.close()
})

test('the sweep knows when there can be something to find, so it need not look before', async () => {
  await w.rows('delete from heartbeats')
  expect(await untilNextDue(w.deps)).toBe(Infinity)
  const { org_id } = await w.org()
  const wanted = { name: 'job', interval_sec: 60, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
  const [late, soon] = [await createHeartbeat(w.deps, org_id, wanted), await createHeartbeat(w.deps, org_id, wanted)]
  expect(await untilNextDue(w.deps)).toBe(Infinity)
  const now = w.clock.now().getTime()
  for (const [{ guid }, at] of [
    [late, now - 10_000],
    [soon, now - 50_000],
  ] as const)
    await w.rows(
      `update heartbeats set state = 'up', last_heartbeat_at = $2::timestamptz, due_at = $2::timestamptz + interval '1 minute'
       where guid = $1`,
      guid,
      new Date(at).toISOString(),
    )
  expect(await untilNextDue(w.deps)).toBe(10_000)
})
