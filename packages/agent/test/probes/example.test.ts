// The example agent of the monitor SDK judges checks of the first release as this agent does, so that both can share a check.

import type { Check } from '@dogwatch/monitor-sdk'
import { afterAll, expect, test } from '@jest/globals'
import { probe } from '../../../monitor-sdk/examples/probe.ts'
import { mint } from '../support/certificates.ts'
import { aCheck, run } from '../support/checks.ts'
import { serveHttp, serveHttps, serveTcp } from '../support/servers.ts'

const stopping = new AbortController()
afterAll(() => stopping.abort())

const site = () =>
  serveHttp((req, res) => {
    if (req.url === '/moved') res.writeHead(302, { Location: '/all' }).end()
    else if (req.url === '/loop') res.writeHead(302, { Location: '/loop' }).end()
    else if (req.url === '/busy') res.writeHead(503).end('busy')
    else if (req.url === '/latin') res.setHeader('Content-Type', 'text/plain; charset=latin1').end('café', 'latin1')
    else if (req.url === '/door') res.writeHead(302, { Location: '/room', 'Set-Cookie': 'key=1; Path=/' }).end()
    else if (req.url === '/room') res.end(`cookies: ${req.headers.cookie ?? ''}`)
    else if (req.url === '/long') res.end(`${'a'.repeat(1024 * 1024)}end`)
    else res.end(`${req.method} all is well${'a'.repeat(40)}`)
  })
/** Redirects to another origin, with this status. */
const leaving = async (status: number) => {
  const other = await serveHttp((req, res) => void res.end(`secret: ${String(req.headers['x-secret'])}`))
  return serveHttp((_, res) => void res.writeHead(status, { Location: other }).end())
}
const secure = async () => `https://127.0.0.1:${await serveHttps(mint({ name: 'x', for: ['127.0.0.1'] }))}`
const expiring = async () => {
  const other = await site()
  const minted = mint({ name: 'x', for: ['127.0.0.1'] })
  return `https://127.0.0.1:${await serveHttps(minted, (_, res) => void res.writeHead(302, { Location: other }).end())}`
}
const banner = async () => `tcp://127.0.0.1:${await serveTcp((socket) => socket.write('220 ready'))}`
const long = async () => `tcp://127.0.0.1:${await serveTcp((socket) => socket.end(`${'a'.repeat(4096)}end`))}`
const reset = async () => {
  const port = await serveTcp((socket) => socket.write('220', () => setTimeout(() => socket.resetAndDestroy(), 50)))
  return `tcp://127.0.0.1:${port}`
}
const SECRET = { headers: { 'X-Secret': 'a' } }
const UNWANTED = { match_string: 'busy', match_mode: 'not_contains' } as const
const status = (status_code_op: string, status_code_value: number) => ({ status_code_op, status_code_value })

test.each<[what: string, url: () => Promise<string>, path: string, fields: Partial<Check>, success: boolean]>([
  ['a status', site, '/busy', status('gte', 500), true],
  ['another status', site, '/busy', {}, false],
  ['a redirect', site, '/moved', { post_data: 'a', match_string: 'GET all' }, true],
  ['a redirect that is not followed', site, '/moved', { disable_redirects: true, ...status('eq', 302) }, true],
  ['redirects without an end', site, '/loop', {}, false],
  ['a pattern', site, '/', { match_string: '^GET .*well', match_mode: 'regex' }, true],
  ['a pattern that must not match', site, '/', { match_string: 'w.ll', match_mode: 'not_regex' }, false],
  ['a certificate', secure, '/', {}, false],
  ['a certificate that nobody verifies', secure, '/', { insecure_skip_verify: true }, true],
  ['a certificate that expires', secure, '/', { insecure_skip_verify: true, cert_expiry_warn_days: 99 }, false],
  ['a certificate before a redirect', expiring, '', { insecure_skip_verify: true, cert_expiry_warn_days: 99 }, false],
  ['a banner', banner, '', { match_string: 'ready' }, true],
  ['a banner without a text', banner, '', { ...UNWANTED, timeout_sec: 2, max_response_time_ms: 1900 }, true],
  ['a text after the first 4 KiB of a banner', long, '', { match_string: 'end' }, false],
  ['a banner that ends with a reset', reset, '', UNWANTED, false],
  ['a text after the first 1 MiB of a body', site, '/long', { match_string: 'end' }, false],
  ['a text in another charset', site, '/latin', { match_string: 'café' }, true],
  ['cookies', site, '/door', { headers: { Cookie: 'a=2' }, match_string: 'cookies: a=2; key=1' }, true],
  ['a header, at another origin', () => leaving(302), '', { ...SECRET, match_string: 'secret: undefined' }, true],
  ['a request body, at another origin', () => leaving(307), '', { post_data: 'a' }, false],
  ['an inverted verdict', banner, '', { invert_result: true }, false],
])('%s', async (_, serve, path, fields, success) => {
  const url = `${await serve()}${path}`
  const example = await probe(aCheck(url, { timeout_sec: 5, ...fields }), stopping.signal)
  const { http_status, ...ours } = await run(url, fields)
  expect([example.success, ours.success]).toEqual([success, success])
  expect(example).toMatchObject({ http_status, error: expect.not.stringMatching(/^config/) })
})

test.each([
  ['takes too long', '(a+)+$b', 'timed out'],
  ['is none', '(', 'Invalid regular expression'],
])('a pattern that %s says nothing about the target', async (_, match_string, words) => {
  const check = aCheck(`${await site()}/`, { match_string, match_mode: 'regex', invert_result: true })
  const error = expect.stringMatching(new RegExp(`^config: .*${words}`))
  expect(await probe(check, stopping.signal)).toMatchObject({ success: false, error })
})
