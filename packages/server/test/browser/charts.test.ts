// The chart of a check as scripts draw it.

import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, expect } from '@jest/globals'
import { openChromium } from '../support/chromium.ts'
import { result, type World, world } from '../support/world.ts'
import { type Visitor, visitor, wear } from './visitor.ts'

const { browser, test, close } = await openChromium()

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(async () => {
  await close()
  await w.close()
})

const minutesAgo = (minutes: number) => new Date(w.clock.now().getTime() - minutes * 60_000).toISOString()

/** The columns of the first chart, from one share of its width to another, in which a colour of a token is missing. */
const missing = ({ page }: Visitor, token: string, from: number, until: number) =>
  page.evaluate<number>(`(() => {
    const probe = document.createElement('span')
    probe.style.color = 'var(${token})'
    document.body.append(probe)
    const [r, g, b] = getComputedStyle(probe).color.match(/\\d+/g).map(Number)
    probe.remove()
    const canvas = document.querySelector('figure.chart canvas')
    const over = document.querySelector('figure.chart .u-over')
    const scale = canvas.width / canvas.clientWidth
    const left = over.offsetLeft * scale, width = over.offsetWidth * scale
    const { data, width: all } = canvas.getContext('2d').getImageData(0, 0, canvas.width, over.offsetHeight * scale)
    let count = 0
    for (let x = Math.round(left + width * ${from}); x < left + width * ${until}; x++) {
      let isThere = false
      for (let at = 4 * x; at < data.length; at += 4 * all) {
        isThere ||= Math.abs(data[at] - r) + Math.abs(data[at + 1] - g) + Math.abs(data[at + 2] - b) < 90
      }
      if (!isThere) count++
    }
    return count
  })()`)

async function chartOf(guid: string, session: string, from: number, until: number): Promise<Visitor> {
  const owner = await visitor(browser, w.direct, { session })
  await wear(owner.page, { scheme: 'light', width: 1440 })
  await owner.open(`/checks/${guid}?${new URLSearchParams({ from: minutesAgo(from), to: minutesAgo(until) })}`)
  await owner.page.locator('figure.chart canvas').first().waitFor()
  return owner
}

test('a zoomed line of a monitor goes on while the turns of others pass, and its legend is at rest until it is pointed at', async () => {
  const org = await w.org()
  const monitors = [await w.monitor(org, 'a'), await w.monitor(org, 'b'), await w.monitor(org, 'c')]
  const [guid = ''] = await w.checks(org, [{ name: 'shop', interval_sec: 300 }], 'all')
  w.clock.forward(9 * 3600)
  for (const [turn, { client }] of monitors.entries()) {
    const runs = Array.from({ length: 32 }, (_, n) => minutesAgo(480 - 15 * n - 5 * turn))
    await client.upload(runs.map((ran_at, n) => result(guid, { ran_at, latency_ms: 100 * (turn + 1) + n })))
  }
  // What was drawn ran by an earlier interval.
  await w.checks(org, [{ guid, name: 'shop', interval_sec: 30 }])
  await w.rows('delete from check_schedules where org_id = $1', org.org_id)
  await w.rows(
    `insert into check_schedules (org_id, check_id, since, until, interval_sec, run_by, watched_since)
     select org_id, check_id, $2, $3, 300, 0, $2 from checks where org_id = $1`,
    org.org_id,
    minutesAgo(540),
    minutesAgo(0),
  )
  const owner = await chartOf(guid, await openSession(w.deps, org.owner_id, org.org_id), 480, 0)
  await owner.keep('charts/zoomed')
  for (const token of ['--series-1', '--series-2', '--series-3']) {
    expect([token, await missing(owner, token, 0.1, 0.9)]).toEqual([token, 0])
  }
  const legend = owner.page.locator('figure.chart .u-legend')
  const said = async () => (await legend.locator('th, td').filter({ visible: true }).allInnerTexts()).join(' ').trim()
  expect((await said()).split(/\s+/)).toEqual(['a', 'b', 'c'])
  await owner.page.locator('figure.chart .u-over').hover()
  await legend.getByText('Runs').filter({ visible: true }).waitFor()
  expect(await said()).toMatch(/From.*Runs.*Failed.*State/)
})

test('no line is drawn through minutes in which every run failed', async () => {
  const org = await w.org()
  const monitor = await w.monitor(org, 'a')
  const [guid = ''] = await w.checks(org, [{ interval_sec: 60 }], 'all')
  const runs = Array.from({ length: 60 }, (_, n) => ({ n, isDown: n >= 27 && n < 30 }))
  await monitor.client.upload(
    runs.map(({ n, isDown }) =>
      result(guid, {
        ran_at: minutesAgo(60 - n),
        success: !isDown,
        latency_ms: 170,
        error: isDown ? 'timeout: no' : '',
      }),
    ),
  )
  const owner = await chartOf(guid, await openSession(w.deps, org.owner_id, org.org_id), 60, 0)
  await owner.keep('charts/failed')
  expect(await missing(owner, '--series-1', 0.455, 0.495)).toBeGreaterThan(30)
  expect(await missing(owner, '--series-1', 0.05, 0.42)).toBe(0)
  expect(await missing(owner, '--series-1', 0.52, 0.95)).toBe(0)
})
