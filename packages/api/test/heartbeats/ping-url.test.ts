// The URL that a job calls: methods, suffixes, bodies of every kind, and what is refused.
import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { newToken } from '@dogwatch/runtime/tokens'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { exchange } from '../support/raw-http.ts'
import { eventually, type World, world } from '../support/world.ts'
import { type Story, story } from './story.ts'

let w: World
let s: Story
let port: number
beforeAll(async () => {
  w = await world({ address_limit: { per_sec: 10, burst: 30 } })
  s = await story(w)
  port = Number(new URL(w.direct).port)
})
afterAll(() => w.close())

const at = (path: string, init: RequestInit = {}) => fetch(`${w.direct}${path}`, init)
const newest = async () => {
  w.clock.forward(10)
  const [ping] = await s.pings()
  return ping
}

describe('what is taken', () => {
  test.each(['GET', 'POST', 'HEAD', 'PUT'])('%s is answered OK, not to be cached', async (method) => {
    const answer = await at(`/ping/${s.token}`, { method })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe(method === 'HEAD' ? '' : 'OK')
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'ping-body-limit': '10000',
      'x-request-id': expect.stringMatching(/^r-/),
    })
    expect(await newest()).toMatchObject({ kind: 'beat' })
  })

  test.each([
    ['', 'beat', null],
    ['/', 'beat', null],
    ['/0', 'beat', null],
    ['/start', 'start', null],
    ['/fail', 'fail', null],
    ['/log', 'log', null],
    ['/1', 'exit_code', 1],
    ['/255', 'exit_code', 255],
  ])('%j is a %s', async (suffix, kind, exit_code) => {
    await s.call(suffix)
    expect(await newest()).toMatchObject({ kind, exit_code })
  })

  test.each([
    ['rid=run-7', 'run-7'],
    ['rid=f0e1d2c3-0000-4000-8000-000000000000', 'f0e1d2c3-0000-4000-8000-000000000000'],
    ['rid=', null],
    ['rid=a%00b', 'ab'],
    ['rid=%ff', '\ufffd'],
    ['rid=one&rid=two', 'one'],
    [`rid=${'x'.repeat(500)}`, 'x'.repeat(200)],
    ['other=1', null],
  ])('?%s names a run', async (query, rid) => {
    await s.call(`/log?${query}`)
    expect(await newest()).toMatchObject({ rid })
  })

  test('fifty calls a second from one address, again and again: none is refused', async () => {
    for (let second = 0; second < 2; second++) {
      await Promise.all(Array.from({ length: 50 }, (_, i) => s.call('/log', `line ${second} ${i}`)))
      w.clock.forward(1)
    }
  })
})

describe('what is refused, in one line', () => {
  test.each([
    '/256',
    '/-1',
    '/1e2',
    '/007',
    '/1000',
    '/stop',
    '/START',
    '/fail/now',
    '/start/',
    '/%00',
    '/%zz',
    '/%20',
  ])('%j behind the token is 400', async (suffix) => {
    const answer = await at(`/ping/${s.token}${suffix}`)
    expect([answer.status, await answer.text()]).toEqual([
      400,
      'the path must end with the token, or with the token and /start, /fail, /log or an exit code from 0 to 255',
    ])
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  })

  test.each([
    ['one that was never given out', () => newToken('beat', w.deps.random)],
    ['one with a wrong checksum', () => `${s.token.slice(0, -1)}${s.token.endsWith('x') ? 'y' : 'x'}`],
    ['a guid', () => s.guid],
    ['one of another kind', () => newToken('pat', w.deps.random)],
    ['no utf-8', () => '%ff'],
  ])('a token that is %s is 404', async (_, token) => {
    for (const suffix of ['', '/fail', '/3?rid=a']) {
      const answer = await at(`/ping/${token()}${suffix}`)
      expect([answer.status, await answer.text()]).toEqual([404, 'no heartbeat has this URL'])
    }
  })

  test.each(['/ping', '/ping/', '/ping//start'])('%s is no path', async (path) => {
    expect((await at(path)).status).toBe(404)
  })

  test.each(['DELETE', 'PATCH', 'OPTIONS'])('%s is 405, and says what is allowed', async (method) => {
    const answer = await at(`/ping/${s.token}/fail`, { method })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, PUT'])
    expect(await answer.text()).toBe('method not allowed')
  })
})

describe('bodies', () => {
  test.each(['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'nonsense'])(
    'of type %s are kept as they are',
    async (type) => {
      await at(`/ping/${s.token}`, { method: 'POST', body: '{"a"=%7B', headers: { 'Content-Type': type } })
      expect(await newest()).toMatchObject({ body: '{"a"=%7B' })
    },
  )

  test('nothing sent is nothing kept', async () => {
    await at(`/ping/${s.token}/log`, { method: 'POST', body: '' })
    expect(await newest()).toMatchObject({ body: null })
  })

  test('one that is compressed, or that nobody can read, is no reason to lose the beat', async () => {
    const headers = { 'Content-Encoding': 'gzip' }
    const answer = await at(`/ping/${s.token}`, { method: 'POST', body: new Uint8Array(gzipSync('hello')), headers })
    expect(answer.status).toBe(200)
    expect((await newest())?.body).toContain('\ufffd')
  })

  test('the last 10,000 bytes of a long one are kept', async () => {
    await s.call('', `begin ${'x'.repeat(30_000)} the end`)
    const { body } = (await newest()) ?? {}
    expect(body).toHaveLength(10_000)
    expect(body).toMatch(/^x+ the end$/)
  })

  test.each([65_536, 65_537, 3_000_000])('one of %i bytes counts, and its client is answered', async (length) => {
    const answer = await at(`/ping/${s.token}`, { method: 'POST', body: `${'y'.repeat(length - 3)}end` })
    expect([answer.status, await answer.text()]).toEqual([200, 'OK'])
    const { kind, body } = (await newest()) ?? {}
    expect(kind).toBe('beat')
    expect(body).toHaveLength(10_000)
    expect(body?.endsWith('end')).toBe(length <= 65_536)
  })

  test('one that breaks off does not lose the beat', async () => {
    const seen = once(w.server, 'request')
    const socket = connect(port, '127.0.0.1')
    socket.write(`POST /ping/${s.token}/9 HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf of it`)
    // What is reset before it is seen was never sent.
    await seen
    socket.resetAndDestroy()
    await eventually(async () => (await s.pings())[0]?.exit_code === 9, 'the beat is taken')
  })

  test('one that never ends is cut, and its client answered', async () => {
    const head = `POST /ping/${s.token}/11 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`
    const { answers } = await exchange(port, [head, '5\r\nhello\r\n'], { patience_ms: 20_000 })
    expect(answers.map(({ status, body }) => [status, body.toString()])).toEqual([[200, 'OK']])
    expect(await newest()).toMatchObject({ exit_code: 11, body: 'hello' })
  })

  test('one with broken chunks does not lose the beat', async () => {
    const head = `POST /ping/${s.token}/12 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`
    await exchange(port, [head, '5\r\nhello\r\nnonsense\r\n'], { patience_ms: 20_000 })
    await eventually(async () => (await s.pings())[0]?.exit_code === 12, 'the beat is taken')
  })

  test('a client that waits for leave to send it is given leave', async () => {
    const head = `POST /ping/${s.token}/13 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`
    const { answers } = await exchange(port, [head, 'hi'])
    expect(answers.map(({ status }) => status)).toEqual([200])
    expect(await newest()).toMatchObject({ exit_code: 13, body: 'hi' })
  })
})
