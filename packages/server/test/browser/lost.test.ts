// Pages whose server no longer answers, in a real browser: they say since when, show no state as true, and recover on their own.

import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals'
import { type DatabaseProxy, databaseProxy } from '../../../api/test/support/database-proxy.ts'
import { openChromium } from '../support/chromium.ts'
import { eventually, type Monitor, type Org, result, type World, world } from '../support/world.ts'
import { type Visitor, visitor } from './visitor.ts'

const { browser, test, close } = await openChromium()

let w: World
let org: Org
let monitor: Monitor
let guid: string
/** The way from the browser to the server. */
let way: DatabaseProxy
let bob: Visitor
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org()
  monitor = await w.monitor(org)
  ;[guid = ''] = await w.checks(org, [{ name: 'shop', down_interval_sec: 1 }], [monitor.id])
  await run(true)
  way = await databaseProxy(w.direct)
  bob = await visitor(browser, way.url.replace(/\/$/, ''), {
    session: await openSession(w.deps, org.owner_id, org.org_id),
  })
  await bob.page.clock.install()
})
afterEach(() => way.close())
afterAll(async () => {
  await close()
  await w.close()
})

async function run(success: boolean): Promise<void> {
  w.clock.forward(60)
  const ran_at = w.clock.now().toISOString()
  await monitor.client.upload([result(guid, { ran_at, success, ...(success ? {} : { error: 'refused' }) })])
}

interface Seen {
  line: string
  /** How the states look. */
  filter: string
  icon: string
  title: string
  states: string
}

const SEEN = `({
  line: document.getElementById('lost')?.innerText ?? '',
  filter: getComputedStyle(document.querySelector('main')).filter,
  icon: document.querySelector('link[rel=icon]').getAttribute('href').split('/').at(-1),
  title: document.title,
  states: document.querySelector('main').innerText,
})`
const seen = () => bob.page.evaluate<Seen>(SEEN)

/** Lets the page's clock go on, second by second, until `isSo`; the seconds that it took. */
async function secondsUntil(isSo: (now: Seen) => boolean, what: string): Promise<number> {
  let seconds = 0
  await eventually(async () => {
    if (isSo(await seen())) return true
    seconds++
    await bob.page.clock.runFor(1_000)
    return false
  }, what)
  return seconds
}
const isLost = ({ line }: Seen) => /^Connection lost since \d{2}:\d{2}\./.test(line)
const isFound = ({ line, filter }: Seen) => line === '' && filter === 'none'

/** Opens the page, and stops its clock, which from then on goes as the test lets it. */
async function openStopped(path: string): Promise<void> {
  await bob.open(path)
  await bob.page.evaluate("window.ahead = Date.now() - Date.parse(document.querySelector('meta[name=now]').content)")
  await bob.page.clock.pauseAt(new Date(Date.now() + 600_000))
  // What it jumped looks like sleep: the page is to hear from the server after that.
  await bob.page.evaluate(`(() => {
    document.addEventListener('live', () => (window.isHeard = true))
    document.dispatchEvent(new Event('live-refresh'))
  })()`)
  await eventually(async () => {
    await bob.page.clock.runFor(100)
    return bob.page.evaluate<boolean>('window.isHeard === true')
  }, 'a sign of life')
  await secondsUntil(isFound, 'a sign of life')
}

for (const [how, end] of [
  ['hangs, as one that is stopped does', () => way.hang()],
  ['refuses connections', () => way.close()],
] as const)
  test(`a page whose server ${how}, says so within 15 s, shows no state as true, and its ages stand still`, async () => {
    await openStopped('/checks')
    const before = await seen()
    expect(before).toMatchObject({ filter: 'none', title: 'Checks · Dogwatch', line: '' })
    await end()
    const seconds = await secondsUntil(isLost, 'the notice')
    // Ten seconds without a sign of life, and a few that one may be on its way.
    expect(seconds).toBeGreaterThan(5)
    expect(seconds).toBeLessThanOrEqual(15)
    const lost = await seen()
    expect(lost).toMatchObject({ filter: expect.stringContaining('grayscale'), icon: 'plain.svg' })
    expect(lost.title).toMatch(/^Connection lost · /)
    await bob.page.clock.runFor(120_000)
    expect((await seen()).states).toBe(lost.states)
  })

test('it recovers on its own, and shows what happened meanwhile without being loaded again', async () => {
  await openStopped('/checks')
  await bob.page.evaluate('window.isSame = true')
  const { icon, title } = await seen()
  way.hang()
  await secondsUntil(isLost, 'the notice')
  await run(false)
  way.wake()
  await secondsUntil((now) => isFound(now) && now.states.includes('Down'), 'the recovery')
  expect(await seen()).toMatchObject({ title: `(1) Down · ${title}`, icon: 'down.svg' })
  expect(icon).not.toBe('down.svg')
  expect(await bob.page.evaluate('window.isSame')).toBe(true)
})

test('a page without a stream asks every few seconds, and says so as well', async () => {
  await bob.page.route(/\/live\?/, (route) => route.fulfill({ status: 429, body: 'too many open pages' }))
  await openStopped('/checks')
  way.hang()
  expect(await secondsUntil(isLost, 'the notice')).toBeLessThanOrEqual(17)
  way.wake()
  await secondsUntil(isFound, 'the recovery')
})

test('a page whose machine slept says since when it knows nothing, until it has asked', async () => {
  await openStopped('/checks')
  const at = await bob.page.evaluate<string>('new Date(Date.now() - window.ahead).toISOString()')
  way.hang()
  // As when a lid is closed: an hour is gone, and each timer fires once.
  await bob.page.clock.fastForward(3_600_000)
  expect(await secondsUntil(isLost, 'the notice')).toBeLessThanOrEqual(5)
  const [, since] = /since (\d{2}:\d{2})/.exec((await seen()).line) ?? []
  expect(Math.abs(Date.parse(`${at.slice(0, 11)}${since}:00Z`) - Date.parse(at))).toBeLessThanOrEqual(90_000)
  way.wake()
  await secondsUntil(isFound, 'the recovery')
})

test('a page that wakes up beside a server that answers says nothing of it', async () => {
  await openStopped('/checks')
  await bob.page.clock.fastForward(3_600_000)
  // Real time for the answer, before the page's own clock goes on.
  await eventually(async () => {
    await bob.page.clock.runFor(100)
    return isFound(await seen())
  }, 'a sign of life')
})

test('"Try now" asks at once, also on a page that was asking when the server stopped', async () => {
  await openStopped('/checks')
  way.hang()
  await bob.page.evaluate("document.dispatchEvent(new Event('live-refresh'))")
  await secondsUntil(isLost, 'the notice')
  way.wake()
  let waited_ms = 0
  let tried = -Infinity
  let pause_ms = 1_000
  await eventually(async () => {
    // One attempt may use a connection that is just being ended. Each has more time: a click ends the attempt before it.
    if (performance.now() - tried > pause_ms) {
      tried = performance.now()
      pause_ms *= 2
      await bob.page.evaluate("document.querySelector('#lost button')?.click()")
    }
    await bob.page.clock.runFor(1)
    waited_ms++
    return isFound(await seen())
  }, 'the recovery')
  // By itself the page looks each second.
  expect(waited_ms).toBeLessThan(1_000)
})
