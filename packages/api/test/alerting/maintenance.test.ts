// Maintenance windows and incidents: timelines.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { remind } from '@dogwatch/domain/events/remind'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { createWindow, editWindow, endWindow, readWindows, removeWindow } from '@dogwatch/domain/maintenance/edit'
import { spreadWindows } from '@dogwatch/domain/maintenance/spread'
import { type EditedWindow } from '@dogwatch/domain/maintenance/window'
import { releaseDue } from '@dogwatch/domain/routing/release'
import { listWaiting } from '@dogwatch/store/incidents/incident'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

/** Lets time pass while the worker looks. */
async function pass(minutes: number, every_sec = 60): Promise<void> {
  for (let passed = 0; passed < minutes * 60; passed += every_sec) {
    w.clock.forward(every_sec)
    await releaseDue(w.deps)
  }
}

async function story(entry: Record<string, unknown> = {}) {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [entry], 'all')
  await createChannel(w.deps, org.org_id, { kind: 'webhook', name: 'mail', webhook_url: 'https://hooks.example/' })
  // Windows begin at full minutes.
  w.clock.forward(60 - (w.clock.now().getTime() % 60_000) / 1000)
  const began = w.clock.now().getTime()
  const wanted = (from_min: number, to_min: number, given: Partial<EditedWindow> = {}): EditedWindow => {
    const starts_at = new Date(began + from_min * 60_000).toISOString().slice(0, 16)
    const when = { starts_at, duration_sec: (to_min - from_min) * 60, zone: 'UTC', rule: null }
    return { name: 'upgrade', scope: { checks: [guid], heartbeats: [] }, is_public: true, ...when, ...given }
  }
  const run = (outcome: 'F' | 'S') =>
    monitor.client.upload([
      result(guid, {
        ran_at: w.clock.now().toISOString(),
        success: outcome === 'S',
        ...(outcome === 'F' && { error: 'refused: no' }),
      }),
    ])
  const told = async () => {
    const rows = await w.rows(
      `select e.type, d.created_at from deliveries d join events e using (org_id, event_id)
       where d.org_id = $1 order by d.created_at, d.delivery_id`,
      org.org_id,
    )
    return rows.map(({ type, created_at }) => `${(Date.parse(String(created_at)) - began) / 60_000} ${String(type)}`)
  }
  const heldBy = async () => (await w.rows('select held_by from incidents where org_id = $1', org.org_id))[0]?.held_by
  const window = (from_min: number, to_min: number, given: Partial<EditedWindow> = {}) =>
    createWindow(w.deps, org.org_id, wanted(from_min, to_min, given))
  const idOf = async (name = 'upgrade') =>
    (await w.rows('select window_id from maintenance_windows where org_id = $1 and name = $2', org.org_id, name))[0]
      ?.window_id
  return { org, guid, monitor, run, told, heldBy, window, wanted, idOf, at: { org_id: org.org_id } }
}

