// Checks by the configuration API: created, read, replaced, changed, paused and deleted.

import { readDeletions, restoreChecks } from '@dogwatch/domain/checks/deletions'
import { importChecks } from '@dogwatch/domain/checks/import'
import { wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
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

const SHOP = { name: 'Shop', url: 'https://shop.example.com/health', interval_sec: 60 }

test('three fields make a check, which all monitors run', async () => {
  const monitor = await w.monitor(org)
  const created = await ask('post', '/checks', SHOP)
  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({ ...SHOP, enabled: true, all_monitors: true, monitors: [monitor.id] })
  const { guid } = created.body as { guid: string }
  expect(created.headers.location).toBe(`/config-api/v1/checks/${guid}`)
  const read = await ask('get', `/checks/${guid}`)
  const { state, ...content } = read.body as Record<string, unknown>
  expect(state).toBe('unknown')
  expect(created.body).toMatchObject(content)
  expect(read.headers.etag).toBe(created.headers.etag)
  const { checks } = await monitor.client.sync()
  expect(checks).toMatchObject([{ guid, url: SHOP.url }])
})

test('what was read can be sent back, and changes nothing', async () => {
  const { body: created } = await ask('post', '/checks', { ...SHOP, tags: ['shop'], headers: { Accept: 'text/html' } })
  const { guid } = created as { guid: string }
  const read = await ask('get', `/checks/${guid}`)
  const sent = await ask('put', `/checks/${guid}`, {
    ...(read.body as object),
    all_monitors: true,
    monitors: undefined,
  })
  expect([sent.status, sent.headers.etag]).toEqual([200, read.headers.etag])
})

test('retries that are never made are warned of, and the warning can be sent back', async () => {
  const warning =
    'retry_count has no effect with fewer than 6 monitors: one retry takes up to 312 s, and the check runs every 60 s'
  const { body, status } = await ask('post', '/checks', { ...SHOP, retry_count: 2, retry_interval_sec: 300 })
  expect([status, body]).toEqual([201, expect.objectContaining({ warnings: [warning] })])
  const { guid } = body as { guid: string }
  const read = await ask('get', `/checks/${guid}`)
  expect(read.body).toMatchObject({ warnings: [warning] })
  const sent = await ask('put', `/checks/${guid}`, read.body)
  expect([sent.status, sent.headers.etag]).toEqual([200, read.headers.etag])
  const mended = await ask('patch', `/checks/${guid}`, { interval_sec: 600 })
  expect([mended.status, mended.body]).toEqual([200, expect.not.objectContaining({ warnings: expect.anything() })])
})

test('replacing gives what is left out its default, and changing leaves it', async () => {
  const { body } = await ask('post', '/checks', { ...SHOP, timeout_sec: 5, tags: ['shop'] })
  const { guid } = body as { guid: string }
  const changed = await ask('patch', `/checks/${guid}`, { name: 'Shop 2', tags: null })
  expect(changed.body).toMatchObject({ ...SHOP, name: 'Shop 2', timeout_sec: 5 })
  expect(changed.body).not.toHaveProperty('tags')
  const replaced = await ask('put', `/checks/${guid}`, SHOP)
  expect(replaced.body).toMatchObject(SHOP)
  expect(replaced.body).not.toHaveProperty('timeout_sec')
})

test('a change based on another state is refused and changes nothing', async () => {
  const created = await ask('post', '/checks', SHOP)
  const path = `/checks/${(created.body as { guid: string }).guid}`
  const before = String(created.headers.etag)
  const first = await ask('patch', path, { name: 'Mine' }, { 'If-Match': before })
  expect(first.status).toBe(200)
  for (const method of ['put', 'patch', 'delete'] as const) {
    const late = await ask(method, path, method === 'delete' ? undefined : { ...SHOP, name: 'Theirs' }, {
      'If-Match': before,
    })
    expect([late.status, late.text]).toEqual([412, 'if-match does not match the current version of the resource'])
  }
  expect((await ask('get', path)).body).toMatchObject({ name: 'Mine' })
  expect((await ask('patch', path, { name: 'Any' }, { 'If-Match': '*' })).status).toBe(200)
  expect((await ask('patch', path, { name: 'Weak' }, { 'If-Match': `W/${before}` })).status).toBe(412)
})

test('of many changes based on one state, one is made', async () => {
  const created = await ask('post', '/checks', SHOP)
  const path = `/checks/${(created.body as { guid: string }).guid}`
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      ask('patch', path, { name: `n${n}` }, { 'If-Match': String(created.headers.etag) }),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 412)])
})

