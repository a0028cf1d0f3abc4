// Monitors whose clocks are so far off that they cannot date results, and that say so by `sent_at`.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ownerOf } from '../support/console.ts'
import { type Org, PREFIX, result, type World, world } from '../support/world.ts'

let w: World
let org: Org
beforeAll(async () => {
  w = await world()
  org = await w.org()
})
afterAll(() => w.close())

const stored = async (guid: string) =>
  (
    await w.rows(
      'select wire_time(ran_at) as ran_at from results join checks using (org_id, check_id) where guid = $1 order by 1',
      guid,
    )
  ).map(({ ran_at }) => ran_at)

const MINUTE_MS = 60_000

/** A monitor of a check, whose clock shows `start` now. */
async function board(start: string) {
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ down_interval_sec: 2 }], [monitor.id])
  const offset_ms = Date.parse(start) - w.clock.now().getTime()
  /** By its clock, some minutes ago. */
  const ago = (minutes: number, ms = 0) =>
    new Date(w.clock.now().getTime() + offset_ms - minutes * MINUTE_MS + ms).toISOString().replace('Z', '456Z')
  const send = (path: string, body: object) =>
    w.http.post(`${PREFIX}${path}`).set('Authorization', `Bearer ${monitor.key}`).send(body)
  return { monitor, guid, ago, send }
}

/** By the server's clock. */
const truly = (minutes: number) =>
  new Date(w.clock.now().getTime() - minutes * MINUTE_MS).toISOString().replace('Z', '456Z')

const STARTS = [
  '0001-01-02T00:00:00Z',
  '1970-01-01T05:00:00Z',
  '2026-11-20T13:00:00Z',
  '2026-12-15T12:00:00Z',
  '9999-12-31T23:00:00Z',
]

describe.each(STARTS)('a clock that shows %s', (start) => {
  test('has its results stored at the times of the server, and once however often they are sent', async () => {
    const { guid, ago, send } = await board(start)
    const results = [1, 2].map((minutes) => result(guid, { ran_at: ago(minutes), success: false }))
    const times = [truly(2), truly(1)]
    const first = await send('/results', { results, sent_at: ago(0) })
    expect([first.status, first.body]).toEqual([200, { accepted: 2 }])
    expect(await stored(guid)).toEqual(times)
    for (const late_ms of [-1500, 1200, -5000]) {
      w.clock.forward(1)
      const { body } = await send('/results', { results, sent_at: ago(0, late_ms) })
      expect(body).toEqual({ accepted: 2 })
    }
    expect(await stored(guid)).toEqual(times)
    const open = 'select from incidents join checks using (org_id, check_id) where guid = $1 and ended_at is null'
    expect(await w.rows(open, guid)).toHaveLength(1)
  })

  test('may report its status, and its page says how far it is off', async () => {
    const { monitor, ago, send } = await board(start)
    const { status } = await send('/status', { version: '1', uptime_sec: 1, unsent_results: 0, sent_at: ago(0) })
    expect(status).toBe(200)
    const { browser } = await ownerOf(w, org)
    await browser.open(`/monitors/${monitor.id}`)
    const [, off = ''] = / (\d+ \w+(?: \d+ \w+)? (?:ahead|behind))/.exec(browser.text()) ?? []
    expect(off.endsWith(Date.parse(start) > w.clock.now().getTime() ? 'ahead' : 'behind')).toBe(true)
  })
})

test('a board that begins at 1970 after it was right loses nothing: no stall of a network explains that', async () => {
  const { guid, send } = await board('2026-11-20T12:00:00Z')
  const right = w.clock.now().toISOString()
  await send('/results', { results: [result(guid, { ran_at: right })], sent_at: right })
  w.clock.forward(60)
  const waited = [result(guid, { ran_at: truly(1.5) }), result(guid, { ran_at: '1970-01-01T00:00:01Z' })]
  const { body } = await send('/results', { results: waited, sent_at: '1970-01-01T00:00:05Z' })
  expect(body).toEqual({ accepted: 2 })
  const times = await stored(guid)
  expect(times).toContain(truly(1.5))
  expect(times).toContain(new Date(w.clock.now().getTime() - 4000).toISOString().replace('Z', '000Z'))
})

test.each([
  ['ahead', '2026-11-20T14:00:00Z'],
  ['behind', '1970-01-01T05:00:00Z'],
])('a clock that was far %s and is right again has its results stored as told, at once', async (_, start) => {
  const { guid, ago, send } = await board(start)
  await send('/status', { version: '1', uptime_sec: 1, unsent_results: 0, sent_at: ago(0) })
  const waited = result(guid, { ran_at: ago(1) })
  const times = [truly(1)]
  for (const sec of [1, 2, 6, 1000]) {
    w.clock.forward(sec)
    times.push(truly(0))
    const results = [waited, result(guid, { ran_at: truly(0) })]
    const { body } = await send('/results', { results, sent_at: truly(0) })
    expect(body).toEqual({ accepted: 2 })
    expect(await stored(guid)).toEqual(times)
  }
})

test('without sent_at nothing says that a clock shows 1970, and its results are dropped', async () => {
  const { guid, ago, send } = await board('1970-01-01T05:00:00Z')
  const { body } = await send('/results', { results: [result(guid, { ran_at: ago(1) })] })
  expect(body).toEqual({ accepted: 0 })
})
