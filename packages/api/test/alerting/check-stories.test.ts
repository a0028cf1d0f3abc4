// What becomes of a check as results come in: each story a timeline on a clock that stands still until it is told.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { importChecks } from '@dogwatch/domain/checks/import'
import { deleteCheck, switchCheck } from '@dogwatch/domain/checks/pause-delete-wipe'
import { rejudgeChecks } from '@dogwatch/domain/checks/update-health'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Monitor, type Org, result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

interface Story {
  org: Org
  monitor: Monitor
  guid: string
  /** Results that ran `ago` seconds before now: `F`, or `S`. */
  run(outcome: 'F' | 'S', ago?: number, by?: Monitor): Promise<void>
  /** The types of what happened, in order. */
  told(): Promise<string[]>
  events(): Promise<Record<string, unknown>[]>
}

async function story(entry: Record<string, unknown> = {}): Promise<Story> {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ name: 'shop', ...entry }], 'all')
  const events = async () =>
    (await w.rows('select type, data from events where org_id = $1 order by created_at, type', org.org_id)) as {
      type: string
      data: Record<string, unknown>
    }[]
  return {
    org,
    monitor,
    guid,
    run: async (outcome, ago = 0, by = monitor) => {
      const ran_at = new Date(w.clock.now().getTime() - ago * 1000).toISOString()
      const found = {
        ran_at,
        success: outcome === 'S',
        ...(outcome === 'F' && { error: 'refused: no', http_status: 0 }),
      }
      await by.client.upload([result(guid, found)])
      w.clock.forward(60)
    },
    told: async () => (await events()).map(({ type }) => type),
    events,
  }
}

test('a check goes down with the Nth failure in a row, once, and comes up with the next success', async () => {
  const { run, told, events } = await story({ down_interval_sec: 3 })
  for (const outcome of ['S', 'F', 'F'] as const) await run(outcome)
  expect(await told()).toEqual([])
  for (const outcome of ['F', 'F', 'F'] as const) await run(outcome)
  expect(await told()).toEqual(['check.down'])
  for (const outcome of ['S', 'S'] as const) await run(outcome)
  expect(await told()).toEqual(['check.down', 'check.up'])
  const [down, up] = await events()
  expect(down?.data).toMatchObject({ state: 'down', failures: 3, error: 'refused: no', check: { name: 'shop' } })
  expect(up?.data).toMatchObject({ state: 'up', reason: 'recovered', duration_sec: 300 })
})

test.each([
  ['two hours', 7200],
  ['three days', 3 * 86_400],
  ['twelve days', 12 * 86_400],
])('a check of which nothing was heard for long while it was down is still down, and comes up: %s', async (_, sec) => {
  const { run, told, events } = await story({ down_interval_sec: 2 })
  for (const outcome of ['S', 'F', 'F'] as const) await run(outcome)
  w.clock.forward(sec)
  await run('F')
  expect(await told()).toEqual(['check.down'])
  await run('S')
  expect(await told()).toEqual(['check.down', 'check.up'])
  const [, up] = await events()
  expect(up?.data).toMatchObject({ reason: 'recovered', duration_sec: sec + 180 })
})

test('the first healthy result of a new check is told to nobody', async () => {
  const { run, told } = await story()
  await run('S')
  expect(await told()).toEqual([])
})

test('a check that flaps below its threshold is told to nobody', async () => {
  const { run, told } = await story({ down_interval_sec: 2 })
  for (const outcome of ['F', 'S', 'F', 'S', 'F'] as const) await run(outcome)
  expect(await told()).toEqual([])
})

test('a late batch of failures changes nothing that a newer success decided', async () => {
  const { run, told } = await story()
  await run('S')
  await run('F', 3600)
  await run('F', 3000)
  expect(await told()).toEqual([])
})

