// A large batch that is sent again, because its answer was lost, writes nothing.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Monitor, result, type World, world } from '../support/world.ts'

let w: World
let monitor: Monitor
let guids: string[]
beforeAll(async () => {
  w = await world()
  const org = await w.org()
  monitor = await w.monitor(org)
  guids = await w.checks(
    org,
    Array.from({ length: 10 }, () => ({})),
    'all',
  )
})
afterAll(() => w.close())

/** Rows that were written and taken back take place as well. */
async function readSize(): Promise<number> {
  const [row] = await w.rows(
    `select sum(pg_total_relation_size(inhrelid))::integer as bytes from pg_inherits where inhparent = 'results'::regclass`,
  )
  return Number(row?.bytes)
}

const batchOf = (count: number) =>
  Array.from({ length: count }, (_, n) => {
    const ran_at = new Date(w.clock.now().getTime() - n * 1000).toISOString()
    return result(guids[n % guids.length] ?? '', { ran_at, response_sample: `${n} `.repeat(50) })
  })

test('its results count once, and the table does not grow', async () => {
  const batch = batchOf(400)
  const stranger = result('nobody', { ran_at: w.clock.now().toISOString() })
  expect(await monitor.client.upload(batch)).toMatchObject({ accepted: 400 })
  const bytes = await readSize()
  for (const again of [batch, batch.slice(0, 200), batch.toReversed(), [stranger, ...batch, stranger]]) {
    const known = again.filter((one) => one !== stranger)
    expect(await monitor.client.upload(again)).toMatchObject({ accepted: known.length })
  }
  expect(await readSize()).toBe(bytes)
  expect(await w.rows('select count(*)::integer as n from results')).toEqual([{ n: 400 }])
})
