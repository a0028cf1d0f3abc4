// Monitors and enrollment tokens by the configuration API.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { configToken, configurator } from '../support/config-api.ts'
import { type Org, PLACE, type World, world } from '../support/world.ts'

let w: World
let org: Org
let ask: ReturnType<typeof configurator>
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org('team')
  ask = configurator(w, await configToken(w, org))
})
afterAll(() => w.close())

test('own monitors come before shared ones, page by page', async () => {
  const shared = await w.monitor(null)
  const own = [(await w.monitor(org)).id, (await w.monitor(org)).id].sort()
  const read: { id: string; class: string }[] = []
  for (let after = ''; ; ) {
    const { body } = await ask('get', `/monitors?limit=1${after}`)
    const { monitors, next } = body as { monitors: { id: string; class: string }[]; next?: string }
    read.push(...monitors)
    if (next === undefined) break
    after = `&after=${next}`
  }
  expect(read.map((one) => [one.class, one.id])).toEqual([...own.map((id) => ['private', id]), ['shared', shared.id]])
})

test('a monitor is renamed, disabled, enabled and retired', async () => {
  const monitor = await w.monitor(org)
  const [guid] = await w.checks(org, [{}], 'all')
  const path = `/monitors/${monitor.id}`
  const before = await ask('get', path)
  expect(before.body).toEqual({
    id: monitor.id,
    class: 'private',
    name: PLACE.name,
    region: PLACE.region,
    country: PLACE.country,
    city: PLACE.city,
    enabled: true,
    state: 'unseen',
  })
  const changed = await ask('patch', path, { name: ' Oslo ', enabled: false })
  expect(changed.body).toMatchObject({ name: 'Oslo', enabled: false, state: 'disabled' })
  const late = await ask('patch', path, { name: 'Bergen' }, { 'If-Match': String(before.headers.etag) })
  expect(late.status).toBe(412)
  expect((await ask('patch', path, { enabled: null })).body).toMatchObject({ name: 'Oslo', enabled: true })
  const [check] = (await monitor.client.sync()).checks
  expect(check).toMatchObject({ guid })
  expect((await ask('get', path)).body).toMatchObject({ state: 'online', last_seen_at: expect.any(String) })
  expect((await ask('delete', path)).body).toEqual({ id: monitor.id })
  for (const method of ['get', 'delete'] as const) {
    expect((await ask(method, path)).text).toBe('no monitor with that id')
  }
  const deeds = await w.rows(
    "select action from audit_entries where org_id = $1 and action ~ '^monitor' order by entry_id",
    org.org_id,
  )
  expect(deeds.map(({ action }) => action)).toEqual([
    'monitor.rename',
    'monitor.disable',
    'monitor.enable',
    'monitor.retire',
  ])
})

test('a monitor of the shared fleet is read and not changed', async () => {
  const path = `/monitors/${(await w.monitor(null)).id}`
  expect((await ask('get', path)).body).toMatchObject({ class: 'shared' })
  for (const method of ['patch', 'delete'] as const) {
    const { status, text } = await ask(method, path, method === 'patch' ? { name: 'Mine' } : undefined)
    expect([status, text]).toEqual([403, 'only the operator of the server can change shared monitors'])
  }
})

test('an enrollment token is shown once, lets an agent in, and is revoked', async () => {
  const created = await ask('post', '/enrollment-tokens', { ttl_sec: 600 })
  const { id, token, expires_at } = created.body as { id: string; token: string; expires_at: string }
  expect(created.status).toBe(201)
  const listed = await ask('get', '/enrollment-tokens')
  expect(listed.body).toEqual({ enrollment_tokens: [{ id, created_at: expect.any(String), expires_at }] })
  expect(listed.text).not.toContain(token)
  const enroll = () => w.http.post('/monitor-api/v1/enroll').set('Authorization', `Bearer ${token}`).send(PLACE)
  expect((await enroll()).status).toBe(200)
  expect((await ask('delete', `/enrollment-tokens/${id}`)).body).toEqual({ id })
  expect((await ask('delete', `/enrollment-tokens/${id}`)).text).toBe('no enrollment token with that id')
  expect((await enroll()).status).toBe(401)
  for (const ttl_sec of [0, 31_536_001, 1.5]) {
    expect((await ask('post', '/enrollment-tokens', { ttl_sec })).status).toBe(400)
  }
})

test('a repeat gets the same enrollment token, which no stored answer shows', async () => {
  const keyed = { 'Idempotency-Key': 'once' }
  const first = await ask('post', '/enrollment-tokens', {}, keyed)
  const again = await ask('post', '/enrollment-tokens', {}, keyed)
  expect([again.status, again.text]).toEqual([201, first.text])
  const { id, token } = first.body as { id: string; token: string }
  const kept = JSON.stringify(await w.rows('select * from repeatable_answers where org_id = $1', org.org_id))
  expect(kept).not.toContain(token)
  expect(kept).not.toContain(id)
  expect((await ask('get', '/enrollment-tokens')).body).toMatchObject({ enrollment_tokens: [{ id }] })
})