test('monitors are those that are named, all, or none', async () => {
  const [one, two] = [await w.monitor(org), await w.monitor(org)]
  const { body } = await ask('post', '/checks', { ...SHOP, monitors: [two.id] })
  const path = `/checks/${(body as { guid: string }).guid}`
  expect(body).toMatchObject({ monitors: [two.id] })
  expect(body).not.toHaveProperty('all_monitors')
  expect((await ask('patch', path, { name: 'Same monitors' })).body).toMatchObject({ monitors: [two.id] })
  expect((await ask('patch', path, { all_monitors: true })).body).toMatchObject({ monitors: [one.id, two.id].sort() })
  expect((await ask('patch', path, { monitors: [] })).body).not.toHaveProperty('monitors')
  const both = await ask('patch', path, { all_monitors: true, monitors: [one.id] })
  expect([both.status, both.text]).toEqual([400, 'monitors must be omitted if all_monitors is true'])
  const foreign = await w.monitor(await w.org())
  const refused = await ask('patch', path, { monitors: [foreign.id] })
  expect(refused.status).toBe(400)
  expect(refused.text).toMatch(
    /^monitors must not include .*, which is neither one of your own monitors nor a shared monitor/,
  )
})

describe('a key', () => {
  test('names the check in paths and in what depends on it', async () => {
    const { body } = await ask('post', '/checks', { ...SHOP, key: 'shop' })
    const { guid } = body as { guid: string }
    expect(body).toMatchObject({ key: 'shop' })
    expect((await ask('get', '/checks/key:shop')).body).toMatchObject({ guid, key: 'shop' })
    const other = await ask('post', '/checks', { ...SHOP, name: 'Basket', key: 'basket', depends_on: 'key:shop' })
    expect(other.body).toMatchObject({ key: 'basket', depends_on: guid })
    expect((await ask('post', '/checks/key:shop/pause')).body).toMatchObject({ guid, enabled: false })
    const deleted = await ask('delete', '/checks/key:shop')
    expect([deleted.status, deleted.body]).toEqual([200, { guid }])
    const gone = await ask('get', '/checks/key:shop')
    expect([gone.status, gone.text]).toEqual([404, 'no check with that key'])
  })

  test('stays when it is left out, goes when it is null, and is a part of the state', async () => {
    const created = await ask('post', '/checks', { ...SHOP, key: 'shop' })
    const path = `/checks/${(created.body as { guid: string }).guid}`
    expect((await ask('put', path, SHOP)).body).toMatchObject({ key: 'shop' })
    const renamed = await ask('patch', path, { key: 'store' })
    expect(renamed.body).toMatchObject({ key: 'store' })
    expect(renamed.headers.etag).not.toBe(created.headers.etag)
    expect((await ask('patch', path, { key: null })).body).not.toHaveProperty('key')
  })

  test('belongs to one check of the organisation', async () => {
    await ask('post', '/checks', { ...SHOP, key: 'shop' })
    const taken = await ask('post', '/checks', { ...SHOP, key: 'shop' })
    expect([taken.status, taken.text]).toEqual([409, 'key is already used by another check'])
    const { body } = await ask('post', '/checks', SHOP)
    const { guid } = body as { guid: string }
    expect((await ask('patch', `/checks/${guid}`, { key: 'shop' })).status).toBe(409)
    const other = configurator(w, await configToken(w, await w.org()))
    expect((await other('get', '/checks/key:shop')).status).toBe(404)
    expect((await other('post', '/checks', { ...SHOP, key: 'shop' })).status).toBe(201)
  })

  test('goes to one of many that ask for it at once', async () => {
    const bodies = {
      checks: SHOP,
      heartbeats: { name: 'h', interval_sec: 60 },
      channels: { name: 'n', kind: 'ntfy', destination: { ntfy_topic: 't' } },
    }
    for (const [path, body] of Object.entries(bodies)) {
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => ask('post', `/${path}`, { ...body, key: 'mine' })),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    }
  })

  test('is named in the audit log when it changes', async () => {
    const path = `/checks/${((await ask('post', '/checks', SHOP)).body as { guid: string }).guid}`
    for (const key of ['shop', 'shop', null]) await ask('patch', path, { key })
    const changes = [
      { action: 'put', kind: 'check', id: path.slice('/checks/'.length), body: { ...SHOP, key: 'shop' } },
    ]
    expect((await ask('post', '/bulk', { changes })).status).toBe(200)
    const deeds = await w.rows(
      "select detail from audit_entries where org_id = $1 and action = 'check.edit' order by entry_id",
      org.org_id,
    )
    const changed = deeds.map(({ detail }) => (detail as { changed: string[] }).changed)
    expect(changed).toEqual([['key'], [], ['key'], ['key']])
  })

  test.each(['', 'Shop', '-shop', 'a b', 'x'.repeat(65), 'é', 'shop\n'])('is not %j', async (key) => {
    const { status, text } = await ask('post', '/checks', { ...SHOP, key })
    expect([status, text]).toEqual([400, expect.stringMatching(/^key must be 1 to 64 characters/)])
    expect((await ask('get', `/checks/${encodeURIComponent(`key:${key}`)}`)).status).toBe(404)
  })

  test('that names no check is refused in depends_on', async () => {
    const { status, text } = await ask('post', '/checks', { ...SHOP, depends_on: 'key:nothing' })
    expect([status, text]).toEqual([400, 'depends_on must name an existing check; no check has that key'])
  })

  test('is free once its check is deleted, and comes back with it unless another has it', async () => {
    const { body: first } = await ask('post', '/checks', { ...SHOP, key: 'shop' })
    const { guid } = first as { guid: string }
    const actor = { person_id: org.owner_id, email: 'o@example.com', impersonator_email: null }
    const undo = async () => {
      const [latest] = await readDeletions(w.deps, org.org_id)
      await restoreChecks(w.deps, { org_id: org.org_id, actor }, latest?.batch_id ?? '')
    }
    await ask('delete', `/checks/${guid}`)
    await undo()
    expect((await ask('get', '/checks/key:shop')).body).toMatchObject({ guid })
    await ask('delete', `/checks/${guid}`)
    const { body: second } = await ask('post', '/checks', { ...SHOP, key: 'shop' })
    await undo()
    expect((await ask('get', '/checks/key:shop')).body).toEqual(
      expect.objectContaining({ guid: (second as { guid: string }).guid }),
    )
    expect((await ask('get', `/checks/${guid}`)).body).not.toHaveProperty('key')
  })

  test('is left to the check that has it by now when an import brings a deleted one back', async () => {
    const { body: first } = await ask('post', '/checks', { ...SHOP, key: 'shop' })
    const { guid } = first as { guid: string }
    await ask('delete', `/checks/${guid}`)
    const { body: second } = await ask('post', '/checks', { ...SHOP, key: 'shop' })
    await w.checks(org, [{ ...SHOP, guid }])
    expect((await ask('get', `/checks/${guid}`)).body).not.toHaveProperty('key')
    expect((await ask('get', '/checks/key:shop')).body).toMatchObject({ guid: (second as { guid: string }).guid })
  })
})

