// Pages that are open, in a real browser: whatever changes, they show what they would show if they were loaded again.

import { switchCheck } from '@dogwatch/domain/checks/pause-delete-wipe'
import { createHeartbeat, removeOneHeartbeat, switchOneHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { findHeartbeatOfToken, takePing } from '@dogwatch/domain/heartbeats/take-ping'
import { acknowledge, takeBack } from '@dogwatch/domain/incidents/acknowledge'
import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals'
import fc from 'fast-check'
import { openChromium } from '../support/chromium.ts'
import { eventually, type Monitor, type Org, result, type World, world } from '../support/world.ts'
import { type Visitor, visitor } from './visitor.ts'

const { browser, test, close } = await openChromium()

let w: World
let org: Org
let monitor: Monitor
let guids: string[]
let bob: Visitor
let again: Visitor
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org()
  beats.length = 0
  monitor = await w.monitor(org)
  guids = await w.checks(
    org,
    ['shop', 'mail', 'login', 'spare'].map((name) => ({ name, down_interval_sec: 1, cert_expiry_warn_days: 0 })),
    [monitor.id],
  )
  const sessionOf = () => openSession(w.deps, org.owner_id, org.org_id)
  bob = await visitor(browser, w.direct, { session: await sessionOf() })
  again = await visitor(browser, w.direct, { session: await sessionOf() })
})
afterAll(async () => {
  await close()
  await w.close()
})

const owner = () => ({ person_id: org.owner_id, email: 'owner@example.com', impersonator_email: null })
const editor = () => ({ org_id: org.org_id, actor: owner() })
const beats: { guid: string; token: string }[] = []

async function run(n: number, success: boolean): Promise<void> {
  w.clock.forward(60)
  const ran_at = w.clock.now().toISOString()
  await monitor.client.upload([result(guids[n] ?? '', { ran_at, success, ...(success ? {} : { error: 'refused' }) })])
}

async function ping(n: number, kind: 'beat' | 'fail'): Promise<void> {
  const one = beats[n % Math.max(1, beats.length)]
  if (!one) return
  w.clock.forward(2)
  const place = await findHeartbeatOfToken(w.deps, one.token)
  await takePing(w.deps, place, { kind, exit_code: null, rid: null, body: null }, w.clock.now())
}

type Change = { do: string; n: number }
const CHANGES: Readonly<Record<string, (n: number) => Promise<unknown>>> = {
  fail: (n) => run(n, false),
  succeed: (n) => run(n, true),
  pause: (n) => switchCheck(w.deps, guids[n] ?? '', false, editor()),
  resume: (n) => switchCheck(w.deps, guids[n] ?? '', true, editor()),
  acknowledge: (n) => acknowledge(w.deps, ofCheck(n), owner()).catch(() => {}),
  'take back': (n) => takeBack(w.deps, ofCheck(n), owner()).catch(() => {}),
  beat: (n) => ping(n, 'beat'),
  'fail by ping': (n) => ping(n, 'fail'),
  'make a heartbeat': async (n) => {
    const wanted = {
      name: `job ${n}`,
      interval_sec: 60,
      grace_sec: 60,
      resend_interval_sec: 0,
      show_on_status_page: false,
    }
    beats.push(await createHeartbeat(w.deps, org.org_id, wanted, owner()))
  },
  'pause a heartbeat': async (n) => {
    const one = beats[n % Math.max(1, beats.length)]
    if (one) await switchOneHeartbeat(w.deps, { org_id: org.org_id, guid: one.guid }, 'enabled', n > 0, owner())
  },
  'delete a heartbeat': async () => {
    const one = beats.pop()
    if (one) await removeOneHeartbeat(w.deps, { org_id: org.org_id, guid: one.guid }, owner())
  },
}
const ofCheck = (n: number) => ({ org_id: org.org_id, kind: 'check' as const, guid: guids[n] ?? '' })
const change: fc.Arbitrary<Change> = fc.record({
  do: fc.constantFrom(...Object.keys(CHANGES)),
  n: fc.integer({ min: 0, max: 2 }),
})

/** What a page shows, without what differs each time: tokens of forms, how long ago something was, and the order of attributes. */
const SHOWN = `(() => {
  const parts = [...document.querySelectorAll('[data-live]')].map((part) => part.cloneNode(true))
  for (const part of parts) {
    for (const input of part.querySelectorAll('input[name=csrf]')) input.setAttribute('value', '')
    for (const time of part.querySelectorAll('time')) time.textContent = ''
    for (const one of part.querySelectorAll('[tabindex]')) one.removeAttribute('tabindex')
    for (const one of part.querySelectorAll('*')) {
      for (const { name, value } of [...one.attributes].sort((a, b) => (a.name < b.name ? -1 : 1))) {
        // The policy lets no text set a style.
        if (name === 'style') continue
        one.removeAttribute(name)
        one.setAttribute(name, value)
      }
    }
    part.normalize()
  }
  const icon = document.querySelector('link[rel=icon]')?.getAttribute('href')
  return [document.title, icon, ...parts.map((part) => part.outerHTML)].join('\\n').replaceAll('><', '>\\n<')
})()`
const shown = ({ page }: Visitor) => page.evaluate<string>(SHOWN)

