// What waits before it is told, by routes and by holds: timelines.

import { createChannel, removeOneChannel, switchOneChannel } from '@dogwatch/domain/channels/edit'
import { deleteCheck, switchCheck } from '@dogwatch/domain/checks/pause-delete-wipe'
import { remind } from '@dogwatch/domain/events/remind'
import { createHeartbeat, removeHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { findHeartbeatOfToken, takePing } from '@dogwatch/domain/heartbeats/take-ping'
import { resumeOrganisation, suspendOrganisation } from '@dogwatch/domain/organisations/suspension'
import { createRoute, type EditedRoute, editRoute, removeRoute } from '@dogwatch/domain/routing/edit'
import { decideAgain, releaseDue, stopEscalation, untilNextRelease } from '@dogwatch/domain/routing/release'
import { openDatabase } from '@dogwatch/store/database'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Hold, HoldSource } from '../../../domain/src/routing/hold.ts'
import { wayTo } from '../../../store/test/support/database.ts'
import { result, type World, world } from '../support/world.ts'
import { sweep } from './silence.ts'

let w: World
/** What holds which subject, by org: a kind of hold that exists here alone. */
const holds = new Map<string, Hold>()
const MADE_UP: HoldSource = {
  name: 'made up',
  holdsLists: true,
  mayHold: () => holds.size > 0,
  find: (_trx, org_id, subjects) =>
    Promise.resolve(
      new Map(
        subjects.flatMap((subject) => {
          const hold = holds.get(`${org_id} ${subject}`) ?? holds.get(String(org_id))
          const isOn = hold && (hold.until === null || Date.parse(hold.until) > w.clock.now().getTime())
          return isOn ? [[subject, hold] as const] : []
        }),
      ),
    ),
}

beforeAll(async () => {
  w = await world({ hold_sources: [MADE_UP] })
})
afterAll(() => w.close())
beforeEach(() => holds.clear())

const now = (ahead_sec = 0) => new Date(w.clock.now().getTime() + ahead_sec * 1000).toISOString()

/** Lets time pass while the worker looks every few seconds. */
async function pass(minutes: number, every_sec = 30): Promise<void> {
  for (let passed = 0; passed < minutes * 60; passed += every_sec) {
    w.clock.forward(every_sec)
    await releaseDue(w.deps)
  }
}

const ROUTE: EditedRoute = {
  name: 'ops',
  scope: { all: true },
  events: [],
  severity: null,
  quiet: null,
  delay_sec: 0,
  steps: [],
  enabled: true,
}

async function story(names: readonly string[], entry: Record<string, unknown> = {}) {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [entry], 'all')
  const channels = new Map<string, number>()
  for (const name of names) {
    const wanted = { kind: 'webhook', name, webhook_url: 'https://hooks.example/' }
    channels.set(name, (await createChannel(w.deps, org.org_id, wanted)).id)
  }
  const began = w.clock.now().getTime()
  const idOf = (name: string) => channels.get(name) ?? 0
  const run = (outcome: 'F' | 'S') =>
    monitor.client.upload([
      result(guid, { ran_at: now(), success: outcome === 'S', ...(outcome === 'F' && { error: 'refused: no' }) }),
    ])
  const step = (after_min: number, ...to: string[]) => ({ after_sec: after_min * 60, channel_ids: to.map(idOf) })
  const route = async (given: Partial<EditedRoute>) =>
    (await createRoute(w.deps, org.org_id, { ...ROUTE, ...given })).guid
  /** `15 mail check.down`: minutes since it began, in the order in which they are sent. */
  const told = async () => {
    const rows = await w.rows(
      `select e.type, c.name, d.created_at from deliveries d join events e using (org_id, event_id)
       join notification_channels c on c.org_id = d.org_id and c.id = d.channel_id
       where d.org_id = $1 order by d.created_at, c.name, d.delivery_id`,
      org.org_id,
    )
    return rows.map(({ type, name, created_at }) => [minutes(created_at, began), name, type].join(' '))
  }
  /** `mail 15 step` */
  const waiting = async () => {
    const rows = await w.rows(
      `select c.name, p.due_at, p.held_by from planned_alerts p
       left join notification_channels c on c.org_id = p.org_id and c.id = p.channel_id
       where p.org_id = $1 order by p.due_at, c.name`,
      org.org_id,
    )
    return rows.map(({ name, due_at, held_by }) => [name, minutes(due_at, began), held_by].join(' '))
  }
  const [{ subject } = { subject: '' }] = await w.rows(
    `select 'check:' || check_id as subject from checks where guid = $1`,
    guid,
  )
  const hold = (given: Partial<Hold> & { min?: number }) => {
    const { min = 0, ...rest } = given
    const until = min > 0 ? new Date(began + min * 60_000).toISOString() : null
    holds.set(`${org.org_id} ${String(subject)}`, { until, by: 'made-up:1', words: 'it is made up', ...rest })
  }
  const heldBy = async () =>
    (await w.rows('select held_by from incidents where org_id = $1 order by began_at desc', org.org_id))[0]?.held_by
  return { org, guid, monitor, run, step, route, told, waiting, hold, heldBy, idOf }
}

