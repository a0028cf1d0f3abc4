// POST /enroll: the enrollment table of the service description, row by row.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { DEFAULT_BOUNDS } from '@dogwatch/domain/limits/bounds'
import { retireOneMonitor } from '@dogwatch/domain/monitors/edit'
import { enroll as enrollInDomain } from '@dogwatch/domain/monitors/enroll'
import { revokeEnrollmentToken } from '@dogwatch/domain/monitors/enrollment-tokens'
import { resetMonitor } from '@dogwatch/domain/monitors/switches'
import { setMaxMonitors } from '@dogwatch/domain/organisations/organisation'
import { MonitorClient } from '@dogwatch/monitor-sdk'
import { looksLikeToken } from '@dogwatch/runtime/tokens'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { eventually, type Org, PLACE, PREFIX, type World, world } from '../support/world.ts'

let w: World
let org: Org
beforeAll(async () => {
  w = await world()
  org = await w.org()
})
afterAll(() => w.close())

const enroll = async (token: string, body: Record<string, unknown>) =>
  new MonitorClient({ baseUrl: w.url, token, retries: 0 }).enroll({ ...PLACE, ...body })

const post = (token: string, body: string) =>
  w.http
    .post(`${PREFIX}/enroll`)
    .set('Authorization', `Bearer ${token}`)
    .set('Content-Type', 'application/json')
    .send(body)

describe('without id', () => {
  test('makes a monitor with an id of twelve Crockford characters and a key that works', async () => {
    const { api_key, monitor_id } = await enroll(await w.token(org), {})
    expect(monitor_id).toMatch(/^[0-9a-hjkmnp-tv-z]{12}$/)
    expect(looksLikeToken('key', api_key)).toBe(true)
    expect(await new MonitorClient({ baseUrl: w.url, token: api_key }).ping()).toEqual({ status: 'ok' })
  })

  test('the answer, which holds the key, is to be stored by nobody', async () => {
    const { status, headers } = await post(await w.token(org), JSON.stringify(PLACE))
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
  })

  test('an empty id counts as left out', async () => {
    expect((await enroll(await w.token(org), { id: '' })).monitor_id).toHaveLength(12)
  })

  test('the token decides the org, never the body', async () => {
    const other = await w.org()
    const { monitor_id } = await enroll(await w.token(org), { org_id: other.org_id, class: 'shared' })
    expect(await w.rows('select org_id from monitors where id = $1', monitor_id)).toEqual([{ org_id: org.org_id }])
  })

  test('a platform token leads to the shared fleet', async () => {
    const { monitor_id } = await enroll(await w.token(null), {})
    expect(await w.rows('select org_id from monitors where id = $1', monitor_id)).toEqual([{ org_id: null }])
  })

  test('an org token lets in as many as come', async () => {
    const token = await w.token(org)
    const [one, two] = [await enroll(token, {}), await enroll(token, {})]
    expect(one.monitor_id).not.toBe(two.monitor_id)
    expect(one.api_key).not.toBe(two.api_key)
  })

  test('the database holds no key, only its hash', async () => {
    const { api_key, monitor_id } = await enroll(await w.token(org), {})
    const [row] = await w.rows('select m::text as text from monitors m where id = $1', monitor_id)
    expect(row?.text).not.toContain(api_key)
  })

  test('names are counted in code points, as the document counts', async () => {
    expect((await enroll(await w.token(org), { name: '🐕'.repeat(200) })).monitor_id).toHaveLength(12)
    await expect(enroll(await w.token(org), { name: '🐕'.repeat(201) })).rejects.toMatchObject({ status: 400 })
  })

  test('the name may be empty', async () => {
    const { monitor_id } = await enroll(await w.token(org), { name: '' })
    expect(await w.rows('select name from monitors where id = $1', monitor_id)).toEqual([{ name: '' }])
  })
})

