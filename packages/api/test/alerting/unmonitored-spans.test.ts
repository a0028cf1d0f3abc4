// Whoever goes through all checks some at a time finds what there is, each of it once.

import { judgeUnmonitored, sweepUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import type { CheckKey } from '@dogwatch/store/check-keys'
import { ALL_KEYS, findSpanAfter, type KeySpan } from '@dogwatch/store/checks/key-spans'
import { listScheduleChanges } from '@dogwatch/store/checks/schedules'
import { listSilentChecks } from '@dogwatch/store/checks/unmonitored'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type World, world } from '../support/world.ts'
import { told } from './silence.ts'

let w: World
let check_ids: number[]
beforeAll(async () => {
  w = await world()
  for (const count of [3, 1, 4]) {
    const org = await w.org()
    await w.monitor(org)
    await w.checks(
      org,
      Array.from({ length: count }, () => ({})),
      'all',
    )
  }
  check_ids = (await w.rows('select check_id from checks order by org_id, check_id')).map((row) => Number(row.check_id))
})
afterAll(() => w.close())

async function inSpans<Row extends CheckKey>(checks: number, list: (span: KeySpan) => Promise<Row[]>) {
  const found: Row[] = []
  for (let after: CheckKey | null = null, spans = 0; ; spans++) {
    if (spans > check_ids.length) throw new Error('it does not come to its end')
    const span: KeySpan = await findSpanAfter(w.deps.database.machines, after, checks)
    found.push(...(await list(span)))
    if (span.last === null) return found
    after = span.last
  }
}

test.each([1, 2, 3, 7, 8, 9])('in spans of %i', async (checks) => {
  const { machines } = w.deps.database
  const now = w.clock.now().toISOString()
  await w.rows('delete from check_schedules')
  const changes = (span: KeySpan) => listScheduleChanges(machines, now, span)
  const changed = await inSpans(checks, changes)
  expect(changed.map(({ check_id }) => check_id)).toEqual(check_ids)
  expect(changed).toEqual(await changes(ALL_KEYS))

  await judgeUnmonitored(w.deps)
  const later = new Date(w.clock.now().getTime() + 86_400_000).toISOString()
  const patience = { turns: 2, timeout_sec: 10, slack_sec: 60, least_sec: 180 }
  const search = { now: later, patience, onlineSince: later, seenSince: later }
  const silent = (span: KeySpan) => listSilentChecks(machines, search, span)
  const lost = await inSpans(checks, silent)
  expect(lost.map(({ check_id }) => check_id)).toEqual(check_ids)
  expect(lost).toEqual(await silent(ALL_KEYS))
})

test('a schedule ends whose check is gone, in whichever span it was', async () => {
  const { machines } = w.deps.database
  const now = w.clock.now().toISOString()
  await judgeUnmonitored(w.deps)
  await w.rows('update checks set deleted = true where check_id = any($1)', [check_ids[0], check_ids[4], check_ids[7]])
  const ended = await inSpans(2, (span) => listScheduleChanges(machines, now, span))
  expect(ended.map(({ check_id, interval_sec }) => [check_id, interval_sec])).toEqual([
    [check_ids[0], null],
    [check_ids[4], null],
    [check_ids[7], null],
  ])
})

test('an organisation is told once of all its checks, however many steps they take', async () => {
  const orgs = [await w.org(), await w.org()]
  const monitors = await Promise.all(orgs.map((org) => w.monitor(org)))
  for (const org of orgs) await w.checks(org, [{}, {}, {}, {}, {}], 'all')
  await sweepUnmonitored(w.deps, 2)
  for (let minute = 0; minute < 30; minute++) {
    w.clock.forward(60)
    for (const { client } of monitors) await client.ping()
    await sweepUnmonitored(w.deps, 2)
  }
  for (const org of orgs) {
    const events = await told(w, org)
    expect(events.map(({ type, data }) => [type, data.checks.length])).toEqual([['check.unmonitored', 5]])
  }
})
