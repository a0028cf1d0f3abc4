// Secrets of checks in the configuration API: hidden without checks:secrets, kept when they come back hidden, and sent to no other server.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { configToken, configurator } from '../support/config-api.ts'
import { type Org, type World, world } from '../support/world.ts'

const SECRETS = {
  url: 'https://ana:hunter1@shop.example/?token=hunter2&page=1',
  headers: { Accept: 'text/html', Authorization: 'Bearer hunter3' },
  post_data: 'word=hunter4',
}
const HIDDEN = {
  url: 'https://ana:***@shop.example/?token=***&page=1',
  headers: { Accept: 'text/html', Authorization: '***' },
  post_data: '***',
}
const PLACE = 'the scheme, host or port of the target has changed'

let w: World
let org: Org
let guid: string
type Ask = ReturnType<typeof configurator>
let write: Ask
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org('team')
  ;[guid = ''] = await w.checks(org, [{ name: 'shop', ...SECRETS }])
  write = await askWith('write')
})
afterAll(() => w.close())

async function askWith(...scopes: string[]): Promise<Ask> {
  return configurator(w, await configToken(w, org, { scopes }))
}

async function stored(): Promise<Record<string, unknown> | undefined> {
  const [row] = await w.rows('select name, url, headers, post_data from checks where guid = $1', guid)
  return row
}

test('only checks:secrets reads them, beside a scope that reads checks', async () => {
  for (const [scopes, wanted] of [
    [['read'], HIDDEN],
    [['write'], HIDDEN],
    [['checks:write'], HIDDEN],
    [['checks:read', 'checks:secrets'], SECRETS],
    [['write', 'checks:secrets'], SECRETS],
  ] as const) {
    const ask = await askWith(...scopes)
    expect([scopes, (await ask('get', `/checks/${guid}`)).body]).toEqual([scopes, expect.objectContaining(wanted)])
    expect((await ask('get', '/checks')).body.checks).toEqual([expect.objectContaining(wanted)])
  }
  const alone = await (await askWith('checks:secrets'))('get', `/checks/${guid}`)
  expect([alone.status, alone.text]).toEqual([403, 'this operation needs the scope checks:read'])
})

test('metrics:read reads the metrics of everything, and nothing else', async () => {
  const ask = await askWith('metrics:read')
  const { status, text } = await ask('get', '/metrics')
  expect([status, text]).toEqual([
    200,
    expect.stringMatching(/dogwatch_check_info\{[^}]*name="shop"[^]*dogwatch_monitor_online/),
  ])
  for (const path of ['/checks', '/heartbeats', '/monitors', '/channels', '/incidents']) {
    expect([path, (await ask('get', path)).status]).toEqual([path, 403])
  }
})

describe('what was read can be sent back', () => {
  test.each(['put', 'patch'] as const)('by %s, and is then as it was, with the same version', async (method) => {
    const read = await write('get', `/checks/${guid}`)
    const { status, body, headers } = await write(method, `/checks/${guid}`, read.body, {
      'If-Match': read.headers.etag ?? '',
    })
    expect([status, body]).toEqual([200, expect.objectContaining(HIDDEN)])
    expect([headers.etag, await stored()]).toEqual([read.headers.etag, { name: 'shop', ...SECRETS }])
  })

  test('beside another path and another name', async () => {
    const url = 'https://ana:***@shop.example/health?token=***'
    expect((await write('patch', `/checks/${guid}`, { url, name: 'till' })).status).toBe(200)
    const moved = 'https://ana:hunter1@shop.example/health?token=hunter2'
    expect(await stored()).toEqual({ ...SECRETS, name: 'till', url: moved })
  })

  test('a secret alone changes the version', async () => {
    const before = await write('get', `/checks/${guid}`)
    const { headers } = await write('patch', `/checks/${guid}`, { post_data: 'word=hunter5' })
    expect(headers.etag).not.toBe(before.headers.etag)
    const late = await write('patch', `/checks/${guid}`, { name: 'x' }, { 'If-Match': before.headers.etag ?? '' })
    expect(late.status).toBe(412)
  })
})