describe('with id', () => {
  test('a monitor that was reset gets a new key, the old one is dead, and its place is replaced', async () => {
    const monitor = await w.monitor(org)
    await resetMonitor(w.deps, monitor.id)
    const again = await enroll(await w.token(org), {
      id: monitor.id,
      name: 'new',
      region: 'r',
      country: 'c',
      city: 'y',
    })
    expect(again.monitor_id).toBe(monitor.id)
    expect(again.api_key).not.toBe(monitor.key)
    await expect(monitor.client.ping()).rejects.toMatchObject({ status: 401 })
    const rows = await w.rows('select name, region, country, city from monitors where id = $1', monitor.id)
    expect(rows).toEqual([{ name: 'new', region: 'r', country: 'c', city: 'y' }])
  })

  test('one that is enrolled stays as it is: 409', async () => {
    const monitor = await w.monitor(org)
    await expect(enroll(await w.token(org), { id: monitor.id, name: 'thief' })).rejects.toMatchObject({
      status: 409,
      message: 'this monitor is already enrolled',
    })
    expect(await monitor.client.ping()).toEqual({ status: 'ok' })
    expect(await w.rows('select name from monitors where id = $1', monitor.id)).toEqual([{ name: PLACE.name }])
  })

  test.each([
    ['unknown', '000000000000'],
    ['of the wrong form', 'NOT AN ID\u0000'],
    ['a million characters long', 'a'.repeat(10_000)],
  ])('an id that is %s: 404', async (_, id) => {
    await expect(enroll(await w.token(org), { id })).rejects.toMatchObject({
      status: 404,
      message: 'no monitor with that id',
    })
  })

  test("another org's monitor, and the shared fleet's, are 404 like an unknown one", async () => {
    const theirs = await w.monitor(await w.org())
    const shared = await w.monitor(null)
    for (const { id } of [theirs, shared]) {
      await resetMonitor(w.deps, id)
      await expect(enroll(await w.token(org), { id })).rejects.toMatchObject({ status: 404 })
    }
  })

  test('a platform token reclaims in the shared fleet only', async () => {
    const [shared, own] = [await w.monitor(null), await w.monitor(org)]
    await resetMonitor(w.deps, shared.id)
    await resetMonitor(w.deps, own.id)
    expect((await enroll(await w.token(null), { id: shared.id })).monitor_id).toBe(shared.id)
    await expect(enroll(await w.token(null), { id: own.id })).rejects.toMatchObject({ status: 404 })
  })

  test('of two reclaims at once, one wins', async () => {
    for (let round = 0; round < 10; round++) {
      const monitor = await w.monitor(org)
      await resetMonitor(w.deps, monitor.id)
      const token = await w.token(org)
      const tries = await Promise.allSettled([1, 2, 3].map(() => enroll(token, { id: monitor.id })))
      const won = tries.filter((one) => one.status === 'fulfilled')
      expect(won).toHaveLength(1)
      for (const one of tries) if (one.status === 'rejected') expect(one.reason).toMatchObject({ status: 409 })
      const api_key = won[0]?.value.api_key ?? ''
      expect(await new MonitorClient({ baseUrl: w.url, token: api_key }).ping()).toEqual({ status: 'ok' })
    }
  })
})

