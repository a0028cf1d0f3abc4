// POST /results: batches, idempotent, judged by assignment.
import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { assignMonitors, unassignMonitors } from '@dogwatch/domain/checks/assign'
import { importChecks } from '@dogwatch/domain/checks/import'
import { deleteCheck, switchCheck, wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Monitor, type Org, PREFIX, result, type World, world } from '../support/world.ts'

let w: World
let org: Org
let monitor: Monitor
let guid: string
beforeAll(async () => {
  w = await world()
  org = await w.org()
  monitor = await w.monitor(org)
})
afterAll(() => w.close())

const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
  w.http
    .post(`${PREFIX}/results`)
    .set('Authorization', `Bearer ${monitor.key}`)
    // superagent would write a buffer as JSON under a JSON type
    .set('Content-Type', typeof body === 'string' ? 'application/json' : 'application/octet-stream')
    .set(headers)
    .send(body)
/** A check of its own for each test. */
const fresh = async (entry: Record<string, unknown> = {}) => {
  const [made = ''] = await w.checks(org, [{ name: `check ${randomUUID()}`, ...entry }], [monitor.id])
  guid = made
  return made
}
const stored = (check: string) =>
  w.rows(
    `select wire_time(ran_at) as ran_at, monitor_id, success, http_status, latency_ms, error, response_sample
     from results join checks using (org_id, check_id) where guid = $1 order by ran_at, monitor_id`,
    check,
  )
const at = (i: number) => new Date(Date.parse('2026-11-20T10:00:00Z') + i * 1000).toISOString()

