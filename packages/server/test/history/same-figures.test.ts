// The smallest histories of which two places once said different things.

import { judgeUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import { readWeeklyReport } from '@dogwatch/domain/weekly-report/read'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { configToken, configurator } from '../../../api/test/support/config-api.ts'
import { ownerOf, type Somebody } from '../support/console.ts'
import { type Monitor, type Org, result, type World, world } from '../support/world.ts'

const HOUR_SEC = 3600

let w: World
let org: Org
let owner: Somebody
let ask: ReturnType<typeof configurator>
let monitor: Monitor
let guid: string
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

/** A check that is made at six in the morning. */
beforeEach(async () => {
  w.clock.forward(30 * HOUR_SEC - ((w.clock.now().getTime() / 1000) % (24 * HOUR_SEC)))
  org = await w.org('team')
  owner = await ownerOf(w, org)
  ask = configurator(w, await configToken(w, org))
  monitor = await w.monitor(org)
  ;[guid = ''] = await w.checks(org, [{ name: 'Shop', interval_sec: HOUR_SEC }], 'all')
  await w.rows('update checks set created_at = $2 where guid = $1', guid, at(0))
  await judgeUnmonitored(w.deps)
})

/** So many seconds from now. */
const at = (sec: number) => new Date(w.clock.now().getTime() + sec * 1000).toISOString()
const words = (text = '') => text.replaceAll(/\s+/g, ' ').trim()

/** Uptime and what it is of for 24 hours and 7 days, on the page of the check and in the list. */
async function onPages(): Promise<Record<'page' | 'list', string[]>> {
  await owner.browser.open(`/checks/${guid}`)
  const rows = owner.browser.all('section[data-live=uptime] table')[0]?.querySelectorAll('tbody tr') ?? []
  const page = rows.slice(0, 2).map((row) => {
    const [, uptime, of] = row.querySelectorAll('th, td').map((cell) => words(cell.text))
    return `${uptime} up over ${of?.replace(/;.*/, '')}`
  })
  await owner.browser.open('/checks')
  const list = ['Uptime 24 h', 'Uptime 7 d'].map((label) =>
    words(owner.browser.all(`td[data-label="${label}"]`)[0]?.text),
  )
  return { page, list }
}

async function totals(since: string): Promise<Record<string, unknown>> {
  const { body } = await ask('get', `/checks/${guid}/summary?since=${since}&step=hour`)
  return (body as { total: Record<string, unknown> }).total
}

async function metric(name: string): Promise<number> {
  const { text } = await ask('get', '/metrics')
  return Number(new RegExp(`dogwatch_check_${name}{.*} (.*)`).exec(text)?.[1])
}

test('a gap of two runs is unknown in the list as on the page of the check', async () => {
  const since = at(0)
  w.clock.forward(10 * HOUR_SEC)
  const hours = [9, 8, 7, 6, 5, 2, 1].map((ago) => -ago * HOUR_SEC)
  // Two of them twice, which makes up for no gap.
  const doubled = [-1, -2].map((ago) => ago * HOUR_SEC + 1)
  await monitor.client.upload([...hours, ...doubled].map((sec) => result(guid, { ran_at: at(sec) })))
  const { page, list } = await onPages()
  expect([page[0], list]).toEqual(['100% up over 8 h', page])
  expect(await totals(since)).toMatchObject({ up_sec: 8 * HOUR_SEC, unknown_sec: 2 * HOUR_SEC })
})

test('the coverage of the metrics is that of the page and of the summaries: runs that arrived of those that were due', async () => {
  const since = at(0)
  w.clock.forward(10 * HOUR_SEC)
  const hours = [-9, -8, -7, -6, -5, -4, -3, -2, -1]
  await monitor.client.upload(hours.map((ago) => result(guid, { ran_at: at(ago * HOUR_SEC) })))
  expect(await totals(since)).toMatchObject({ coverage: 90 })
  expect(await metric('coverage_ratio')).toBe(0.9)
})

test('the metrics say nine of ten as 0.1 failed, without a rest that rounds down further', async () => {
  w.clock.forward(10 * HOUR_SEC)
  const runs = Array.from({ length: 10 }, (_, n) => result(guid, { ran_at: at(-n * HOUR_SEC), success: n === 0 }))
  await monitor.client.upload(runs)
  expect(await metric('uptime_ratio')).toBe(0.1)
})

/** A run that a clock dates seven minutes ahead, and one of the hour before. */
async function uploadAhead(success: boolean): Promise<void> {
  await monitor.client.upload([
    result(guid, { ran_at: at(-HOUR_SEC) }),
    result(guid, { ran_at: at(7 * 60), success, http_status: success ? 200 : 503 }),
  ])
}

test('a run that a fast clock dates ahead counts at once, in the summaries as on the page', async () => {
  const since = at(0)
  w.clock.forward(2 * HOUR_SEC + 600)
  await uploadAhead(false)
  expect((await onPages()).page).toEqual(['50% up over 2 h 10 min', '50% up over 2 h 10 min'])
  expect(await totals(since)).toMatchObject({ runs: 2, failures: 1, uptime: 50 })
})

test('the mean of the weekly report has the runs that its uptime has, those that a fast clock dates ahead as well', async () => {
  w.clock.forward(2 * HOUR_SEC + 600)
  await monitor.client.upload([
    result(guid, { ran_at: at(-HOUR_SEC), latency_ms: 10 }),
    result(guid, { ran_at: at(7 * 60), latency_ms: 30 }),
  ])
  const { checks, slowest } = await readWeeklyReport(w.deps, org.org_id)
  expect([checks[0]?.week.runs, slowest[0]?.latency_ms]).toEqual([2, 20])
})

test('a run that a fast clock dates into the next hour belongs to today in the list as on the page', async () => {
  w.clock.forward(2 * HOUR_SEC - 60)
  await uploadAhead(false)
  const { page, list } = await onPages()
  expect([page, list]).toEqual([page, page])
  expect(page[1]).toMatch(/^50%/)
})

test('a run that a fast clock dates ahead does not count while maintenance is on', async () => {
  const since = at(0)
  w.clock.forward(2 * HOUR_SEC)
  const starts_at = at(0).slice(0, 16)
  await ask('post', '/maintenance', { name: 'm', scope: { all: true }, starts_at, duration_sec: HOUR_SEC })
  w.clock.forward(600)
  await uploadAhead(false)
  const { page, list } = await onPages()
  expect([page, list]).toEqual([page, page])
  expect(page.map((text) => text.split(' up over ')[0])).toEqual(['100%', '100%'])
  expect(await totals(since)).toMatchObject({ runs: 1, failures: 0, uptime: 100 })
})
