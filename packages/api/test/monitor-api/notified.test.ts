// Monitors that wait are notified of what changes for them: their checks, and whose turn it is.

import { assignMonitors, unassignMonitors } from '@dogwatch/domain/checks/assign'
import { createCheck, editCheck } from '@dogwatch/domain/checks/create-or-edit'
import { switchCheck } from '@dogwatch/domain/checks/pause-delete-wipe'
import { retireMonitor, switchMonitor } from '@dogwatch/domain/monitors/switches'
import { resumeOrganisation, suspendOrganisation } from '@dogwatch/domain/organisations/suspension'
import { RUNS_CHANNEL } from '@dogwatch/store/checks/asked-runs'
import { type Listener, openListener } from '@dogwatch/store/postgres/listen'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Holds } from '../../src/monitor-api/holds.ts'
import { eventually, type Monitor, type Org, type World, world } from '../support/world.ts'

let w: World
let holds: Holds
let listener: Listener
let org: Org
let [one, other, stranger]: Monitor[] = []
let guid: string
const rung: string[] = []
const ENTRY = { name: 'shop', url: 'https://shop.example/', interval_sec: 60 }

beforeAll(async () => {
  holds = new Holds()
  w = await world({ holds })
  listener = openListener(w.databaseUrl, () => {})
  let isListening = false
  listener.on(RUNS_CHANNEL, (id) => {
    isListening = true
    if (id === undefined) return
    rung.push(id)
    holds.ring(id)
  })
  await eventually(() => isListening, 'it listens')
})
beforeEach(async () => {
  org = await w.org()
  ;[one, other, stranger] = [await w.monitor(org), await w.monitor(org), await w.monitor(await w.org())]
  ;[guid = ''] = await w.checks(org, [ENTRY], 'all')
  await told()
  // The new check answers the first one.
  expect(await one?.client.ping({ wait_sec: 20 })).toEqual({ status: 'ok', sync: true })
})
afterAll(async () => {
  holds.end()
  await listener.close()
  await w.close()
})

/** Those that were notified since the last call, by what they are here. */
async function told(): Promise<string[]> {
  await w.rows(`select pg_notify('${RUNS_CHANNEL}', 'end')`)
  await eventually(() => rung.includes('end'), 'all was heard')
  const names = new Map(
    [one, other, stranger].map((monitor, n) => [monitor?.id, ['one', 'other', 'stranger'][n] ?? '']),
  )
  return [...new Set(rung.splice(0))].flatMap((id) => names.get(id) ?? []).toSorted()
}
const by = () => ({ org_id: org.org_id, actor: { person_id: org.owner_id, name: 'alice' } }) as never
const idOf = (monitor: Monitor | undefined) => monitor?.id ?? ''

test.each<[string, () => Promise<unknown>, string[]]>([
  ['a monitor is disabled', () => switchMonitor(w.deps, idOf(one), 'enabled', false), ['one', 'other']],
  ['the platform disables one', () => switchMonitor(w.deps, idOf(one), 'platform_enabled', false), ['one', 'other']],
  ['a monitor is retired', () => retireMonitor(w.deps, idOf(one)), ['one', 'other']],
  ['a check is taken from one', () => unassignMonitors(w.deps, guid, [idOf(one)]), ['one', 'other']],
  ['a definition is edited', () => editCheck(w.deps, by(), guid, { ...ENTRY, name: 'b' }, 'all'), ['one', 'other']],
  ['an edit takes a check from one', () => editCheck(w.deps, by(), guid, ENTRY, [idOf(other)]), ['one', 'other']],
  ['a check is paused', () => switchCheck(w.deps, guid, false), ['one', 'other']],
  ['a check is new', () => createCheck(w.deps, by(), ENTRY, [idOf(one)]), ['one']],
  ['an organisation is suspended', () => suspendOrganisation(w.deps, org.org_id), ['one', 'other']],
  ['nothing changes', async () => {}, []],
])('when %s, exactly its monitors are', async (_, change, expected) => {
  await change()
  expect(await told()).toEqual(expected)
})

test('those of a check that a monitor joins are', async () => {
  await unassignMonitors(w.deps, guid, [idOf(one)])
  await told()
  await assignMonitors(w.deps, guid, [idOf(one)])
  expect(await told()).toEqual(['one', 'other'])
  await w.monitor(org)
  expect(await told()).toEqual(['one', 'other'])
})

describe('a ping that waits', () => {
  const held = (n: number) => eventually(() => holds.size === n, `${n} are held`)

  test('is answered when another monitor leaves, and the next sync has the new turn', async () => {
    const answer = one?.client.ping({ wait_sec: 20 })
    await held(1)
    await switchMonitor(w.deps, idOf(other), 'enabled', false)
    expect(await answer).toEqual({ status: 'ok', sync: true })
    expect((await one?.client.sync())?.checks).toMatchObject([{ guid, monitor_count: 1, monitor_rank: 0 }])
  })

  test('is answered at once if something changed since the one before', async () => {
    await switchMonitor(w.deps, idOf(other), 'enabled', false)
    await told()
    expect(await one?.client.ping({ wait_sec: 20 })).toEqual({ status: 'ok', sync: true })
  })

  test('of a disabled monitor is held until it is enabled, whatever else changes, and told then that a sync is due', async () => {
    await switchMonitor(w.deps, idOf(one), 'enabled', false)
    await told()
    const answer = one?.client.ping({ wait_sec: 20 })
    await held(1)
    await editCheck(w.deps, by(), guid, { ...ENTRY, interval_sec: 120 }, 'all')
    await told()
    await held(1)
    await switchMonitor(w.deps, idOf(one), 'enabled', true)
    expect(await answer).toEqual({ status: 'ok', sync: true })
  })

  test('of a suspended organisation is held until it is resumed', async () => {
    await suspendOrganisation(w.deps, org.org_id)
    await told()
    const answer = one?.client.ping({ wait_sec: 20 })
    await held(1)
    await resumeOrganisation(w.deps, org.org_id)
    expect(await answer).toEqual({ status: 'ok', sync: true })
  })

  test('of a disabled monitor that is not enabled is refused in the end; anything else of it at once', async () => {
    await switchMonitor(w.deps, idOf(one), 'enabled', false)
    await told()
    const answer = one?.client.ping({ wait_sec: 1 })
    await expect(answer).rejects.toMatchObject({ status: 403 })
    for (const refused of [one?.client.sync(), one?.client.ping()]) {
      await expect(refused).rejects.toMatchObject({ status: 403 })
    }
    expect(holds.size).toBe(0)
  })
})
