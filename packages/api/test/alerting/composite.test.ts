// Composite checks: their states follow the states of their members, without a monitor and without results.

import { SCHEME_ROWS } from '@dogwatch/check-rules/schemes'
import type { MonitorChoice } from '@dogwatch/domain/checks/assign'
import { changeChecks } from '@dogwatch/domain/checks/change-many'
import { createCheck } from '@dogwatch/domain/checks/create-or-edit'
import { importChecks } from '@dogwatch/domain/checks/import'
import { inspectCheck } from '@dogwatch/domain/checks/inspect'
import { sweepUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import { rejudgeChecks } from '@dogwatch/domain/checks/update-health'
import { remind } from '@dogwatch/domain/events/remind'
import { judgeByServer } from '@dogwatch/domain/judged/judge'
import { readShownMembers } from '@dogwatch/domain/judged/members'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type World, world } from '../support/world.ts'
import { editorOf, group } from './composite-story.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

test('a composite is degraded, down and up with its members, and each change is one alert', async () => {
  const one = await group(w)
  await judgeByServer(w.deps)
  expect(await one.state()).toBe('unmonitored')
  await one.run(true, true)
  expect(await one.state()).toBe('up')
  await one.run(false, true)
  expect(await one.state()).toBe('degraded')
  await one.run(false, false)
  expect(await one.state()).toBe('down')
  await one.run(true, false)
  expect(await one.state()).toBe('degraded')
  await one.run(true, true)
  expect(await one.state()).toBe('up')
  const events = await one.events()
  expect(events.map(({ type }) => type)).toEqual(['check.degraded', 'check.down', 'check.up', 'check.undegraded'])
  expect(events[0]?.data).toMatchObject({ cause: '1 of 2 members is down: db-1', degraded_over_ms: 0 })
  expect(events[1]?.data).toMatchObject({
    error: '2 of 2 members are down: db-1, db-2',
    monitor: { id: '', name: 'Dogwatch' },
    monitors: [],
  })
})

test('no monitor receives a composite, also if it was another check before', async () => {
  const { org, monitor, composite, members } = await group(w)
  const received = async () => new Map((await monitor.client.sync()).checks.map((check) => [check.guid, check.deleted]))
  expect([...(await received()).keys()].toSorted()).toEqual(members.toSorted())
  const [first = ''] = members
  await importChecks(w.deps, org.org_id, [{ guid: first, name: 'x', interval_sec: 60, url: 'composite:tag:db' }])
  expect((await received()).get(first)).toBe(true)
  expect([...(await received()).keys()]).not.toContain(composite)
})

test('without a member that has a state it is not monitored, and its open incident stays open', async () => {
  const one = await group(w, '?down_at=1')
  await one.run(true, true)
  await one.run(false, true)
  expect(await one.state()).toBe('down')
  await changeChecks(w.deps, editorOf(one.org), one.members, { kind: 'pause' })
  await judgeByServer(w.deps)
  await sweepUnmonitored(w.deps)
  const page = await inspectCheck(w.deps, one.org.org_id, one.composite, { period: 'day' })
  expect(page).toMatchObject({ state: 'down', judgement: { state: 'unmonitored', reason: 'no member has a state' } })
  expect((await one.events()).map(({ type }) => type)).toEqual(['check.down'])
})

test('its uptime is the share of the known time', async () => {
  const one = await group(w)
  await one.run(true, true)
  for (let n = 0; n < 3; n++) await one.run(true, true)
  await one.run(false, false)
  await one.run(false, false)
  const { ranges } = await inspectCheck(w.deps, one.org.org_id, one.composite, { period: 'day' })
  const { runs, failures, failing_sec, unknown_sec } = ranges[0]?.division ?? {}
  expect({ runs, failures }).toEqual({ runs: 300, failures: 60 })
  expect(failing_sec).toBeCloseTo(60, 0)
  expect(unknown_sec).toBeCloseTo(60, -1)
})

test('reminders and flapping work as for other checks', async () => {
  const one = await group(w, '', { resend_interval_sec: 300 })
  await one.run(true, true)
  await one.run(false, false)
  w.clock.forward(300)
  await remind(w.deps)
  expect((await one.events()).map(({ type }) => type)).toEqual(['check.down', 'check.reminder'])
  for (let n = 0; n < 3; n++) {
    await one.run(true, true)
    await one.run(false, false)
  }
  expect((await one.events()).map(({ type }) => type)).toContain('check.flapping')
  w.clock.forward(500)
  await rejudgeChecks(w.deps)
  expect(
    (await one.events())
      .map(({ type }) => type)
      .slice(-2)
      .toSorted(),
  ).toEqual(['check.down', 'check.settled'])
})

test('members are shown, with the reason why one does not count', async () => {
  const { org, members, composite } = await group(w)
  const [first = ''] = members
  await importChecks(w.deps, org.org_id, [
    { guid: composite, name: 'all', interval_sec: 60, url: `composite:tag:db,key:gone,${first}` },
  ])
  const [row] = await w.rows('select check_id, url from checks where guid = $1', composite)
  const shown = await readShownMembers(w.deps, org.org_id, row as { check_id: number; url: string })
  expect(shown?.map(({ check, why }) => [check?.name, why])).toEqual([
    ['db-1', 'not monitored'],
    ['db-2', 'not monitored'],
    [undefined, 'not found'],
  ])
})

test('a composite names no other one, selects no monitors, and has no fields about runs', async () => {
  const { org, monitor, composite } = await group(w)
  const create = (entry: Record<string, unknown>, monitors: MonitorChoice = 'all') =>
    createCheck(w.deps, editorOf(org), { name: 'outer', interval_sec: 60, url: 'composite:tag:db', ...entry }, monitors)
  await expect(create({ url: `composite:${composite}` })).rejects.toThrow('must not name another composite check')
  await expect(create({}, [monitor.id])).rejects.toThrow('must be omitted, because the server judges this check')
  await expect(create({ retry_count: 1 })).rejects.toThrow('check.retry_count must be omitted')
  await expect(create({}, 'none')).resolves.toBeTruthy()
})

test('the database knows which schemes the server judges', async () => {
  const rows = await Promise.all(
    SCHEME_ROWS.map(({ example }) => w.rows('select is_judged_by_server($1) as is_judged', example)),
  )
  expect(rows.map(([row]) => row?.is_judged)).toEqual(SCHEME_ROWS.map(({ judged_by }) => judged_by === 'server'))
})