function minutes(at: unknown, began: number): number {
  return (Date.parse(String(at)) - began) / 60_000
}

describe('a delay', () => {
  test('what recovers within it is told to nobody, and so is its recovery', async () => {
    const s = await story(['mail'])
    await s.route({ delay_sec: 300, steps: [s.step(0, 'mail')] })
    await s.run('F')
    expect([await s.waiting(), await s.heldBy()]).toEqual([['mail 5 delay'], 'delay'])
    await pass(4)
    await s.run('S')
    await pass(10)
    expect([await s.told(), await s.waiting()]).toEqual([[], []])
  })

  test('what lasts longer is told when it is over, and so is the recovery', async () => {
    const s = await story(['mail', 'chat'])
    await s.route({ delay_sec: 300, steps: [s.step(0, 'mail')] })
    await s.route({ steps: [s.step(0, 'chat')], events: ['down'], severity: 'info' })
    await s.run('F')
    await pass(6)
    expect(await s.heldBy()).toBe(null)
    await s.run('S')
    // The second route leaves recoveries out.
    expect(await s.told()).toEqual(['0 chat check.down', '5 mail check.down', '6 mail check.up'])
    expect(await w.rows('select distinct severity from deliveries where org_id = $1 order by 1', s.org.org_id)).toEqual(
      [{ severity: 'info' }, { severity: null }],
    )
  })

  test('nobody is reminded of what nobody was told of', async () => {
    const s = await story(['mail'], { resend_interval_sec: 60 })
    await s.route({ delay_sec: 600, steps: [s.step(0, 'mail')] })
    await s.run('F')
    for (let n = 0; n < 12; n++) {
      await pass(1)
      await w.rows("update deliveries set state = 'delivered', next_attempt_at = null where org_id = $1", s.org.org_id)
      await remind(w.deps)
    }
    expect(await s.told()).toEqual(['10 mail check.down', '11 mail check.reminder', '12 mail check.reminder'])
  })

  test.each([
    ['paused', (guid: string) => switchCheck(w.deps, guid, false)],
    ['deleted', (guid: string) => deleteCheck(w.deps, guid)],
  ])('a check that is %s meanwhile is not told of', async (_, change) => {
    const s = await story(['mail'])
    await s.route({ delay_sec: 300, steps: [s.step(0, 'mail')] })
    await s.run('F')
    await change(s.guid)
    expect(await s.waiting()).toEqual([])
    await pass(10)
    expect(await s.told()).toEqual([])
  })

  test('the incident has ended without an event: what waits is dropped', async () => {
    const s = await story(['mail'])
    await s.route({ delay_sec: 300, steps: [s.step(0, 'mail')] })
    await s.run('F')
    await w.rows(
      "update incidents set ended_at = $2, end_reason = 'recovered' where org_id = $1",
      s.org.org_id,
      now(60),
    )
    await pass(6)
    expect([await s.told(), await s.waiting()]).toEqual([[], []])
  })

  test('several workers release it once', async () => {
    const s = await story(['mail', 'chat'])
    await s.route({ delay_sec: 300, steps: [s.step(0, 'mail', 'chat')] })
    await s.run('F')
    w.clock.forward(300)
    await Promise.all([1, 2, 3, 4].map(() => releaseDue(w.deps)))
    expect(await s.told()).toEqual(['5 chat check.down', '5 mail check.down'])
  })

  test('the chore knows when it is needed next, and nothing else keeps it busy', async () => {
    await w.rows('delete from planned_alerts')
    expect(await untilNextRelease(w.deps)).toBe(Infinity)
    const s = await story(['mail'])
    await s.route({ delay_sec: 300, steps: [s.step(0, 'mail')] })
    await s.run('F')
    expect(await untilNextRelease(w.deps)).toBe(300_000)
    await suspendOrganisation(w.deps, s.org.org_id)
    expect(await untilNextRelease(w.deps)).toBe(Infinity)
  })
})

