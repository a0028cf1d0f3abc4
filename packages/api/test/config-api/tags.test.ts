// Tags by the configuration API.

import { document } from '@dogwatch/contract/config'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { configToken, configurator } from '../support/config-api.ts'
import { type Org, type World, world } from '../support/world.ts'

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

const tagsOf = async (path: string) => ((await ask('get', path)).body as { tags?: string[] }).tags
const scopeOf = async (path: string) => ((await ask('get', path)).body as { scope: object }).scope
const guidOf = ({ body }: { body: unknown }) => (body as { guid: string }).guid
const use = (tag: string, checks: number, heartbeats = 0, routes = 0, maintenance_windows = 0) => ({
  tag,
  checks,
  heartbeats,
  routes,
  maintenance_windows,
})

/** Something of every kind that has a tag, or names it. */
async function everywhere(tags: string[]) {
  const check = await ask('post', '/checks', { name: 'c', url: 'https://example.com/', interval_sec: 60, tags })
  const heartbeat = await ask('post', '/heartbeats', { name: 'h', interval_sec: 60, grace_sec: 5, tags })
  const channel = await ask('post', '/channels', { name: 'n', kind: 'ntfy', destination: { ntfy_topic: 't' } })
  const steps = [{ channels: [(channel.body as { id: string }).id] }]
  const route = await ask('post', '/routes', { name: 'r', scope: { tags }, steps })
  const window = await ask('post', '/maintenance', {
    name: 'w',
    scope: { tags },
    starts_at: '2026-12-01T02:00',
    duration_sec: 3600,
    zone: 'UTC',
  })
  expect([check, heartbeat, route, window].map(({ status }) => status)).toEqual([201, 201, 201, 201])
  return {
    check: `/checks/${guidOf(check)}`,
    heartbeat: `/heartbeats/${guidOf(heartbeat)}`,
    route: `/routes/${guidOf(route)}`,
    window: `/maintenance/${guidOf(window)}`,
  }
}

test('tags are counted over all that has or names them', async () => {
  await everywhere(['shop', 'eu'])
  await w.checks(org, [{ tags: ['shop'] }])
  expect((await ask('get', '/tags')).body).toEqual({ tags: [use('eu', 1, 1, 1, 1), use('shop', 2, 1, 1, 1)] })
})

test('a tag is renamed everywhere at once, into one that exists as well', async () => {
  const { check, heartbeat, route, window } = await everywhere(['shop', 'eu'])
  const renamed = await ask('patch', '/tags/Shop', { tag: ' Web Shop ' })
  expect([renamed.status, renamed.body]).toEqual([200, use('web shop', 1, 1, 1, 1)])
  for (const path of [check, heartbeat]) expect(await tagsOf(path)).toEqual(['eu', 'web shop'])
  for (const path of [route, window]) expect(await scopeOf(path)).toEqual({ tags: ['eu', 'web shop'] })
  expect((await ask('get', heartbeat)).body).toMatchObject({ grace_sec: 5 })
  expect((await ask('patch', '/tags/web%20shop', { tag: 'eu' })).body).toEqual(use('eu', 1, 1, 1, 1))
  expect((await ask('get', '/tags')).body).toEqual({ tags: [use('eu', 1, 1, 1, 1)] })
  const [deed] = await w.rows(
    "select subject, detail from audit_entries where org_id = $1 and action = 'tag.rename' order by entry_id",
    org.org_id,
  )
  expect(deed).toMatchObject({ subject: 'shop', detail: { to: 'web shop', checks: 1, token: 'deployment' } })
})

test('a tag that a route is for alone is not removed, and nothing is changed', async () => {
  const { check, route, window } = await everywhere(['shop'])
  const refused = await ask('delete', '/tags/shop')
  expect([refused.status, refused.text]).toEqual([
    409,
    'the route "r" has no other tag in its scope; change the scope first',
  ])
  expect(await tagsOf(check)).toEqual(['shop'])
  expect((await ask('patch', route, { scope: { tags: ['shop', 'eu'] } })).status).toBe(200)
  const still = await ask('delete', '/tags/shop')
  expect([still.status, still.text]).toEqual([
    409,
    'the maintenance window "w" has no other tag in its scope; change the scope first',
  ])
  await ask('delete', window)
  const removed = await ask('delete', '/tags/SHOP')
  expect([removed.status, removed.body]).toEqual([200, { tag: 'shop' }])
  expect(await tagsOf(check)).toBeUndefined()
  expect(await scopeOf(route)).toEqual({ tags: ['eu'] })
  expect((await ask('delete', '/tags/shop')).text).toBe('no tag with that name')
})

test('a composite follows the tags that it names, and keeps its last member', async () => {
  await w.checks(org, [{ tags: ['db'] }, { tags: ['web shop'] }])
  const url = 'composite:tag:db,tag:web%20shop?down_at=1'
  const path = `/checks/${guidOf(await ask('post', '/checks', { name: 'all', url, interval_sec: 60 }))}`
  const targetOf = async () => ((await ask('get', path)).body as { url: string }).url
  expect((await ask('patch', '/tags/db', { tag: 'data base' })).status).toBe(200)
  expect(await targetOf()).toBe('composite:tag:data%20base,tag:web%20shop?down_at=1')
  expect((await ask('delete', '/tags/web%20shop')).status).toBe(200)
  expect(await targetOf()).toBe('composite:tag:data%20base?down_at=1')
  const refused = await ask('delete', '/tags/data%20base')
  expect([refused.status, refused.text]).toEqual([
    409,
    'the composite check "all" has no other member; change its target first',
  ])
})

