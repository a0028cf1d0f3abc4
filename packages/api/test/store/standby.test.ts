// Reading at a streaming standby, and what becomes of it when that is late, hangs, dies, or becomes the primary.

import { revokePersonalToken } from '@dogwatch/domain/organisations/personal-tokens'
import { openStandbyReads } from '@dogwatch/domain/standby-reads'
import type { StandbyAway } from '@dogwatch/store/postgres/standby'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { type FakeClock, fakeClock } from '../../../runtime/test/support/fake-clock.ts'
import { openPair, type Pair } from '../../../store/test/support/standby.ts'
import { type DatabaseProxy, databaseProxy } from '../support/database-proxy.ts'
import {
  ACCOUNT,
  eventually,
  type Monitor,
  type Org,
  PLACE,
  PREFIX,
  result,
  type World,
  world,
} from '../support/world.ts'

const LAG_SEC = 2
let pair: Pair
/** What the server knows as the primary's address, and as the standby's. */
let primary: DatabaseProxy
let standby: DatabaseProxy
let w: World
let time: FakeClock
let org: Org
let pat: string
let monitor: Monitor
let guid: string
let told: (StandbyAway | undefined)[]

beforeAll(async () => {
  pair = await openPair()
  primary = await databaseProxy(pair.primary_url)
  standby = await databaseProxy(pair.standby_url)
  time = fakeClock()
  told = []
  w = await world({
    testDatabase: { url: primary.url, drop: async () => {} },
    standby: { url: standby.url, lag_ms: LAG_SEC * 1000, clock: time, onChange: (why) => void told.push(why) },
  })
  org = await w.org()
  pat = await w.pat(org)
  monitor = await w.monitor(org)
  ;[guid = ''] = await w.checks(org, [{ name: 'first' }], 'all')
})
afterAll(async () => {
  await w.close()
  await primary.close()
  await standby.close()
  await pair.close()
})
beforeEach(async () => {
  await taken()
  told.length = 0
})

const isClose = () => w.deps.database.standby?.isClose() ?? false
const taken = () => eventually(isClose, 'the standby is read from')
const left = () => eventually(() => !isClose(), 'the standby is left')

async function get(path: string, token = pat) {
  const { status, body } = await w.http.get(`${ACCOUNT}${path}`).set('Authorization', `Bearer ${token}`)
  return { status, body: body as Record<string, unknown> }
}

async function rename(name: string): Promise<void> {
  await w.rows('update checks set name = $1 where org_id = $2', name, org.org_id)
}

async function nameRead(): Promise<unknown> {
  const { status, body } = await get(`/checks/${guid}`)
  expect(status).toBe(200)
  return body.Name ?? body.name
}

/** The standby goes on receiving, and shows nothing new meanwhile. */
async function withReplayPaused(work: () => Promise<void>): Promise<void> {
  await pair.atStandby('select pg_wal_replay_pause()')
  const isPaused = async () =>
    (await pair.atStandby('select pg_get_wal_replay_pause_state() as state'))[0]?.state === 'paused'
  await eventually(isPaused, 'replay is paused')
  try {
    await work()
  } finally {
    await pair.atStandby('select pg_wal_replay_resume()')
  }
}

test('the account API is read at the standby, and who calls is proved at the primary', async () => {
  const revoked = await w.pat(org)
  await rename('as it was')
  await eventually(async () => (await nameRead()) === 'as it was', 'the standby has replayed it')
  await taken()
  await withReplayPaused(async () => {
    await rename('as it is')
    expect(await nameRead()).toBe('as it was')
    expect((await get('/checks', revoked)).status).toBe(200)
    await revokePersonalToken(w.deps, revoked)
    expect((await get('/checks', revoked)).status).toBe(401)
  })
  const readers = await pair.atStandby("select from pg_stat_activity where application_name = 'dogwatch-reading'")
  expect(readers.length).toBeGreaterThan(0)
})

test('arrivals are settled at the primary and read at either: each result is read once', async () => {
  const ago = (seconds: number) => new Date(w.clock.now().getTime() - seconds * 1000).toISOString()
  const upload = (seconds: number) => monitor.client.upload([result(guid, { ran_at: ago(seconds) })])
  const read: string[] = []
  let place = `after=${ago(3600)}`
  const follow = async (): Promise<number> => {
    const { status, body } = await get(`/checks/${guid}/arrivals?${place}`)
    expect(status).toBe(200)
    const results = body.results as { ran_at: string }[]
    read.push(...results.map(({ ran_at }) => ran_at))
    place = `cursor=${String(body.cursor)}`
    return results.length
  }
  const stored = [ago(0)]
  await upload(0)
  w.clock.forward(60)
  await eventually(async () => (await follow()) === 1, 'the standby shows what the primary settled')
  await withReplayPaused(async () => {
    await taken()
    stored.push(ago(500))
    await upload(500)
    // Not there yet, and not passed over.
    expect(await follow()).toBe(0)
    time.forward(LAG_SEC + 0.1)
    expect(isClose()).toBe(false)
    expect(await follow()).toBe(1)
  })
  await taken()
  stored.push(ago(0))
  await upload(0)
  w.clock.forward(60)
  await eventually(async () => (await follow()) === 1, 'the standby is read on')
  expect(await follow()).toBe(0)
  expect(read.map((at) => Date.parse(at))).toEqual(stored.map((at) => Date.parse(at)))
})