describe('a stored secret goes to no other server', () => {
  test.each<[string, object, string]>([
    [
      'another host',
      { url: 'https://evil.example/' },
      `headers["Authorization"] must be given again, because ${PLACE}`,
    ],
    ['another port', { url: 'https://shop.example:444/' }, `post_data must be given again, because ${PLACE}`],
    ['another scheme', { url: 'http://shop.example/' }, `post_data must be given again, because ${PLACE}`],
    ['the host of another user', { url: 'https://shop.example@evil.example/' }, PLACE],
    [
      'a password elsewhere',
      { url: 'https://ana:***@evil.example/' },
      `url must be given again with the value of "password", because ${PLACE}`,
    ],
    [
      'a parameter elsewhere',
      { url: 'https://evil.example/?token=***' },
      `url must be given again with the value of "token", because ${PLACE}`,
    ],
    ['another Host header', { headers: { ...HIDDEN.headers, Host: 'evil.example' } }, 'the Host header has changed'],
    ['unverified certificates', { insecure_skip_verify: true }, 'insecure_skip_verify was turned on'],
    [
      'a header of another name',
      { headers: { 'X-Echo': '***' } },
      'headers["X-Echo"] must be given again, because there is no stored value to keep',
    ],
    [
      'a parameter of another name',
      { url: 'https://shop.example/?key=***' },
      'url must be given again with the value of "key", because there is no stored',
    ],
  ])('%s', async (_, change, line) => {
    const changed = await write('patch', `/checks/${guid}`, change)
    expect([changed.status, changed.text]).toEqual([400, expect.stringContaining(line)])
    const body = { ...(await write('get', `/checks/${guid}`)).body, ...change }
    const replaced = await write('put', `/checks/${guid}`, body)
    expect([replaced.status, replaced.text]).toEqual([400, expect.stringContaining(line)])
    const many = await write('post', '/bulk', { changes: [{ action: 'put', kind: 'check', id: guid, body }] })
    expect([many.status, many.text]).toEqual([400, expect.stringContaining('changes[0].body.')])
    expect(many.text).toContain(line.split(' must ').at(-1))
    expect(changed.text + replaced.text + many.text).not.toContain('hunter')
    expect(await stored()).toEqual({ name: 'shop', ...SECRETS })
  })

  test('unless all of it is given again', async () => {
    const again = { url: 'https://new.example/', headers: { Authorization: 'Bearer other' }, post_data: 'other' }
    expect((await write('patch', `/checks/${guid}`, again)).status).toBe(200)
    expect(await stored()).toEqual({ name: 'shop', ...again })
  })

  test('and a new check has none to keep', async () => {
    const created = await write('post', '/checks', { name: 'new', interval_sec: 60, ...HIDDEN })
    expect([created.status, created.text]).toEqual([400, expect.stringContaining('there is no stored value to keep')])
    const [other = ''] = await w.checks(await w.org('team'), [SECRETS])
    expect((await write('put', `/checks/${other}`, { name: 'x', interval_sec: 60, ...HIDDEN })).status).toBe(404)
  })
})

describe('a dry run', () => {
  const plan = async (ask: Ask, given: object) => {
    const body = { name: 'shop', interval_sec: 60, result_detail_max_chars: 256, ...SECRETS, ...given }
    const changes = [{ action: 'put', kind: 'check', id: guid, body }]
    const answer = await ask('post', '/bulk', { dry_run: true, changes })
    expect(answer.text).not.toContain('hunter')
    return answer.body.changes[0] as { action: string; fields: unknown[] }
  }
  const secret = (field: string) => ({ field, before: '(secret)', after: '(secret)' })
  const guess = { headers: { Accept: 'text/html', Authorization: 'Bearer guess' } }

  test('does not say to whom may write whether a guess is right: what is spelled out is a change', async () => {
    const [right, wrong] = [await plan(write, {}), await plan(write, guess)]
    const uncompared = ['url', 'headers', 'post_data'].map((field) => ({ ...secret(field), compared: false }))
    expect(right).toMatchObject({ action: 'replaced', fields: uncompared })
    expect(wrong).toEqual(right)
    expect(await plan(write, HIDDEN)).toMatchObject({ action: 'unchanged', fields: [] })
    const url = SECRETS.url.replace('page=1', 'page=2')
    const shown = { field: 'url', before: HIDDEN.url, after: HIDDEN.url.replace('page=1', 'page=2') }
    const asks = { ...HIDDEN, url: url.replace('hunter1', '***').replace('hunter2', '***') }
    expect(await plan(write, asks)).toMatchObject({ action: 'replaced', fields: [shown] })
  })

  test('does not say to whom may only read whether a guess is right', async () => {
    const read = await askWith('read')
    const uncompared = ['url', 'headers', 'post_data'].map((field) => ({ ...secret(field), compared: false }))
    const [right, wrong] = [await plan(read, {}), await plan(read, guess)]
    expect(right).toMatchObject({ action: 'unchanged', fields: uncompared })
    expect(wrong).toEqual(right)
    const knowing = await askWith('read', 'checks:secrets')
    const body = { name: 'shop', interval_sec: 60, ...SECRETS, ...guess }
    const told = await knowing('post', '/bulk', {
      dry_run: true,
      changes: [{ action: 'put', kind: 'check', id: guid, body }],
    })
    expect(told.body.changes[0].fields).toEqual([{ field: 'headers', before: SECRETS.headers, after: guess.headers }])
  })
})
