// Configuration tokens: what ends them, where they work, and the page that makes them.

import { createConfigurationToken, revokeConfigurationToken } from '@dogwatch/domain/configuration/tokens'
import { addMember, removeMember, setRole } from '@dogwatch/domain/organisations/members'
import { setOwner } from '@dogwatch/domain/organisations/organisation'
import { switchPerson } from '@dogwatch/domain/people/edit'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { configToken, configurator } from '../../../api/test/support/config-api.ts'
import { ownerOf } from '../support/console.ts'
import { ACCOUNT, CONFIG, type Org, PREFIX, type World, world } from '../support/world.ts'

let w: World
let org: Org
beforeAll(async () => {
  w = await world()
  org = await w.org()
})
afterAll(() => w.close())

const statusOf = async (token: string) => (await configurator(w, token)('get', '/token')).status

test('a token tells what it may do', async () => {
  const token = await configToken(w, org, { name: 'CI', scopes: ['checks:write', 'read'], days: 7 })
  const { body } = await configurator(w, token)('get', '/token')
  expect(body).toMatchObject({ name: 'CI', scopes: ['read', 'checks:write'], expires_at: expect.any(String) })
})

test('it works for the other APIs as little as theirs for this one', async () => {
  const token = `Bearer ${await configToken(w, org)}`
  expect((await w.http.get(`${ACCOUNT}/checks`).set('Authorization', token)).status).toBe(401)
  expect((await w.http.get(`${PREFIX}/checks`).set('Authorization', token)).status).toBe(401)
})

test('it ends when it is revoked, when its time is over, and with its maker', async () => {
  const [revoked, ended] = [await configToken(w, org), await configToken(w, org, { days: 1 })]
  expect([await statusOf(revoked), await statusOf(ended)]).toEqual([200, 200])
  const [row] = await w.rows(
    'select token_id from configuration_tokens where org_id = $1 order by token_id desc offset 1',
    org.org_id,
  )
  await revokeConfigurationToken(w.deps, org.org_id, Number(row?.token_id))
  w.clock.forward(86_401)
  expect([await statusOf(revoked), await statusOf(ended)]).toEqual([401, 401])
})

test('it ends when its maker is removed, disabled or no admin any more', async () => {
  const own = await w.org('team')
  const bob = await addMember(w.deps, own.org_id, `bob-${own.org_id}@example.com`)
  await w.rows("update memberships set role = 'admin' where org_id = $1 and person_id = $2", own.org_id, bob.person_id)
  const by = { person_id: bob.person_id, email: `bob-${own.org_id}@example.com`, impersonator_email: null }
  const { token } = await createConfigurationToken(w.deps, own.org_id, { name: 't', scopes: ['write'] }, by)
  expect(await statusOf(token)).toBe(200)
  await w.rows("update memberships set role = 'member' where org_id = $1 and person_id = $2", own.org_id, bob.person_id)
  expect(await statusOf(token)).toBe(401)
  await w.rows("update memberships set role = 'admin' where org_id = $1 and person_id = $2", own.org_id, bob.person_id)
  await switchPerson(w.deps, by.email, false)
  expect(await statusOf(token)).toBe(401)
  await switchPerson(w.deps, by.email, true)
  expect(await statusOf(token)).toBe(200)
  await removeMember(w.deps, own.org_id, by.email)
  expect(await statusOf(token)).toBe(401)
  await addMember(w.deps, own.org_id, by.email)
  expect(await statusOf(token)).toBe(401)
})

test.each(['member', 'read_only'])('it ends for good when its maker gets the role %s', async (lower) => {
  const own = await w.org('team')
  const email = `eve-${own.org_id}@example.com`
  const eve = await addMember(w.deps, own.org_id, email)
  const becomes = (role: string) => setRole(w.deps, own.org_id, { email }, role)
  await becomes('admin')
  const by = { person_id: eve.person_id, email, impersonator_email: null }
  const { token } = await createConfigurationToken(w.deps, own.org_id, { name: 't', scopes: ['write'] }, by)
  const statuses: number[] = []
  for (const role of [lower, 'admin']) {
    await becomes(role)
    statuses.push(await statusOf(token))
  }
  expect(statuses).toEqual([401, 401])
})

