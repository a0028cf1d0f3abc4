// Maintenance windows by the configuration API.
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
  org = await w.org()
  ask = configurator(w, await configToken(w, org))
})
afterAll(() => w.close())

const inMinutes = (minutes: number) => new Date(w.clock.now().getTime() + minutes * 60_000).toISOString().slice(0, 16)
const windowFrom = (minutes: number, more: object = {}) => ({
  name: 'Upgrade',
  scope: { all: true },
  starts_at: inMinutes(minutes),
  duration_sec: 3600,
  ...more,
})

test('a window has every field that it was given, and what was read can be sent back', async () => {
  const [guid = ''] = await w.checks(org, [{}])
  await ask('patch', `/checks/${guid}`, { key: 'shop' })
  const wanted = windowFrom(120, {
    key: 'weekly',
    scope: { checks: ['key:shop'] },
    zone: 'Europe/Paris',
    rule: 'freq=weekly',
    is_public: true,
  })
  const created = await ask('post', '/maintenance', wanted)
  const { guid: window } = created.body as { guid: string }
  expect([created.status, created.headers.location]).toEqual([201, `/config-api/v1/maintenance/${window}`])
  expect(created.body).toEqual({ ...wanted, guid: window, scope: { checks: [guid] }, rule: 'FREQ=WEEKLY' })
  const read = await ask('get', '/maintenance/key:weekly')
  expect(read.body).toMatchObject({ ...(created.body as object), state: 'announced', begins_at: expect.any(String) })
  expect(read.headers.etag).toBe(created.headers.etag)
  const sent = await ask('put', `/maintenance/${window}`, read.body as object, {
    'If-Match': String(read.headers.etag),
  })
  expect([sent.status, sent.headers.etag]).toEqual([200, read.headers.etag])
  const changed = await ask('patch', `/maintenance/${window}`, { rule: null, is_public: null, name: 'Once' })
  expect(changed.body).toEqual({
    guid: window,
    key: 'weekly',
    name: 'Once',
    scope: { checks: [guid] },
    starts_at: wanted.starts_at,
    duration_sec: 3600,
    zone: 'Europe/Paris',
  })
  const stale = await ask('delete', `/maintenance/${window}`, undefined, { 'If-Match': String(read.headers.etag) })
  expect(stale.status).toBe(412)
  expect((await ask('delete', `/maintenance/${window}`)).body).toEqual({ guid: window })
  expect((await ask('get', '/maintenance')).body).toEqual({ windows: [] })
})

test('one that is on is ended, and the list tells what is on first', async () => {
  await ask('post', '/maintenance', windowFrom(60, { name: 'later' }))
  const { body } = await ask('post', '/maintenance', windowFrom(-30, { name: 'now', rule: 'FREQ=DAILY' }))
  const list = async () => {
    const { windows } = (await ask('get', '/maintenance')).body as { windows: { name: string; state: string }[] }
    return windows.map(({ name, state }) => `${name} ${state}`)
  }
  w.clock.forward(60)
  expect(await list()).toEqual(['now running', 'later announced'])
  const path = `/maintenance/${(body as { guid: string }).guid}`
  for (const key of ['a', 'a', 'b']) {
    expect((await ask('post', `${path}/end`, undefined, { 'Idempotency-Key': key })).status).toBe(200)
  }
  expect(await list()).toEqual(['later announced', 'now announced'])
  const deeds = await w.rows("select from audit_entries where org_id = $1 and action = 'maintenance.end'", org.org_id)
  expect(deeds).toHaveLength(1)
  const page = (await ask('get', '/maintenance?limit=1')).body as { next: string }
  expect((await ask('get', `/maintenance?after=${page.next}`)).body).toEqual({
    windows: [expect.objectContaining({ name: 'now' })],
  })
})

test('a refusal names the field', async () => {
  for (const [field, part] of [
    ['starts_at must be a date', { starts_at: 'tomorrow' }],
    ['duration_sec must be long enough for the window to end in the future', { starts_at: inMinutes(-120) }],
    ['duration_sec must be from 60', { duration_sec: 1 }],
    ['zone must be a time zone, such as Europe/Paris', { zone: 'Mars' }],
    ['rule must consist of parts', { rule: 'x' }],
    ['rule must set BYHOUR to hours from 0 to 23, not 25', { rule: 'FREQ=DAILY;BYHOUR=25' }],
    ['scope must have either "all" or "tags"', { scope: {} }],
    ['scope.heartbeats[0] must name an existing heartbeat', { scope: { heartbeats: ['key:none'] } }],
    ['key must be 1 to 64 characters', { key: 'Not a key' }],
  ] as const) {
    const { status, text } = await ask('post', '/maintenance', windowFrom(60, part))
    expect([status, text.slice(0, field.length)]).toEqual([400, field])
  }
  expect(await w.rows('select from maintenance_windows where org_id = $1', org.org_id)).toEqual([])
})

test('a key is taken once', async () => {
  expect((await ask('post', '/maintenance', windowFrom(60, { key: 'one' }))).status).toBe(201)
  const again = await ask('post', '/maintenance', windowFrom(60, { key: 'one' }))
  expect([again.status, again.text]).toEqual([409, 'key is already used by another maintenance window'])
})
