// How often an upload asks the database and waits for the answer: as long as it does, it holds one of few connections. Where results are on
// nodes, it asks those as well.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { plainWorld } from '../support/on-cluster.ts'
import { type Monitor, result, type World } from '../support/world.ts'

let w: World
let monitor: Monitor
let guids: string[]
let asked: string[] = []
const client = pg.Client.prototype as unknown as { query(...given: unknown[]): unknown }
const { query } = client
beforeAll(async () => {
  w = await plainWorld()
  const org = await w.org()
  monitor = await w.monitor(org)
  guids = await w.checks(
    org,
    Array.from({ length: 100 }, () => ({ down_interval_sec: 3 })),
    'all',
  )
  client.query = function (this: pg.Client & { connectionParameters: { application_name: string } }, ...given) {
    const [statement] = given as [string | { text: string }]
    const text = typeof statement === 'string' ? statement : statement.text
    if (this.connectionParameters.application_name === 'dogwatch') asked.push(text.replace(/\s+/g, ' ').slice(0, 120))
    return query.apply(this, given)
  }
})
afterEach(() => {
  asked = []
})
afterAll(async () => {
  client.query = query
  await w.close()
})

let n = 0
async function upload(count: number, failing: number): Promise<number> {
  n++
  const ran_at = new Date(w.clock.now().getTime() - 1000 + n).toISOString()
  const results = guids
    .slice(0, count)
    .map((guid, place) => result(guid, { ran_at, success: failing === 0 || place !== n % count }))
  const before = asked.length
  expect(await monitor.client.upload(results)).toMatchObject({ accepted: count })
  return asked.length - before
}

const TRIPS: [string, number, number, number][] = [
  ['successes', 17, 0, 1],
  ['many successes', 100, 0, 2],
  ['a failure', 17, 1, 4],
  ['many results and a failure', 100, 1, 5],
]
const measure = async (_: string, count: number, failing: number, trips: number): Promise<void> => {
  // On each connection, statements are prepared by themselves. No check fails twice.
  for (let warm = 0; warm < 12; warm++) await upload(count, failing)
  asked = []
  const taken = await upload(count, failing)
  if (taken > trips) process.stderr.write(`${asked.join('\n')}\n`)
  expect(taken).toBeLessThanOrEqual(trips)
}

test.each(TRIPS)('%s', measure)

test.each(TRIPS)('%s, where hours are sealed', async (...given) => {
  await w.rows('update seal_progress set is_on = true')
  w.deps.database.sealing.forget()
  await measure(...given)
})
