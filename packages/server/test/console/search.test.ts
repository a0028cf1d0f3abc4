// The search over everything of an organisation, as a page and as JSON.

import { findRoute } from '@dogwatch/console/find-route'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { addMember } from '@dogwatch/domain/organisations/members'
import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { DESTINATIONS } from '../../../console/src/pages/search/destinations.ts'
import { Browser } from '../support/browser.ts'
import { ownerOf } from '../support/console.ts'
import { type Org, result, type World, world } from '../support/world.ts'

let w: World
let org: Org
let alice: Browser
let guid = ''

beforeAll(async () => {
  w = await world()
  org = await w.org()
  alice = (await ownerOf(w, org)).browser
  const monitor = await w.monitor(org, 'shopkeeper')
  const checks = [{ name: 'Shop', url: 'https://example.com/basket' }, { name: 'webshop' }, { name: 'else' }]
  ;[guid = ''] = await w.checks(org, checks, 'all')
  const beats = { interval_sec: 3600, grace_sec: 300, resend_interval_sec: 0, show_on_status_page: false }
  await createHeartbeat(w.deps, org.org_id, { ...beats, name: 'shop backup' })
  await monitor.client.upload([result(guid, { ran_at: w.clock.now().toISOString(), success: false })])
  const other = await w.org()
  await w.checks(other, [{ name: 'shop of another' }])
})
afterAll(() => w.close())

async function find(text: string, as = alice): Promise<{ kind: string; label: string; href: string; note?: string }[]> {
  const { html } = await as.open(`/search.json?q=${encodeURIComponent(text)}`)
  return JSON.parse(html).found
}
const told = async (text: string, as = alice) => (await find(text, as)).map(({ kind, label }) => `${kind}: ${label}`)

test('finds incidents, checks, heartbeats and monitors by a part of their names, what begins with it first, and of no other organisation', async () => {
  expect(await told('SHOP')).toEqual([
    'incident: Shop is down',
    'check: Shop',
    'check: webshop',
    'heartbeat: shop backup',
    'monitor: shopkeeper',
    'action: Acknowledge Shop',
  ])
})

test('finds checks by their targets, and says them', async () => {
  expect(await find('basket')).toEqual([
    { kind: 'check', label: 'Shop', href: `/checks/${guid}`, note: 'https://example.com/basket', state: 'down' },
  ])
})

test('finds pages and actions by their words in any order', async () => {
  expect(await told('log deliv')).toEqual(['page: Delivery log'])
  expect(await told('new check')).toEqual(['action: Create check'])
  expect(await told('no such thing \0')).toEqual([])
})

test('without a text there are the open incidents, the actions and the pages', async () => {
  const all = await told('')
  expect(all[0]).toBe('incident: Shop is down')
  expect(all).toContain('page: Settings')
  expect(all).toHaveLength(DESTINATIONS.length + 2)
})

test('the page says the same without scripts, and acknowledges', async () => {
  await alice.open('/search?q=shop')
  expect(alice.all('main h2').map(({ text }) => text)).toEqual([
    'Incidents',
    'Checks',
    'Heartbeats',
    'Monitors',
    'Actions',
  ])
  await alice.submit(`/checks/${guid}/acknowledge`)
  expect(await told('shop')).not.toContain('action: Acknowledge Shop')
})

test('whoever may only read is offered no action that would be refused', async () => {
  const { person_id } = await addMember(w.deps, org.org_id, 'reader@example.com', 'read_only')
  const reader = new Browser(w.direct, await openSession(w.deps, person_id, org.org_id))
  const offered = await told('', reader)
  expect(offered.filter((one) => /Create|Add|Import|Acknowledge|API tokens|Audit/.test(one))).toEqual([])
  expect(offered).toContain('page: Checks')
})

test('every destination is a page', () => {
  expect(DESTINATIONS.filter(({ href }) => !findRoute('GET', href))).toEqual([])
})

test('a person who searches without end is refused', async () => {
  const { browser } = await ownerOf(w, org)
  const search = async (): Promise<number> => (await browser.open('/search.json?q=x')).status
  // At once, because four more are allowed each second.
  const statuses = await Promise.all(Array.from({ length: 120 }, search))
  expect([...new Set(statuses)].toSorted((a, b) => a - b)).toEqual([200, 429])
})
