// An hour of many checks is folded in several transactions, whatever happens between them.

import { foldHistory } from '@dogwatch/domain/results/history'
import { listHours } from '@dogwatch/store/results/history'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { Mortal } from '../support/mortal.ts'
import { plainWorld } from '../support/on-cluster.ts'
import { type Monitor, type Org, result, type World } from '../support/world.ts'

// In a plain world: where results are on nodes, an hour is folded whole.

const FROM = '2026-11-01T00:00:00.000000Z'
const UNTIL = '2027-01-01T00:00:00.000000Z'

let w: World
let mortal: Mortal
let org: Org
let monitor: Monitor
let guids: string[]
let check_ids: number[]
beforeAll(async () => {
  w = await plainWorld()
  mortal = new Mortal(w)
  org = await w.org()
  monitor = await w.monitor(org)
  guids = await w.checks(org, [{}, {}, {}], 'all')
  check_ids = (await w.rows('select check_id from checks order by check_id')).map(({ check_id }) => Number(check_id))
})
afterAll(() => w.close())

/** Two hours in which each check ran; the first is folded of one of them. */
beforeEach(async () => {
  for (const table of ['results', 'rollups', 'rollups_daily', 'rollup_marks', 'rollup_progress'])
    await w.rows(`delete from ${table}`)
  const sec = Math.floor(w.clock.now().getTime() / 1000)
  w.clock.forward(3600 - (sec % 3600) + 1200)
  await foldHistory(w.deps)
  for (const _ of ['first', 'second']) {
    const ran_at = w.clock.now().toISOString()
    await monitor.client.upload(guids.map((guid) => result(guid, { ran_at })))
    w.clock.forward(3600)
  }
  await mortal.until(1, () => foldHistory(w.deps, 1))
})

const folded = () => w.rows('select check_id::integer, runs from rollups order by hour, check_id')
const eachOnce = () => check_ids.map((check_id) => ({ check_id, runs: 1 }))

test('whoever was killed goes on where it was', async () => {
  expect(await folded()).toEqual(eachOnce().slice(0, 1))
  // Were it folded once more, it would be put right.
  await w.rows('update rollups set runs = 77')
  expect(await foldHistory(w.deps, 2)).toMatchObject({ hours: 2 })
  const [first, ...others] = [...eachOnce(), ...eachOnce()]
  expect(await folded()).toEqual([{ ...first, runs: 77 }, ...others])
})

test('until all of it is folded, it is counted from its results', async () => {
  await w.rows('update rollups set runs = 77')
  const hours = await listHours(w.deps.database, { org_id: org.org_id, check_ids, from: FROM, until: UNTIL })
  expect(hours.map(({ runs }) => runs)).toEqual([1, 1, 1, 1, 1, 1])
})

test('the place counts only for the hour that is folded next', async () => {
  await w.rows('delete from rollups')
  await w.rows("update rollup_progress set hours_until = hours_until + interval '1 hour'")
  expect(await foldHistory(w.deps, 2)).toMatchObject({ hours: 1 })
  expect(await folded()).toEqual(eachOnce())
})
