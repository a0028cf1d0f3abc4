// What each method promises when the server behaves.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { answer, hangUp, json, serve, text } from '../test/misbehaving-server.ts'
import {
  ApiError,
  MonitorClient,
  type MonitorClientOptions,
  type Result,
  syncCursor,
  type UploadCounts,
} from './index.ts'
import { VERSION } from './version.ts'

const MIB = 1024 * 1024
const WHERE = { name: 'rack 4', region: 'eu-central', country: 'DE', city: 'Frankfurt' }

function result(over: Partial<Result> = {}): Result {
  return {
    check_guid: '8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11',
    monitor_id: '7k2m9x0c4v5b',
    ran_at: '2026-11-20T10:00:00.123Z',
    success: true,
    latency_ms: 12,
    http_status: 200,
    ...over,
  }
}

/** A result of exactly so many bytes as JSON. */
function resultOf(bytes: number, filler = 'x'): Result {
  const empty = Buffer.byteLength(JSON.stringify(result({ response_sample: '' })))
  const size = Buffer.byteLength(filler)
  const count = Math.floor((bytes - empty) / size)
  return result({ response_sample: filler.repeat(count) + 'x'.repeat(bytes - empty - count * size) })
}

function many(count: number): Result[] {
  return Array.from({ length: count }, (_, index) => result({ latency_ms: index }))
}

const acceptAll = answer((arrived) => json({ accepted: JSON.parse(arrived.body).results.length }))

async function world(script: Parameters<typeof serve>, options: Partial<MonitorClientOptions> = {}) {
  const server = await serve(...script)
  const clock = { sleep: async () => {}, random: () => 0 }
  const client = new MonitorClient({ baseUrl: server.baseUrl, token: 'dogwatch_key_x', clock, ...options })
  const batches = () => server.arrived.map((one): Result[] => JSON.parse(one.body).results)
  return { ...server, client, batches }
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: unknown) => error,
  )
}

test('enroll sends the place and returns the identity, unknown fields included', async () => {
  const identity = { api_key: 'dogwatch_key_new', monitor_id: '7k2m9x0c4v5b', later: true }
  const { client, arrived } = await world([json(identity)])
  expect(await client.enroll(WHERE)).toEqual(identity)
  expect(arrived[0]).toMatchObject({ method: 'POST', url: '/monitor-api/v1/enroll' })
  expect(arrived[0]?.headers['content-type']).toBe('application/json')
  expect(JSON.parse(arrived[0]?.body ?? '')).toEqual(WHERE)
})

test('enroll can take a token of its own', async () => {
  const { client, arrived } = await world([json({ api_key: 'k', monitor_id: 'm' })])
  await client.enroll(WHERE, { token: 'dogwatch_enroll_y' })
  expect(arrived[0]?.headers.authorization).toBe('Bearer dogwatch_enroll_y')
})

test('sync without a cursor asks for the whole set, and with one for what changed since', async () => {
  const set = { checks: [{ guid: 'g', later: 1 }], server_time: '2026-11-20T10:00:00.123456Z', later: 2 }
  const { client, arrived } = await world([json(set)])
  const first = await client.sync()
  expect(first).toEqual(set)
  await client.sync(first.server_time)
  expect(arrived.map((one) => one.url)).toEqual([
    '/monitor-api/v1/checks',
    '/monitor-api/v1/checks?since=2026-11-20T10%3A00%3A00.123456Z',
  ])
})

test('a stored cursor is taken back, and a time of the caller’s own clock is not', () => {
  expect(syncCursor('2026-11-20T10:00:00.123456Z')).toBe('2026-11-20T10:00:00.123456Z')
  for (const wrong of [new Date().toISOString(), '', '2026-11-20T10:00:00.123456+00:00', 'now']) {
    expect(() => syncCursor(wrong)).toThrow(TypeError)
  }
})

test('reportStatus sends the snapshot', async () => {
  const { client, arrived } = await world([json({ status: 'ok' })])
  const status = { version: '1.4.0', uptime_sec: 60, unsent_results: 3, last_outage_sec: 5 }
  expect(await client.reportStatus(status)).toEqual({ status: 'ok' })
  expect(JSON.parse(arrived[0]?.body ?? '')).toEqual(status)
})

