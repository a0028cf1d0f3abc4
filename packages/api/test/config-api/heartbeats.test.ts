// Heartbeats by the configuration API.
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

const BACKUP = { name: 'Backup', interval_sec: 86_400 }
const pathOf = ({ body }: { body: unknown }) => `/heartbeats/${(body as { guid: string }).guid}`

test('two fields make a heartbeat, and its ping URL is shown once', async () => {
  const created = await ask('post', '/heartbeats', BACKUP)
  expect(created.status).toBe(201)
  const { ping_url, ...rest } = created.body as { ping_url: string }
  expect(rest).toEqual({
    ...BACKUP,
    guid: expect.any(String),
    grace_sec: 3600,
    enabled: true,
    show_on_status_page: false,
    state: 'new',
  })
  expect(created.headers.location).toBe(`/config-api/v1${pathOf(created)}`)
  const read = await ask('get', pathOf(created))
  expect([read.body, read.headers.etag]).toEqual([rest, created.headers.etag])
  expect((await w.http.get(new URL(ping_url, 'http://localhost').pathname)).status).toBe(200)
  expect((await ask('get', pathOf(created))).body).toMatchObject({ state: 'up' })
})

test('what was read can be sent back, and changes nothing', async () => {
  const created = await ask('post', '/heartbeats', {
    name: 'Report',
    key: 'report',
    cron: '30 2 * * 1-5',
    cron_zone: 'Europe/Paris',
    grace_sec: 0,
    resend_interval_sec: 3600,
    tags: ['Night'],
    enabled: false,
  })
  const read = await ask('get', pathOf(created))
  expect(read.body).toMatchObject({ key: 'report', cron_zone: 'Europe/Paris', tags: ['night'], enabled: false })
  const sent = await ask('put', pathOf(created), read.body as object)
  expect([sent.status, sent.body, sent.headers.etag]).toEqual([200, read.body, read.headers.etag])
})

test('replacing gives what is left out its default, and changing leaves it', async () => {
  const created = await ask('post', '/heartbeats', { ...BACKUP, key: 'backup', grace_sec: 60, tags: ['night'] })
  const changed = await ask('patch', '/heartbeats/key:backup', { name: 'Backup 2', tags: null })
  expect(changed.body).toMatchObject({ name: 'Backup 2', grace_sec: 60 })
  expect(changed.body).not.toHaveProperty('tags')
  const replaced = await ask('put', pathOf(created), BACKUP)
  expect(replaced.body).toMatchObject({ ...BACKUP, key: 'backup', grace_sec: 3600 })
})

test('a heartbeat follows a cron expression, and then an interval again', async () => {
  const path = pathOf(await ask('post', '/heartbeats', { name: 'Report', cron: '0 * * * *' }))
  expect((await ask('get', path)).body).toMatchObject({ interval_sec: 3600, cron: '0 * * * *', cron_zone: 'UTC' })
  const refused = await ask('patch', path, { interval_sec: 60 })
  expect([refused.status, refused.text]).toEqual([
    400,
    'interval_sec cannot be changed while the heartbeat has a cron expression; also send cron as null',
  ])
  const changed = await ask('patch', path, { cron: null, interval_sec: 60 })
  expect(changed.body).toMatchObject({ interval_sec: 60 })
  expect(changed.body).not.toHaveProperty('cron')
  expect(changed.body).not.toHaveProperty('cron_zone')
})

