// Composite checks take part in everything that other checks take part in: dependencies, mutes, windows, tags, copies, metrics.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { changeChecks } from '@dogwatch/domain/checks/change-many'
import { readDeletions, restoreChecks } from '@dogwatch/domain/checks/deletions'
import { importChecks } from '@dogwatch/domain/checks/import'
import { inspectCheck } from '@dogwatch/domain/checks/inspect'
import { wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { replayCheck } from '@dogwatch/domain/checks/replay'
import { readMeasuredChecks } from '@dogwatch/domain/configuration/measures'
import { judgeByServer } from '@dogwatch/domain/judged/judge'
import { createWindow } from '@dogwatch/domain/maintenance/edit'
import { mute } from '@dogwatch/domain/mutes/mute'
import { releaseDue } from '@dogwatch/domain/routing/release'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type World, world } from '../support/world.ts'
import { editorOf, type Group, group } from './composite-story.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const later = (sec: number) => new Date(w.clock.now().getTime() + sec * 1000)

/** Adds a channel, and returns what it was told: `databases check.down`. */
async function listening({ org }: Group): Promise<() => Promise<string[]>> {
  await createChannel(w.deps, org.org_id, { kind: 'webhook', name: 'chat', webhook_url: 'https://hooks.example/' })
  return async () => {
    const rows = await w.rows(
      `select e.type, e.data -> 'check' ->> 'name' as name from deliveries d join events e using (org_id, event_id)
       where d.org_id = $1`,
      org.org_id,
    )
    return rows.map(({ type, name }) => `${String(name)} ${String(type)}`).toSorted()
  }
}

async function pass(sec: number, every_sec = 5): Promise<void> {
  for (let passed = 0; passed < sec; passed += every_sec) {
    w.clock.forward(every_sec)
    await releaseDue(w.deps)
  }
}

test('it waits for the member that it depends on, and no longer than it takes to be judged', async () => {
  const one = await group(w, '?down_at=1', { interval_sec: 3600 })
  const told = await listening(one)
  await w.rows('update checks set depends_on = $2 where guid = $1', one.composite, one.members[0])
  await one.run(true, true)
  await one.run(false, true)
  await pass(60)
  expect(await told()).toEqual(['db-1 check.down'])
  await one.run(true, false)
  await pass(20)
  expect(await told()).toEqual(['databases check.down', 'db-1 check.down', 'db-1 check.up', 'db-2 check.down'])
})

test('a check that depends on it waits while it is down', async () => {
  const one = await group(w, '?down_at=2')
  const told = await listening(one)
  const [shop = ''] = await w.checks(one.org, [{ name: 'shop', depends_on: one.composite }], 'all')
  one.members.push(shop)
  await one.run(true, true, true)
  await one.run(false, false, false)
  await pass(60)
  expect(await told()).toEqual(['databases check.down', 'db-1 check.down', 'db-2 check.down'])
  await one.run(true, true, false)
  await pass(90)
  expect(await told()).toContain('shop check.down')
})

test.each<[string, (one: Group) => Promise<unknown>]>([
  [
    'a mute',
    ({ org, composite }) =>
      mute(w.deps, { org_id: org.org_id, kind: 'check', guid: composite }, later(7200), editorOf(org).actor),
  ],
  [
    'a window with its tag',
    ({ org }) =>
      createWindow(w.deps, org.org_id, {
        ...{ name: 'upgrade', scope: { tags: ['storage'] }, is_public: true, rule: null },
        ...{ starts_at: later(0).toISOString().slice(0, 16), duration_sec: 7200, zone: 'UTC' },
      }),
  ],
])('%s holds its alerts, and not those of its members', async (_, hold) => {
  const one = await group(w, '', { tags: ['storage'] })
  const told = await listening(one)
  await one.run(true, true)
  await hold(one)
  await one.run(false, false)
  await pass(120)
  expect(await told()).toEqual(['db-1 check.down', 'db-2 check.down'])
})

test('maintenance counts neither as up nor as down', async () => {
  const one = await group(w)
  await one.run(true, true)
  await createWindow(w.deps, one.org.org_id, {
    ...{ name: 'upgrade', scope: { checks: [one.composite], heartbeats: [] }, is_public: true, rule: null },
    ...{ starts_at: later(0).toISOString().slice(0, 16), duration_sec: 7200, zone: 'UTC' },
  })
  for (let n = 0; n < 5; n++) await one.run(false, false)
  const { ranges } = await inspectCheck(w.deps, one.org.org_id, one.composite, { period: 'day' })
  expect(ranges[0]?.division.failures).toBe(0)
  expect(ranges[0]?.division.maintenance_sec).toBeGreaterThan(200)
})

