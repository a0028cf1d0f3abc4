// Cases 5 to 9: what is asked of a web target, and where its redirects lead.
import type { IncomingMessage } from 'node:http'
import { expect, test } from '@jest/globals'
import { observe } from '../../src/probes/attempt.ts'
import { follow, type Request } from '../../src/probes/http/redirect.ts'
import { probeOf } from '../../src/probes/registry.ts'
import { readRules } from '../../src/run/verdict.ts'
import { aCheck, run, verdict } from '../support/checks.ts'
import { serveHttp } from '../support/servers.ts'

interface Seen {
  asked: string
  headers: NodeJS.Dict<string[]>
  body: string
}

/** Redirects as told, answers 200 to anything else, and tells what was asked. */
async function asked(redirects: Record<string, [status: number, location: string]> = {}) {
  const seen: Seen[] = []
  const url = await serveHttp(async (req, res) => {
    seen.push({ asked: `${req.method} ${req.url}`, headers: req.headersDistinct, body: await bodyOf(req) })
    const [status, location] = redirects[req.url ?? ''] ?? [200, undefined]
    res.writeHead(status, location === undefined ? {} : { location }).end('done')
  })
  return { url, seen }
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test('case 5: post_data makes it a POST of exactly that', async () => {
  const { url, seen } = await asked()
  await run(`${url}/in?a=1`, { post_data: 'grün=1' })
  expect(seen).toMatchObject([{ asked: 'POST /in?a=1', body: 'grün=1' }])
  expect(seen[0]?.headers).toMatchObject({
    'content-length': ['7'],
    'content-type': ['application/x-www-form-urlencoded'],
  })
})

test('case 5: a Content-Type of the check comes in the place of ours', async () => {
  const { url, seen } = await asked()
  await run(url, { post_data: '{}', headers: { 'content-TYPE': 'application/json' } })
  expect(seen[0]?.headers['content-type']).toEqual(['application/json'])
})

test.each([
  [301, 'GET /to', ''],
  [302, 'GET /to', ''],
  [303, 'GET /to', ''],
  [307, 'POST /to', 'x=1'],
  [308, 'POST /to', 'x=1'],
])('case 5: after a %d a POST goes on as %s', async (status, wanted, body) => {
  const { url, seen } = await asked({ '/': [status, '/to'] })
  expect(await verdict(url, { post_data: 'x=1' })).toBe('ok 200')
  expect(seen[1]).toMatchObject({ asked: wanted, body })
  expect(seen[1]?.headers['content-length']).toEqual(body === '' ? undefined : ['3'])
})

test('case 6: ten headers go out once each, also those that we would set', async () => {
  const { url, seen } = await asked()
  const headers = {
    host: 'shop.example:8443',
    'User-agent': 'mine',
    ACCEPT: 'text/html',
    'accept-encoding': 'identity',
    Authorization: 'Bearer x',
    Cookie: 'a=b; c=d',
    'X-A': '1',
    'X-B': 'grün',
    'X-C': '',
    'Cache-Control': 'no-store',
  }
  await run(url.replace('//', '//user:word@'), { headers })
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  expect(Object.keys(seen[0]?.headers ?? {}).sort()).toEqual([...names, 'connection'].sort())
  for (const values of Object.values(seen[0]?.headers ?? {})) expect(values).toHaveLength(1)
  expect(seen[0]?.headers).toMatchObject({ host: ['shop.example:8443'], authorization: ['Bearer x'] })
})

test.each([
  ['a line break', { 'X-A': 'a\r\nX-B: b' }],
  ['a character that no header can hold', { 'X-A': '✓' }],
  ['a name that is none', { 'X A': '1' }],
  ['a header of the connection', { 'Transfer-Encoding': 'chunked' }],
])('case 6: %s is a fault of the check, and nothing is sent', async (_what, headers) => {
  const { url, seen } = await asked()
  expect(await verdict(url, { headers })).toBe('config 0')
  expect(seen).toEqual([])
})

test.each([
  ['us%40er:p%3Aw', 'us@er:p:w'],
  ['gr%C3%BCn:%zz', 'grün:%zz'],
  ['only', 'only:'],
  ['u:50%%40x', 'u:50%@x'],
])('case 7: the userinfo %s is sent as basic auth', async (userinfo, wanted) => {
  const { url, seen } = await asked()
  await run(url.replace('//', `//${userinfo}@`))
  expect(seen[0]?.headers.authorization).toEqual([`Basic ${Buffer.from(wanted).toString('base64')}`])
})

test('case 7: a byte of the userinfo that is no UTF-8 is sent as it is', async () => {
  const { url, seen } = await asked()
  await run(url.replace('//', '//u:p%E4ss@'))
  expect(seen[0]?.headers.authorization).toEqual([`Basic ${Buffer.from('u:p\u00e4ss', 'latin1').toString('base64')}`])
})

test('case 7: credentials go along at their origin and to no other', async () => {
  const other = await asked()
  const { url, seen } = await asked({ '/': [302, '/near'], '/near': [302, `${other.url}/far`] })
  const headers = { Host: 'shop.example', Cookie: 'a=b', 'X-Trace': '7' }
  expect(await verdict(url.replace('//', '//user:word@'), { headers })).toBe('ok 200')
  expect(seen[1]?.headers).toMatchObject({ authorization: [expect.stringContaining('Basic')], cookie: ['a=b'] })
  expect(other.seen).toHaveLength(1)
  expect(other.seen[0]?.headers).toMatchObject({ host: [new URL(other.url).host] })
  expect(other.seen[0]?.headers).not.toHaveProperty('x-trace')
  expect(Object.keys(other.seen[0]?.headers ?? {})).not.toEqual(expect.arrayContaining(['authorization']))
  expect(other.seen[0]?.headers.cookie).toBeUndefined()
})

test('a location with port 0 leads nowhere', () => {
  expect(hop('http://shop.example/', 'http://shop.example:0/')).toEqual({
    misled: 'the redirect location is not a valid URL',
  })
})

const hop = (from: string, to: string, fields: Partial<Request> = {}) =>
  follow({ url: new URL(from), method: 'GET', headers: GIVEN, body: '', isPrivate: false, ...fields }, 307, to)
const GIVEN = { 'X-Api-Key': 'k', Authorization: 'a', 'Accept-Language': 'de', Host: 'h' }

test.each([
  ['http://shop.example/', 'https://shop.example/', 'X-Api-Key Accept-Language'],
  ['https://shop.example/', 'https://www.shop.example/', 'X-Api-Key Accept-Language'],
  ['https://shop.example/', 'https://shop.example/in', 'X-Api-Key Authorization Accept-Language Host'],
  ['https://shop.example/', 'https://eu.shop.example/', 'Accept-Language'],
  ['https://shop.example/', 'https://www.eu.shop.example/', 'Accept-Language'],
  ['https://shop.example/', 'http://shop.example/', 'Accept-Language'],
  ['https://shop.example/', 'https://shop.example:8443/', 'Accept-Language'],
  ['https://shop.example/', 'https://myshop.example/', 'Accept-Language'],
  ['https://www.shop.example/', 'https://shop.example/', 'Accept-Language'],
])('case 7: from %s to %s go these of the given headers: %s', (from, to, kept) => {
  const next = hop(from, to)
  expect(next && 'headers' in next && Object.keys(next.headers).join(' ')).toBe(kept)
})

test.each([
  ['https://shop.example/', '/in', true],
  ['http://shop.example/', 'https://shop.example/', true],
  ['https://shop.example/', 'https://www.shop.example/', true],
  ['https://shop.example/', 'https://eu.shop.example/', false],
  ['https://shop.example/', 'http://shop.example/', false],
  ['https://shop.example/', 'https://shop.example:8443/', false],
  ['https://shop.example/', 'https://other.example/', false],
])('case 7: whether a body goes from %s on to %s: %s', (from, to, isSent) => {
  const next = hop(from, to, { method: 'POST', body: 'a secret' })
  const misled = { misled: 'the redirect leads to a different origin, which must not receive the request body' }
  expect(next).toEqual(isSent ? expect.objectContaining({ body: 'a secret' }) : misled)
})

test('case 7: a redirect may ask for the cookie that it sets, beside those of the check', async () => {
  const seen: (string | undefined)[] = []
  const url = await serveHttp(({ headers: { cookie } }, res) => {
    seen.push(cookie)
    if (cookie?.includes('seen=1')) res.end('welcome')
    else res.writeHead(302, { location: '/', 'set-cookie': ['seen=1; Path=/; HttpOnly', 'lang=de'] }).end()
  })
  expect(await verdict(url, { headers: { cookie: 'lang=en; a=b' }, match_string: 'welcome' })).toBe('ok 200')
  expect(await verdict(url, { match_string: 'welcome' })).toBe('ok 200')
  expect(seen).toEqual(['lang=en; a=b', 'a=b; seen=1; lang=de', undefined, 'seen=1; lang=de'])
})

test('case 7: of a private definition nothing goes to another origin, and where it would have to the run fails', async () => {
  const other = await asked()
  const { url, seen } = await asked({
    '/302': [302, `${other.url}/`],
    '/307': [307, `${other.url}/`],
    '/in': [307, '/'],
  })
  const asks = { post_data: 'secret', headers: { 'X-Api-Key': 'k', 'Accept-Language': 'de' } }
  const isPrivate = { is_private: true }
  expect(await verdict(`${url}/302`, asks, isPrivate)).toBe('ok 200')
  expect(other.seen).toMatchObject([{ asked: 'GET /', body: '' }])
  expect(Object.keys(other.seen[0]?.headers ?? {})).not.toEqual(expect.arrayContaining(['x-api-key']))
  expect(Object.keys(other.seen[0]?.headers ?? {})).not.toEqual(expect.arrayContaining(['accept-language']))
  expect(await verdict(`${url}/307`, asks, isPrivate)).toBe('redirect 307')
  expect(other.seen).toHaveLength(1)
  expect(await verdict(`${url}/in`, asks, isPrivate)).toBe('ok 200')
  expect(seen.at(-1)).toMatchObject({ asked: 'POST /', body: 'secret', headers: { 'x-api-key': ['k'] } })
})

test('case 7: an absolute redirect to the same origin keeps the credentials', async () => {
  const target: Record<string, [number, string]> = {}
  const { url, seen } = await asked(target)
  target['/'] = [302, `${url}/near`]
  await run(url.replace('//', '//user:word@'))
  expect(seen[1]?.headers.authorization).toEqual(seen[0]?.headers.authorization)
})

test('case 8: with disable_redirects the first answer is judged', async () => {
  const { url, seen } = await asked({ '/': [302, '/'] })
  expect(await verdict(url, { disable_redirects: true, match_string: 'done' })).toBe('ok 302')
  expect(seen).toHaveLength(1)
})

const chain = (hops: number) =>
  asked(Object.fromEntries(Array.from({ length: hops }, (_, at) => [`/${at}`, [302, `/${at + 1}`]])))

test('case 9: ten redirects are followed, eleven are not, nor is a loop', async () => {
  expect(await verdict(`${(await chain(10)).url}/0`)).toBe('ok 200')
  expect(await verdict(`${(await chain(11)).url}/0`)).toBe('redirect 302')
  const { url, seen } = await asked({ '/': [302, '/'] })
  expect((await run(url)).error).toBe('redirect: more than 10 redirects')
  expect(seen).toHaveLength(11)
})

test.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'javascript:1', 'http://[', 'tcp://127.0.0.1:22'])(
  'case 9: a redirect to %s is not followed',
  async (location) => {
    const { url } = await asked({ '/': [302, location] })
    expect(await verdict(url)).toBe('redirect 302')
  },
)

