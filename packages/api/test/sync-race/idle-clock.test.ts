// The clock of changes goes on although nothing changes, and waits for nobody; the time is told beside it.

import { switchCheck } from '@dogwatch/domain/checks/pause-delete-wipe'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { type Monitor, type World, world } from '../support/world.ts'

let w: World
let monitor: Monitor
let guid: string
beforeAll(async () => {
  w = await world()
  const org = await w.org()
  monitor = await w.monitor(org)
  guid = (await w.checks(org, [{}], 'all'))[0] ?? ''
})
beforeEach(idleMinute)
afterAll(() => w.close())

/** As if nothing had happened for a minute: the clock and all that it stamped move back together. */
async function idleMinute(): Promise<void> {
  await w.rows(`
    begin;
    alter table checks disable trigger user;
    alter table assignments disable trigger user;
    update checks set updated_at = updated_at - interval '60 s';
    update assignments set updated_at = updated_at - interval '60 s';
    update sync_clock set t = t - interval '60 s', changed_at = changed_at - interval '60 s';
    alter table checks enable trigger user;
    alter table assignments enable trigger user;
    commit`)
}

/** How far a time of the server is behind the database's, in seconds. */
async function behind(server_time: string): Promise<number> {
  const [row] = await w.rows(
    'select extract(epoch from clock_timestamp() - $1::timestamptz)::float8 as sec',
    server_time,
  )
  return row?.sec as number
}

/** An answer, with how far its time is from that of the asking: 0 is between question and answer, however long that took. */
async function timed<T>(ask: () => Promise<T>, timeOf: (answer: T) => string): Promise<{ answer: T; off_sec: number }> {
  const [before] = await w.rows('select clock_timestamp()::text as at')
  const answer = await ask()
  const [row] = await w.rows(
    `select extract(epoch from greatest($1::timestamptz - told, told - clock_timestamp(), '0'))::float8 as off_sec
     from (select $2::timestamptz as told) as answers`,
    before?.at,
    timeOf(answer),
  )
  return { answer, off_sec: row?.off_sec as number }
}

const ofServer = (answer: { server_time: string }): string => answer.server_time
const now = (answer: { now?: string }): string => answer.now ?? ''

describe('after an idle minute', () => {
  test('server_time is the time all the same, and no check comes again', async () => {
    const [clock] = await w.rows('select wire_time(changed_at) as changed_at from sync_clock')
    const { answer, off_sec } = await timed(() => monitor.client.sync(), ofServer)
    expect(off_sec).toBeLessThan(2)
    expect((await monitor.client.sync(answer.server_time)).checks).toEqual([])
    // Only a real change moves it, so that an idle delta stays one row read.
    expect(await w.rows('select wire_time(changed_at) as changed_at from sync_clock')).toEqual([clock])
  })

  test('a change is still after every server_time that was told before', async () => {
    const { server_time } = await monitor.client.sync()
    await switchCheck(w.deps, guid, false)
    const { checks } = await monitor.client.sync(server_time)
    expect(checks).toMatchObject([{ guid, enabled: false }])
  })

  test('the time is not told before it is on disk, and so none that takes over goes behind it', async () => {
    await w.rows(`
      create table ticks (pool text);
      create function note_tick() returns trigger language plpgsql as
        'begin insert into ticks values (current_setting(''application_name'')); return null; end';
      create trigger note_tick after update on sync_clock for each row execute function note_tick()`)
    await monitor.client.sync()
    const ticks = await w.rows('select distinct pool from ticks')
    await w.rows('drop trigger note_tick on sync_clock; drop function note_tick(); drop table ticks')
    // Not the pool whose commits do not wait.
    expect(ticks).toEqual([{ pool: 'dogwatch' }])
  })

  test('any number of syncs at once all answer, and all with the time', async () => {
    for (let round = 0; round < 25; round++) {
      await idleMinute()
      const answers = await Promise.all(Array.from({ length: 8 }, () => timed(() => monitor.client.sync(), ofServer)))
      for (const { off_sec } of answers) expect(off_sec).toBeLessThan(2)
    }
  })
})

describe('when the database’s clock was an hour ahead for a moment', () => {
  const shift = (by: string) => w.rows(`update sync_clock set t = t ${by}`)
  afterEach(() => shift("- interval '1 hour'"))

  test('the cursor stays ahead, and now is the time at once', async () => {
    await shift("+ interval '1 hour'")
    const { answer, off_sec } = await timed(() => monitor.client.sync(), now)
    expect(off_sec).toBe(0)
    expect(await behind(answer.server_time)).toBeLessThan(-3000)
  })
})

describe('while a change holds the clock', () => {
  let writer: pg.Client
  beforeEach(async () => {
    writer = new pg.Client({ connectionString: w.databaseUrl })
    await writer.connect()
  })
  afterEach(() => writer.end())

  test('a sync answers meanwhile with a server_time before the change, and the change comes after its commit', async () => {
    await writer.query('begin')
    const { rows } = await writer.query<{ at: string }>(
      'update checks set name = $1 where guid = $2 returning wire_time(updated_at) as at',
      ['held', guid],
    )
    // Were it to wait for the clock, it would never answer: only after it does the change commit.
    const during = await monitor.client.sync()
    expect(during.checks).not.toMatchObject([{ name: 'held' }])
    expect(during.server_time < (rows[0]?.at ?? '')).toBe(true)
    await writer.query('commit')
    const after = await monitor.client.sync(during.server_time)
    expect(after.checks).toMatchObject([{ guid, name: 'held', updated_at: rows[0]?.at }])
  })

  test('now is the time all the same, with changes to tell and without', async () => {
    await writer.query('begin')
    await writer.query('select t from sync_clock for update')
    const whole = await timed(() => monitor.client.sync(), now)
    const nothing = await timed(() => monitor.client.sync(whole.answer.server_time), now)
    expect([whole.answer.checks.length, nothing.answer.checks.length]).toEqual([1, 0])
    for (const { answer, off_sec } of [whole, nothing]) {
      expect(off_sec).toBe(0)
      expect(await behind(answer.server_time)).toBeGreaterThan(55)
    }
    await writer.query('rollback')
  })

  test('a change that is rolled back leaves the time to the next sync', async () => {
    await writer.query('begin')
    await writer.query('update checks set name = $1 where guid = $2', ['never', guid])
    const during = await monitor.client.sync()
    await writer.query('rollback')
    const { answer: after, off_sec } = await timed(() => monitor.client.sync(during.server_time), ofServer)
    expect(after.checks).toEqual([])
    expect(off_sec).toBeLessThan(2)
  })
})