test('a late success counts in its place', async () => {
  const { run, told } = await story({ down_interval_sec: 2 })
  await run('F')
  await run('F')
  expect(await told()).toEqual(['check.down'])
  await run('S', 3600)
  expect(await told()).toEqual(['check.down'])
  // Between the two failures: only one follows it.
  await run('S', 150)
  // More of what was kept back may come.
  expect(await told()).toEqual(['check.down'])
  w.clock.forward(300)
  await rejudgeChecks(w.deps)
  expect(await told()).toEqual(['check.down', 'check.up'])
})

test('what a batch passed through and left is not told', async () => {
  const { monitor, guid, told } = await story()
  const ran = (second: number, success: boolean) =>
    result(guid, { success, ran_at: new Date(w.clock.now().getTime() - 1000 * (60 - second)).toISOString() })
  await monitor.client.upload([ran(1, true), ran(2, false), ran(3, true)])
  expect(await told()).toEqual([])
})

test('failures of two monitors follow each other, and the alert says who sees what', async () => {
  const { org, run, events, monitor, guid } = await story({ down_interval_sec: 2 })
  const other = await w.monitor(org, 'rack 5')
  const third = await w.monitor(org, 'rack 6')
  await run('S', 0, third)
  await run('F', 0, monitor)
  await run('F', 0, other)
  const [down] = await events()
  expect(down?.type).toBe('check.down')
  const views = (down?.data as { monitors: { name: string; failing: boolean }[] }).monitors
  expect(views.map(({ name, failing }) => `${name} ${failing}`).sort()).toEqual([
    'rack 4 true',
    'rack 5 true',
    'rack 6 false',
  ])
  expect(guid).toBeTruthy()
})

test('pausing a check that is down ends its incident and tells nobody; still failing afterwards, it is told anew', async () => {
  const { org, guid, run, told } = await story()
  await run('F')
  await switchCheck(w.deps, guid, false)
  await run('F')
  expect(await told()).toEqual(['check.down'])
  const [incident] = await w.rows('select end_reason from incidents where org_id = $1', org.org_id)
  expect(incident).toEqual({ end_reason: 'disabled' })
  await switchCheck(w.deps, guid, true)
  await run('F')
  expect(await told()).toEqual(['check.down', 'check.down'])
})

test('deleting a check that is down ends its incident and tells nobody', async () => {
  const { org, guid, run, told } = await story()
  await run('F')
  await deleteCheck(w.deps, guid)
  expect(await told()).toEqual(['check.down'])
  const incidents = await w.rows('select end_reason from incidents where org_id = $1', org.org_id)
  expect(incidents).toEqual([{ end_reason: 'deleted' }])
})

test('a lower threshold applies at the next result', async () => {
  const { org, guid, run, told } = await story({ down_interval_sec: 5 })
  for (const outcome of ['F', 'F', 'F'] as const) await run(outcome)
  const entry = { guid, name: 'shop', url: 'https://example.com/', interval_sec: 60, down_interval_sec: 2 }
  await importChecks(w.deps, org.org_id, [entry])
  expect(await told()).toEqual([])
  await run('F')
  expect(await told()).toEqual(['check.down'])
})

test('a higher threshold applies at the next result, and says that it was the threshold', async () => {
  const { org, guid, run, told, events } = await story({ down_interval_sec: 1 })
  await run('F')
  const entry = { guid, name: 'shop', url: 'https://example.com/', interval_sec: 60, down_interval_sec: 5 }
  await importChecks(w.deps, org.org_id, [entry])
  await run('F')
  expect(await told()).toEqual(['check.down', 'check.up'])
  expect((await events())[1]?.data).toMatchObject({ reason: 'threshold' })
})

