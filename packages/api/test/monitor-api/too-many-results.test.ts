// POST /results beyond what the checks can produce: handed back and counted, and stored later. No result is lost.

import { takeBackFuture } from '@dogwatch/domain/clock-set-back'
import { DEFAULT_BOUNDS } from '@dogwatch/domain/limits/bounds'
import type { Result } from '@dogwatch/monitor-sdk'
import { Metrics } from '@dogwatch/runtime/metrics'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Monitor, type Org, PREFIX, result, type World, world } from '../support/world.ts'

const BASE = 1000
const DAY_SEC = 86_400

let w: World
let org: Org
let monitor: Monitor
const metrics = new Metrics()
beforeAll(async () => {
  w = await world({ metrics })
  w.deps.bounds = { ...DEFAULT_BOUNDS, results_beyond: BASE }
})
beforeEach(async () => {
  org = await w.org()
  monitor = await w.monitor(org)
})
afterAll(() => w.close())

/** The nth of some results that ran so many seconds apart, the last of them now. */
const some = (guid: string, count: number, apart_sec: number) =>
  Array.from({ length: count }, (_, n) => {
    const ran_at = new Date(w.clock.now().getTime() - (count - 1 - n) * apart_sec * 1000).toISOString()
    return result(guid, { ran_at })
  })
const stored = async (guid: string) => {
  const [row] = await w.rows(
    'select count(*)::integer as n from results r join checks using (org_id, check_id) where guid = $1',
    guid,
  )
  return row?.n as number
}
const excess = async () => {
  const { values } = await metrics.results.get()
  return values.find(({ labels }) => labels.outcome === 'excess')?.value ?? 0
}
/** As if the check had been there, with this interval, from so many days ago until so many days ago. */
const wasScheduled = (guid: string, interval_sec: number, from: number, until: number | null) =>
  w.rows(
    `insert into check_schedules (org_id, check_id, since, until, interval_sec, run_by, watched_since)
     select org_id, check_id, $2::timestamptz - $3::integer * interval '1 day', $2::timestamptz - $4::integer * interval '1 day',
       $5, 0, $2::timestamptz from checks where guid = $1`,
    guid,
    w.clock.now().toISOString(),
    from,
    until,
    interval_sec,
  )
const budgets = () => w.rows('select from result_budgets where org_id = $1', org.org_id)

/** Uploads as a sender that keeps what is handed back. */
const send = async (results: Result[], { client } = monitor) => {
  const back: Result[] = []
  const { accepted } = await client.upload(results, { onAgain: (some) => void back.push(...some) })
  return { accepted, back }
}

test('results that no check can have produced are handed back, and all of them are stored in time', async () => {
  const [guid = ''] = await w.checks(org, [{ interval_sec: 120 }], 'all')
  const before = await excess()
  const flood = some(guid, 3000, 1)
  const { accepted, back } = await send(flood)
  // What is over, and four times what it produces in an hour.
  expect(accepted).toBe(BASE + 120)
  expect(back).toHaveLength(3000 - accepted)
  expect(await stored(guid)).toBe(accepted)
  expect((await excess()) - before).toBe(back.length)
  expect(await send(flood)).toEqual({ accepted, back })
  let left = back
  for (let hour = 1; hour <= 4 && left.length > 0; hour++) {
    w.clock.forward(3600)
    left = (await send(left)).back
  }
  expect(left).toEqual([])
  expect(await stored(guid)).toBe(3000)
})

test('a sender that keeps no part gets 429 and loses nothing', async () => {
  const [guid = ''] = await w.checks(org, [{ interval_sec: 120 }], 'all')
  await send(some(guid, 1000, 1))
  w.clock.forward(600)
  const post = () =>
    w.http
      .post(`${PREFIX}/results`)
      .set('Authorization', `Bearer ${monitor.key}`)
      .send({ results: some(guid, 500, 1) })
  const { status, text, headers } = await post()
  expect([status, text, headers['retry-after']]).toEqual([429, 'rate limit exceeded', '60'])
  expect(await stored(guid)).toBe(1000 + 120 + 83)
})

test("what exceeds one organisation's budget delays no results of others in its batch", async () => {
  const shared = await w.monitor(null)
  const [flooded = ''] = await w.checks(org, [{ interval_sec: 120 }], [shared.id])
  const [other = ''] = await w.checks(await w.org(), [{ interval_sec: 120 }], [shared.id])
  await send(some(flooded, BASE + 120, 1), shared)
  w.clock.forward(5)
  const mixed = () => [...some(flooded, 400, 0.01), ...some(other, 50, 0.01)]
  const { accepted, back } = await send(mixed(), shared)
  expect([accepted, new Set(back.map(({ check_guid }) => check_guid))]).toEqual([50, new Set([flooded])])
  w.clock.forward(1)
  await expect(shared.client.upload(mixed())).rejects.toMatchObject({ status: 429 })
  expect(await stored(other)).toBe(100)
})

