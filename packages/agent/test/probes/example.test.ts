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
    else res.end(`${req.method} all is well${'a'.repeat(40)}`)
  })
const secure = async () => `https://127.0.0.1:${await serveHttps(mint({ name: 'x', for: ['127.0.0.1'] }))}`
const banner = async () => `tcp://127.0.0.1:${await serveTcp((socket) => socket.write('220 ready'))}`
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
  ['a banner', banner, '', { match_string: 'ready' }, true],
  ['a banner without a text', banner, '', { match_string: 'busy', match_mode: 'not_contains', timeout_sec: 1 }, true],
  ['an inverted verdict', banner, '', { invert_result: true }, false],
])('%s', async (_, serve, path, fields, success) => {
  const url = `${await serve()}${path}`
  const example = await probe(aCheck(url, { timeout_sec: 5, ...fields }), stopping.signal)
  expect([example.success, (await run(url, fields)).success, example.error]).toEqual([
    success,
    success,
    expect.not.stringMatching(/^config/),
  ])
})

test('a pattern that takes too long fails', async () => {
  const check = aCheck(`${await site()}/`, { match_string: '(a+)+$b', match_mode: 'regex' })
  expect(await probe(check, stopping.signal)).toMatchObject({
    success: false,
    error: expect.stringContaining('timed out'),
  })
})