describe('escalation', () => {
  const steps = (s: Awaited<ReturnType<typeof story>>) => [s.step(0, 'mail'), s.step(15, 'chat'), s.step(30, 'pager')]

  test('goes on step by step; a worker that ends before its commit has done nothing, and the next one does it', async () => {
    const s = await story(['mail', 'chat', 'pager'])
    await s.route({ steps: steps(s) })
    await s.run('F')
    expect(await s.waiting()).toEqual(['chat 15 step', 'pager 30 step'])
    w.clock.forward(900)
    await w.rows(`create function fall() returns trigger language plpgsql as $$ begin raise 'the worker died'; end $$`)
    await w.rows('create trigger fall after insert on deliveries execute function fall()')
    await releaseDue(w.deps)
    await w.rows('drop function fall cascade')
    expect([await s.told(), await s.waiting()]).toEqual([['0 mail check.down'], ['chat 15 step', 'pager 30 step']])
    await pass(20)
    await s.run('S')
    expect(await s.told()).toEqual([
      ...['0 mail check.down', '15.5 chat check.down', '30 pager check.down'],
      ...['35 chat check.up', '35 mail check.up', '35 pager check.up'],
    ])
  })

  test('goes on after a restart: what fell due while nobody looked is told by whoever comes, each step once', async () => {
    const s = await story(['mail', 'chat', 'pager', 'boss'])
    await s.route({ steps: [...steps(s), s.step(60, 'boss')] })
    await s.run('F')
    await pass(10)
    // No worker for half an hour, then two that know only what is stored.
    w.clock.forward(30 * 60)
    const others = [1, 2].map(() => openDatabase({ ...wayTo(w.databaseUrl), poolSize: 2 }))
    try {
      await Promise.all(others.map((database) => releaseDue({ ...w.deps, database })))
    } finally {
      await Promise.all(others.map((database) => database.close()))
    }
    expect(await s.told()).toEqual(['0 mail check.down', '40 chat check.down', '40 pager check.down'])
    // The steps count from when the first was told.
    expect(await s.waiting()).toEqual(['boss 60 step'])
    await pass(21)
    expect((await s.told()).at(-1)).toBe('60 boss check.down')
  })

  test('leaves what waits for the channels of the steps before as it is', async () => {
    const s = await story(['mail', 'chat', 'pager'])
    await s.route({ steps: steps(s) })
    await s.run('F')
    await pass(20)
    const waiting = () =>
      w.rows(
        `select name, is_last_attempt as last from deliveries d join notification_channels c on c.id = d.channel_id
         where d.org_id = $1 and state = 'pending' order by name, delivery_id`,
        s.org.org_id,
      )
    expect(await waiting()).toEqual([
      { name: 'chat', last: false },
      { name: 'mail', last: false },
    ])
    await s.run('S')
    expect(await waiting()).toEqual([
      ...['chat', 'mail'].flatMap((name) => [
        { name, last: true },
        { name, last: false },
      ]),
    ])
  })

  test('ends when the incident is over', async () => {
    const s = await story(['mail', 'chat', 'pager'])
    await s.route({ steps: steps(s) })
    await s.run('F')
    await pass(20)
    await s.run('S')
    await pass(20)
    expect(await s.told()).toEqual([
      ...['0 mail check.down', '15 chat check.down'],
      ...['20 chat check.up', '20 mail check.up'],
    ])
  })

  test('ends when the incident is acknowledged, also for whoever decides again', async () => {
    const s = await story(['mail', 'chat', 'pager'])
    await s.route({ steps: steps(s) })
    await s.run('F')
    await pass(20)
    await w.rows('alter table incidents add column if not exists acknowledged_at timestamptz')
    await w.rows('update incidents set acknowledged_at = $2 where org_id = $1', s.org.org_id, now())
    await pass(20)
    expect([await s.told(), await s.waiting()]).toEqual([['0 mail check.down', '15 chat check.down'], []])
  })

  test('can be stopped at once', async () => {
    const s = await story(['mail', 'chat', 'pager'])
    await s.route({ steps: steps(s) })
    await s.run('F')
    const [{ incident_id } = {}] = await w.rows('select incident_id from incidents where org_id = $1', s.org.org_id)
    await w.deps.database.people.transaction().execute((trx) => stopEscalation(trx, s.org.org_id, String(incident_id)))
    expect(await s.waiting()).toEqual([])
  })
})