test('a member that is deleted leaves it, and counts again once it is restored, as does the composite', async () => {
  const one = await group(w)
  const by = editorOf(one.org)
  await one.run(true, false)
  expect(await one.state()).toBe('degraded')
  const undo = async () => {
    const [deletion] = await readDeletions(w.deps, one.org.org_id)
    await restoreChecks(w.deps, by, deletion?.batch_id ?? '')
    await one.run(true, false)
  }
  await changeChecks(w.deps, by, one.members.slice(1), { kind: 'delete' })
  await judgeByServer(w.deps)
  expect(await one.state()).toBe('up')
  await undo()
  expect(await one.state()).toBe('degraded')
  await changeChecks(w.deps, by, [one.composite], { kind: 'delete' })
  await judgeByServer(w.deps)
  await undo()
  expect(await one.state()).toBe('degraded')
})

test('its metrics have its state', async () => {
  const one = await group(w)
  await one.run(true, true)
  w.clock.forward(60)
  const [metrics] = await readMeasuredChecks(w.deps, one.org.org_id, { guid: one.composite })
  expect(metrics).toMatchObject({ state: 'up', uptime: 1, is_down: false })
})

test('an import refuses one that names another one, in the file or stored', async () => {
  const { org, composite } = await group(w)
  const inner = {
    name: 'inner',
    interval_sec: 60,
    url: 'composite:tag:db',
    guid: 'a0000000-0000-4000-8000-000000000001',
  }
  const outer = (named: string) => ({ name: 'outer', interval_sec: 60, url: `composite:${named}` })
  const fault = 'must not name another composite check'
  await expect(importChecks(w.deps, org.org_id, [outer(composite)])).rejects.toThrow(`[0].url ${fault}`)
  await expect(importChecks(w.deps, org.org_id, [inner, outer(inner.guid)])).rejects.toThrow(`[1].url ${fault}`)
})

test('its definition cannot be private, because no monitor has it', async () => {
  const { org, composite } = await group(w)
  await expect(wipeDefinition(w.deps, composite, editorOf(org))).rejects.toThrow('the server judges this check')
})

test('other alert settings are tried on the states that it had', async () => {
  const one = await group(w)
  const from = w.clock.now().toISOString()
  for (let n = 0; n < 4; n++) {
    await one.run(true, true)
    await one.run(false, false)
    await one.run(false, false)
  }
  await one.run(true, true)
  const guid = one.composite
  const { given, present } = await replayCheck(w.deps, { guid }, { from }, { alert_every_change: true })
  expect(given.counts).toEqual({ 'check.down': 4, 'check.up': 4 })
  expect(present.counts).toMatchObject({ 'check.flapping': 1 })
  const tried = { alert_every_change: true, resend_interval_sec: 90, down_interval_sec: 9 }
  const reminded = await replayCheck(w.deps, { guid }, { from }, tried)
  expect(reminded.given.counts).toEqual({ 'check.down': 4, 'check.up': 4, 'check.reminder': 4 })
})

test('time in which it was paused or another check is not time in which it had a state', async () => {
  const one = await group(w)
  const by = editorOf(one.org)
  await one.run(false, false)
  const states = async () =>
    (
      await w.rows(
        `select j.state, j.ended_at from judgements j join checks c using (org_id, check_id) where c.guid = $1 order by j.began_at`,
        one.composite,
      )
    ).map(({ state, ended_at }) => `${String(state)}${ended_at === null ? '' : ' over'}`)
  await changeChecks(w.deps, by, [one.composite], { kind: 'pause' })
  expect(await states()).toEqual(['down over'])
  await changeChecks(w.deps, by, [one.composite], { kind: 'resume' })
  await one.run(false, false)
  expect(await states()).toEqual(['down over', 'down'])
  const entry = { guid: one.composite, name: 'databases', interval_sec: 60 }
  await importChecks(w.deps, one.org.org_id, [{ ...entry, url: 'https://example.com/' }])
  expect(await states()).toEqual(['down over', 'down over'])
})