describe('storing', () => {
  test('keeps every field, under the id of the caller', async () => {
    const full = result(await fresh(), {
      ran_at: '2026-11-20T11:59:00.123456Z',
      success: false,
      http_status: 503,
      latency_ms: 2_147_483_647,
      error: 'status 503',
      response_sample: 'Sorry — später 🐕',
    })
    expect(await monitor.client.upload([full])).toEqual({ submitted: 1, accepted: 1 })
    const { check_guid: _, ...fields } = full
    expect(await stored(guid)).toEqual([{ ...fields, monitor_id: monitor.id }])
  })

  test('keeps timings to two bytes, the end of the certificate and retries, and null for what was not told', async () => {
    const [bare, whole, long] = [0, 1, 2].map((i) => result('', { ran_at: at(i) }))
    const told = { dns_ms: 0, connect_ms: 1, tls_ms: 32_767, first_byte_ms: 32_768, transfer_ms: 60_001 }
    const check_guid = await fresh()
    await monitor.client.upload([
      { ...bare, check_guid },
      { ...whole, check_guid, timings: told, cert_expires_at: '2027-02-18T11:30:00+01:00', retries: 3 },
      { ...long, check_guid, timings: { connect_ms: 2_147_483_647 }, retries: 0 },
    ] as Parameters<typeof monitor.client.upload>[0])
    const rows = await w.rows(
      `select dns_ms::integer & 65535 as dns_ms, connect_ms::integer & 65535 as connect_ms, tls_ms::integer & 65535 as tls_ms,
        first_byte_ms::integer & 65535 as first_byte_ms, transfer_ms::integer & 65535 as transfer_ms, retries,
        wire_time(cert_expires_at) as cert_expires_at
       from results join checks using (org_id, check_id) where guid = $1 order by ran_at`,
      check_guid,
    )
    const none = { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null, transfer_ms: null }
    expect(rows).toEqual([
      { ...none, retries: null, cert_expires_at: null },
      { ...told, retries: 3, cert_expires_at: '2027-02-18T10:30:00.000000Z' },
      { ...none, connect_ms: 65_535, retries: null, cert_expires_at: null },
    ])
  })

  test.each([
    ['a part that is negative', { timings: { dns_ms: -1 } }, 'results[0].timings.dns_ms'],
    ['a part that is no whole number', { timings: { dns_ms: 0.5 } }, 'results[0].timings.dns_ms'],
    ['a certificate that ends never', { cert_expires_at: 'never' }, 'results[0].cert_expires_at'],
    ['retries below none', { retries: -1 }, 'results[0].retries'],
  ])('%s fails its batch by name', async (_, given, field) => {
    const body = JSON.stringify({ results: [result(await fresh(), given)] })
    const answer = await post(body)
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(field)])
  })

  test('an instant survives to the microsecond, whatever its offset; later digits are cut, not rounded', async () => {
    await fresh()
    const upload = ['2026-11-20T10:00:00.9999999Z', '2026-11-20t10:00:01.000001+05:30', '2025-12-31T23:59:59.5Z'].map(
      (ran_at) => result(guid, { ran_at }),
    )
    await monitor.client.upload(upload)
    expect((await stored(guid)).map((row) => row.ran_at)).toEqual([
      '2025-12-31T23:59:59.500000Z',
      '2026-11-20T04:30:01.000001Z',
      '2026-11-20T10:00:00.999999Z',
    ])
  })

  test('a repeated batch gets the same answer, and the first result stays', async () => {
    await fresh()
    const batch = [1, 2, 3].map((i) => result(guid, { ran_at: at(i), latency_ms: i }))
    expect(await monitor.client.upload(batch)).toMatchObject({ accepted: 3 })
    expect(await monitor.client.upload(batch.map((one) => ({ ...one, latency_ms: 99 })))).toMatchObject({ accepted: 3 })
    expect((await stored(guid)).map((row) => row.latency_ms)).toEqual([1, 2, 3])
  })

  test('of two for one instant in a batch the first stays; both count', async () => {
    await fresh()
    const twice = [result(guid, { latency_ms: 1 }), result(guid, { latency_ms: 2 })]
    expect(await monitor.client.upload(twice)).toMatchObject({ accepted: 2 })
    expect((await stored(guid)).map((row) => row.latency_ms)).toEqual([1])
  })

  test('the same batch from many connections at once is stored once', async () => {
    await fresh()
    const batch = Array.from({ length: 200 }, (_, i) => result(guid, { ran_at: at(i) }))
    const answers = await Promise.all(
      [batch, batch.toReversed(), batch, batch.toReversed()].map((one) => monitor.client.upload(one)),
    )
    expect(answers.map(({ accepted }) => accepted)).toEqual([200, 200, 200, 200])
    expect(await stored(guid)).toHaveLength(200)
  })

  test('a paused check that is still assigned takes results', async () => {
    await switchCheck(w.deps, await fresh(), false)
    expect(await monitor.client.upload([result(guid)])).toMatchObject({ accepted: 1 })
  })

  test('what ran up to 400 days ago or 10 minutes ahead is stored; the rest is dropped, not counted, and no error', async () => {
    await fresh()
    const from = (sec: number) => new Date(w.clock.now().getTime() + sec * 1000).toISOString()
    const [stays, goes] = [
      [from(-400 * 86_400), from(0), from(600)],
      [
        '0001-01-01T00:00:00Z',
        '2016-12-31T23:59:60Z',
        from(-400 * 86_400 - 1),
        from(601),
        '9999-12-31T23:59:59.999999Z',
      ],
    ]
    const batch = [...goes, ...stays].map((ran_at) => result(guid, { ran_at, success: false }))
    expect(await monitor.client.upload(batch)).toMatchObject({ submitted: 8, accepted: 3 })
    const kept = (await stored(guid)).map((row) => Date.parse(String(row.ran_at)))
    expect(kept).toEqual(stays.map((ran_at) => Date.parse(ran_at)))
    expect(await monitor.client.upload(batch)).toMatchObject({ accepted: 3 })
  })

  test('U+0000 goes, and a lone surrogate becomes U+FFFD', async () => {
    await fresh()
    await post(
      JSON.stringify({ results: [result(guid, { error: 'a\0b', response_sample: 'x' })] }).replace('"x"', '"\\ud800x"'),
    )
    expect(await stored(guid)).toMatchObject([{ error: 'ab', response_sample: '\ufffdx' }])
  })

  test('an empty batch is fine', async () => {
    expect((await post('{"results":[]}')).body).toEqual({ accepted: 0 })
  })
})

describe('result_detail_max_chars', () => {
  test('cuts error and response_sample in code points, not in UTF-16 units', async () => {
    await fresh({ result_detail_max_chars: 3 })
    await monitor.client.upload([result(guid, { error: '🐕🐕🐕🐕', response_sample: 'abcdef' })])
    expect(await stored(guid)).toMatchObject([{ error: '🐕🐕🐕', response_sample: 'abc' }])
  })

  test('0 keeps neither', async () => {
    await fresh({ result_detail_max_chars: 0 })
    await monitor.client.upload([result(guid, { error: 'x', response_sample: 'y' })])
    expect(await stored(guid)).toMatchObject([{ error: null, response_sample: null }])
  })

  test('a changed cap holds from the next batch on', async () => {
    await fresh({ result_detail_max_chars: 1 })
    const [entry] = await w.rows('select guid, name, url, interval_sec from checks where guid = $1', guid)
    await importChecks(w.deps, org.org_id, [{ ...entry, result_detail_max_chars: 2 }])
    await monitor.client.upload([result(guid, { error: 'abc' })])
    expect(await stored(guid)).toMatchObject([{ error: 'ab' }])
  })

  test('property: what is stored is the longest allowed head of what was sent', async () => {
    await fresh({ result_detail_max_chars: 5 })
    let i = 0
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 12 }), async (error) => {
        const ran_at = at(++i)
        await monitor.client.upload([result(guid, { ran_at, error })])
        const row = (await stored(guid)).at(-1)
        const expected = Array.from(error.replaceAll('\0', '').toWellFormed()).slice(0, 5).join('')
        expect(row?.error ?? '').toBe(expected)
      }),
      { numRuns: 60 },
    )
  })
})

