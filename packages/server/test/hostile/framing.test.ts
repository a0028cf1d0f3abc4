// What Node or a library would answer in its own way is answered in ours; what is large is refused readably and cheaply.
import { execFile } from 'node:child_process'
import { request } from 'node:http'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { exchange, readAnswers } from '../../../api/test/support/raw-http.ts'
import { type Monitor, type Org, PREFIX, result, type World, world } from '../support/world.ts'

const MEBIBYTE = 1024 * 1024

let w: World
let port: number
let org: Org
let monitor: Monitor
let guid: string
let authorization: string
beforeAll(async () => {
  w = await world()
  port = Number(new URL(w.url).port)
  org = await w.org()
  monitor = await w.monitor(org)
  guid = (await w.checks(org, [{}], [monitor.id]))[0] ?? ''
  authorization = `Authorization: Bearer ${monitor.key}\r\n`
})
afterAll(() => w.close())

const send = async (...pieces: (string | Buffer)[]) => {
  const { answers, isStuck } = await exchange(port, pieces)
  return answers.map(({ status, headers, body }) => {
    expect(headers['x-request-id']).toMatch(/^r-[0-9a-f]{16}$/)
    return { status, line: body.toString(), isStuck }
  })
}
const answered = (status: number, line: string) => [{ status, line, isStuck: false }]
const OK = answered(200, '{"status":"ok"}')

