// Holds that begin or end while an alert is being raised. Postgres stands still at one table meanwhile.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { createWindow, endWindow } from '@dogwatch/domain/maintenance/edit'
import { mute, unmute } from '@dogwatch/domain/mutes/mute'
import { releaseDue } from '@dogwatch/domain/routing/release'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { eventually, type Org, result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

/** A check that is up, and a window of ten minutes that begins in one minute. */
async function scene() {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ name: 'shop' }], 'all')
  await createChannel(w.deps, org.org_id, { kind: 'webhook', name: 'hook', webhook_url: 'https://hooks.example/' })
  w.clock.forward(60 - (w.clock.now().getTime() % 60_000) / 1000)
  const starts_at = new Date(w.clock.now().getTime() + 60_000).toISOString().slice(0, 16)
  const window = await createWindow(w.deps, org.org_id, {
    ...{ name: 'upgrade', scope: { all: true }, starts_at, duration_sec: 600, zone: 'UTC', rule: null },
    is_public: false,
  })
  const run = (success: boolean) =>
    monitor.client.upload([
      result(guid, { ran_at: w.clock.now().toISOString(), success, ...(!success && { error: 'refused: no' }) }),
    ])
  await run(true)
  return { org, guid, run, window: { org_id: org.org_id, guid: window.guid } }
}

/** Runs `work` while nothing is written to a table, until it lets go. */
async function holding(table: string, work: (letGo: () => Promise<void>) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: w.databaseUrl })
  await client.connect()
  try {
    await client.query(`begin; lock table ${table} in share mode`)
    await work(async () => void (await client.query('commit')))
  } finally {
    await client.end()
  }
}

async function blocked(count: number): Promise<void> {
  const WAITING = `select from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database() and application_name ~ '^dogwatch'`
  await eventually(async () => (await w.rows(WAITING)).length === count, `${count} wait`)
}

/** Reads the events of the check: whether each was sent, and whether its time lies in a window. */
async function told({ org_id }: Org) {
  return w.rows(
    `select e.type, d.event_id is not null as is_told, exists (
       select from maintenance_spans s
       where s.org_id = e.org_id and s.begins_at <= e.created_at and s.ends_at > e.created_at) as in_window
     from events e left join deliveries d using (org_id, event_id) where e.org_id = $1 order by e.sequence`,
    org_id,
  )
}

test.each(['events', 'deliveries'])(
  'an alert that waits at %s while a window begins is judged at the instant that it bears',
  async (table) => {
    const s = await scene()
    w.clock.forward(59)
    await holding(table, async (letGo) => {
      const uploading = s.run(false)
      await blocked(1)
      w.clock.forward(2)
      await letGo()
      await uploading
    })
    expect(await told(s.org)).toEqual([{ type: 'check.down', is_told: true, in_window: false }])
  },
)

test('an alert that is raised while somebody ends the window waits for the end, and is sent', async () => {
  const s = await scene()
  w.clock.forward(120)
  await holding('maintenance_spans', async (letGo) => {
    const ending = endWindow(w.deps, s.window)
    await blocked(1)
    w.clock.forward(1)
    const uploading = s.run(false)
    await Promise.race([uploading, blocked(2)])
    await letGo()
    await Promise.all([ending, uploading])
  })
  expect(await told(s.org)).toEqual([{ type: 'check.down', is_told: true, in_window: false }])
})

const OWNER = { email: 'owner@example.com' }

test.each([
  ['a window is ended', async () => {}, (s: Scene) => endWindow(w.deps, s.window)],
  [
    'a mute is ended',
    async (s: Scene) => {
      await endWindow(w.deps, s.window)
      await mute(w.deps, { org_id: s.org.org_id, kind: 'check', guid: s.guid }, soon(), OWNER as never)
    },
    (s: Scene) => unmute(w.deps, { org_id: s.org.org_id, kind: 'check', guid: s.guid }, OWNER as never),
  ],
])('an alert that is being held while %s is sent at the next look', async (_, begin, end) => {
  const s = await scene()
  w.clock.forward(120)
  await begin(s)
  await holding('planned_alerts', async (letGo) => {
    const uploading = s.run(false)
    await blocked(1)
    const ending = end(s)
    await blocked(2)
    await letGo()
    await Promise.all([uploading, ending])
  })
  w.clock.forward(1)
  await releaseDue(w.deps)
  expect(await told(s.org)).toMatchObject([{ type: 'check.down', is_told: true }])
})

type Scene = Awaited<ReturnType<typeof scene>>

function soon(): Date {
  return new Date(w.clock.now().getTime() + 3_600_000)
}