test('a hundred checks that go down and come up in one batch are a hundred events each', async () => {
  const org = await w.org()
  // What two of them see is not about one monitor.
  const [other, monitor] = [await w.monitor(org), await w.monitor(org)]
  await createChannel(w.deps, org.org_id, { kind: 'email', name: 'us', email: 'us@example.com' })
  const guids = (
    await Promise.all(
      [0, 1, 2, 3, 4].map(() =>
        w.checks(
          org,
          Array.from({ length: 20 }, () => ({ down_interval_sec: 2 })),
          'all',
        ),
      ),
    )
  ).flat()
  const batch = (success: boolean) =>
    guids.map((guid) => result(guid, { success, ran_at: w.clock.now().toISOString() }))
  await other.client.upload(batch(false))
  w.clock.forward(60)
  await monitor.client.upload(batch(false))
  w.clock.forward(60)
  await monitor.client.upload(batch(true))
  const told = await w.rows(
    `select e.type, count(*)::integer as events, count(d.delivery_id)::integer as deliveries
     from events e left join deliveries d using (org_id, event_id) where e.org_id = $1 group by 1 order by 1`,
    org.org_id,
  )
  expect(told).toEqual([
    { type: 'check.down', events: 100, deliveries: 100 },
    { type: 'check.up', events: 100, deliveries: 100 },
  ])
})

test('two batches that are stored at the same time cannot overlook each other', async () => {
  const { org, monitor, guid, told } = await story({ down_interval_sec: 2, alert_every_change: true })
  const other = await w.monitor(org, 'rack 5')
  const now = w.clock.now().getTime()
  const failed = (ms: number) => result(guid, { success: false, ran_at: new Date(now - ms).toISOString() })
  for (let round = 0; round < 10; round++) {
    await w.rows('delete from results where org_id = $1', org.org_id)
    await w.rows("update incidents set ended_at = began_at, end_reason = 'recovered' where org_id = $1", org.org_id)
    await w.rows('delete from deliveries where org_id = $1', org.org_id)
    await w.rows('delete from events where org_id = $1', org.org_id)
    await Promise.all([monitor.client.upload([failed(1000)]), other.client.upload([failed(2000)])])
    expect(await told()).toEqual(['check.down'])
  }
})

test('a success that was stored while its check went down brings it up when it is judged again', async () => {
  const { org, run, told } = await story()
  await run('F')
  // As it is when the success is committed between the judging of the failure and its commit.
  await w.rows(
    `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
     select org_id, check_id, ran_at + interval '1 second', 1, 200, true, monitor_id from results where org_id = $1`,
    org.org_id,
  )
  w.clock.forward(30)
  await rejudgeChecks(w.deps)
  expect(await told()).toEqual(['check.down', 'check.up'])
})

test('a check that cannot be judged holds up no other', async () => {
  const [first, second] = [await story(), await story()]
  for (const { run } of [first, second]) await run('F')
  // A success that was missed, of both; and an incident that no event can be written for.
  for (const { org } of [first, second]) {
    await w.rows(
      `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
       select org_id, check_id, ran_at + interval '1 second', 1, 200, true, monitor_id from results where org_id = $1`,
      org.org_id,
    )
  }
  await w.rows(`create function no_event() returns trigger language plpgsql as $$ begin raise 'no'; end $$`)
  await w.rows(`create trigger no_event before insert on events for each row when (new.org_id = ${first.org.org_id})
    execute function no_event()`)
  w.clock.forward(60)
  await rejudgeChecks(w.deps)
  await w.rows('drop trigger no_event on events')
  expect(await second.told()).toEqual(['check.down', 'check.up'])
  expect(await first.told()).toEqual(['check.down'])
  w.clock.forward(61)
  await rejudgeChecks(w.deps)
  expect(await first.told()).toEqual(['check.down', 'check.up'])
})

test('an alert of a private definition carries neither target nor more of the error than its kind', async () => {
  const { run, events } = await story({ url: '' })
  await run('F')
  const [down] = await events()
  expect(down?.data).toMatchObject({ error: 'refused' })
  expect(JSON.stringify(down)).not.toMatch(/url|: no/)
})