test('one that is further behind than it may be is left, and read from again when it has caught up', async () => {
  await withReplayPaused(async () => {
    await rename('news')
    time.forward(LAG_SEC + 0.1)
    expect(isClose()).toBe(false)
    expect(await nameRead()).toBe('news')
    await eventually(() => told.length > 0, 'it is told')
    expect(told).toEqual([{ reason: 'behind' }])
  })
  await taken()
  expect(told).toEqual([{ reason: 'behind' }, undefined])
})

test('while nothing is written, it is not taken for late', async () => {
  const isKept = async (): Promise<boolean> => {
    told.length = 0
    for (let hour = 0; hour < 3; hour++) {
      time.forward(3600)
      await taken()
    }
    return told.length === 0
  }
  // A look that is under way while an hour passes has taken an hour.
  await eventually(isKept, 'it is kept for three hours')
})

test('a read that stands in the way of what the standby replays is done at the primary, and the standby is kept', async () => {
  const seen: unknown[] = []
  const reading = openStandbyReads(w.deps)
  const read = reading(async ({ database }) => {
    seen.push(database === w.deps.database ? 'primary' : 'standby')
    return sql<{
      n: number
    }>`select count(*)::integer as n from checks, pg_sleep(${seen.length === 1 ? 20 : 0})`.execute(database.people)
  })
  const isAsleep = async () =>
    (await pair.atStandby("select from pg_stat_activity where wait_event = 'PgSleep'")).length > 0
  await eventually(isAsleep, 'the read is under way')
  // It takes the table for itself, and so does the standby.
  await w.rows('alter table checks add column passing integer')
  expect((await read).rows).toEqual([{ n: 1 }])
  expect(seen).toEqual(['standby', 'primary'])
  expect(told).toEqual([])
  await w.rows('alter table checks drop column passing')
})

test('results that are sent again are acknowledged when the standby that commits wait for has them', async () => {
  const { client } = monitor
  const batch = [result(guid)]
  expect((await client.upload(batch)).accepted).toBe(1)
  const waits = async () => (await w.rows("select from pg_stat_activity where wait_event = 'SyncRep'")).length > 0
  await w.rows("alter system set synchronous_standby_names = 'nobody'")
  let again: ReturnType<typeof client.upload>
  try {
    await w.rows('select pg_reload_conf()')
    again = client.upload(batch)
    await eventually(waits, 'the answer waits for a standby')
  } finally {
    await w.rows('alter system reset synchronous_standby_names')
    await w.rows('select pg_reload_conf()')
  }
  expect((await again).accepted).toBe(1)
  await w.rows('delete from results')
})

test('one that lacks what a newer schema has is passed by until it has it', async () => {
  await withReplayPaused(async () => {
    await w.rows('alter table checks add column newer integer not null default 7')
    const read = openStandbyReads(w.deps)(({ database }) => sql`select newer from checks`.execute(database.people))
    expect((await read).rows).toEqual([{ newer: 7 }])
    expect(isClose()).toBe(true)
  })
  await w.rows('alter table checks drop column newer')
})

test('one that swallows what it is asked holds nobody up for long', async () => {
  expect(await nameRead()).toEqual(expect.any(String))
  standby.forget()
  expect((await get('/checks')).status).toBe(200)
  await left()
  expect(told).toMatchObject([{ reason: 'away' }])
  await taken()
})

test('killed in the middle of an export, it is left for the primary, and the export is whole', async () => {
  const COUNT = 20_000
  await w.rows(
    `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error)
     select org_id, check_id, now() - n * interval '1 second', 1, 200, true, 'm', repeat('x', 100)
     from checks, generate_series(1, $1) n`,
    COUNT,
  )
  time.forward(LAG_SEC + 0.1)
  await taken()
  told.length = 0
  const response = await fetch(`${w.direct}${ACCOUNT}/export`, { headers: { Authorization: `Bearer ${pat}` } })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const chunks = [(await reader.read()).value ?? new Uint8Array()]
  await pair.killStandby()
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) chunks.push(chunk.value)
  const { results } = JSON.parse(Buffer.concat(chunks).toString()) as { results: Record<string, { ran_at: string }[]> }
  expect(new Set(results[guid]?.map(({ ran_at }) => ran_at)).size).toBe(COUNT)
  expect((await get('/settings')).status).toBe(200)
  await left()
  expect(told).toMatchObject([{ reason: 'away' }])
  await pair.startStandby()
  await taken()
  const at = await pair.atStandby(
    "select count(*)::integer as n from pg_stat_activity where application_name ~ 'dogwatch'",
  )
  expect(at[0]?.n).toBeGreaterThan(0)
})

test('when it becomes the primary and the address moves to it, the server goes on without a restart', async () => {
  const enrolling = await w.token(org)
  await eventually(
    async () => (await pair.atStandby('select from enrollment_tokens')).length > 0,
    'the standby has the token',
  )
  // For a moment the address leads to one that takes no changes yet.
  primary.moveTo(pair.standby_url)
  primary.cut()
  const token = `Bearer ${enrolling}`
  const enroll = () => w.http.post(`${PREFIX}/enroll`).set('Authorization', token).send(PLACE)
  for (const { status, headers } of [await enroll(), await enroll()]) {
    expect(status).toBe(503)
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
  }
  expect((await get('/checks')).status).toBe(503)
  await pair.atStandby('select pg_promote()')
  await eventually(async () => (await get('/checks')).status === 200, 'it is served again')
  await eventually(() => told.some((why) => why?.reason === 'promoted'), 'it is no longer read from as a standby')
  expect(isClose()).toBe(false)
  await rename('after')
  expect(await nameRead()).toBe('after')
  expect((await enroll()).status).toBe(200)
})