test('a notice stays where it is said when the page hears of a change', async () => {
  await bob.open(`/checks/${guids[0]}`)
  await bob.press('Pause check')
  const places = () =>
    bob.page.evaluate<string[]>(
      `[...document.querySelector('main').children].map((one) => one.className || one.tagName)`,
    )
  const before = await places()
  expect(before[0]).toBe('notice')
  await run(1, true)
  await CHANGES.resume?.(0)
  await bob.page.getByRole('button', { name: 'Pause check' }).waitFor()
  expect(await places()).toEqual(before)
})

let isResumed = true

test('whatever changes, a page that is open shows what it shows when it is loaded again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('/', '/checks', `/checks/${guids[0]}`, '/heartbeats', '/incidents'),
      fc.array(change, { maxLength: 6 }),
      async (path, changes) => {
        await bob.open(path)
        for (const one of changes) await CHANGES[one.do]?.(one.n)
        // Results that change nothing else are shown with the next change, or within a minute.
        await CHANGES[(isResumed = !isResumed) ? 'resume' : 'pause']?.(3)
        const isSame = async () => {
          await again.open(path)
          return (await shown(bob)) === (await shown(again))
        }
        await eventually(isSame, 'the same').catch(() => {})
        expect(await shown(bob)).toEqual(await shown(again))
      },
    ),
    { numRuns: 8, endOnFailure: true },
  )
  expect(bob.trouble()).toEqual([])
})

test('a change is seen within a second of being told, and focus, scroll, open details and what is typed stay', async () => {
  for (const n of guids.keys()) await run(n, true)
  const { page } = bob
  // However busy the machine is: the page has the time that is given to it, a second for each message.
  await page.clock.install()
  await bob.open('/checks')
  expect(await page.title()).toBe('Checks · Dogwatch')
  await page.clock.pauseAt(new Date(Date.now() + PAUSED_AHEAD_MS))
  const told = await messagesTo(bob)
  await page.evaluate(`(() => {
    document.body.style.minHeight = '4000px'
    const box = document.createElement('textarea')
    box.id = 'note'
    document.querySelector('main').append(box)
  })()`)
  const link = page.locator('main').getByRole('link', { name: 'mail', exact: true }).first()
  await link.focus()
  await page.evaluate('window.scrollTo(0, 40)')
  const before = await shown(bob)
  await run(0, false)
  let given = 0
  const isSeen = async () => {
    for (; given < told(); given++) await page.clock.runFor(1_000)
    return (await shown(bob)) !== before
  }
  await eventually(isSeen, 'the change')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('mail')
  // The browser keeps what one reads in its place, whatever comes above it.
  expect(await page.evaluate('window.scrollY')).toBeGreaterThanOrEqual(40)
  expect(await page.evaluate('document.getElementById("note") !== null')).toBe(true)
  expect(await page.title()).toMatch(/^\(1\) Down/)
  await page.clock.resume()
  await run(0, true)
})

/** Further than the page's own clock goes by itself until it is stopped. */
const PAUSED_AHEAD_MS = 600_000

/** How many messages its streams have brought to a page from now on. */
async function messagesTo({ context, page }: Visitor): Promise<() => number> {
  let count = 0
  const session = await context.newCDPSession(page)
  session.on('Network.eventSourceMessageReceived', () => void count++)
  await session.send('Network.enable')
  return () => count
}

test('a page that waits for its first result shows it without being loaded again, which would undo what one just pressed', async () => {
  const [guid = ''] = await w.checks(org, [{ name: 'fresh' }], [monitor.id])
  const { page } = bob
  await page.clock.install()
  await bob.open(`/checks/${guid}`)
  expect(await page.locator('.standing').innerText()).not.toContain('Up')
  await page.evaluate('window.isSame = true')
  w.clock.forward(60)
  await monitor.client.upload([result(guid, { ran_at: w.clock.now().toISOString() })])
  const isUp = async () => {
    await page.clock.runFor(1_000)
    return (await page.locator('.standing').innerText()).includes('Up')
  }
  await eventually(isUp, 'its first result')
  await page.clock.runFor(10_000)
  await page.waitForLoadState('networkidle')
  expect(await page.evaluate('window.isSame')).toBe(true)
})
