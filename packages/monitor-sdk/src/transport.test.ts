// How a call behaves when the server, the network or the caller does something unkind.

import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import { expect, test } from '@jest/globals'
import {
  cutShort,
  drip,
  hangUp,
  json,
  type Reply,
  type ScriptedServer,
  serve,
  silence,
  stall,
  text,
} from '../test/misbehaving-server.ts'
import {
  ApiError,
  ConnectionError,
  type LogEvent,
  MonitorClient,
  type MonitorClientOptions,
  TimeoutError,
} from './index.ts'

const TOKEN = 'dogwatch_key_s3cr3tS3cr3t'
const ENROLLED = { api_key: 'dogwatch_key_new', monitor_id: '7k2m9x0c4v5b' }
const WHERE = { name: 'rack 4', region: 'eu-central', country: 'DE', city: 'Frankfurt' }
const OK = json({ status: 'ok' })

interface Setup extends ScriptedServer {
  client: MonitorClient
  waits: number[]
  events: LogEvent[]
}

/** A client of a scripted server whose waits pass at once and are written down. */
async function world(script: Reply[], options: Partial<MonitorClientOptions> = {}): Promise<Setup> {
  const server = await serve(...script)
  const waits: number[] = []
  const events: LogEvent[] = []
  const sleep = async (ms: number) => void waits.push(ms)
  const client = new MonitorClient({
    baseUrl: server.baseUrl,
    token: TOKEN,
    clock: { sleep, random: () => 0, now: () => Date.parse('2026-11-20T10:00:00Z') },
    log: (event) => events.push(event),
    ...options,
  })
  return { ...server, client, waits, events }
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('it did not fail')
}

async function apiError(promise: Promise<unknown>): Promise<ApiError> {
  const error = await failure(promise)
  if (error instanceof ApiError) return error
  throw error
}