describe('quiet hours', () => {
  // The clock of the tests stands in the afternoon.
  const quiet = (holds_down: boolean, min: number) => {
    const at = new Date(w.clock.now().getTime() + min * 60_000).toISOString().slice(11, 16)
    return {
      from: new Date(w.clock.now().getTime() - 60_000).toISOString().slice(11, 16),
      to: at,
      days: [],
      zone: 'UTC',
      holds_down,
    }
  }

  test('hold what is down only where the route says so', async () => {
    const s = await story(['mail', 'chat'])
    await s.route({ quiet: quiet(true, 60), steps: [s.step(0, 'mail')] })
    await s.route({ quiet: quiet(false, 60), steps: [s.step(0, 'chat')] })
    await s.run('F')
    await pass(61, 60)
    const told = await s.told()
    expect(told.slice(0, 1)).toEqual(['0 chat check.down'])
    expect(told.slice(1).map((one) => one.replace(/^\d+(\.\d+)? /, ''))).toEqual(['mail check.down'])
  })

  test('a reminder that nobody hears of in them is none, and the next one is counted as the first', async () => {
    const s = await story(['mail'], { resend_interval_sec: 600 })
    await s.run('F')
    await s.route({ quiet: quiet(true, 60), steps: [s.step(0, 'mail')] })
    const reminders = async () => {
      const rows = await w.rows(
        `select (select count(*)::integer from events e where e.org_id = i.org_id and type = 'check.reminder') as events, reminders
         from incidents i where org_id = $1`,
        s.org.org_id,
      )
      return rows[0]
    }
    for (let turn = 0; turn < 5; turn++) {
      w.clock.forward(600)
      await s.run('F')
      await remind(w.deps)
    }
    expect(await reminders()).toEqual({ events: 0, reminders: 0 })
    w.clock.forward(1200)
    await s.run('F')
    await remind(w.deps)
    expect(await reminders()).toEqual({ events: 1, reminders: 1 })
  })

  test('a recovery that waits goes out in its place before the next alert', async () => {
    const s = await story(['mail'])
    await s.run('F')
    await s.route({ quiet: quiet(true, 60), steps: [s.step(0, 'mail')] })
    await pass(1)
    await s.run('S')
    expect(await s.told()).toEqual(['0 mail check.down'])
    await pass(1)
    await s.run('F')
    expect(await s.heldBy()).toBe('quiet')
    await pass(60)
    const order = await w.rows(
      'select type from deliveries join events using (org_id, event_id) where org_id = $1 order by delivery_id',
      s.org.org_id,
    )
    expect(order.map(({ type }) => type)).toEqual(['check.down', 'check.up', 'check.down'])
    await s.run('S')
    expect((await s.told()).length).toBe(4)
  })
})

test('a recovery that waited and is due goes out with the next alert, as sent then', async () => {
  const s = await story(['mail'])
  await s.run('F')
  s.hold({ min: 30 })
  w.clock.forward(60)
  await s.run('S')
  w.clock.forward(1800)
  await s.run('F')
  const sent =
    'select type, d.created_at from deliveries d join events using (org_id, event_id) where d.org_id = $1 order by delivery_id'
  const rows = await w.rows(sent, s.org.org_id)
  const ago = rows.map(({ type, created_at }) => [
    type,
    (w.clock.now().getTime() - Date.parse(String(created_at))) / 60_000,
  ])
  expect(ago).toEqual([
    ['check.down', 31],
    ['check.up', 0],
    ['check.down', 0],
  ])
  expect(await s.waiting()).toEqual([])
})