test('case 9: a location in raw UTF-8 leads where it says, one in Latin-1 too', async () => {
  for (const encoding of ['utf8', 'latin1'] as const) {
    const url = await serveHttp((req, res) => {
      if (req.url !== '/') return res.end(req.url)
      const head = 'HTTP/1.1 302 Found\r\nLocation: /über\r\nContent-Length: 0\r\n\r\n'
      return req.socket.end(Buffer.from(head, encoding))
    })
    expect((await run(url)).response_sample).toBe('/%C3%BCber')
  }
})

test('case 9: an empty location is none', async () => {
  const { url } = await asked({ '/': [302, ''] })
  expect(await verdict(url, { match_string: 'done' })).toBe('ok 302')
})

test('case 9: a redirect to an address that may not be dialled is not followed', async () => {
  const check = aCheck((await asked({ '/': [302, 'http://127.0.0.2/'] })).url)
  const rules = readRules(check)
  if ('fault' in rules) throw new Error(rules.fault)
  const bounds = { timeout_ms: 5000, mayDial: (address: string) => address === '127.0.0.1' }
  const probe = await probeOf('http')
  const { fault, http_status } = await observe(bounds, (attempt) => probe(attempt, rules.target, check))
  expect([fault?.kind, http_status]).toEqual(['blocked', 302])
})

test('case 9: the next connection waits until the one before is closed', async () => {
  let open = 0
  const counts: number[] = []
  const url = await serveHttp((req, res) => {
    open += 1
    counts.push(open)
    req.socket.once('close', () => {
      open -= 1
    })
    if (req.url === '/3') return res.end()
    return res.writeHead(302, { location: `/${Number(req.url?.slice(1)) + 1}` }).end('x'.repeat(100_000))
  })
  expect(await verdict(`${url}/0`)).toBe('ok 200')
  expect(counts).toHaveLength(4)
  expect(Math.max(...counts)).toBeLessThanOrEqual(2)
})