describe('maintenance', () => {
  test('an incident that begins and ends within is told to nobody', async () => {
    const s = await story()
    await s.window(1, 30)
    await pass(2)
    await s.run('F')
    expect(await s.heldBy()).toBe(`maintenance:${String(await s.idOf())}`)
    await pass(10)
    await s.run('S')
    await pass(30)
    expect(await s.told()).toEqual([])
    expect(await w.rows('select count(*)::integer as n from incidents where org_id = $1', s.org.org_id)).toEqual([
      { n: 1 },
    ])
  })

  test('what is still down when it ends is told then, and its recovery too', async () => {
    const s = await story()
    await s.window(1, 30)
    await pass(2)
    await s.run('F')
    await pass(40)
    expect([await s.told(), await s.heldBy()]).toEqual([['30 check.down'], null])
    await s.run('S')
    expect(await s.told()).toEqual(['30 check.down', '42 check.up'])
    const [event] = await w.rows(
      `select data -> 'incident' ->> 'began_at' as began_at, data from events where org_id = $1 and type = 'check.down'`,
      s.org.org_id,
    )
    // It says since when.
    expect(JSON.stringify(event)).toContain(
      new Date(Date.parse(s.wanted(2, 3).starts_at + 'Z')).toISOString().slice(0, 16),
    )
  })

  test('says when it ends, however long that is, and an end that nobody announced is noticed within five minutes', async () => {
    const s = await story()
    await createWindow(w.deps, s.org.org_id, s.wanted(0, 480))
    await s.run('F')
    const end = new Date(w.clock.now().getTime() + 480 * 60_000).toISOString()
    const [{ check_id } = {}] = await w.rows('select check_id from checks where guid = $1', s.guid)
    const [{ incident_id } = {}] = await w.rows('select incident_id from incidents where org_id = $1', s.org.org_id)
    const about = {
      org_id: s.org.org_id,
      kind: 'check',
      id: Number(check_id),
      incident_id: String(incident_id),
    } as const
    const waits = async () =>
      (await listWaiting(w.deps.database.people, about)).map(({ due_at, is_due_known }) => [
        Date.parse(due_at),
        is_due_known,
      ])
    expect(await waits()).toEqual([[Date.parse(end), true]])
    await pass(30)
    expect([await waits(), await s.told()]).toEqual([[[Date.parse(end), true]], []])
    await w.rows('delete from maintenance_spans where org_id = $1', s.org.org_id)
    await pass(5)
    expect(await s.told()).toEqual([expect.stringMatching(/^3[0-5] check\.down$/)])
  })

  test('that begins during an incident holds reminders and the recovery', async () => {
    const s = await story({ resend_interval_sec: 300 })
    await s.window(3, 30)
    await s.run('F')
    for (let min = 0; min < 20; min++) {
      await pass(1)
      await remind(w.deps)
    }
    await s.run('S')
    await pass(20)
    expect(await s.told()).toEqual(['0 check.down', '30 check.up'])
  })

  test('that is lengthened while something is held goes on holding it', async () => {
    const s = await story()
    const { guid } = await s.window(1, 10)
    await pass(2)
    await s.run('F')
    await pass(3)
    await editWindow(w.deps, { ...s.at, guid }, s.wanted(1, 20))
    await pass(30)
    expect(await s.told()).toEqual(['20 check.down'])
  })

  test.each<[string, (s: Awaited<ReturnType<typeof story>>, guid: string) => Promise<void>]>([
    ['cut short', (s, guid) => editWindow(w.deps, { ...s.at, guid }, s.wanted(1, 4))],
    ['ended', (s, guid) => endWindow(w.deps, { ...s.at, guid })],
    ['deleted', (s, guid) => removeWindow(w.deps, { ...s.at, guid })],
    [
      'made to cover something else',
      (s, guid) => editWindow(w.deps, { ...s.at, guid }, s.wanted(1, 30, { scope: { tags: ['x'] } })),
    ],
  ])('that is %s releases what it held at once', async (_name, act) => {
    const s = await story()
    const { guid } = await s.window(1, 30)
    await pass(2)
    await s.run('F')
    await pass(3)
    await act(s, guid)
    await releaseDue(w.deps)
    expect(await s.told()).toEqual(['5 check.down'])
  })

  test('of another organisation or of another check holds nothing', async () => {
    const [s, other] = [await story(), await story()]
    await other.window(0, 30, { scope: { all: true } })
    await s.window(0, 30, { scope: { checks: [other.guid], heartbeats: [] } })
    await s.run('F')
    expect(await s.told()).toHaveLength(1)
  })

  test('for everything and for heartbeats holds heartbeats', async () => {
    const s = await story()
    const job = { name: 'job', interval_sec: 60, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
    const { token, guid } = await createHeartbeat(w.deps, s.org.org_id, job)
    await s.window(0, 30, { scope: { checks: [], heartbeats: [guid] } })
    await w.http.get(`/ping/${token}/fail`)
    await pass(10)
    expect(await s.told()).toEqual([])
    await pass(25)
    expect(await s.told()).toEqual(['30 heartbeat.down'])
  })

  test('that repeats is on again after it was ended, and states follow the clock', async () => {
    const s = await story()
    const { guid } = await s.window(1, 30, { rule: 'FREQ=DAILY', name: 'nightly' })
    const states = async () => (await readWindows(w.deps, s.org.org_id)).map(({ state }) => state)
    expect(await states()).toEqual(['announced'])
    await pass(2)
    expect(await states()).toEqual(['running'])
    await endWindow(w.deps, { ...s.at, guid })
    expect(await states()).toEqual(['announced'])
    await s.run('F')
    expect(await s.told()).toHaveLength(1)
    await pass(1)
    await s.run('S')
    w.clock.forward(86_400)
    await s.run('F')
    expect(await s.told()).toHaveLength(2)
    const { starts_at } = s.wanted(1, 30)
    await editWindow(
      w.deps,
      { ...s.at, guid },
      s.wanted(1, 30, { rule: `FREQ=DAILY;UNTIL=${starts_at.slice(0, 10).replaceAll('-', '')}T235959` }),
    )
    expect(await states()).toEqual(['over'])
  })

  test('goes on being written down as time passes, and once by two workers', async () => {
    const s = await story()
    await s.window(1, 30, { rule: 'FREQ=DAILY' })
    const count = async () =>
      (await w.rows('select count(*)::integer as n from maintenance_spans where org_id = $1', s.org.org_id))[0]?.n
    expect(await count()).toBe(60)
    w.clock.forward(10 * 86_400)
    await Promise.all([spreadWindows(w.deps), spreadWindows(w.deps)])
    expect(await count()).toBe(70)
  })

  test.each([
    ['that is over', { starts_at: '2020-01-01T02:00' }],
    ['without a day', { starts_at: '02:00' }],
    ['on a day that does not exist', { starts_at: '2027-02-30T02:00' }],
    ['without a duration', { duration_sec: 0 }],
    ['without a zone', { zone: '+01:00' }],
    ['that covers nothing', { scope: { tags: [] } }],
    ['without a name', { name: ' ' }],
    ['every second', { rule: 'FREQ=SECONDLY' }],
  ])('%s is refused', async (_name, given) => {
    const s = await story()
    await expect(s.window(1, 30, given)).rejects.toThrow(/must|needs/)
  })
})