test.each([
  [{ interval_sec: 60 }, 'name is required'],
  [{ name: 'x' }, 'interval_sec is required'],
  [{ name: 'x', interval_sec: 0 }, 'interval_sec must be a whole number from 1 to 31536000'],
  [{ name: 'x', interval_sec: 60, cron_zone: 'UTC' }, 'cron_zone needs a cron expression'],
  [{ name: 'x', cron: 'every day' }, 'cron must have five fields: minute, hour, day of month, month, day of week'],
  [{ name: 'x', interval_sec: 60, key: 'No' }, expect.stringMatching(/^key must be/)],
  [
    { name: 'x', interval_sec: 60, tags: ['a,b'] },
    expect.stringMatching(/^tags must have entries of 1 to 50 characters each/),
  ],
])('%j is refused by its field', async (body, line) => {
  const { status, text } = await ask('post', '/heartbeats', body)
  expect([status, text]).toEqual([400, line])
  expect(await w.rows('select from heartbeats where org_id = $1', org.org_id)).toEqual([])
})

test('a change based on another state is refused', async () => {
  const created = await ask('post', '/heartbeats', BACKUP)
  const before = { 'If-Match': String(created.headers.etag) }
  expect((await ask('patch', pathOf(created), { name: 'Mine' }, before)).status).toBe(200)
  for (const method of ['put', 'patch', 'delete'] as const) {
    const late = await ask(method, pathOf(created), method === 'delete' ? undefined : BACKUP, before)
    expect(late.status).toBe(412)
  }
})

test('pausing and resuming twice changes nothing more', async () => {
  const path = pathOf(await ask('post', '/heartbeats', BACKUP))
  for (const [verb, enabled] of [
    ['pause', false],
    ['pause', false],
    ['resume', true],
    ['resume', true],
  ] as const) {
    expect((await ask('post', `${path}/${verb}`)).body).toMatchObject({ enabled })
  }
  const deeds = await w.rows(
    "select action from audit_entries where org_id = $1 and action ~ '(pause|resume)'",
    org.org_id,
  )
  expect(deeds).toHaveLength(2)
})

test('the ping URL is for those who may write, and a new one replaces it', async () => {
  const created = await ask('post', '/heartbeats', BACKUP)
  const { ping_url } = created.body as { ping_url: string }
  const path = `${pathOf(created)}/ping-url`
  expect((await ask('get', path)).body).toEqual({ ping_url })
  const keyed = { 'Idempotency-Key': 'once' }
  const rotated = await ask('post', path, undefined, keyed)
  expect((await ask('post', path, undefined, keyed)).text).toBe(rotated.text)
  expect((await ask('get', path)).body).toEqual(rotated.body)
  expect(rotated.body).not.toEqual({ ping_url })
  expect((await w.http.get(new URL(ping_url, 'http://localhost').pathname)).status).toBe(404)
  const reader = configurator(w, await configToken(w, org, { scopes: ['heartbeats:read'] }))
  expect((await reader('get', path)).status).toBe(403)
})

test('pages hold every heartbeat once, and a tag selects', async () => {
  for (const n of [1, 2, 3])
    await ask('post', '/heartbeats', { ...BACKUP, name: `b${n}`, tags: n === 2 ? ['two'] : [] })
  const first = await ask('get', '/heartbeats?limit=2')
  const { heartbeats, next } = first.body as { heartbeats: { name: string }[]; next: string }
  const second = await ask('get', `/heartbeats?limit=2&after=${next}`)
  const names = [...heartbeats, ...(second.body as { heartbeats: { name: string }[] }).heartbeats].map(
    (one) => one.name,
  )
  expect(names).toEqual(['b1', 'b2', 'b3'])
  expect(second.body).not.toHaveProperty('next')
  expect((await ask('get', '/heartbeats?tag=two')).body).toMatchObject({ heartbeats: [{ name: 'b2' }] })
})

test('a page after a heartbeat that was deleted is refused, and not taken for the end', async () => {
  const made = await ask('post', '/heartbeats', BACKUP)
  await ask('post', '/heartbeats', BACKUP)
  const after = (made.body as { guid: string }).guid
  expect((await ask('get', `/heartbeats?after=${after}`)).body).toMatchObject({ heartbeats: [{ name: 'Backup' }] })
  await ask('delete', pathOf(made))
  const { status, text } = await ask('get', `/heartbeats?after=${after}`)
  expect([status, text]).toEqual([400, 'after must be the value of "next" from the previous page'])
})