describe('the request line and the headers', () => {
  test.each([
    `http://localhost${PREFIX}/ping`,
    `HTTP://user:secret@elsewhere:1${PREFIX}/ping?a=b`,
    `${PREFIX}/ping#part`,
    `${PREFIX}/ping?a=b#part?c`,
  ])('%s is the path in it', async (target) => {
    expect(await send(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${authorization}\r\n`)).toEqual(OK)
  })

  test.each(['http://[', 'http://', 'http://%00/', 'ftp://x', '/#'])('%s is the first page', async (target) => {
    expect(await send(`OPTIONS ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toEqual(
      answered(405, 'method not allowed'),
    )
  })

  test.each(['*', '//[::', '/%'])('%s is no path', async (target) => {
    expect(await send(`OPTIONS ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toEqual(
      answered(404, 'no such path'),
    )
  })

  test('If-None-Match: * gets the answer, and no 304', async () => {
    const head = `GET ${PREFIX}/ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\nIf-None-Match: *\r\n`
    expect(await send(`${head}${authorization}\r\n`)).toEqual(OK)
  })

  test('an unknown Expect is ignored', async () => {
    expect(
      await send(`GET ${PREFIX}/ping HTTP/1.1\r\nHost: x\r\nExpect: luck\r\nConnection: close\r\n${authorization}\r\n`),
    ).toEqual(OK)
  })

  test('a request without Host is refused in a line, from HTTP/1.1 on', async () => {
    expect(await send(`GET ${PREFIX}/ping HTTP/1.1\r\n${authorization}\r\n`)).toEqual(
      answered(400, 'the request is not valid HTTP'),
    )
    expect(await send(`GET ${PREFIX}/ping HTTP/1.0\r\n${authorization}\r\n`)).toEqual(OK)
  })

  test('Expect: 100-continue is answered before the body is there, by a refusal too', async () => {
    const body = '{"version":"1","uptime_sec":1,"unsent_results":0}'
    const head = `POST ${PREFIX}/status HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: `
    expect(await send(`${head}${body.length}\r\n${authorization}\r\n`, body)).toEqual(OK)
    expect(await send(`${head}99999\r\n${authorization}\r\n`)).toEqual(
      answered(400, 'the body must be at most 16384 bytes'),
    )
    expect(await send(`${head}99999\r\n\r\n`)).toMatchObject([{ status: 401 }])
  })

  test.each([
    ['an unknown method', 'FOO / HTTP/1.1\r\n', 400],
    ['too long a header', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n`, 431],
  ])('%s is refused without a reset, although a body follows', async (_, head, status) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const received: Buffer[] = []
    let fault: Error | undefined
    socket.on('data', (chunk: Buffer) => received.push(chunk)).on('error', (error) => (fault = error))
    // A proxy sends all of it, and takes a reset for a server that has failed.
    socket.end(`${head}Host: x\r\nContent-Length: ${MEBIBYTE}\r\n\r\n${'x'.repeat(MEBIBYTE)}`)
    await new Promise((resolve) => socket.once('close', resolve))
    expect(fault).toBeUndefined()
    expect(readAnswers(Buffer.concat(received)).answers).toMatchObject([{ status }])
  })

  test('a body that comes with both Content-Length and Transfer-Encoding is no HTTP', async () => {
    const framing = 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'
    expect(await send(`POST ${PREFIX}/status HTTP/1.1\r\nHost: x\r\n${framing}${authorization}\r\n0\r\n\r\n`)).toEqual(
      answered(400, 'the request is not valid HTTP'),
    )
  })
})

describe('times that RFC 3339 has and Postgres has not', () => {
  const store = async (ran_at: string) => {
    await w.rows('delete from results')
    const answer = await w.http
      .post(`${PREFIX}/results`)
      .set('Authorization', `Bearer ${monitor.key}`)
      .send({ results: [result(guid, { ran_at })] })
    const [row] = await w.rows('select wire_time(ran_at) as ran_at from results')
    if (answer.status !== 200) return answer.status
    return row?.ran_at ?? `${(answer.body as { accepted: number }).accepted} accepted`
  }
  test.each([
    ['a fraction of a leap second', '2026-06-30T23:59:60.5Z', '2026-07-01T00:00:00.500000Z'],
    ['one with an offset', '2026-06-30T22:59:60.9999999-01:00', '2026-07-01T00:00:00.999999Z'],
    ['an offset of most of a day', '2026-11-19T10:00:00-23:59', '2026-11-20T09:59:00.000000Z'],
    ['one the other way', '2026-11-20T10:00:00.1+23:59', '2026-11-19T10:01:00.100000Z'],
    ['the first day, and an hour left', '0001-01-01T01:30:00+01:00', '0 accepted'],
    ['the last moment, not rounded up', '9999-12-31T23:59:59.9999999Z', '0 accepted'],
    ['the last day, and an hour left', '9999-12-31T22:30:00-01:00', '0 accepted'],
    ['a year of the first century', '0099-03-01T00:00:00+00:30', '0 accepted'],
    ['a leap second after the last year', '9999-12-31T23:59:60Z', 400],
    ['a moment before the first year', '0001-01-01T00:30:00+01:00', 400],
    ['a moment after the last year', '9999-12-31T23:30:00-01:00', 400],
  ])('%s: %s', async (_, given, want) => {
    expect(await store(given)).toBe(want)
  })
})

describe('a body of 5 MiB can be refused while its sender still writes', () => {
  const big = Buffer.alloc(5 * MEBIBYTE, 'x')
  const cases = [
    ['results', '/results', 'key', 413],
    ['enroll', '/enroll', 'token', 400],
    ['a bad key', '/results', 'none', 401],
    ['no such path', '/nothing', 'key', 404],
  ] as const
  const credential = async (kind: string) =>
    kind === 'key' ? monitor.key : kind === 'token' ? await w.token(org) : 'x'

  test.each(cases)('%s, by node:http', async (_, path, kind, status) => {
    const headers = { Authorization: `Bearer ${await credential(kind)}`, 'Content-Length': big.length }
    const seen = await new Promise((resolve, reject) => {
      const sending = request(w.url + PREFIX + path, { method: 'POST', headers, timeout: 60_000 }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode))
      })
      sending
        .once('error', reject)
        .once('timeout', () => reject(new Error('no answer')))
        .end(big)
    })
    expect(seen).toBe(status)
  })

  test.each(cases)('%s, by fetch', async (_, path, kind, status) => {
    const headers = { Authorization: `Bearer ${await credential(kind)}` }
    const answer = await fetch(w.url + PREFIX + path, {
      method: 'POST',
      headers,
      body: big,
      signal: AbortSignal.timeout(60_000),
    })
    expect({ status: answer.status, isOneLine: /^[\x20-\x7e]+$/.test(await answer.text()) }).toEqual({
      status,
      isOneLine: true,
    })
  })

  test.each(cases)('%s, by curl', async (_, path, kind, status) => {
    const options = [
      '-s',
      '-S',
      '-m',
      '60',
      '-o',
      process.platform === 'win32' ? 'NUL' : '/dev/null',
      '-w',
      '%{http_code}',
      '-H',
      'Expect:',
      '-H',
      `Authorization: Bearer ${await credential(kind)}`,
    ]
    const said = await new Promise<string>((resolve) => {
      const curl = execFile('curl', [...options, '--data-binary', '@-', w.url + PREFIX + path], (_error, out, err) =>
        resolve(out + err),
      )
      curl.stdin?.on('error', () => {}).end(big)
      curl.once('error', () => resolve('no curl'))
    })
    expect([String(status), 'no curl']).toContain(said)
  })

  test.each(cases)('%s: the connection stays open until the last byte is sent', async (_, path, kind, status) => {
    const socket = connect({ port, host: '127.0.0.1' })
    const errors: Error[] = []
    socket.on('error', (error) => errors.push(error))
    const answer = new Promise<string>((resolve) => socket.once('data', (chunk: Buffer) => resolve(chunk.toString())))
    const head = `POST ${PREFIX}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${await credential(kind)}\r\n`
    socket.write(`${head}Content-Length: ${big.length}\r\n\r\n`)
    expect(await answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    const piece = 262_144
    for (let at = 0; at < big.length; at += piece) {
      await new Promise((resolve) => socket.write(big.subarray(at, at + piece), resolve))
    }
    await new Promise((resolve) => socket.once('close', resolve))
    expect(errors).toEqual([])
  })

  test('chunked without end: the answer comes, and then the end of the connection', async () => {
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'x'), Buffer.from('\r\n')])
    const head = `POST ${PREFIX}/results HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n${authorization}\r\n`
    expect(await send(head, ...Array<Buffer>(40).fill(chunk))).toEqual(
      answered(413, 'the body must be at most 1048576 bytes'),
    )
  })
})

