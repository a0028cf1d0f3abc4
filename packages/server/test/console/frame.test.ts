// What stands around every page: the title and the icon of the tab, the menu, and the bar of phones.

import { ICON_PATHS } from '@dogwatch/console/assets'
import { addMember } from '@dogwatch/domain/organisations/members'
import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Browser } from '../support/browser.ts'
import { ownerOf } from '../support/console.ts'
import { type Org, result, type World, world } from '../support/world.ts'

let w: World
let org: Org
let alice: Browser
beforeAll(async () => {
  w = await world()
  org = await w.org()
  alice = (await ownerOf(w, org)).browser
})
afterAll(() => w.close())

async function tab(browser: Browser, path: string): Promise<[title: string | undefined, icon: string | undefined]> {
  await browser.open(path)
  return [browser.all('title')[0]?.text, browser.all('link[rel=icon]')[0]?.getAttribute('href')]
}
const menu = (browser: Browser) => browser.all('.side nav a').map((one) => one.getAttribute('href'))
const current = (browser: Browser, nav: string) =>
  browser.all(`${nav} [aria-current]`).map((one) => one.getAttribute('href'))

test('a tab tells how many are down, then that something is not monitored, then that all is well', async () => {
  const monitor = await w.monitor(org)
  const [one = '', two = ''] = await w.checks(org, [{}, {}], 'all')
  const runs = (success: boolean, guids: string[]) =>
    monitor.client.upload(guids.map((guid) => result(guid, { ran_at: w.clock.now().toISOString(), success })))
  await runs(false, [one, two])
  expect(await tab(alice, '/checks')).toEqual(['(2) Down · Checks · Dogwatch', ICON_PATHS.down])
  expect(alice.all('.side .count')[0]?.text).toBe('2 down')
  w.clock.forward(60)
  await runs(true, [one, two])
  await w.rows('update check_states set unmonitored_since = $1 where org_id = $2', w.clock.now(), org.org_id)
  expect(await tab(alice, '/settings')).toEqual(['Settings · Dogwatch', ICON_PATHS.warn])
  await w.rows('update check_states set unmonitored_since = null where org_id = $1', org.org_id)
  expect(await tab(alice, '/settings')).toEqual(['Settings · Dogwatch', ICON_PATHS.up])
  expect(await tab(new Browser(w.direct), '/sign-in')).toEqual(['Sign in · Dogwatch', ICON_PATHS.plain])
  const icon = await fetch(w.direct + ICON_PATHS.down)
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8'])
})

test('the menu marks the section that a page is in, the innermost alone', async () => {
  await alice.open('/channels/routes')
  expect([current(alice, '.side nav'), current(alice, '.quick')]).toEqual([['/channels'], []])
  await alice.open('/checks/new')
  expect([current(alice, '.side nav'), current(alice, '.quick')]).toEqual([['/checks'], ['/checks']])
  await alice.open('/settings/status-page')
  expect(current(alice, '.side nav')).toEqual(['/settings/status-page'])
  await alice.open('/settings/members')
  expect(current(alice, '.side nav')).toEqual(['/settings'])
})

test('the menu leads nowhere that would be refused', async () => {
  const { person_id } = await addMember(w.deps, org.org_id, 'reader@example.com', 'read_only')
  const reader = new Browser(w.direct, await openSession(w.deps, person_id, org.org_id))
  await reader.open('/checks')
  expect(menu(reader)).not.toContain('/settings/status-page')
  for (const path of menu(reader)) expect([path, (await reader.open(path ?? '')).status]).toEqual([path, 200])
})

test('the menu switches to another organisation of mine', async () => {
  const other = await w.org()
  await addMember(
    w.deps,
    other.org_id,
    (await w.rows('select email from people where person_id = $1', org.owner_id))[0]?.email as string,
  )
  await alice.open('/settings')
  await alice.submit('/organisations/switch')
  const [named] = await w.rows('select name from organisations where org_id = $1', other.org_id)
  expect(alice.all('.orgs summary')[0]?.text).toBe(named?.name)
})