describe('assignment', () => {
  test('what is not assigned is dropped without an error and not counted; the rest lands', async () => {
    await fresh()
    const [unassigned = ''] = await w.checks(org, [{}])
    const other = await w.org()
    const theirs = await w.monitor(other)
    const [foreign = ''] = await w.checks(other, [{}], [theirs.id])
    const strange = ['', 'nonsense', randomUUID(), guid.toUpperCase(), `${guid}\0`.slice(0, 20), 'x'.repeat(5000)]
    const batch = [unassigned, foreign, ...strange, guid].map((check) => result(check))
    expect(await monitor.client.upload(batch)).toEqual({ submitted: batch.length, accepted: 1 })
    expect(await stored(guid)).toHaveLength(1)
    expect(await stored(foreign)).toHaveLength(0)
    expect(await stored(unassigned)).toHaveLength(0)
  })

  test('is judged when the batch arrives', async () => {
    await fresh()
    await unassignMonitors(w.deps, guid, [monitor.id])
    expect(await monitor.client.upload([result(guid)])).toMatchObject({ accepted: 0 })
    await assignMonitors(w.deps, guid, [monitor.id])
    expect(await monitor.client.upload([result(guid)])).toMatchObject({ accepted: 1 })
    await deleteCheck(w.deps, guid)
    expect(await monitor.client.upload([result(guid, { ran_at: at(1) })])).toMatchObject({ accepted: 0 })
  })

  test("a shared monitor's batch may span orgs; a private one's is of its own", async () => {
    const shared = await w.monitor(null)
    const others = [await w.org(), await w.org()]
    const guids = (await Promise.all(others.map((one) => w.checks(one, [{}], [shared.id])))).flat()
    expect(await shared.client.upload(guids.map((check) => result(check)))).toMatchObject({ accepted: 2 })
    const rows = await w.rows('select org_id from results where monitor_id = $1 order by org_id', shared.id)
    expect(rows).toEqual(others.map(({ org_id }) => ({ org_id })))
    expect(await monitor.client.upload(guids.map((check) => result(check)))).toMatchObject({ accepted: 0 })
  })

  test('importing a check with an empty url blanks it too', async () => {
    await fresh()
    await monitor.client.upload([result(guid, { error: 'https://secret.example', response_sample: 'secret' })])
    await importChecks(w.deps, org.org_id, [{ guid, name: 'private now', url: '', interval_sec: 60 }])
    expect(await stored(guid)).toMatchObject([{ error: null, response_sample: null }])
  })

  test('a guid that only looks right once it is mended is unknown', async () => {
    await fresh()
    const body = JSON.stringify({ results: [result(`${guid.slice(0, 8)}\0${guid.slice(8)}`)] })
    expect((await post(body)).body).toEqual({ accepted: 0 })
  })

  test('wiping a definition blanks what earlier results quote of it', async () => {
    await fresh()
    await monitor.client.upload([result(guid, { error: 'https://secret.example', response_sample: 'secret' })])
    await wipeDefinition(w.deps, guid)
    expect(await stored(guid)).toMatchObject([{ error: null, response_sample: null }])
  })
})