describe('gzip', () => {
  const post = (body: Buffer) =>
    send(
      `POST ${PREFIX}/results HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n${authorization}\r\n`,
      body,
    )

  test('a gibibyte in a mebibyte is refused within little memory', async () => {
    // A member of 64 MiB sixteen times over is one gzip stream as well.
    const bomb = Buffer.concat(Array<Buffer>(16).fill(gzipSync(Buffer.alloc(64 * MEBIBYTE))))
    const before = process.memoryUsage().rss
    expect(await post(bomb)).toEqual(answered(413, 'the body must be at most 1048576 bytes'))
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * MEBIBYTE)
  })

  test('what is small as it is sent may be large, and no larger than all others', async () => {
    const unpacked = (bytes: number) => gzipSync(`{"results":[],"x":"${'a'.repeat(bytes)}"}`)
    expect(await post(unpacked(500_000))).toEqual(answered(200, '{"accepted":0}'))
    expect(await post(unpacked(1_100_000))).toEqual(answered(413, 'the body must be at most 1048576 bytes'))
    expect(unpacked(1_100_000).length).toBeLessThan(8000)
  })

  test('several members are one body', async () => {
    const members = ['{"resu', 'lts":', '[]}'].map((part) => gzipSync(part))
    expect(await post(Buffer.concat(members))).toEqual(answered(200, '{"accepted":0}'))
  })

  test.each([
    ['cut short', gzipSync('{"results":[]}').subarray(0, 20), 'the body must be valid gzip'],
    ['garbage', Buffer.from('garbage'), 'the body must be valid gzip'],
    ['of nothing', gzipSync(''), 'the body must be JSON, but it is empty'],
  ])('%s: 400', async (_, body, line) => {
    expect(await post(body)).toEqual(answered(400, line))
  })
})

describe('nesting', () => {
  const post = (body: string) => {
    const head = `POST ${PREFIX}/results HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
    return send(`${head}${authorization}\r\n${body}`)
  }
  const nested = (depth: number, open = '[', close = ']') =>
    `{"results":[],"x":${open.repeat(depth - 1)}1${close.repeat(depth - 1)}}`
  const refused = answered(400, 'the body must not be nested deeper than 1000 levels')

  test('60,000 values of what nobody reads pass, one more does not, and commas in texts do not count', async () => {
    // Two for the object and its list, one for the comma between them, and one for each comma of the list.
    const listOf = (commas: number) => `{"results":[],"x":[1${',1'.repeat(commas)},"${','.repeat(99_000)}\\""]}`
    expect(await post(listOf(60_000 - 5))).toEqual(answered(200, '{"accepted":0}'))
    expect(await post(listOf(60_000 - 4))).toEqual(answered(400, 'the body must hold at most 60000 values'))
  })

  test('a thousand levels of what nobody reads pass, one more does not', async () => {
    expect(await post(nested(1000))).toEqual(answered(200, '{"accepted":0}'))
    expect(await post(nested(1001))).toEqual(refused)
    expect(await post(nested(1001, '{"":', '}'))).toEqual(refused)
    expect(await post(nested(20_000, '{"":', '}'))).toEqual(refused)
    const beside = (depth: number) => `{"results":[],"x":[${'[{}],'.repeat(2000)}${nested(depth - 2)}]}`
    expect(await post(beside(1000))).toEqual(answered(200, '{"accepted":0}'))
    expect(await post(beside(1001))).toEqual(refused)
  })

  test('brackets in strings and brackets side by side are no levels', async () => {
    const beside = `{"results":[],"x":[${Array<string>(5000).fill('[{}]').join(',')}],"y":${JSON.stringify(`\\"${'[{'.repeat(5000)}`)}}`
    expect(await post(beside)).toEqual(answered(200, '{"accepted":0}'))
  })

  test('half a million levels cost little memory', async () => {
    const before = process.memoryUsage().rss
    for (let i = 0; i < 5; i++) expect(await post(nested(500_000))).toEqual(refused)
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MEBIBYTE)
  })
})