test('a call carries the token, and goes under the prefix of the API', async () => {
  const { client, arrived } = await world([OK])
  await client.ping()
  expect(arrived[0]).toMatchObject({ method: 'GET', url: '/monitor-api/v1/ping' })
  expect(arrived[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
})

test('a base with a path and a slash at its end keeps the path', async () => {
  const server = await serve(OK)
  await new MonitorClient({ baseUrl: `${server.baseUrl}/dogwatch/`, token: TOKEN }).ping()
  expect(server.arrived[0]?.url).toBe('/dogwatch/monitor-api/v1/ping')
})

test('a token function is asked before each attempt', async () => {
  const tokens = ['first', 'second']
  const { client, arrived } = await world([text(500, 'no'), OK], { token: async () => tokens.shift() ?? 'none' })
  await client.ping()
  expect(arrived.map((one) => one.headers.authorization)).toEqual(['Bearer first', 'Bearer second'])
})

test('white space around a token, as files have it, is cut', async () => {
  const { client, arrived } = await world([OK], { token: `${TOKEN}\n` })
  await client.ping()
  expect(arrived[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
})

test('a token that no header can carry is refused without being repeated', async () => {
  const { client, arrived } = await world([OK], { token: 'dogwatch\nkey' })
  const error = await failure(client.ping())
  expect(error).toBeInstanceOf(TypeError)
  expect(inspect(error)).not.toContain('dogwatch\\nkey')
  expect(arrived).toHaveLength(0)
})

test('what a token function throws is what the call rejects with', async () => {
  const broken = new Error('the vault is closed')
  const { client, arrived } = await world([OK], { token: () => Promise.reject(broken) })
  expect(await failure(client.ping())).toBe(broken)
  expect(arrived).toHaveLength(0)
})

test('the token stands in no view of the client, no log event and no error', async () => {
  const echo = text(401, `unknown credential ${TOKEN}`)
  const { client, events } = await world([echo])
  const error = await failure(client.ping())
  const quoting = async () => {
    throw new Error(`could not send Bearer ${TOKEN}`)
  }
  const lost = await failure((await world([OK], { fetch: quoting, retries: 0 })).client.ping())
  const views = [client, client.http, events, error, lost].flatMap((one) => [
    inspect(one, { depth: 9, showHidden: true }),
    JSON.stringify(one),
    String(one),
  ])
  expect(views.join('\n')).not.toContain(TOKEN)
  expect(lost).toMatchObject({ message: 'could not send Bearer [token]' })
})

test('a token of fewer than 8 characters is left alone, because it may be a part of any word', async () => {
  const echo = (token: string) => text(401, `unknown credential x${token}x`)
  const messageFor = async (token: string) =>
    (await apiError((await world([echo(token)], { token })).client.ping())).message
  expect(await messageFor('unknown')).toBe('unknown credential xunknownx')
  expect(await messageFor('unknown1')).toBe('unknown credential x[token]x')
})

test('an error carries status, line, headers, request and request id', async () => {
  const { client } = await world([text(403, 'this monitor is disabled\n', { 'x-request-id': 'r-1', 'x-more': 'yes' })])
  const error = await apiError(client.sync())
  expect(error).toMatchObject({
    name: 'ApiError',
    status: 403,
    message: 'this monitor is disabled',
    request: { method: 'GET', path: '/checks' },
    requestId: 'r-1',
    retryAfter: undefined,
  })
  expect(error.headers.get('x-more')).toBe('yes')
})

const halfAnError: Reply = (res) => {
  res.writeHead(403, { 'content-type': 'text/plain' })
  res.write('this monitor')
}

const errorBodies: [given: string, status: number, type: string, body: string, want: string][] = [
  ['text that happens to be JSON stays text', 409, 'text/plain', '409', '409'],
  ['a JSON body stays text', 400, 'application/json', '{"error":"no"}', '{"error":"no"}'],
  ['an empty body', 400, 'text/plain', '', 'status 400 with an empty body'],
  ['an HTML page', 404, 'text/html', '<html><h1>nginx</h1></html>', 'status 404 with HTML, perhaps from a proxy'],
  ['more than one line', 400, 'text/plain', '\n first \nsecond', 'first'],
  ['a line that is too long', 400, 'text/plain', 'x'.repeat(9000), 'x'.repeat(500)],
  ['a character of two halves at the cut', 400, 'text/plain', `${'x'.repeat(499)}\u{1F600}`, 'x'.repeat(499)],
]
test.each(errorBodies)('an error body is survived: %s', async (_, status, type, body, want) => {
  const { client } = await world([text(status, body, { 'content-type': type })])
  expect(await apiError(client.ping())).toMatchObject({ status, message: want })
})

test('of an error body that does not end only the beginning is read', async () => {
  const endless: Reply = (res) => {
    res.writeHead(400, { 'content-type': 'text/plain' })
    const more = () => {
      while (!res.destroyed && res.write('too much '.repeat(1000)));
    }
    res.on('drain', more)
    more()
  }
  const { client } = await world([endless])
  expect(await apiError(client.ping())).toMatchObject({ status: 400 })
})

test('an error body that is cut short still has its status and what came of its line', async () => {
  const { client } = await world([cutShort(403, 'this monitor is dis')])
  expect(await apiError(client.ping())).toMatchObject({ status: 403, message: 'this monitor is dis' })
})

test('a redirect is not followed, and names the remedy', async () => {
  const { client, arrived } = await world([text(307, 'moved', { location: 'http://127.0.0.1:9/elsewhere?token=x' })])
  expect(await apiError(client.ping())).toMatchObject({ status: 307, message: expect.stringContaining('baseUrl') })
  expect(arrived).toHaveLength(1)
})

test.each([400, 401, 403, 404, 409, 413, 418])('a %i is never retried', async (status) => {
  const { client, arrived } = await world([text(status, 'no', { 'retry-after': '1' })])
  expect(await apiError(client.ping())).toMatchObject({ status })
  expect(arrived).toHaveLength(1)
})

const repeatable: [string, (client: MonitorClient) => Promise<unknown>, Reply][] = [
  ['sync', (client) => client.sync(), json({ checks: [], server_time: '2026-11-20T10:00:00.000000Z' })],
  ['ping', (client) => client.ping(), OK],
  ['upload', (client) => client.upload([RESULT]), json({ accepted: 1 })],
  ['reportStatus', (client) => client.reportStatus({ version: '1', uptime_sec: 1, unsent_results: 0 }), OK],
]
const RESULT = {
  check_guid: 'g',
  monitor_id: '',
  ran_at: '2026-11-20T10:00:00Z',
  success: true,
  latency_ms: 1,
  http_status: 200,
}
const troubles: [string, Reply][] = [
  ['a 500', text(500, 'internal server error')],
  ['a 502', text(502, '<html>', { 'content-type': 'text/html' })],
  ['a 503 without Retry-After', text(503, 'no')],
  ['a 408', text(408, 'slow')],
  ['a lost connection', hangUp],
  ['a body cut short', cutShort()],
  ['a success that is not JSON', text(200, '<html>captive portal</html>')],
  ['a success of another shape', json([])],
  ['an empty success', text(200, '')],
]
for (const [trouble, reply] of troubles) {
  test.each(repeatable)(`after ${trouble} %s is repeated`, async (_, call, good) => {
    const { client, arrived, waits } = await world([reply, good])
    await call(client)
    expect(arrived).toHaveLength(2)
    expect(arrived[1]?.body).toBe(arrived[0]?.body)
    expect(waits).toEqual([250])
  })

  test(`after ${trouble} an enrollment is not repeated`, async () => {
    const { client, arrived } = await world([reply, json(ENROLLED)])
    expect(await failure(client.enroll(WHERE))).toMatchObject({ request: { method: 'POST', path: '/enroll' } })
    expect(arrived).toHaveLength(1)
  })
}

test('an enrollment is repeated where the server says that it did nothing', async () => {
  const refusals = [text(429, 'rate limit exceeded', { 'retry-after': '3' }), text(503, 'busy', { 'retry-after': '1' })]
  const { client, arrived, waits } = await world([...refusals, json(ENROLLED)])
  expect(await client.enroll(WHERE)).toEqual(ENROLLED)
  expect(arrived.map((one) => JSON.parse(one.body))).toEqual([WHERE, WHERE, WHERE])
  expect(waits).toEqual([3000, 1000])
})

test('a Retry-After that is a date is measured against the answer’s own clock', async () => {
  const dates = { date: 'Thu, 01 Jan 2026 00:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT' }
  const { client, waits } = await world([text(429, 'no', dates), OK])
  await client.ping()
  expect(waits).toEqual([7000])
})

test.each(['soon', '-1', 'Fri, 99 Foo 2026', ''])('a Retry-After of %j is none', async (value) => {
  const { client, waits } = await world([text(429, 'no', { 'retry-after': value }), OK])
  await client.ping()
  expect(waits).toEqual([250])
})

test('a Retry-After beyond patience fails at once and is told', async () => {
  const { client, arrived, waits } = await world([text(429, 'rate limit exceeded', { 'retry-after': '61' })])
  expect(await apiError(client.ping())).toMatchObject({ status: 429, retryAfter: 61, message: 'rate limit exceeded' })
  expect(await apiError(client.ping({ patience: 60_999 }))).toMatchObject({ retryAfter: 61 })
  expect([arrived.length, waits]).toEqual([2, []])
  await failure(client.ping({ patience: 61_000, retries: 1 }))
  expect(waits).toEqual([61_000])
})

test('two more attempts follow the first by default, and retries says otherwise', async () => {
  const { client, arrived, waits } = await world([hangUp])
  await failure(client.ping())
  expect([arrived.length, waits]).toEqual([3, [250, 500]])
  await failure(client.ping({ retries: 0 }))
  expect(arrived).toHaveLength(4)
})

test('the wait doubles up to 8 seconds, half of it by chance', async () => {
  const { client, waits } = await world([text(500, 'no')], { retries: 6 })
  await failure(client.ping())
  expect(waits).toEqual([250, 500, 1000, 2000, 4000, 4000])
})

test('a network failure says what failed, and carries its cause', async () => {
  const server = await serve(OK)
  const client = new MonitorClient({ baseUrl: 'http://127.0.0.1:1', token: TOKEN, retries: 0 })
  const error = await failure(client.ping())
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).toMatchObject({ name: 'ConnectionError', request: { method: 'GET', path: '/ping' } })
  expect(error).toMatchObject({ message: expect.stringMatching(/./), cause: expect.anything() })
  expect(server.arrived).toHaveLength(0)
})

test('a success that is not JSON does not quote the body, which may hold a key', async () => {
  const { client } = await world([text(200, '{"api_key":"dogwatch_key_new"')])
  const error = await failure(client.enroll(WHERE))
  expect(error).toBeInstanceOf(ConnectionError)
  expect(inspect(error)).not.toContain('dogwatch_key_new')
})

test.each([
  ['no answer', silence],
  ['a body that stalls', stall],
])('%s ends with the timeout, also when the caller passes a signal', async (_, reply) => {
  const { client } = await world([reply])
  const { signal } = new AbortController()
  const error = await failure(client.ping({ timeout: 40, retries: 0, signal }))
  expect(error).toBeInstanceOf(TimeoutError)
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).toMatchObject({ message: 'no progress for 0.04 s' })
})

test('a timeout is retried where repeating is safe', async () => {
  const { client, arrived } = await world([stall, OK], { timeout: 1500 })
  await client.ping()
  expect(arrived).toHaveLength(2)
})

test('a fetch that ignores its signal is timed out all the same', async () => {
  const { client } = await world([OK], { fetch: () => new Promise(() => {}), timeout: 20, retries: 0 })
  expect(await failure(client.ping())).toBeInstanceOf(TimeoutError)
})

test('a slow body that keeps moving is not cut', async () => {
  const { client } = await world([drip(['{"sta', 'tus"', ': ', '"o', 'k', '"', '}'], 400)], {
    timeout: 2000,
    retries: 0,
  })
  expect(await client.ping()).toEqual({ status: 'ok' })
})

test.each([
  ['no answer', silence, 'attempt'],
  ['half a body', stall, 'attempt'],
  ['half a body of an error', halfAnError, 'attempt'],
  ['a wait', text(429, 'no', { 'retry-after': '30' }), 'wait'],
])('an abort during %s ends the call at once with the signal’s own reason', async (_, reply, during) => {
  const caller = new AbortController()
  const reason = new Error('enough')
  const began = performance.now()
  const log = (event: LogEvent) => void (event.type === during && setTimeout(() => caller.abort(reason), 40))
  const { client } = await world([reply], { clock: {}, log })
  expect(await failure(client.ping({ signal: caller.signal }))).toBe(reason)
  // The shortest of what it would wait for otherwise is 30 s.
  expect(performance.now() - began).toBeLessThan(20_000)
})

test('a signal that was aborted before sends nothing', async () => {
  const { client, arrived } = await world([OK])
  const reason = { my: 'reason' }
  expect(await failure(client.ping({ signal: AbortSignal.abort(reason) }))).toBe(reason)
  expect(await failure(client.upload([], { signal: AbortSignal.abort(reason) }))).toBe(reason)
  expect(arrived).toHaveLength(0)
})

test('the client’s own signal ends its calls', async () => {
  const owner = new AbortController()
  const { client } = await world([silence], { signal: owner.signal, log: () => owner.abort('closed') })
  expect(await failure(client.ping())).toBe('closed')
})

test('any number of calls on one signal share one listener, and leave none', async () => {
  const caller = new AbortController()
  const { signal } = caller
  const most: number[] = []
  const log = () => void most.push(getEventListeners(signal, 'abort').length)
  const { client } = await world([hangUp, OK], { log })
  await Promise.all(Array.from({ length: 40 }, () => client.ping({ signal })))
  await Promise.all(Array.from({ length: 40 }, () => client.http.GET('/ping', { signal })))
  await failure(client.enroll(WHERE, { signal, token: '' }))
  expect(Math.max(...most)).toBe(1)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('an abort ends every call on its signal', async () => {
  const caller = new AbortController()
  const { client } = await world([silence])
  const calls = Array.from({ length: 20 }, () => failure(client.ping({ signal: caller.signal })))
  caller.abort('enough')
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['enough']))
  expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
})

test('no timer is left after a call, however it ended', async () => {
  const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout }
  const running = new Set<unknown>()
  globalThis.setTimeout = ((work: () => void, ms: number) => {
    const timer = real.setTimeout(() => {
      running.delete(timer)
      work()
    }, ms)
    if (ms === 7777 || ms === 30_000) running.add(timer)
    return timer
  }) as typeof setTimeout
  globalThis.clearTimeout = ((timer: NodeJS.Timeout) => {
    running.delete(timer)
    real.clearTimeout(timer)
  }) as typeof clearTimeout
  try {
    const caller = new AbortController()
    const log = (event: LogEvent) => void (event.type === 'wait' && setImmediate(() => caller.abort()))
    const { client } = await world([OK, text(400, 'no'), hangUp, text(429, 'no', { 'retry-after': '30' })], {
      clock: { random: () => 0 },
      timeout: 7777,
      log,
    })
    await client.ping()
    await failure(client.ping())
    await failure(client.ping({ retries: 0 }))
    expect(running.size).toBe(0)
    await failure(client.ping({ signal: caller.signal }))
    expect(running.size).toBe(0)
  } finally {
    Object.assign(globalThis, real)
  }
})

test('a custom fetch is used, and gets the same body in each attempt', async () => {
  const bodies: unknown[] = []
  const fetch = async (_: string, init: RequestInit) => {
    bodies.push(init.body)
    return bodies.length < 3
      ? new Response('no', { status: 500 })
      : Response.json({ status: 'ok', more: { fields: 1 } })
  }
  const { client } = await world([OK], { fetch })
  const answer = await client.reportStatus({ version: '1', uptime_sec: 1, unsent_results: 0 })
  expect(bodies).toEqual(Array(3).fill('{"version":"1","uptime_sec":1,"unsent_results":0}'))
  expect(answer).toEqual({ status: 'ok', more: { fields: 1 } })
})

test('attempts, answers, failures and waits are told in order', async () => {
  const { client, events } = await world([hangUp, text(503, 'busy', { 'retry-after': '2', 'x-request-id': 'r-9' }), OK])
  await client.ping()
  const about = { operation: 'ping' }
  expect(events).toEqual([
    { type: 'attempt', ...about, attempt: 1 },
    { type: 'failure', ...about, attempt: 1, error: expect.stringContaining('fetch failed'), duration_ms: 0 },
    { type: 'wait', ...about, attempt: 1, wait_ms: 250, because: 'backoff' },
    { type: 'attempt', ...about, attempt: 2 },
    { type: 'answer', ...about, attempt: 2, status: 503, duration_ms: 0, request_id: 'r-9' },
    { type: 'wait', ...about, attempt: 2, wait_ms: 2000, because: 'retry_after' },
    { type: 'attempt', ...about, attempt: 3 },
    { type: 'answer', ...about, attempt: 3, status: 200, duration_ms: 0 },
  ])
})

test.each([
  () => {
    throw new Error('disk full')
  },
  async () => {
    throw new Error('disk full')
  },
])('a log callback that throws does not break a call', async (log) => {
  const { client } = await world([hangUp, OK], { log })
  expect(await client.ping()).toEqual({ status: 'ok' })
})

test('the User-Agent names this package, or what the caller says', async () => {
  const own = await world([OK])
  await own.client.ping()
  expect(own.arrived[0]?.headers['user-agent']).toMatch(/^dogwatch-monitor-sdk\/\d+\.\d+\.\d+$/)
  const set = await world([OK], { userAgent: 'my-agent/2' })
  await set.client.ping()
  expect(set.arrived[0]?.headers['user-agent']).toBe('my-agent/2')
})

test('the raw client has the same token and retries, and answers as openapi-fetch does', async () => {
  const { client, arrived } = await world([text(500, 'no'), OK, text(403, '403')])
  const good = await client.http.GET('/ping')
  expect([good.data, good.response.status, arrived.length]).toEqual([{ status: 'ok' }, 200, 2])
  expect(arrived[1]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
  const bad = await client.http.GET('/ping')
  expect([bad.response.ok, bad.response.status]).toEqual([false, 403])
})

test('the raw client does not repeat an enrollment either', async () => {
  const { client, arrived } = await world([hangUp])
  expect(await failure(client.http.POST('/enroll', { body: WHERE }))).toBeInstanceOf(ConnectionError)
  expect(arrived).toHaveLength(1)
})

test('the raw client does not show the token to another server', async () => {
  const other = await serve(OK)
  const { client } = await world([OK])
  expect(await failure(client.http.GET('/ping', { baseUrl: other.baseUrl }))).toBeInstanceOf(TypeError)
  expect(other.arrived).toHaveLength(0)
})

test('a middleware of the raw client may replace the request', async () => {
  const { client, arrived } = await world([text(500, 'no'), OK])
  client.http.use({
    onRequest: ({ request }) =>
      new Request(request, { headers: { ...Object.fromEntries(request.headers), 'x-more': '1' } }),
  })
  await client.reportStatus({ version: '1', uptime_sec: 1, unsent_results: 0 })
  expect(arrived.map((one) => [one.headers['x-more'], JSON.parse(one.body).version])).toEqual([
    ['1', '1'],
    ['1', '1'],
  ])
})