describe('size', () => {
  test('500 results pass, 501 are refused outright', async () => {
    await fresh()
    const batch = Array.from({ length: 501 }, (_, i) => result(guid, { ran_at: at(i) }))
    const refused = await post(JSON.stringify({ results: batch }))
    expect({ status: refused.status, line: refused.text }).toEqual({
      status: 400,
      line: 'results must not have more than 500 items',
    })
    expect(await stored(guid)).toHaveLength(0)
    expect((await post(JSON.stringify({ results: batch.slice(0, 500) }))).body).toEqual({ accepted: 500 })
  })

  test('1 MiB passes to the byte, one more is 413, and the size comes before the count', async () => {
    await fresh()
    const filled = (bytes: number, results = [result(guid)]) => {
      const body = JSON.stringify({ results, pad: '' })
      return body.replace('"pad":""', `"pad":"${'x'.repeat(bytes - Buffer.byteLength(body))}"`)
    }
    expect((await post(filled(1_048_576))).status).toBe(200)
    const tooMany = Array.from({ length: 501 }, () => result(guid))
    for (const body of [filled(1_048_577), filled(1_048_577, tooMany)]) {
      const refused = await post(body)
      expect({ status: refused.status, line: refused.text }).toEqual({
        status: 413,
        line: 'the body must be at most 1048576 bytes',
      })
    }
  })

  test('gzip is taken, and the limit counts what it unfolds to', async () => {
    await fresh()
    const headers = { 'Content-Encoding': 'gzip' }
    const small = gzipSync(JSON.stringify({ results: [result(guid)] }))
    expect((await post(small, headers)).body).toEqual({ accepted: 1 })
    const bomb = gzipSync(JSON.stringify({ results: [], pad: ' '.repeat(1_048_577) }))
    expect(bomb.length).toBeLessThan(5000)
    expect((await post(bomb, headers)).status).toBe(413)
    expect((await post(small.subarray(0, 40), headers)).status).toBe(400)
    // Parts that unfold to nothing.
    const nothing = gzipSync('')
    const endless = Buffer.concat(Array.from({ length: Math.ceil(1_100_000 / nothing.length) }, () => nothing))
    expect((await post(endless, headers)).status).toBe(413)
    expect((await post(Buffer.from('not gzip'), headers)).text).toBe('the body must be valid gzip')
    expect((await post(small, { 'Content-Encoding': 'br' })).text).toBe('content-encoding must be gzip or identity')
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16', 'nonsense'])(
    'a body is JSON whatever its Content-Type: %s',
    async (type) => {
      const answer = await post(JSON.stringify({ results: [result(await fresh())] }), { 'Content-Type': type })
      expect(answer.body).toEqual({ accepted: 1 })
    },
  )
})

describe('400 fails the whole batch and names the index', () => {
  test.each([
    ['check_guid', undefined, 'is required'],
    ['monitor_id', undefined, 'is required'],
    ['ran_at', undefined, 'is required'],
    ['success', undefined, 'is required'],
    ['http_status', undefined, 'is required'],
    ['latency_ms', undefined, 'is required'],
    ['check_guid', 7, 'must be a string'],
    ['ran_at', '2026-02-30T00:00:00Z', 'must be an RFC 3339 date-time'],
    ['ran_at', '2026-11-20T24:00:00Z', 'must be an RFC 3339 date-time'],
    ['ran_at', '2026-11-20 10:00:00Z', 'must be an RFC 3339 date-time'],
    ['ran_at', 'now', 'must be an RFC 3339 date-time'],
    ['ran_at', 1_700_000_000, 'must be a string'],
    ['success', 'true', 'must be a boolean'],
    ['http_status', -1, 'must be at least 0'],
    ['http_status', 1000, 'must be at most 999'],
    ['latency_ms', -1, 'must be at least 0'],
    ['latency_ms', 2_147_483_648, 'must be at most 2147483647'],
    ['latency_ms', 1.5, 'must be an integer'],
    ['error', null, 'must be a string'],
    ['response_sample', {}, 'must be a string'],
  ])('%s = %j %s', async (field, value, rule) => {
    await fresh()
    const batch = [result(guid), result(guid, { ran_at: at(1), [field]: value })]
    const answer = await post(JSON.stringify({ results: batch }))
    expect({ status: answer.status, line: answer.text }).toEqual({ status: 400, line: `results[1].${field} ${rule}` })
    expect(await stored(guid)).toHaveLength(0)
  })

  test.each([
    ['malformed json', '{"results":[', 'the body must be valid JSON'],
    ['no results', '{}', 'results is required'],
    ['results no array', '{"results":{}}', 'results must be an array'],
    ['a result no object', '{"results":[7]}', 'results[0] must be an object'],
  ])('%s', async (_, body, line) => {
    const answer = await post(body)
    expect({ status: answer.status, line: answer.text }).toEqual({ status: 400, line })
  })

  test('unknown fields are ignored', async () => {
    const batch = { results: [result(await fresh(), { novelty: [1], __proto__: 1 })], more: true }
    expect((await post(JSON.stringify(batch))).body).toEqual({ accepted: 1 })
  })
})
