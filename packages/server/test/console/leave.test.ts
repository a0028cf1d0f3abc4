// A member leaves an organisation by themselves.

import { setOwner } from '@dogwatch/domain/organisations/organisation'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { adminOf, deedsOf, memberOf, ownerOf, type Somebody } from '../support/console.ts'
import { ACCOUNT, type Org, type World, world } from '../support/world.ts'

let w: World
let org: Org
let alice: Somebody
let bob: Somebody
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org()
  alice = await ownerOf(w, org)
  bob = await memberOf(w, org)
})
afterAll(() => w.close())

const members = async () =>
  (await w.rows('select person_id from memberships where org_id = $1 order by 1', org.org_id)).map(
    ({ person_id }) => person_id,
  )

test('who leaves is asked first, is out at once, and is in the log', async () => {
  await bob.browser.open('/settings/members')
  const [link] = bob.browser.all('a[href="/settings/leave"]')
  expect(link?.text).toContain('Leave')
  await bob.browser.open('/settings/leave')
  expect(await members()).toContain(bob.person_id)
  await bob.browser.submit('/settings/leave')
  expect([bob.browser.page.path, bob.browser.text()]).toEqual(['/organisations', expect.stringContaining('You left')])
  expect(await members()).toEqual([org.owner_id])
  expect((await bob.browser.open('/settings')).path).toBe('/organisations')
  expect(await deedsOf(w, org)).toEqual([`${bob.email}: member.leave ${bob.email}`])
})

test('their tokens end with it, for good', async () => {
  await setOwner(w.deps, org.org_id, bob.email)
  const token = await w.pat(org)
  await setOwner(w.deps, org.org_id, alice.email)
  const reads = async () => (await w.http.get(`${ACCOUNT}/settings`).set('Authorization', `Bearer ${token}`)).status
  expect(await reads()).toBe(200)
  await bob.browser.open('/settings/leave')
  await bob.browser.submit('/settings/leave')
  expect(await reads()).toBe(401)
  const tokens = await w.rows(
    'select revoked_at is null as works from personal_access_tokens where org_id = $1',
    org.org_id,
  )
  expect(tokens).toEqual([{ works: false }])
})

test('the owner hands the organisation over first', async () => {
  await alice.browser.open('/settings/leave')
  expect(alice.browser.text()).toContain('Transfer ownership')
  expect(alice.browser.all('form[action="/settings/leave"]')).toEqual([])
  const csrf = alice.browser.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
  await alice.browser.post('/settings/leave', { csrf })
  expect(alice.browser.page.status).toBe(400)
  expect(await members()).toContain(alice.person_id)
})

test('an admin in their place does not', async () => {
  const { browser } = await adminOf(w)
  await browser.open(`/admin/orgs/${org.org_id}`)
  await browser.submit(`/admin/people/${bob.person_id}/log-in-as`)
  await browser.open('/checks')
  const csrf = browser.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
  await browser.post('/settings/leave', { csrf })
  expect(browser.page.status).toBe(403)
  expect(await members()).toContain(bob.person_id)
})
