// Sealing where results are on two nodes: a node that is away holds the watermark back and nothing else, and what one has committed before
// the coordinator did is made anew.

import { wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { foldHistory } from '@dogwatch/domain/results/history'
import { closeHours, sealHours, sealSome } from '@dogwatch/domain/results/seal'
import { listResults, START } from '@dogwatch/store/results/result-pages'
import { readSealProgress } from '@dogwatch/store/results/sealing/sealing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { TwoNodes } from '../../../store/test/support/nodes.ts'
import { Mortal } from '../support/mortal.ts'
import { type Monitor, type Org, result, type World, world } from '../support/world.ts'

interface Place {
  org: Org
  monitor: Monitor
  guid: string
  check_id: number
}

let w: World
let nodes: TwoNodes
let mortal: Mortal
/** One on each node. */
let here: Place
let there: Place
beforeAll(async () => {
  w = await world({ nodes: (url) => (nodes = new TwoNodes(url)) })
  mortal = new Mortal(w)
  await foldHistory(w.deps)
  await sealHours(w.deps)
  w.clock.forward(60)
})
afterAll(() => w.close())
beforeEach(async () => {
  nodes.faults.clear()
  ;[here, there] = [await place(), await place()]
  await seal()
})

async function place(): Promise<Place> {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ interval_sec: 60 }], [monitor.id])
  const [row] = await w.rows('select check_id from checks where guid = $1', guid)
  return { org, monitor, guid, check_id: Number(row?.check_id) }
}

const progress = () => readSealProgress(w.deps.database.machines)
const ago = (min: number) => new Date(w.clock.now().getTime() - min * 60_000).toISOString()
const upload = ({ monitor, guid }: Place, ran_at: string, more = {}) =>
  monitor.client.upload([result(guid, { ran_at, response_sample: 'sample', ...more })])
const away = ({ org }: Place) => nodes.faults.set(org.org_id % 2 === 0 ? 'even' : 'odd', 'away')
const over = () => Math.floor((w.clock.now().getTime() - 600_000) / 3_600_000) * 3_600_000
const countOf = async (table: string, { org }: Place) =>
  (await w.rows(`select count(*)::integer as count from ${table} where org_id = $1`, org.org_id))[0]?.count
const samplesOf = async ({ org, check_id }: Place) =>
  (await listResults(w.deps.database, { org_id: org.org_id, check_id, result_detail_max_chars: 256 }, START, 10)).map(
    ({ response_sample }) => response_sample,
  )

async function seal(): Promise<void> {
  for (let runs = 0; runs < 40; runs++) {
    await foldHistory(w.deps)
    await sealHours(w.deps)
    if (Date.parse((await progress()).sealed_until) === over()) return
  }
  throw new Error('not all that is over was sealed')
}

test('a node that is away holds the watermark back, and others go on storing and reading', async () => {
  for (const one of [here, there]) await upload(one, ago(5))
  w.clock.forward(2 * 3600)
  await foldHistory(w.deps)
  const before = await progress()
  away(there)
  await sealHours(w.deps)
  expect((await progress()).sealed_until).toBe(before.sealed_until)
  expect((await upload(here, ago(1))).accepted).toBe(1)
  expect(await samplesOf(here)).toHaveLength(2)
  nodes.faults.clear()
  await seal()
  expect([await countOf('sealed_hours', here), await countOf('sealed_hours', there)]).toEqual([1, 1])
  expect(await samplesOf(there)).toHaveLength(1)
})

test('what a node committed and the coordinator did not is sealed again, with what was wiped meanwhile', async () => {
  await upload(here, ago(5))
  w.clock.forward(2 * 3600)
  await foldHistory(w.deps)
  await closeHours(w.deps)
  const before = await progress()
  // The day is there: the transaction that is undone is the one that seals.
  await mortal.until(0, () => sealSome(w.deps, 1000))
  expect(await countOf('sealed_hours', here)).toBe(1)
  expect((await progress()).sealed_until).toBe(before.sealed_until)
  await wipeDefinition(w.deps, here.guid)
  await w.rows(`update sealed_hours set samples = '{left}' where org_id = $1`, here.org.org_id)
  await seal()
  expect(await countOf('sealed_hours', here)).toBe(1)
  expect(await samplesOf(here)).toEqual([null])
})

test('a late result is read at once and merged when every process has noticed what is sealed', async () => {
  const [first, second] = [ago(5), ago(4)]
  await upload(here, first)
  w.clock.forward(2 * 3600)
  await seal()
  await upload(here, second, { response_sample: 'late' })
  await upload(here, first, { response_sample: 'again' })
  expect(await samplesOf(here)).toEqual(['sample', 'late'])
  await foldHistory(w.deps)
  expect(await countOf('reopened_results', here)).toBe(1)
  for (let runs = 0; runs < 2; runs++) {
    w.clock.forward(60)
    await sealHours(w.deps)
  }
  await foldHistory(w.deps)
  expect(await countOf('reopened_results', here)).toBe(0)
  expect(await samplesOf(here)).toEqual(['sample', 'late'])
  expect(await w.rows('select sum(runs)::integer as runs from rollups where org_id = $1', here.org.org_id)).toEqual([
    { runs: 2 },
  ])
})