test('an upload of nothing makes no request', async () => {
  const { client, arrived } = await world([acceptAll])
  expect(await client.upload([])).toEqual({ submitted: 0, accepted: 0 })
  expect(arrived).toHaveLength(0)
})

test('an upload is split at 500 results, keeps the order and sums what was accepted', async () => {
  const { client, batches } = await world([acceptAll, json({ accepted: 400 }), acceptAll])
  const results = many(1200)
  const seen: UploadCounts[] = []
  const total = await client.upload(new Set(results), { onBatch: (batch) => void seen.push(batch) })
  expect(total).toEqual({ submitted: 1200, accepted: 1100 })
  expect(seen).toEqual([
    { submitted: 500, accepted: 500 },
    { submitted: 500, accepted: 400 },
    { submitted: 200, accepted: 200 },
  ])
  expect(batches().flat()).toEqual(results)
})

test('what the server cannot store for now is handed back before a batch counts as done, and asked for by who takes it alone', async () => {
  const { client, arrived } = await world([
    acceptAll,
    json({ accepted: 498, again: [1, 7] }),
    json({ accepted: 500, again: [0] }),
  ])
  const results = many(1500)
  const seen: unknown[] = []
  const onAgain = async (again: Result[]) => void seen.push(again)
  const onBatch = (batch: UploadCounts) => void seen.push(batch.submitted)
  expect(await failure(client.upload(results, { onAgain, onBatch }))).toMatchObject({
    name: 'ConnectionError',
    uploaded: { submitted: 1000, accepted: 998 },
  })
  expect(seen).toEqual([500, [results[501], results[507]], 500])
  await client.upload(many(500))
  expect(arrived.map(({ body }) => JSON.parse(body).partial)).toEqual([true, true, true, undefined])
})

test('an upload is split at 1 MiB of UTF-8, not of characters, and fills it to the byte', async () => {
  const { client, arrived } = await world([acceptAll])
  const half = (MIB - '{"results":[,]}'.length) / 2
  const results = [resultOf(Math.floor(half), '\u00e9'), resultOf(Math.ceil(half), '\u{1F600}'), resultOf(300)]
  expect(await client.upload(results)).toEqual({ submitted: 3, accepted: 3 })
  expect(arrived.map((one) => Buffer.byteLength(one.body))).toEqual([MIB, 300 + '{"results":[]}'.length])
})

test('one byte more than 1 MiB makes two requests', async () => {
  const { client, batches } = await world([acceptAll])
  const one = resultOf(300)
  await client.upload([one, resultOf(MIB - '{"results":[,]}'.length - 300 + 1)])
  expect(batches().map((batch) => batch.length)).toEqual([1, 1])
})

test('a result too large for any request is named before anything is sent', async () => {
  const { client, arrived } = await world([acceptAll])
  const largest = MIB - '{"results":[]}'.length
  const error = await failure(client.upload([...many(600), resultOf(largest + 1)]))
  expect(error).toBeInstanceOf(RangeError)
  expect(error).toMatchObject({ message: expect.stringContaining('results[600] is 1048563 bytes') })
  expect(arrived).toHaveLength(0)
  expect(await client.upload([resultOf(largest)])).toEqual({ submitted: 1, accepted: 1 })
})

test('a result that cannot be written as JSON is named before anything is sent', async () => {
  const { client, arrived } = await world([acceptAll])
  const loop: Record<string, unknown> = {}
  loop.self = loop
  for (const wrong of [undefined, loop, { latency_ms: 1n }]) {
    const error = await failure(client.upload([result(), wrong as unknown as Result]))
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ message: 'results[1] cannot be written as JSON' })
  }
  expect(arrived).toHaveLength(0)
})

test('a failed upload tells how many results were confirmed', async () => {
  const { client } = await world([acceptAll, json({ accepted: 499 }), text(403, 'this monitor is disabled')])
  expect(await failure(client.upload(many(1200)))).toMatchObject({
    name: 'ApiError',
    status: 403,
    uploaded: { submitted: 1000, accepted: 999 },
  })
  const lost = await world([acceptAll, hangUp])
  expect(await failure(lost.client.upload(many(600)))).toMatchObject({
    name: 'ConnectionError',
    uploaded: { submitted: 500, accepted: 500 },
  })
})