test('all faults are told at once, by their fields', async () => {
  const { status, text } = await ask('post', '/checks', { name: ' ', url: 'gopher://x', interval_sec: 1 })
  expect(status).toBe(400)
  expect(text).toMatch(/^name .*; url .*/)
  expect(await w.rows('select from checks where org_id = $1', org.org_id)).toEqual([])
})

test('fields that cannot both be meant are refused, and a check that has them from before can be changed elsewhere', async () => {
  const slow = { max_response_time_ms: 2000, degraded_over_ms: 3000 }
  const line = 'degraded_over_ms must be less than max_response_time_ms (2000 ms)'
  const put = (key: string, body: object) => ({ changes: [{ action: 'put', kind: 'check', key, body }] })
  const refused = async (...request: Parameters<typeof ask>) => {
    const { status, text } = await ask(...request)
    return [status, text]
  }
  expect(await refused('post', '/checks', { ...SHOP, ...slow })).toEqual([400, line])
  expect(await refused('post', '/bulk', put('shop', { ...SHOP, ...slow }))).toEqual([400, `changes[0].body.${line}`])
  const created = await ask('post', '/checks', { ...SHOP, key: 'shop', max_response_time_ms: 2000 })
  const path = `/checks/${(created.body as { guid: string }).guid}`
  expect(await refused('put', path, { ...SHOP, ...slow })).toEqual([400, line])
  expect(await refused('patch', path, { degraded_over_ms: 3000 })).toEqual([400, line])

  await w.rows('update checks set degraded_over_ms = 3000 where org_id = $1', org.org_id)
  const read = await ask('get', path)
  expect([read.status, read.body]).toEqual([200, expect.objectContaining(slow)])
  expect((await ask('patch', path, { name: 'Shop 2' })).body).toMatchObject({ name: 'Shop 2', ...slow })
  expect((await ask('put', path, { ...SHOP, ...slow, interval_sec: 90 })).status).toBe(200)
  const same = await ask('post', '/bulk', put('shop', { ...SHOP, ...slow, interval_sec: 120 }))
  expect([same.status, same.body]).toMatchObject([200, { changes: [{ action: 'replaced' }] }])
  expect(await refused('patch', path, { degraded_over_ms: 2500 })).toEqual([400, line])
  expect((await ask('patch', path, { degraded_over_ms: 1000 })).status).toBe(200)
})

