// Edits of a check that meet its judging midway: what was paused, deleted or wiped is not told afterwards.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { deleteCheck, switchCheck, wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { sweepUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import { wipeResults } from '@dogwatch/domain/results/wipe'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { eventually, type Monitor, type Org, result, type World, world } from '../support/world.ts'

const TARGET = 'https://secret-target.example/path'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

interface Scene {
  org: Org
  monitor: Monitor
  guid: string
}

async function scene(): Promise<Scene> {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ name: 'shop', url: TARGET }], 'all')
  await createChannel(w.deps, org.org_id, { kind: 'email', name: 'us', email: 'us@example.com' })
  return { org, monitor, guid }
}

async function holding<T>(sql: string, work: (letGo: () => Promise<void>) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: w.databaseUrl })
  await client.connect()
  try {
    await client.query(`begin; ${sql}`)
    return await work(async () => void (await client.query('commit')))
  } finally {
    await client.end()
  }
}

/** Until so many wait for a lock. */
async function blocked(count: number): Promise<void> {
  const WAITING = `select from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database() and application_name ~ '^dogwatch'`
  await eventually(async () => (await w.rows(WAITING)).length === count, `${count} wait`)
}

const failure = (guid: string) =>
  result(guid, {
    ran_at: w.clock.now().toISOString(),
    success: false,
    http_status: 0,
    error: `refused: ${TARGET}`,
    response_sample: 'secret-sample',
  })

test.each([
  ['deleted', deleteCheck],
  ['wiped', wipeDefinition],
  ['paused', (deps: typeof w.deps, guid: string) => switchCheck(deps, guid, false)],
])('a check that is %s while its failure is judged', async (name, edit) => {
  const { org, monitor, guid } = await scene()
  await holding('lock table events in share mode', async (letGo) => {
    const uploading = monitor.client.upload([failure(guid)])
    await blocked(1)
    const editing = edit(w.deps, guid)
    await blocked(2)
    await letGo()
    await Promise.all([uploading, editing])
  })
  const [left] = await w.rows(
    `select (select count(*)::integer from events where org_id = $1 and data::text like '%secret%') as quoting,
      (select count(*)::integer from results where org_id = $1 and (error is not null or response_sample is not null))
        as kept,
      (select count(*)::integer from incidents where org_id = $1 and ended_at is null) as open,
      (select count(*)::integer from deliveries where org_id = $1 and state = 'pending') as waiting`,
    org.org_id,
  )
  const isPrivate = name !== 'paused'
  if (isPrivate) expect(left).toMatchObject({ quoting: 0 })
  if (name === 'wiped') expect(left).toMatchObject({ kept: 0, open: 1, waiting: 1 })
  else expect(left).toMatchObject({ open: 0, waiting: 0 })
})

test('results of a batch that was under way when the definition was wiped are wiped, too', async () => {
  const { org, guid } = await scene()
  await wipeDefinition(w.deps, guid)
  // As such a batch leaves them when it is committed at last.
  await w.rows(
    `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error, response_sample)
     select org_id, check_id, $2::timestamptz, 1, 500, false, 'm', 'secret', 'secret' from checks where org_id = $1`,
    org.org_id,
    w.clock.now().toISOString(),
  )
  w.clock.forward(20)
  await wipeResults(w.deps)
  const [kept] = await w.rows('select error, response_sample from results where org_id = $1', org.org_id)
  expect(kept).toEqual({ error: null, response_sample: null })
  w.clock.forward(20)
  await wipeResults(w.deps)
  const [state] = await w.rows('select wipe_until from check_states where org_id = $1', org.org_id)
  expect(state).toEqual({ wipe_until: null })
})

test('a definition that is wiped while its silence is told is not told with it', async () => {
  const { org, monitor, guid } = await scene()
  const [{ now } = { now: '' }] = (await w.rows('select wire_time(clock_timestamp()) as now')) as { now: string }[]
  w.clock.forward(Math.max(0, (Date.parse(now) - w.clock.now().getTime()) / 1000) + 60)
  // When it is to run is noted as of then.
  await sweepUnmonitored(w.deps)
  w.clock.forward(3600)
  await monitor.client.ping()
  await holding(`select from checks where org_id = ${org.org_id} for update`, async (letGo) => {
    const wiping = wipeDefinition(w.deps, guid)
    await blocked(1)
    const sweeping = sweepUnmonitored(w.deps)
    await blocked(2)
    await letGo()
    await Promise.all([wiping, sweeping])
  })
  const events = await w.rows('select type, data from events where org_id = $1', org.org_id)
  expect(events.map(({ type }) => type)).toEqual(['check.unmonitored'])
  expect(JSON.stringify(events)).not.toContain('secret-target')
})

test('what nobody runs any more is not down for ever', async () => {
  const { org, monitor, guid } = await scene()
  await monitor.client.upload([failure(guid)])
  await w.rows('update assignments set active = false where org_id = $1', org.org_id)
  await sweepUnmonitored(w.deps)
  const incidents = await w.rows('select end_reason from incidents where org_id = $1', org.org_id)
  expect(incidents).toEqual([{ end_reason: 'disabled' }])
})

test('five hundred failures in a row that nobody was told of are told with their beginning', async () => {
  const { org, monitor, guid } = await scene()
  const now = w.clock.now().getTime()
  const old = Array.from({ length: 500 }, (_, i) => ({
    ...failure(guid),
    ran_at: new Date(now - (i + 1) * 60_000).toISOString(),
  }))
  // As they are when nothing judged them yet.
  await w.rows('update checks set down_interval_sec = 501 where org_id = $1', org.org_id)
  await monitor.client.upload(old)
  await monitor.client.upload([failure(guid)])
  const [event] = (await w.rows('select data from events where org_id = $1', org.org_id)) as {
    data: { since: string; failures: number }
  }[]
  expect(event?.data).toMatchObject({
    failures: 501,
    since: new Date(now - 500 * 60_000).toISOString().replace('Z', '000Z'),
  })
})
