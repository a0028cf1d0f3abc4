// Routes by the configuration API.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { configToken, configurator } from '../support/config-api.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let org: Org
let ops: string
let ask: ReturnType<typeof configurator>
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org('team')
  ask = configurator(w, await configToken(w, org))
  ops = await channel('Ops', 'ops')
})
afterAll(() => w.close())

async function channel(name: string, key: string, of = org): Promise<string> {
  const wanted = { kind: 'email', name, email: 'ops@example.com' } as const
  const { id } = await createChannel(w.deps, of.org_id, wanted)
  await w.rows('update notification_channels set key = $1 where id = $2', key, id)
  return String(id)
}

test('a route has every field that it was given, and what was read can be sent back', async () => {
  const boss = await channel('Boss', 'boss')
  const [guid = ''] = await w.checks(org, [{}])
  await ask('patch', `/checks/${guid}`, { key: 'shop' })
  const { guid: beat } = await createHeartbeat(w.deps, org.org_id, {
    name: 'backup',
    interval_sec: 60,
    grace_sec: 0,
    resend_interval_sec: 0,
    show_on_status_page: false,
  })
  const wanted = {
    key: 'payments',
    name: 'Payments',
    enabled: false,
    scope: { checks: ['key:shop'], heartbeats: [beat] },
    events: ['down', 'up'],
    severity: 'warning',
    delay_sec: 120,
    quiet: { from: '22:00', to: '07:00', days: [1, 2], zone: 'Europe/Paris', holds_down: true },
    steps: [
      { channels: ['key:ops'] },
      {
        after_sec: 600,
        rotation: { channels: [boss, 'key:ops'], starts_on: '2026-11-23', at: '09:00', zone: 'UTC' },
      },
    ],
  }
  const created = await ask('post', '/routes', wanted)
  expect(created.status).toBe(201)
  const { guid: route } = created.body as { guid: string }
  expect(created.headers.location).toBe(`/config-api/v1/routes/${route}`)
  expect(created.body).toEqual({
    ...wanted,
    guid: route,
    scope: { checks: [guid], heartbeats: [beat] },
    steps: [
      { channels: [ops] },
      { after_sec: 600, rotation: { channels: [boss, ops], starts_on: '2026-11-23', at: '09:00', zone: 'UTC' } },
    ],
  })
  const read = await ask('get', '/routes/key:payments')
  expect([read.body, read.headers.etag]).toEqual([created.body, created.headers.etag])
  const sent = await ask('put', `/routes/${route}`, read.body as object, { 'If-Match': String(read.headers.etag) })
  expect([sent.status, sent.headers.etag]).toEqual([200, read.headers.etag])
  const changed = await ask('patch', `/routes/${route}`, { quiet: null, severity: null, enabled: null, name: 'P' })
  expect(changed.body).toMatchObject({ name: 'P', enabled: true, delay_sec: 120 })
  expect(changed.body).not.toHaveProperty('quiet')
  const stale = await ask('put', `/routes/${route}`, wanted, { 'If-Match': String(read.headers.etag) })
  expect(stale.status).toBe(412)
  const replaced = await ask('put', `/routes/${route}`, {
    name: 'P',
    scope: { all: true },
    steps: [{ channels: [ops] }],
  })
  expect(replaced.body).toEqual({
    guid: route,
    key: 'payments',
    name: 'P',
    enabled: true,
    scope: { all: true },
    steps: [{ channels: [ops] }],
  })
  expect((await ask('delete', `/routes/${route}`)).body).toEqual({ guid: route })
  expect((await ask('get', '/routes')).body).toEqual({ routes: [] })
})

test('what a route names must be there, and a refusal says where it stands', async () => {
  const [foreign = ''] = await w.checks(await w.org(), [{}])
  const theirs = await channel('Theirs', 'theirs', await w.org())
  const base = { name: 'r', scope: { all: true }, steps: [{ channels: [ops] }] }
  for (const [field, part] of [
    ['steps[0].channels[1] must name an existing', { steps: [{ channels: [ops, 'key:none'] }] }],
    ['steps[0].channels[0] must name an existing', { steps: [{ channels: [theirs] }] }],
    ['steps[0] must have channels or a rotation, but not both', { steps: [{}] }],
    ['steps must have at least one channel', { steps: [] }],
    ['scope.checks[0] must name an exis', { scope: { checks: [foreign] } }],
    ['scope must have either "all" or "tags"', { scope: {} }],
    ['scope must have either "all" or "tags"', { scope: { all: true, tags: ['x'] } }],
    ['name must', { name: ' ' }],
    ['severity must', { severity: 'loud' }],
    ['quiet', { quiet: { from: '25:00', to: '07:00', zone: 'UTC' } }],
  ] as const) {
    const { status, text } = await ask('post', '/routes', { ...base, ...part })
    expect([status, text.slice(0, field.length)]).toEqual([400, field])
  }
  expect(await w.rows('select from alert_routes where org_id = $1', org.org_id)).toEqual([])
})

test('a check that is gone may stay in a route that named it', async () => {
  const [guid = ''] = await w.checks(org, [{}])
  const wanted = { name: 'r', scope: { checks: [guid] }, steps: [{ channels: [ops] }] }
  const { body } = await ask('post', '/routes', wanted)
  await ask('delete', `/checks/${guid}`)
  const path = `/routes/${(body as { guid: string }).guid}`
  expect((await ask('put', path, { ...wanted, name: 'again' })).status).toBe(200)
})

test('routes are moved, and their list has pages in their order', async () => {
  const guids: string[] = []
  for (const name of ['a', 'b', 'c']) {
    const { body } = await ask('post', '/routes', { name, scope: { all: true }, steps: [{ channels: [ops] }] })
    guids.push((body as { guid: string }).guid)
  }
  const before = await ask('get', `/routes/${guids[2]}`)
  const moved = await ask('post', `/routes/${guids[2]}/move`, { position: 1 })
  expect([moved.status, moved.headers.etag]).toEqual([200, before.headers.etag])
  const first = await ask('get', '/routes?limit=2')
  const { routes, next } = first.body as { routes: { name: string }[]; next: string }
  expect(routes.map(({ name }) => name)).toEqual(['c', 'a'])
  const { body } = await ask('get', `/routes?limit=2&after=${next}`)
  expect(body).toEqual({ routes: [expect.objectContaining({ name: 'b' })] })
  expect((await ask('get', '/routes?after=x')).text).toBe('after must be the value of "next" from the previous page')
})

test('the preview asks the rule that decides', async () => {
  await channel('Boss', 'boss')
  const [guid = ''] = await w.checks(org, [{}])
  const steps = [{ channels: [ops] }, { after_sec: 600, channels: ['key:boss'] }]
  await ask('post', '/routes', { name: 'Shop', scope: { checks: [guid] }, steps })
  const { status, body } = await ask('get', `/alert-preview?event=check.down&check=${guid}`)
  expect([status, body]).toEqual([
    200,
    {
      channels: [
        { id: ops, name: 'Ops', told: 'now', why: 'route "Shop"' },
        expect.objectContaining({ name: 'Boss', told: 'later', at: expect.any(String) }),
      ],
    },
  ])
  expect((await ask('get', `/alert-preview?event=check.none&check=${guid}`)).text).toBe(
    'event must be a type of event that routes can send',
  )
})