describe('a hold', () => {
  test('that begins before the incident: told when it ends, if it is still down', async () => {
    const s = await story(['mail'])
    s.hold({ min: 30 })
    await s.run('F')
    expect(await s.heldBy()).toBe('made-up:1')
    await pass(31)
    expect([await s.told(), await s.heldBy()]).toEqual([['30 mail check.down'], null])
  })

  test('over which it recovers: nobody is told', async () => {
    const s = await story(['mail'])
    s.hold({ min: 30 })
    await s.run('F')
    await pass(10)
    await s.run('S')
    await pass(30)
    expect(await s.told()).toEqual([])
  })

  test('that begins during the incident: no reminder, and the recovery when it ends', async () => {
    const s = await story(['mail'], { resend_interval_sec: 300 })
    await s.run('F')
    s.hold({ min: 30 })
    for (let n = 0; n < 20; n++) {
      await pass(1)
      await remind(w.deps)
    }
    await s.run('S')
    await pass(15)
    expect(await s.told()).toEqual(['0 mail check.down', '30 mail check.up'])
  })

  test('that nobody knows the end of is asked again soon, and at once by whoever ends it', async () => {
    const s = await story(['mail'])
    s.hold({})
    await s.run('F')
    await pass(5)
    expect(await s.waiting()).toHaveLength(1)
    holds.clear()
    await w.deps.database.people.transaction().execute((trx) => decideAgain(trx, w.deps, s.org.org_id, 'made-up:1'))
    await releaseDue(w.deps)
    expect(await s.told()).toEqual(['5 mail check.down'])
  })

  test('while another waits behind it: both have to end', async () => {
    const s = await story(['mail'])
    s.hold({ min: 10 })
    await s.run('F')
    await pass(5)
    s.hold({ min: 20, by: 'made-up:2' })
    await pass(10)
    expect([await s.told(), await s.heldBy()]).toEqual([[], 'made-up:2'])
    await pass(6)
    expect(await s.told()).toEqual(['20 mail check.down'])
  })

  test('holds heartbeats as well', async () => {
    const s = await story(['mail'])
    const wanted = {
      name: 'backup',
      interval_sec: 3600,
      grace_sec: 60,
      resend_interval_sec: 0,
      show_on_status_page: false,
    }
    const { token } = await createHeartbeat(w.deps, s.org.org_id, wanted)
    const call = async (kind: 'fail' | 'beat') =>
      takePing(
        w.deps,
        await findHeartbeatOfToken(w.deps, token),
        { kind, exit_code: null, rid: null, body: null },
        w.clock.now(),
      )
    holds.set(String(s.org.org_id), { until: now(600), by: 'made-up:3', words: 'it is made up' })
    await call('fail')
    await pass(11)
    await call('beat')
    expect(await s.told()).toEqual(['10 mail heartbeat.down', '11 mail heartbeat.up'])
  })

  test('over the end of which a heartbeat is deleted: its recovery is told, and nothing is left behind', async () => {
    const s = await story(['mail'])
    const wanted = {
      name: 'job',
      interval_sec: 3600,
      grace_sec: 60,
      resend_interval_sec: 0,
      show_on_status_page: false,
    }
    const { guid, token } = await createHeartbeat(w.deps, s.org.org_id, wanted)
    const place = await findHeartbeatOfToken(w.deps, token)
    const call = (kind: 'fail' | 'beat') =>
      takePing(w.deps, place, { kind, exit_code: null, rid: null, body: null }, w.clock.now())
    await call('fail')
    holds.set(String(s.org.org_id), { until: now(600), by: 'made-up:4', words: 'it is made up' })
    w.clock.forward(60)
    await call('beat')
    await removeHeartbeat(w.deps, guid)
    await pass(10)
    expect([await s.told(), await s.waiting()]).toEqual([['0 mail heartbeat.down', '10 mail heartbeat.up'], []])
  })
})

describe('tags', () => {
  test('lead the alerts of what has them, however they are spelled', async () => {
    const s = await story(['shop', 'rest'], { tags: ['Shop', 'eu'] })
    const [plain = ''] = await w.checks(s.org, [{}], 'all')
    const heartbeat = {
      name: 'backup',
      interval_sec: 3600,
      grace_sec: 60,
      resend_interval_sec: 0,
      show_on_status_page: false,
      tags: ['SHOP '],
    }
    const { token } = await createHeartbeat(w.deps, s.org.org_id, heartbeat)
    await s.route({ scope: { tags: ['shop'] }, steps: [s.step(0, 'shop')] })
    await s.route({ name: 'rest', scope: { checks: [plain], heartbeats: [] }, steps: [s.step(0, 'rest')] })
    await s.run('F')
    await s.monitor.client.upload([result(plain, { ran_at: now(), success: false, error: 'refused: no' })])
    const found = await findHeartbeatOfToken(w.deps, token)
    await takePing(w.deps, found, { kind: 'fail', exit_code: null, rid: null, body: null }, w.clock.now())
    expect(await s.told()).toEqual(['0 rest check.down', '0 shop check.down', '0 shop heartbeat.down'])
  })
})