test('the plan binds as it does in the console', async () => {
  const { status, text } = await ask('post', '/checks', { ...SHOP, interval_sec: 20 })
  expect([status, text]).toEqual([400, expect.stringMatching(/^interval_sec must be at least \d+ on the \w+ plan$/)])
})

test('pausing and resuming twice changes nothing more', async () => {
  const { body } = await ask('post', '/checks', SHOP)
  const path = `/checks/${(body as { guid: string }).guid}`
  for (const [verb, enabled] of [
    ['pause', false],
    ['pause', false],
    ['resume', true],
    ['resume', true],
  ] as const) {
    const { status, body: now } = await ask('post', `${path}/${verb}`)
    expect([status, now]).toEqual([200, expect.objectContaining({ enabled })])
  }
  const deeds = await w.rows(
    "select action from audit_entries where org_id = $1 and action ~ '(pause|resume)'",
    org.org_id,
  )
  expect(deeds).toHaveLength(2)
})

test('a check that is deleted is gone', async () => {
  const { body } = await ask('post', '/checks', SHOP)
  const { guid } = body as { guid: string }
  const deleted = await ask('delete', `/checks/${guid}`)
  expect([deleted.status, deleted.body]).toEqual([200, { guid }])
  for (const method of ['get', 'delete'] as const) expect((await ask(method, `/checks/${guid}`)).status).toBe(404)
  expect((await ask('get', '/checks')).body).toEqual({ checks: [] })
})

test('pages hold every check once, in the order of their creation', async () => {
  const guids = await w.checks(
    org,
    Array.from({ length: 7 }, (_, n) => ({ name: `c${n}`, tags: n % 2 ? ['odd'] : [] })),
  )
  const read: string[] = []
  let after = ''
  for (let page = 0; page < 10; page++) {
    const { body } = await ask('get', `/checks?limit=3${after}`)
    const { checks, next } = body as { checks: { guid: string }[]; next?: string }
    read.push(...checks.map(({ guid }) => guid))
    // What is deleted in between keeps its place.
    if (page === 0) await ask('delete', `/checks/${next}`)
    if (next === undefined) break
    after = `&after=${next}`
  }
  expect(read).toEqual(guids)
  const odd = await ask('get', '/checks?tag=odd')
  expect((odd.body as { checks: object[] }).checks).toHaveLength(3)
  expect((await ask('get', '/checks?limit=0')).status).toBe(400)
  expect((await ask('get', '/checks?limit=501')).status).toBe(400)
})

test('the audit log names the maker of the token, and the token', async () => {
  await ask('post', '/checks', SHOP)
  const [deed] = await w.rows(
    "select actor, detail from audit_entries where org_id = $1 and action = 'check.create'",
    org.org_id,
  )
  const [owner] = await w.rows('select email from people where person_id = $1', org.owner_id)
  expect(deed).toMatchObject({ actor: owner?.email, detail: { token: 'deployment' } })
})

test('an answer to a change says nothing of the state, which is that of before', async () => {
  const { body } = await ask('post', '/checks', SHOP)
  const { guid } = body as { guid: string }
  const paused = await ask('post', `/checks/${guid}/pause`)
  expect([body, paused.body]).toEqual([
    expect.not.objectContaining({ state: expect.anything() }),
    expect.not.objectContaining({ state: expect.anything() }),
  ])
  expect((await ask('get', `/checks/${guid}`)).body).toMatchObject({ state: 'paused' })
})

test('a definition that was made private stands in no stored answer, and a repeat is still known', async () => {
  const secret = {
    ...SHOP,
    url: 'https://shop.example.com/secret-path',
    headers: { Authorization: 'Bearer hidden-key' },
  }
  const first = await ask('post', '/checks', secret, { 'Idempotency-Key': 'wipe' })
  const { guid } = first.body as { guid: string }
  for (const name of ['Private', 'Private still']) {
    const { status } = await ask('put', `/checks/${guid}`, { name, url: '', interval_sec: 60, monitors: [] })
    expect(status).toBe(200)
  }
  const stored = await w.rows('select body from repeatable_answers where org_id = $1', org.org_id)
  expect(stored).toHaveLength(1)
  expect(JSON.stringify(stored)).not.toMatch(/secret-path|hidden-key/)
  const again = await ask('post', '/checks', secret, { 'Idempotency-Key': 'wipe' })
  expect([again.status, again.body]).toEqual([201, expect.objectContaining({ guid, url: '' })])
})