test('it ends for good when its maker hands the organisation over', async () => {
  const own = await w.org('team')
  const token = await configToken(w, own)
  const email = `heir-${own.org_id}@example.com`
  await addMember(w.deps, own.org_id, email, 'admin')
  const [owner] = await w.rows('select email from people where person_id = $1', own.owner_id)
  await setOwner(w.deps, own.org_id, String(owner?.email))
  expect(await statusOf(token)).toBe(200)
  await setOwner(w.deps, own.org_id, email)
  const statuses = [await statusOf(token)]
  await setOwner(w.deps, own.org_id, String(owner?.email))
  expect([...statuses, await statusOf(token)]).toEqual([401, 401])
})

test('a member without a say in it makes none', async () => {
  const own = await w.org('team')
  const bob = await addMember(w.deps, own.org_id, `bob-${own.org_id}@example.com`)
  const by = { person_id: bob.person_id, email: 'x', impersonator_email: null }
  await expect(createConfigurationToken(w.deps, own.org_id, { name: 't', scopes: ['read'] }, by)).rejects.toThrow(
    'only owners and admins can do this',
  )
})

test('it is used from its address range alone', async () => {
  const [here, elsewhere] = [
    await configToken(w, org, { address_range: '127.0.0.0/8' }),
    await configToken(w, org, { address_range: '192.0.2.7' }),
  ]
  expect(await statusOf(here)).toBe(200)
  const refused = await configurator(w, elsewhere)('get', '/token')
  expect([refused.status, refused.text]).toEqual([403, 'this token cannot be used from your IP address'])
})

test.each(['192.0.2.0/33', 'x', '1.2.3.4/8/8', '::1/129', '300.0.0.1', 'fe80::1%eth0', 'fe80::1%1/64'])(
  '%s is no address range',
  async (address_range) => {
    await expect(configToken(w, org, { address_range })).rejects.toThrow(/^address_range must be/)
  },
)

test('its page makes it, shows it once, says when it was last used, and revokes it', async () => {
  const own = await w.org()
  const { browser } = await ownerOf(w, own)
  const path = '/settings/configuration-tokens'
  await browser.open(path)
  expect(browser.all('[name=scopes][checked]')).toEqual([])
  await browser.submit(path, { name: 'CI', scopes: 'checks:write', days: '30', address_range: '' })
  const token = browser.all('#token')[0]?.text.trim() ?? ''
  expect(token).toMatch(/^dogwatch_cfg_/)
  expect(await statusOf(token)).toBe(200)
  await browser.open(path)
  expect(browser.text()).toMatch(/CI[^]*Checks and tags: read and edit[^]*from 127\.0\.0\.1[^]*Expires in/)
  expect(browser.page.html).not.toContain(token)
  const [row] = await w.rows('select token_id from configuration_tokens where org_id = $1', own.org_id)
  await browser.submit(`${path}/${String(row?.token_id)}/revoke`, {})
  expect(await statusOf(token)).toBe(401)
  await browser.submit(path, { name: '', scopes: 'checks:write', days: 'x', address_range: '' })
  expect(browser.page.status).toBe(400)
})

test('unknown paths and methods are told as in the other APIs', async () => {
  const token = await configToken(w, org)
  const ask = configurator(w, token)
  expect((await ask('get', '/nope')).status).toBe(404)
  const { status, headers } = await ask('delete', '/checks')
  expect([status, headers.allow]).toEqual([405, 'GET, HEAD, POST'])
  expect((await w.http.get(`${CONFIG}/checks`)).status).toBe(401)
})