describe('400', () => {
  test.each([
    ['malformed json', '{', 'the body must be valid JSON'],
    ['no body', '', 'the body must be JSON, but it is empty'],
    ['an array', '[]', 'the body must be an object'],
    ...['name', 'region', 'country', 'city'].map((field): [string, string, string] => [
      `${field} missing`,
      JSON.stringify({ ...PLACE, [field]: undefined }),
      `${field} is required`,
    ]),
    ...['region', 'country', 'city'].map((field): [string, string, string] => [
      `${field} blank`,
      JSON.stringify({ ...PLACE, [field]: '  ' }),
      `${field} must not be blank`,
    ]),
    ['a number for a name', JSON.stringify({ ...PLACE, name: 7 }), 'name must be a string'],
    ['null for an id', JSON.stringify({ ...PLACE, id: null }), 'id must be a string'],
    [
      '201 characters',
      JSON.stringify({ ...PLACE, city: 'x'.repeat(201) }),
      'city must not have more than 200 characters',
    ],
    [
      'U+0000 in a name',
      JSON.stringify({ ...PLACE, name: 'a\0b' }),
      'name must not contain control characters or invalid Unicode',
    ],
    [
      'a lone surrogate',
      '{"name":"\\ud800","region":"r","country":"c","city":"y"}',
      'name must not contain control characters or invalid Unicode',
    ],
    [
      'a body of more than 16 KiB',
      JSON.stringify({ ...PLACE, extra: 'x'.repeat(16_400) }),
      'the body must be at most 16384 bytes',
    ],
  ])('%s', async (_, body, line) => {
    const answer = await post(await w.token(org), body)
    expect({ status: answer.status, line: answer.text }).toEqual({ status: 400, line })
  })
})

describe('401', () => {
  test('unknown, revoked and expired tokens look alike', async () => {
    const [revoked, expired] = [await w.token(org), await w.token(org, 60)]
    await revokeEnrollmentToken(w.deps, revoked)
    w.clock.forward(61)
    const answers = await Promise.all(
      [`${revoked.slice(0, -1)}x`, 'nonsense', revoked, expired].map((token) => post(token, JSON.stringify(PLACE))),
    )
    const seen = answers.map(({ status, text, headers }) => {
      const { date: _d, 'x-request-id': _i, ...rest } = headers as Record<string, string>
      return { status, text, rest }
    })
    expect(seen[0]).toMatchObject({ status: 401, text: 'missing, malformed or unknown enrollment token' })
    expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1)
  })

  test('an org token works for 24 hours, a platform token for one', async () => {
    const [orgToken, platformToken] = [await w.token(org), await w.token(null)]
    w.clock.forward(3599)
    expect((await post(platformToken, JSON.stringify(PLACE))).status).toBe(200)
    w.clock.forward(2)
    expect((await post(platformToken, JSON.stringify(PLACE))).status).toBe(401)
    w.clock.forward(23 * 3600 - 10)
    expect((await post(orgToken, JSON.stringify(PLACE))).status).toBe(200)
    w.clock.forward(10)
    expect((await post(orgToken, JSON.stringify(PLACE))).status).toBe(401)
  })

  test('a monitor API key does not enroll, and an enrollment token does nothing else', async () => {
    const monitor = await w.monitor(org)
    expect((await post(monitor.key, JSON.stringify(PLACE))).status).toBe(401)
    const stranger = new MonitorClient({ baseUrl: w.url, token: await w.token(org), retries: 0 })
    await expect(stranger.ping()).rejects.toMatchObject({ status: 401 })
    await expect(stranger.sync()).rejects.toMatchObject({ status: 401 })
    await expect(stranger.upload([])).resolves.toEqual({ submitted: 0, accepted: 0 })
    await expect(stranger.reportStatus({ version: '1', uptime_sec: 1, unsent_results: 0 })).rejects.toMatchObject({
      status: 401,
    })
  })
})