test.each([
  ['put', (guid: string, body: object) => ask('put', `/checks/${guid}`, body)],
  [
    'put in bulk',
    (guid: string, body: object) => {
      const changes = [{ action: 'put', kind: 'check', id: guid, body }]
      return ask('post', '/bulk', { changes }, { 'Idempotency-Key': 'private' })
    },
  ],
  [
    'wiped in the console',
    async (guid: string) => {
      await wipeDefinition(w.deps, guid)
      return { status: 200 }
    },
  ],
  [
    'imported',
    async (guid: string, body: object) => {
      await importChecks(w.deps, org.org_id, [{ ...body, guid }])
      return { status: 200 }
    },
  ],
])('what results quote of a definition is gone when it was made private by being %s', async (_, change) => {
  const { body } = await ask('post', '/checks', SHOP)
  const { guid } = body as { guid: string }
  await w.rows(
    `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error, response_sample)
     select org_id, check_id, $2::timestamptz, 1, 500, false, 'm', 'secret', 'secret' from checks where org_id = $1`,
    org.org_id,
    w.clock.now().toISOString(),
  )
  // Nothing has judged it, so it has no state yet.
  const states = () =>
    w.rows('select wipe_until is not null as is_wiped from check_states where org_id = $1', org.org_id)
  expect(await states()).toEqual([])
  expect((await change(guid, { name: 'Private', url: '', interval_sec: 60 })).status).toBe(200)
  expect(await states()).toEqual([{ is_wiped: true }])
  const kept = await w.rows('select error, response_sample from results where org_id = $1', org.org_id)
  expect(kept).toEqual([{ error: null, response_sample: null }])
})

test('the audit log says that a check was given other monitors', async () => {
  const { id } = await w.monitor(org)
  const { guid } = (await ask('post', '/checks', { ...SHOP, key: 'shop' })).body as { guid: string }
  const body = { ...SHOP, monitors: [] }
  await ask('patch', `/checks/${guid}`, { monitors: [] })
  await ask('post', '/bulk', {
    changes: [{ action: 'put', kind: 'check', id: guid, body: { ...body, monitors: [id] } }],
  })
  const deeds = await w.rows(
    "select detail -> 'changed' as changed from audit_entries where org_id = $1 and action = 'check.edit' order by entry_id",
    org.org_id,
  )
  expect(deeds).toEqual([{ changed: ['monitors'] }, { changed: ['monitors'] }])
})

describe('an idempotency key', () => {
  const keyed = (key: string) => ({ 'Idempotency-Key': key })

  test('has the request carried out once, and gives the same bytes again', async () => {
    const first = await ask('post', '/checks', SHOP, keyed('k'))
    await ask('patch', `/checks/${(first.body as { guid: string }).guid}`, { name: 'Changed since' })
    const again = await ask('post', '/checks', SHOP, keyed('k'))
    expect([again.status, again.text, again.headers.etag, again.headers.location]).toEqual([
      201,
      first.text,
      first.headers.etag,
      first.headers.location,
    ])
    expect(await w.rows('select from checks where org_id = $1', org.org_id)).toHaveLength(1)
  })

  test('holds for repeats that come while the first is under way', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask('post', '/checks', SHOP, keyed('k'))))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(await w.rows('select from checks where org_id = $1', org.org_id)).toHaveLength(1)
  })

  test('is refused for another request', async () => {
    await ask('post', '/checks', SHOP, keyed('k'))
    const other = await ask('post', '/checks', { ...SHOP, name: 'Other' }, keyed('k'))
    expect([other.status, other.text]).toEqual([409, 'this idempotency-key was already used for a different request'])
  })

  test('is not used up by a request that is refused', async () => {
    expect((await ask('post', '/checks', { ...SHOP, url: 'gopher://x' }, keyed('k'))).status).toBe(400)
    expect((await ask('post', '/checks', SHOP, keyed('k'))).status).toBe(201)
  })

  test('is one of its token alone', async () => {
    const other = configurator(w, await configToken(w, org))
    const [mine, theirs] = [
      await ask('post', '/checks', SHOP, keyed('k')),
      await other('post', '/checks', SHOP, keyed('k')),
    ]
    expect((mine.body as { guid: string }).guid).not.toBe((theirs.body as { guid: string }).guid)
  })

  test('is bounded in length', async () => {
    expect((await ask('post', '/checks', SHOP, keyed('x'.repeat(256)))).status).toBe(400)
  })
})

test('a body that is too large is refused before it is read', async () => {
  const { status } = await ask('post', '/checks', { ...SHOP, post_data: 'x'.repeat(140_000) })
  expect(status).toBe(413)
})
