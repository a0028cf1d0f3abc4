// What the configuration API says of an organisation as a whole: runs out of turn, the audit log, the status page.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { configToken, configurator } from '../../../api/test/support/config-api.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let org: Org
let ask: ReturnType<typeof configurator>
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org('team')
  ask = configurator(w, await configToken(w, org, { scopes: ['write', 'audit:read'] }))
})
afterAll(() => w.close())

describe('a run out of turn', () => {
  test('is asked for once, waits for its monitor, and tells what it came to', async () => {
    const monitor = await w.monitor(org, 'fra-1')
    const [guid = ''] = await w.checks(org, [{}], 'all')
    await monitor.client.sync()
    const asked = [1, 2].map(() => ask('post', `/checks/${guid}/run`, undefined, { 'Idempotency-Key': 'k' }))
    const [first, again] = await Promise.all(asked)
    expect([first?.status, again?.text]).toEqual([201, first?.text])
    const { id } = first?.body as { id: string }
    expect(first?.body).toEqual({ id, monitor_id: monitor.id, state: 'waiting' })
    expect(first?.headers.location).toBe(`/config-api/v1/runs/${id}`)
    expect((await ask('get', `/runs/${id}`)).body).toEqual({
      id,
      monitor_id: monitor.id,
      monitor_name: 'fra-1',
      state: 'waiting',
    })
    const { runs = [] } = await monitor.client.sync()
    expect(runs.map((run) => run.id)).toEqual([id])
    const ran_at = w.clock.now().toISOString()
    await monitor.client.reportRuns([{ id, success: false, kind: 'timeout', error: 'timeout', latency_ms: 10, ran_at }])
    expect((await ask('get', `/runs/${id}`)).body).toMatchObject({
      state: 'done',
      result: { success: false, kind: 'timeout', latency_ms: 10, ran_at: ran_at.replace('Z', '000Z') },
    })
  })

  test('is not asked for while the check is paused or none of its monitors is online', async () => {
    const [guid = ''] = await w.checks(org, [{}], 'all')
    const alone = await ask('post', `/checks/${guid}/run`)
    expect([alone.status, alone.text]).toEqual([409, 'none of the monitors of this check is online'])
    await ask('post', `/checks/${guid}/pause`)
    const paused = await ask('post', `/checks/${guid}/run`)
    expect([paused.status, paused.text]).toEqual([409, 'the check is paused; resume it first'])
  })

  test('has the limits that it has in the console', async () => {
    const [guid = ''] = await w.checks(org, [{}], 'all')
    const statuses = new Set<number>()
    for (let n = 0; n < 11; n++) statuses.add((await ask('post', `/checks/${guid}/run`)).status)
    expect([...statuses]).toEqual([409, 429])
  })
})

test('the audit log has pages and spans of time', async () => {
  const { body } = await ask('post', '/checks', { name: 'Shop', url: 'https://shop.example.com/', interval_sec: 60 })
  w.clock.forward(60)
  const since = w.clock.now().toISOString()
  await ask('patch', `/checks/${(body as { guid: string }).guid}`, { name: 'Shop 2' })
  const list = async (query: string) => {
    const { body: page } = await ask('get', `/audit?${query}`)
    const { entries, next } = page as { entries: { action: string }[]; next?: string }
    return { actions: entries.map(({ action }) => action), next }
  }
  const first = await list('limit=1')
  expect(first.actions).toEqual(['check.edit'])
  expect((await list(`limit=1&after=${first.next}`)).actions).toEqual(['check.create'])
  expect((await list(`since=${since}`)).actions).toEqual(['check.edit'])
  const before = await ask('get', `/audit?until=${since}`)
  expect((before.body as { entries: object[] }).entries[0]).toMatchObject({
    action: 'check.create',
    subject: 'Shop',
    detail: { token: 'deployment' },
  })
  expect((await ask('get', '/audit?after=x')).status).toBe(400)
})