test('of a batch that is too large, the newest results stay', async () => {
  const [guid = ''] = await w.checks(org, [{ interval_sec: 120 }], 'all')
  await send(some(guid, 1000, 1))
  w.clock.forward(600)
  // 120 are left, and a sixth of an hour brings 83.
  expect((await send(some(guid, 500, 1))).accepted).toBe(203)
  const [row] = await w.rows(
    'select max(ran_at) = $2 as newest from results join checks using (org_id, check_id) where guid = $1',
    guid,
    w.clock.now().toISOString(),
  )
  expect(row).toEqual({ newest: true })
})

test('a flood of one check takes nothing from another of the same organisation, live', async () => {
  const [flooded = '', other = ''] = await w.checks(org, [{ interval_sec: 120 }, { interval_sec: 30 }], 'all')
  await send(some(flooded, 2000, 1))
  for (let n = 0; n < 120; n++) {
    w.clock.forward(30)
    expect(await monitor.client.upload(some(other, 1, 1))).toMatchObject({ accepted: 1 })
  }
})

test('an agent that was away for 30 days loses nothing', async () => {
  const [guid = ''] = await w.checks(org, [{ interval_sec: 600 }], 'all')
  await wasScheduled(guid, 600, 31, null)
  const count = (30 * DAY_SEC) / 600
  expect(count).toBeGreaterThan(2 * BASE)
  expect(await monitor.client.upload(some(guid, count, 600))).toEqual({ submitted: count, accepted: count })
  expect(await stored(guid)).toBe(count)
})

test('nor does one whose check was made slower meanwhile: what was due counts by the interval of that time', async () => {
  const [guid = ''] = await w.checks(org, [{ interval_sec: 3600 }], 'all')
  await wasScheduled(guid, 120, 10, 5)
  await wasScheduled(guid, 3600, 5, null)
  const count = (5 * DAY_SEC) / 120
  expect(await monitor.client.upload(some(guid, count, 120))).toEqual({ submitted: count, accepted: count })
})

test('a budget gains four times what is due and 500 an hour, and does not grow for ever', async () => {
  const [guid = ''] = await w.checks(org, [{ interval_sec: 600 }], 'all')
  await wasScheduled(guid, 600, 0, null)
  expect((await send(some(guid, 2000, 1))).accepted).toBe(BASE + 60)
  w.clock.forward(3600)
  expect((await send(some(guid, 2000, 1))).accepted).toBe(4 * 6 + 500 + 60)
  w.clock.forward(DAY_SEC)
  // 150 runs were due: at most twice as many beyond the base, and those of the hour.
  expect((await send(some(guid, 2000, 1))).accepted).toBe(BASE + 300 + 60)
  w.clock.forward(100 * DAY_SEC)
  const most = BASE + 2 * 40 * 144 + 60
  expect((await send(some(guid, most + 500, 1))).accepted).toBe(most)
})

test('what was spent while the clock was ahead comes back from when the clock was set back', async () => {
  const [guid = ''] = await w.checks(org, [{ interval_sec: 600 }], 'all')
  await wasScheduled(guid, 600, 0, null)
  w.clock.forward(DAY_SEC)
  await send(some(guid, 2000, 1))
  w.clock.forward(-DAY_SEC)
  await takeBackFuture(w.deps)
  w.clock.forward(DAY_SEC / 2)
  expect((await send(some(guid, 2000, 1))).accepted).toBe(BASE + 144 + 60)
})

test('a healthy check never touches the budget, whatever its interval, even when its batches are sent again', async () => {
  const [guid = ''] = await w.checks(org, [{ interval_sec: 30 }], 'all')
  const hour = some(guid, 120, 30)
  for (let n = 0; n < 120; n += 5) for (const _ of [1, 2]) await monitor.client.upload(hour.slice(n, n + 5))
  expect(await stored(guid)).toBe(120)
  expect(await budgets()).toEqual([])
})

test('batches that come at once do not spend a budget twice', async () => {
  const [guid = ''] = await w.checks(org, [{ interval_sec: 120 }], 'all')
  await monitor.client.upload(some(guid, 120, 1))
  w.clock.forward(1000)
  const parts = Array.from({ length: 6 }, (_, n) =>
    some(guid, 500, 1).map((one) => ({ ...one, ran_at: one.ran_at.replace('.000Z', `.${n}Z`) })),
  )
  const answers = await Promise.all(parts.map((part) => send(part)))
  expect(answers.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(BASE)
})

test('nobody uses up the limits of a check that is not theirs', async () => {
  const [guid = ''] = await w.checks(org, [{ interval_sec: 120 }], 'all')
  const stranger = await w.monitor(await w.org())
  expect(await stranger.client.upload(some(guid, 1000, 1))).toMatchObject({ accepted: 0 })
  await monitor.client.upload(some(guid, 60, 1))
  expect(await budgets()).toEqual([])
})