test.each([-1, 101])('an answer that %i of 100 results were taken is not believed', async (accepted) => {
  const { client, arrived } = await world([acceptAll, json({ accepted })])
  const batches: UploadCounts[] = []
  const uploading = client.upload(many(600), { onBatch: (batch) => void batches.push(batch) })
  expect(await failure(uploading)).toMatchObject({
    name: 'ConnectionError',
    message: `the response says that ${accepted} of 100 results were accepted`,
    request: { method: 'POST', path: '/results' },
    uploaded: { submitted: 500, accepted: 500 },
  })
  expect(batches).toEqual([{ submitted: 500, accepted: 500 }])
  expect(arrived).toHaveLength(2)
})

test('a lost answer to a batch is followed by the same batch', async () => {
  const { client, arrived } = await world([hangUp, acceptAll])
  expect(await client.upload(many(3))).toEqual({ submitted: 3, accepted: 3 })
  expect(arrived[1]?.body).toBe(arrived[0]?.body)
})

test('a 413 halves the batch, down to one result', async () => {
  const limit = answer((arrived) =>
    JSON.parse(arrived.body).results.length > 100 ? text(413, 'too large') : json({ accepted: 75 }),
  )
  const { client, batches } = await world([limit])
  const results = many(300)
  expect(await client.upload(results)).toEqual({ submitted: 300, accepted: 300 })
  expect(batches().map((batch) => batch.length)).toEqual([300, 150, 75, 75, 75, 75])
})

test('a 413 for a single result ends the upload with what was confirmed', async () => {
  const limit = answer((arrived) =>
    arrived.body.includes('"latency_ms":2,') ? text(413, 'too large') : json({ accepted: 1 }),
  )
  const { client, batches } = await world([limit])
  const error = await failure(client.upload(many(4)))
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ status: 413, uploaded: { submitted: 2, accepted: 1 } })
  expect(batches().map((batch) => batch.length)).toEqual([4, 2, 2, 1])
})

describe('with onRefused', () => {
  const REFUSAL = { 'x-request-id': 'r-1' }
  /** Refuses requests that hold one of these results, as the server does. */
  const refusing = (status: number, bad: readonly number[], headers: Record<string, string> = REFUSAL) =>
    answer((arrived) => {
      const { results }: { results: Result[] } = JSON.parse(arrived.body)
      const index = results.findIndex(({ latency_ms }) => bad.includes(latency_ms))
      return index === -1
        ? json({ accepted: results.length })
        : text(status, `results[${index}].latency_ms must be at most 1`, headers)
    })

  async function uploadPast(script: Parameters<typeof serve>[0], results: Result[]) {
    const { client, batches } = await world([script])
    const refused: { latency_ms: number; error: unknown }[] = []
    const steps: UploadCounts[] = []
    const done = client.upload(results, {
      onRefused: ({ latency_ms }, error) => void refused.push({ latency_ms, error }),
      onBatch: (batch) => void steps.push(batch),
    })
    return { done, batches, refused, steps }
  }

  test.each([400, 413])(
    'a result that is refused with %i is set aside, and the others arrive in order',
    async (status) => {
      const { done, batches, refused, steps } = await uploadPast(refusing(status, [137, 450]), many(600))
      expect(await done).toEqual({ submitted: 600, accepted: 598 })
      expect(refused.map(({ latency_ms }) => latency_ms)).toEqual([137, 450])
      expect(refused[0]?.error).toMatchObject({ name: 'ApiError', status })
      expect(steps.reduce((sum, { submitted }) => sum + submitted, 0)).toBe(600)
      // Halving finds one of 500 in nine steps, each with a refusal and a batch that passes at most.
      expect(batches().length).toBeLessThan(45)
    },
  )

  test('a result too large for any request is set aside without being sent', async () => {
    const { done, batches, refused } = await uploadPast(acceptAll, [...many(2), resultOf(MIB), ...many(1)])
    expect(await done).toEqual({ submitted: 4, accepted: 3 })
    expect(refused).toMatchObject([{ latency_ms: 12, error: { name: 'RangeError' } }])
    expect(batches().map((batch) => batch.length)).toEqual([2, 1])
  })

  test('a 400 or a 413 of something in between sets nothing aside', async () => {
    for (const status of [400, 413]) {
      const { done, refused } = await uploadPast(refusing(status, [3], { 'content-type': 'text/html' }), many(5))
      expect(await failure(done)).toMatchObject({ status })
      expect(refused).toEqual([])
    }
  })

  test('when one after the other is refused, the results are not to blame: the upload fails', async () => {
    const all = many(100)
    const { done, refused } = await uploadPast(refusing(400, Array.from(all.keys())), all)
    expect(await failure(done)).toMatchObject({ status: 400, uploaded: { submitted: 20, accepted: 0 } })
    expect(refused).toHaveLength(20)
  })

  test('a request that the server refuses for another reason fails the upload', async () => {
    const { done, refused } = await uploadPast(text(403, 'this monitor is disabled', REFUSAL), many(3))
    expect(await failure(done)).toMatchObject({ status: 403 })
    expect(refused).toEqual([])
  })
})