describe('lists', () => {
  test('a monitor that is back within the delay is not told of; what is still away is', async () => {
    const s = await story(['mail'])
    const other = await w.monitor(s.org, 'rack 5')
    await s.route({ delay_sec: 600, events: ['monitor_offline'], steps: [s.step(0, 'mail')] })
    await s.run('S')
    await other.client.sync()
    await sweep(w.deps)
    w.clock.forward(240)
    await sweep(w.deps)
    expect((await s.waiting()).length).toBeGreaterThan(0)
    await s.run('S')
    await sweep(w.deps)
    await pass(15)
    const events = await w.rows(
      `select e.type, e.data from deliveries d join events e using (org_id, event_id) where d.org_id = $1 and e.type like 'monitor%'`,
      s.org.org_id,
    )
    expect(events).toMatchObject([{ type: 'monitor.online', data: { still_offline: [{ id: other.id }] } }])
    expect(await s.waiting()).toEqual([])
  })
})

describe('channels and organisations', () => {
  test.each([
    ['disabled', (key: { org_id: number; id: number }) => switchOneChannel(w.deps, key, false)],
    ['deleted', (key: { org_id: number; id: number }) => removeOneChannel(w.deps, key)],
  ])('the only channel of a route is %s while its alert waits: the others are told', async (_, change) => {
    const s = await story(['mail', 'chat'])
    await s.route({ delay_sec: 600, steps: [s.step(0, 'mail')] })
    await s.run('F')
    await pass(1)
    await change({ org_id: s.org.org_id, id: s.idOf('mail') })
    await releaseDue(w.deps)
    expect([await s.told(), await s.waiting()]).toEqual([['1 chat check.down'], []])
  })

  test('a route that is changed while an alert waits decides as it is now, at once', async () => {
    const s = await story(['mail', 'chat'])
    const given = { ...ROUTE, delay_sec: 600, steps: [s.step(0, 'mail')] }
    const key = { org_id: s.org.org_id, guid: await s.route(given) }
    await s.run('F')
    await pass(1)
    await editRoute(w.deps, key, { ...given, delay_sec: 1200, steps: [s.step(0, 'chat')] })
    await pass(1)
    expect(await s.waiting()).toEqual(['chat 20 delay'])
    await editRoute(w.deps, key, { ...given, delay_sec: 0, steps: [s.step(0, 'chat')] })
    await pass(1)
    expect(await s.told()).toEqual(['2.5 chat check.down'])
  })

  test('a route that is deleted while an alert waits: it goes where it goes without it', async () => {
    const s = await story(['mail', 'chat'])
    const guid = await s.route({ delay_sec: 600, steps: [s.step(0, 'mail')] })
    await s.run('F')
    await pass(1)
    await removeRoute(w.deps, { org_id: s.org.org_id, guid })
    await pass(1)
    expect(await s.told()).toEqual(['1.5 chat check.down', '1.5 mail check.down'])
    await s.run('S')
    expect(await s.told()).toHaveLength(4)
  })

  test('a suspended organisation is told when it is resumed', async () => {
    const s = await story(['mail'])
    await s.route({ delay_sec: 300, steps: [s.step(0, 'mail')] })
    await s.run('F')
    await suspendOrganisation(w.deps, s.org.org_id)
    await pass(10)
    expect(await s.told()).toEqual([])
    await resumeOrganisation(w.deps, s.org.org_id)
    await pass(1)
    expect(await s.told()).toEqual(['10.5 mail check.down'])
  })
})

// The last tests: the clock of the world goes to another year.
test.each([
  // The night before, seven o'clock was at six in UTC, and after it at five.
  ['forward', '2027-03-27T22:30:00Z', 390],
  // It was at five, and is at six.
  ['back', '2027-10-30T20:30:00Z', 570],
])('quiet hours end by the clock on the wall, in the night in which it goes %s as well', async (_, from, end) => {
  w.clock.forward((Date.parse(from) - w.clock.now().getTime()) / 1000)
  const s = await story(['mail'])
  const quiet = { from: '22:00', to: '07:00', days: [], zone: 'Europe/Paris', holds_down: true }
  await s.route({ quiet, steps: [s.step(0, 'mail')] })
  await s.run('F')
  expect(await s.waiting()).toEqual([`mail ${end} quiet`])
  await pass(end, 600)
  expect(await s.told()).toEqual([`${end} mail check.down`])
})
