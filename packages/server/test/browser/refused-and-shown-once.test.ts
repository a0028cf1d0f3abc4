// Pages that only a form leads to: what is shown once, and what was refused, in a real browser.

import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals'
import { openChromium } from '../support/chromium.ts'
import { PLACE, type World, world } from '../support/world.ts'
import { type Visitor, visitor, wear } from './visitor.ts'

const { browser, test, close } = await openChromium()
const LOOKS = [
  { scheme: 'light', width: 1440 },
  { scheme: 'dark', width: 360 },
] as const

let w: World
let alice: Visitor
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  const org = await w.org()
  alice = await visitor(browser, w.direct, { session: await openSession(w.deps, org.owner_id, org.org_id) })
})
afterAll(async () => {
  await close()
  await w.close()
})

async function expectSound(name: string): Promise<void> {
  for (const look of LOOKS) {
    await wear(alice.page, look)
    const found = { look, axe: await alice.axe(), overflow: await alice.overflow(), trouble: alice.trouble() }
    expect(found).toEqual({ look, axe: [], overflow: [], trouble: [] })
  }
  await alice.keep(`forms/${name}`)
}

async function send(path: string, fields: Readonly<Record<string, string>>, button: string): Promise<void> {
  await alice.open(path)
  for (const [name, value] of Object.entries(fields)) await alice.page.fill(`[name=${name}]`, value)
  await alice.press(button)
}

test('the commands of a new monitor, and the tokens that are open then', async () => {
  await send('/monitors/new', PLACE, 'Get install command')
  expect(await alice.page.textContent('#shell')).toContain("--name 'rack 4'")
  await expectSound('commands of a new monitor')
  await alice.open('/monitors/new')
  await expectSound('open enrollment tokens')
})

test('a heartbeat that is refused, and a channel', async () => {
  await send('/heartbeats/new', { name: 'backup', interval_sec: 'soon' }, 'Create heartbeat')
  expect(await alice.page.textContent('[role=alert]')).toContain(
    '“Ping interval” must be a duration, such as 90 s, 5 min, 1 h or 1 d.',
  )
  await expectSound('a refused heartbeat')
  await send('/channels/new?kind=webhook', { name: 'us', webhook_url: 'ftp://example.com/' }, 'Create channel')
  expect(await alice.page.textContent('[role=alert]')).toContain('“URL” must be an http or https URL')
  await expectSound('a refused channel')
})