test.each(['heartbeats', 'checks', 'channels', 'routes', 'maintenance'])(
  '%s after nothing known are refused',
  async (kind) => {
    for (const after of ['8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11', '%00']) {
      const { status, text } = await ask('get', `/${kind}?after=${after}`)
      expect([status, text]).toEqual([400, 'after must be the value of "next" from the previous page'])
    }
  },
)

test('the interval that follows from an expression is part of neither its version nor a plan', async () => {
  const body = { name: 'Monthly', cron: '0 0 1 * *', cron_zone: 'UTC' }
  const made = await ask('post', '/heartbeats', { ...body, key: 'monthly' })
  // As it would be if it had been made at another time of the year.
  await w.rows('update heartbeats set interval_sec = 60 where org_id = $1', org.org_id)
  const read = await ask('get', pathOf(made))
  expect([read.headers.etag, read.body]).toEqual([made.headers.etag, expect.objectContaining({ interval_sec: 60 })])
  const put = (more: object) => ({ action: 'put', kind: 'heartbeat', key: 'monthly', body: { ...body, ...more } })
  const plan = async (more: object) =>
    (await ask('post', '/bulk', { dry_run: true, changes: [put(more)] })).body as { changes: { fields: object[] }[] }
  expect((await plan({})).changes).toMatchObject([{ action: 'unchanged' }])
  expect((await plan({ name: 'Each month' })).changes[0]?.fields).toMatchObject([{ field: 'name' }])
})

test('the audit log says which fields of a heartbeat, a route and a window were changed, the key too', async () => {
  const beat = await ask('post', '/heartbeats', BACKUP)
  await ask('patch', pathOf(beat), { key: 'backup' })
  await ask('patch', pathOf(beat), { name: 'Backup 2', tags: ['Night'] })
  const { body: ops } = await ask('post', '/channels', {
    name: 'o',
    kind: 'ntfy',
    destination: { ntfy_topic: 'topic' },
  })
  const steps = [{ channels: [(ops as { id: string }).id] }]
  const route = (await ask('post', '/routes', { name: 'All', scope: { all: true }, steps })).body as { guid: string }
  await ask('patch', `/routes/${route.guid}`, { key: 'all', delay_sec: 60 })
  const starts_at = new Date(w.clock.now().getTime() + 3_600_000).toISOString().slice(0, 16)
  const wanted = { name: 'Upgrade', scope: { all: true }, starts_at, duration_sec: 3600 }
  const window = (await ask('post', '/maintenance', wanted)).body as { guid: string }
  await ask('patch', `/maintenance/${window.guid}`, { key: 'upgrade', name: 'Upgrade 2' })
  const deeds = await w.rows(
    "select action, detail -> 'changed' as changed from audit_entries where org_id = $1 and action ~ 'edit$' order by entry_id",
    org.org_id,
  )
  expect(deeds).toEqual([
    { action: 'heartbeat.edit', changed: ['key'] },
    { action: 'heartbeat.edit', changed: ['name', 'tags'] },
    { action: 'route.edit', changed: ['delay_sec', 'key'] },
    { action: 'maintenance.edit', changed: ['name', 'key'] },
  ])
})

test('the plan and the key bind as they do elsewhere', async () => {
  await ask('post', '/heartbeats', { ...BACKUP, key: 'backup' })
  const taken = await ask('post', '/heartbeats', { ...BACKUP, key: 'backup' })
  expect([taken.status, taken.text]).toEqual([409, 'key is already used by another heartbeat'])
  const free = await w.org('free')
  const poor = configurator(w, await configToken(w, free))
  const answers = [await poor('post', '/heartbeats', BACKUP), await poor('post', '/heartbeats', BACKUP)]
  expect(answers.at(-1)?.text).toMatch(/^the free plan allows \d+ heartbeats?; delete a heartbeat or change the plan$/)
})
