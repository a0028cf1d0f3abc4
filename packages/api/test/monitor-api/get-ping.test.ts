// GET /ping
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

test('answers ok and moves last_seen_at of the caller alone', async () => {
  const org = await w.org()
  const [alice, bob] = [await w.monitor(org), await w.monitor(org)]
  expect(await alice.client.ping()).toEqual({ status: 'ok' })
  const rows = await w.rows(
    'select id from monitors where last_seen_at = $3::timestamptz and id in ($1, $2)',
    alice.id,
    bob.id,
    w.clock.now(),
  )
  expect(rows).toEqual([{ id: alice.id }])
})
