// Uptime and response times over a range by the configuration API.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { configToken, configurator } from '../support/config-api.ts'
import { type Org, result, type World, world } from '../support/world.ts'

const HOUR_SEC = 3600
interface Times {
  p50_ms: number
  p95_ms: number
}

let w: World
let org: Org
let ask: ReturnType<typeof configurator>
let guid: string
/** When the first hour begins. */
let first: number
const at = (sec: number) => new Date(first + sec * 1000).toISOString()

beforeAll(async () => {
  w = await world()
  org = await w.org('team')
  ask = configurator(w, await configToken(w, org))
  w.clock.forward(HOUR_SEC - ((w.clock.now().getTime() / 1000) % HOUR_SEC))
  first = w.clock.now().getTime()
  const monitor = await w.monitor(org)
  ;[guid = ''] = await w.checks(org, [{ name: 'Shop', interval_sec: 360, tags: ['shop'] }], [monitor.id])
  await w.checks(org, [{ name: 'Other' }])
  // By the clock of the database.
  await w.rows('update checks set created_at = $2 where org_id = $1', org.org_id, at(0))
  await ask('patch', `/checks/${guid}`, { key: 'shop' })
  // The third hour is maintenance.
  const starts_at = at(2 * HOUR_SEC).slice(0, 16)
  await ask('post', '/maintenance', { name: 'm', scope: { checks: [guid] }, starts_at, duration_sec: HOUR_SEC })
  w.clock.forward(3 * HOUR_SEC + 600)
  // Ten runs an hour; in the first one two fail, in the second one five do not arrive, in the third one all fail.
  const runs = Array.from({ length: 30 }, (_, n) => n).filter((n) => n < 15 || n >= 20)
  await monitor.client.upload(
    runs.map((n) => {
      const success = n >= 2 && n < 20
      const latency_ms = n === 9 ? 1000 : 100
      return result(guid, { success, latency_ms, ran_at: at(n * 360 + 1), http_status: success ? 200 : 500 })
    }),
  )
})
afterAll(() => w.close())

test('the summary of a check has steps and their total, without what ran in maintenance', async () => {
  const { status, body } = await ask('get', `/checks/key:shop/summary?since=${at(0)}&until=${at(3 * HOUR_SEC)}`)
  expect([status, body]).toEqual([
    200,
    expect.objectContaining({ guid, key: 'shop', name: 'Shop', step: 'hour', since: at(0).replace('Z', '000Z') }),
  ])
  const { steps, total } = body as { steps: object[]; total: Record<string, number> }
  expect(steps).toEqual([
    {
      at: at(0).replace('Z', '000Z'),
      runs: 10,
      failures: 2,
      uptime: 80,
      coverage: 100,
      mean_ms: 213,
      max_ms: 1000,
      p50_ms: 100,
      p95_ms: 1000,
    },
    expect.objectContaining({ runs: 5, failures: 0, uptime: 100, coverage: 50, mean_ms: 100, p95_ms: 100 }),
    expect.objectContaining({ runs: 0, failures: 0, maintenance_sec: HOUR_SEC }),
  ])
  expect(steps[2]).not.toHaveProperty('uptime')
  expect(total).toMatchObject({
    runs: 15,
    failures: 2,
    uptime: 86.66,
    total_sec: 3 * HOUR_SEC,
    maintenance_sec: HOUR_SEC,
    paused_sec: 0,
    mean_ms: 169,
  })
  const { up_sec = 0, failing_sec = 0, unknown_sec = 0, maintenance_sec = 0 } = total
  expect(Math.abs(up_sec + failing_sec + unknown_sec + maintenance_sec - 3 * HOUR_SEC)).toBeLessThanOrEqual(2)
  expect(unknown_sec).toBeGreaterThan(0)
})

test('longer ranges have steps of days, from when the check existed', async () => {
  const since = at(-20 * 24 * HOUR_SEC)
  const { body } = await ask('get', `/checks/${guid}/summary?since=${since}`)
  const { step, steps, total } = body as { step: string; steps: { runs: number; p95_ms?: number }[]; total: Times }
  expect(step).toBe('day')
  expect(steps.length).toBeLessThanOrEqual(2)
  expect(steps.reduce((sum, { runs }) => sum + runs, 0)).toBe(15)
  // By sums, which tell percentiles within 2 %.
  expect(Math.abs((steps.find(({ runs }) => runs > 0)?.p95_ms ?? 0) - 1000)).toBeLessThanOrEqual(20)
  expect(total).toMatchObject({ runs: 15, failures: 2, p50_ms: 100 })
  expect(Math.abs(total.p95_ms - 1000)).toBeLessThanOrEqual(20)
})

test('a range that is none or too long is refused by its field', async () => {
  for (const [query, line] of [
    [`since=${at(10)}&until=${at(5)}`, 'since must be earlier than "until", and in the past'],
    [
      `since=${at(-40 * 24 * HOUR_SEC)}&step=hour`,
      'since must be at most 31 days before "until" if each step is an hour',
    ],
    ['since=yesterday', 'since must be an RFC 3339 date-time'],
  ] as const) {
    const { status, text } = await ask('get', `/checks/${guid}/summary?${query}`)
    expect([status, text]).toEqual([400, line])
  }
  expect((await ask('get', `/summaries?since=${at(-100 * 24 * HOUR_SEC)}`)).status).toBe(400)
})

test('the totals of many checks come in pages, by tag as well', async () => {
  const range = `since=${at(0)}&until=${at(3 * HOUR_SEC)}`
  const page = async (query: string) => {
    const { body } = await ask('get', `/summaries?${range}${query}`)
    return body as { summaries: { name: string; total: { runs: number; uptime?: number } }[]; next?: string }
  }
  const all = await page('')
  expect(all.summaries.map(({ name, total }) => [name, total.runs, total.uptime])).toEqual([
    ['Shop', 15, 86.66],
    ['Other', 0, undefined],
  ])
  const { next } = await page('&limit=1')
  expect((await page(`&limit=1&after=${next}`)).summaries.map(({ name }) => name)).toEqual(['Other'])
  expect((await page('&tag=shop')).summaries.map(({ name }) => name)).toEqual(['Shop'])
  expect((await page('&tag=none')).summaries).toEqual([])
})