test('whoever changes a tag must be allowed to change all that has it', async () => {
  await everywhere(['shop'])
  const narrow = configurator(w, await configToken(w, org, { scopes: ['checks:write', 'heartbeats:write'] }))
  const refused = await narrow('patch', '/tags/shop', { tag: 'store' })
  expect([refused.status, refused.text]).toEqual([403, 'this operation needs the scope routes:write'])
  expect((await ask('get', '/tags')).body).toEqual({ tags: [use('shop', 1, 1, 1, 1)] })
})

test.each(['', ' ', 'a,b', 'x'.repeat(51), 'a\nb', '\u0000'])('%j is no tag', async (tag) => {
  await w.checks(org, [{ tags: ['shop'] }])
  const { status, text } = await ask('patch', '/tags/shop', { tag })
  expect([status, text]).toEqual([400, 'tag must be 1 to 50 characters long, without commas'])
  expect((await ask('delete', `/tags/${encodeURIComponent(tag || 'none')}`)).status).toBe(404)
})

test('a check with as many tags as there may be has one of them renamed', async () => {
  const tags = Array.from({ length: 20 }, (_, n) => `t${String(n).padStart(2, '0')}`)
  const [guid] = await w.checks(org, [{ tags }])
  expect((await ask('patch', '/tags/t07', { tag: 'zz' })).status).toBe(200)
  expect(await tagsOf(`/checks/${guid}`)).toEqual([...tags.filter((tag) => tag !== 't07'), 'zz'])
})

test('a tag that thousands of things have is not changed at once: everybody who changes a check would wait', async () => {
  await w.rows(
    `insert into heartbeats (org_id, guid, name, interval_sec, grace_sec, resend_interval_sec, show_on_status_page, tags)
     select $1, gen_random_uuid()::text, 'h', 60, 60, 0, false, array['many'] from generate_series(1, 2001)`,
    org.org_id,
  )
  const line =
    'the tag is on 2001 checks and heartbeats, but at most 2000 can be changed at once; first change some of them separately'
  for (const answer of [await ask('patch', '/tags/many', { tag: 'few' }), await ask('delete', '/tags/many')]) {
    expect([answer.status, answer.text]).toEqual([409, line])
  }
  await w.rows(
    'delete from heartbeats where heartbeat_id = (select max(heartbeat_id) from heartbeats where org_id = $1)',
    org.org_id,
  )
  expect((await ask('patch', '/tags/many', { tag: 'few' })).body).toEqual(use('few', 0, 2000))
})

/** Paths of the operations that take a tag as a filter. */
const FILTERED = Object.entries(
  document.paths as Record<string, { get?: { parameters?: { name: string; in: string }[] } }>,
).flatMap(([path, { get }]) => (get?.parameters?.some((one) => one.name === 'tag' && one.in === 'query') ? [path] : []))

test('five lists have a filter by tag', () => {
  expect(FILTERED.toSorted()).toEqual(['/checks', '/heartbeats', '/incidents', '/metrics', '/summaries'])
})

test.each(FILTERED)('%s finds a tag in any spelling', async (path) => {
  const { check } = await everywhere(['Nasty'])
  await w.rows(
    `insert into incidents (org_id, incident_id, check_id, began_at, told_at, ended_at, end_reason)
     select org_id, 'i' || check_id, check_id, $2::timestamptz - interval '50 s', $2, $2, 'recovered' from checks where guid = $1`,
    ...[check.split('/')[2], w.clock.now()],
  )
  const list = async (tag: string) => (await ask('get', `${path}?tag=${encodeURIComponent(tag)}`)).text
  const found = await list('nasty')
  expect(found).not.toBe(await list('other'))
  expect(await list(' NASTY ')).toBe(found)
})

test('routes and windows keep tags in the spelling of checks, by either way in', async () => {
  const { route, window } = await everywhere([' Prod ', 'eu', 'EU'])
  for (const path of [route, window]) expect(await scopeOf(path)).toEqual({ tags: ['eu', 'prod'] })
  const [, , route_id = ''] = route.split('/')
  const content = {
    name: 'r',
    scope: { tags: ['PROD'] },
    steps: ((await ask('get', route)).body as { steps: object }).steps,
  }
  expect((await ask('put', `/routes/${route_id}`, { ...content, key: 'prod' })).status).toBe(200)
  expect(await scopeOf(route)).toEqual({ tags: ['prod'] })
  const changes = [{ action: 'put', kind: 'route', key: 'prod', body: content }]
  expect((await ask('post', '/bulk', { changes })).body).toMatchObject({ counts: { unchanged: 1 } })
})

test('tags in scopes that an earlier build stored as they were typed count as the tags that they name', async () => {
  const { route, window } = await everywhere(['prod'])
  for (const table of ['alert_routes', 'maintenance_windows'])
    await w.rows(`update ${table} set scope = '{"tags": ["Prod", "PROD"]}' where org_id = $1`, org.org_id)
  for (const path of [route, window]) expect(await scopeOf(path)).toEqual({ tags: ['prod'] })
  expect((await ask('get', '/tags')).body).toEqual({ tags: [use('prod', 1, 1, 1, 1)] })
  expect((await ask('patch', '/tags/prod', { tag: 'live' })).body).toEqual(use('live', 1, 1, 1, 1))
  expect(await scopeOf(route)).toEqual({ tags: ['live'] })
})