describe('a limit on monitors that an operator sets for a plan', () => {
  const FULL =
    'the free plan allows 2 monitors; retire a monitor first, or ask the operator of this server to raise the limit'
  let small: Org
  let token: string
  beforeEach(async () => {
    w.deps.bounds = { ...DEFAULT_BOUNDS, monitors_per_plan: { ...DEFAULT_BOUNDS.monitors_per_plan, free: 2 } }
    small = await w.org('free')
    token = await w.token(small)
  })
  afterEach(() => {
    delete w.deps.bounds
  })
  const actor = () => ({ person_id: small.owner_id, email: 'owner@example.com', impersonator_email: null })
  const retire = (id: string) => retireOneMonitor(w.deps, { org_id: small.org_id, id }, actor())
  const refused = async () => {
    const { status, text } = await post(token, JSON.stringify(PLACE))
    return [status, text]
  }

  test('holds when many enroll at once; the rest hear 409 and one line', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(token, JSON.stringify(PLACE))))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409, 409, 409])
    expect(await refused()).toEqual([409, FULL])
  })

  test('does not count retired monitors, nor those of the shared fleet and of others', async () => {
    const { monitor_id } = await enroll(token, {})
    await enroll(token, {})
    await retire(monitor_id)
    await enroll(token, {})
    await enroll(await w.token(null), {})
    await enroll(await w.token(await w.org('free')), {})
    expect(await refused()).toEqual([409, FULL])
  })

  test('keeps no monitor that was reset from its own place', async () => {
    const { monitor_id } = await enroll(token, {})
    await enroll(token, {})
    await resetMonitor(w.deps, monitor_id)
    expect((await enroll(token, { id: monitor_id })).monitor_id).toBe(monitor_id)
  })

  test('an operator can lift it, set another, and take that back', async () => {
    await enroll(token, {})
    await enroll(token, {})
    await setMaxMonitors(w.deps, small.org_id, 3)
    await enroll(token, {})
    expect(await refused()).toEqual([409, FULL.replace('the free plan allows 2', 'this organisation is limited to 3')])
    await setMaxMonitors(w.deps, small.org_id, 0)
    await enroll(token, {})
    await setMaxMonitors(w.deps, small.org_id, null)
    expect(await refused()).toEqual([409, FULL])
  })
})

test.each(['a new monitor', 'one that was reset'])(
  'a token that is revoked while the body arrives lets nobody in: %s',
  async (what) => {
    const token = await w.token(org)
    const { monitor_id } = await enroll(token, {})
    await resetMonitor(w.deps, monitor_id)
    const body = JSON.stringify(what === 'a new monitor' ? PLACE : { ...PLACE, id: monitor_id })
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
    }
    const come = once(w.server, 'request')
    const sent = request(`${w.direct}${PREFIX}/enroll`, { method: 'POST', headers })
    sent.write(body.slice(0, 10))
    const [asked] = (await come) as [IncomingMessage]
    // The server has verified the token by then, and waits for the rest.
    await eventually(() => asked.listenerCount('data') > 0, 'the body is read')
    await revokeEnrollmentToken(w.deps, token)
    sent.end(body.slice(10))
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(401)
  },
)

describe('the rate of enrollment', () => {
  const MOST = 50
  const place = { ...PLACE, name: 'many' }
  const join = async (of: Org, count: number) => {
    const enrollment = { org_id: of.org_id }
    for (let n = 0; n < count; n++) await enrollInDomain(w.deps, enrollment, place)
  }

  test('monitors are unlimited on the free plan: after an hour as many again enroll', async () => {
    const small = await w.org('free')
    await join(small, MOST)
    w.clock.forward(3599)
    const token = await w.token(small)
    const { status, text, headers } = await post(token, JSON.stringify(PLACE))
    expect([status, text, headers['retry-after']]).toEqual([429, 'rate limit exceeded', '1'])
    w.clock.forward(1)
    await join(small, MOST)
    expect((await post(token, JSON.stringify(PLACE))).headers['retry-after']).toBe('3600')
  })

  test('counts retired monitors, since their rows stay, and nothing of others', async () => {
    const small = await w.org('free')
    await join(small, MOST)
    const by = { person_id: small.owner_id, email: 'owner@example.com', impersonator_email: null }
    const [{ id }] = (await w.rows('select id from monitors where org_id = $1', small.org_id)) as [{ id: string }]
    await retireOneMonitor(w.deps, { org_id: small.org_id, id }, by)
    expect((await post(await w.token(small), JSON.stringify(PLACE))).status).toBe(429)
    await enroll(await w.token(null), {})
    await enroll(await w.token(await w.org('free')), {})
  })
})