test('a caller may shorten its buffer in onBatch', async () => {
  const { client, batches } = await world([acceptAll])
  const buffer = many(1100)
  await client.upload(buffer, {
    onBatch: async ({ submitted }) => {
      await Promise.resolve()
      buffer.splice(0, submitted)
    },
  })
  expect(buffer).toEqual([])
  expect(batches().flat()).toEqual(many(1100))
})

test('results that leave the buffer while an upload begins are sent', async () => {
  const { client, batches } = await world([acceptAll])
  const buffer = many(2)
  const upload = client.upload(buffer)
  buffer.length = 0
  expect(await upload).toEqual({ submitted: 2, accepted: 2 })
  expect(batches().flat()).toEqual(many(2))
})

test('what onBatch throws ends the upload as it is', async () => {
  const { client, arrived } = await world([acceptAll])
  const reason = new Error('disk full')
  const onBatch = () => {
    throw reason
  }
  expect(await failure(client.upload(many(600), { onBatch }))).toBe(reason)
  expect(arrived).toHaveLength(1)
})

test('an abort between batches sends no more of them', async () => {
  const { client, arrived } = await world([acceptAll])
  const caller = new AbortController()
  const onBatch = () => caller.abort('stopping')
  expect(await failure(client.upload(many(600), { onBatch, signal: caller.signal }))).toBe('stopping')
  expect(arrived).toHaveLength(1)
})

test('a large batch is sent as gzip, a small one and one that is told so as it is', async () => {
  const { client, arrived } = await world([acceptAll])
  await client.upload(many(100))
  await client.upload(many(2))
  await client.upload(many(100), { compress: false })
  expect(arrived.map((one) => one.headers['content-encoding'])).toEqual(['gzip', undefined, undefined])
  expect(arrived[0]?.body).toBe(arrived[2]?.body)
})

test('retries of the client hold for each batch', async () => {
  const { client, arrived } = await world([text(500, 'no'), acceptAll, text(500, 'no'), acceptAll], { retries: 1 })
  expect(await client.upload(many(600))).toEqual({ submitted: 600, accepted: 600 })
  expect(arrived).toHaveLength(4)
})

const wrongOptions: [string, Partial<MonitorClientOptions>][] = [
  ['no URL', { baseUrl: '127.0.0.1:8080' }],
  ['another scheme', { baseUrl: 'ftp://example.com' }],
  ['a password', { baseUrl: 'http://me:hunter2@example.com' }],
  ['a query', { baseUrl: 'http://example.com/?a=b' }],
  ['the prefix, which the client adds', { baseUrl: 'http://example.com/monitor-api/v1/' }],
  ['a timeout of 0', { timeout: 0 }],
  ['a timeout that is no number', { timeout: Number.NaN }],
  ['negative retries', { retries: -1 }],
  ['half a retry', { retries: 0.5 }],
  ['negative patience', { patience: -1 }],
  ['two lines of User-Agent', { userAgent: 'a\nb' }],
]
test.each(wrongOptions)('an option that cannot be right is refused at once: %s', (_, wrong) => {
  const make = () => new MonitorClient({ baseUrl: 'http://example.com', token: 't', ...wrong })
  expect(make).toThrow(/baseUrl|timeout|retries|patience|userAgent/)
  expect(make).not.toThrow(/hunter2/)
})

test('the version is that of the package', () => {
  const file = new URL('../package.json', import.meta.url)
  expect(JSON.parse(readFileSync(file, 'utf8')).version).toBe(VERSION)
})