describe('the status page', () => {
  const page = { slug: 'acme-status', title: 'Acme' }

  test('is saved, read, and sent back as it was read', async () => {
    expect((await ask('get', '/status-page')).status).toBe(404)
    const [one = '', two = ''] = await w.checks(org, [{ name: 'a' }, { name: 'b' }])
    await ask('patch', `/checks/${two}`, { key: 'second' })
    const entries = [
      { check: 'key:second', public_name: 'Second' },
      { check: one, public_name: 'First' },
    ]
    const slug = `acme-${org.org_id}`
    const saved = await ask('put', '/status-page', { ...page, slug, description: 'All of it.', enabled: true, entries })
    const now = {
      ...page,
      slug,
      description: 'All of it.',
      enabled: true,
      entries: [
        { check: two, public_name: 'Second' },
        { check: one, public_name: 'First' },
      ],
    }
    expect([saved.status, saved.body]).toEqual([200, now])
    const read = await ask('get', '/status-page')
    const again = await ask('put', '/status-page', read.body as object, { 'If-Match': String(read.headers.etag) })
    expect([again.status, again.headers.etag]).toEqual([200, read.headers.etag])
    const shorter = await ask('put', '/status-page', { ...page, slug, entries: [] })
    expect(shorter.body).toEqual({ ...page, slug, enabled: true, entries: [] })
    const stale = await ask('put', '/status-page', now, { 'If-Match': String(read.headers.etag) })
    expect(stale.status).toBe(412)
    expect((await w.http.get(`/status/${slug}`)).status).toBe(200)
  })

  test('is refused whole, by the field at fault', async () => {
    const [guid = ''] = await w.checks(org, [{}])
    const [foreign = ''] = await w.checks(await w.org(), [{}])
    for (const [line, part] of [
      ['slug must be 3 to 40', { slug: 'X' }],
      ['title must not be blank', { title: ' ' }],
      ['entries[0].check must name an existing check', { entries: [{ check: foreign, public_name: 'x' }] }],
      ['entries[0].public_name must not be blank', { entries: [{ check: guid, public_name: ' ' }] }],
      ['entries[0] must have either check or heartbeat', { entries: [{ public_name: 'x' }] }],
      [
        'entries[1].check must not repeat an earlier',
        {
          entries: [
            { check: guid, public_name: 'x' },
            { check: guid, public_name: 'y' },
          ],
        },
      ],
    ] as const) {
      const { status, text } = await ask('put', '/status-page', { ...page, entries: [], ...part })
      expect([status, text.slice(0, line.length)]).toEqual([400, line])
    }
    expect((await ask('get', '/status-page')).status).toBe(404)
  })

  test('is put in bulk, without a key, behind what it shows', async () => {
    const body = { ...page, slug: `bulk-${org.org_id}`, entries: [{ check: 'key:shop', public_name: 'Shop' }] }
    const check = { name: 'Shop', url: 'https://shop.example.com/', interval_sec: 60 }
    const changes = [
      { action: 'put', kind: 'status_page', body },
      { action: 'put', kind: 'check', key: 'shop', body: check },
    ]
    for (const [dry_run, counts] of [
      [true, { created: 2 }],
      [false, { created: 2 }],
      [true, { unchanged: 2 }],
    ] as const) {
      const { status, body: plan } = await ask('post', '/bulk', { dry_run, changes })
      expect([status, plan]).toEqual([200, expect.objectContaining({ counts: expect.objectContaining(counts) })])
    }
    const refused = await ask('post', '/bulk', { changes: [{ action: 'delete', kind: 'status_page' }] })
    expect([refused.status, refused.text]).toEqual([
      400,
      'changes[0].action must be "put", because the status page cannot be deleted',
    ])
  })

  test('is not part of every plan', async () => {
    const small = configurator(w, await configToken(w, await w.org('free')))
    const { status, text } = await small('put', '/status-page', { ...page, entries: [] })
    expect([status, text]).toEqual([400, 'status pages are not included in the free plan'])
  })
})
