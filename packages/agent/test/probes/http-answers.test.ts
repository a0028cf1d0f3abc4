// Cases 1 to 4 and 12 to 14: what answers a web target may give, and what each is worth.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { run, verdict } from '../support/checks.ts'
import { closedPort, serveBytes, serveHttp } from '../support/servers.ts'

const answers = (status: number, body = '', headers: Record<string, string> = {}) =>
  serveHttp((_req, res) => res.writeHead(status, headers).end(body))

test.each([200, 204, 302, 304, 399])('case 1: %d without rules is healthy, with an empty error', async (status) => {
  const found = await run(await answers(status))
  expect(found).toMatchObject({ kind: 'ok', success: true, error: '', http_status: status })
})

test.each([400, 404, 500, 503])('case 2: %d without an op fails, and its status is kept', async (status) => {
  const found = await run(await answers(status))
  expect(found).toMatchObject({ kind: 'status', success: false, http_status: status })
  expect(found.error).toBe(`status: the status is ${status}`)
})

test('case 3: an op replaces the built-in rule', async () => {
  const wants503 = { status_code_op: 'eq', status_code_value: 503 }
  expect(await verdict(await answers(503), wants503)).toBe('ok 503')
  expect(await verdict(await answers(200), wants503)).toBe('status 200')
})

test.each([
  ['lt', 300, 'ok'],
  ['lt', 200, 'status'],
  ['lte', 200, 'ok'],
  ['gt', 199, 'ok'],
  ['gt', 200, 'status'],
  ['gte', 200, 'ok'],
  ['ne', 200, 'status'],
  ['ne', 404, 'ok'],
])('case 3: 200 %s %d is %s', async (status_code_op, status_code_value, kind) => {
  expect((await run(await answers(200), { status_code_op, status_code_value })).kind).toBe(kind)
})

test.each(['equals', 'EQ', 'toString', '=='])('case 3: the op %s is not guessed', async (status_code_op) => {
  const found = await run(await answers(200), { status_code_op, status_code_value: 200 })
  expect(found.error).toBe('config: the status_code_op must be one of eq, ne, lt, lte, gt, gte')
})

test('case 4: the body holds the match or fails by it, and an empty match asserts nothing', async () => {
  const url = await answers(200, 'status: ✓ grün')
  expect(await verdict(url, { match_string: '✓ grün' })).toBe('ok 200')
  expect(await verdict(url, { match_string: 'GRÜN' })).toBe('match 200')
  expect(await verdict(url, { match_string: '' })).toBe('ok 200')
  expect((await run(url)).response_sample).toBe('status: ✓ grün')
})

test.each([
  ['contains', 'ok', 'ok'],
  ['not_contains', 'ok', 'match'],
  ['not_contains', 'error', 'ok'],
  ['regex', '^all .* ok\\b', 'ok'],
  ['regex', '^ok', 'match'],
  ['not_regex', 'o[kl]', 'match'],
  ['not_regex', '\\d', 'ok'],
  ['regex', '(?i)ALL', 'ok'],
  ['regex', '(?=x)', 'config'],
  ['regex', '(', 'config'],
  ['starts_with', 'all', 'config'],
])('case 4: match_mode %s %s of "all is ok" is %s', async (match_mode, match_string, kind) => {
  expect((await run(await answers(200, 'all is ok'), { match_mode, match_string })).kind).toBe(kind)
})

test.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
])('case 4: a body in %s is matched decoded', async (encoding, compress) => {
  const url = await serveHttp((_req, res) => {
    res.setHeader('content-encoding', encoding)
    res.end(compress('status: ✓ grün'))
  })
  expect(await verdict(url, { match_string: '✓ grün' })).toBe('ok 200')
})

test('case 4: an empty body may claim an encoding, a wrong one may not', async () => {
  expect(await verdict(await answers(204, '', { 'content-encoding': 'gzip' }))).toBe('ok 204')
  expect(await verdict(await answers(200, 'plain', { 'content-encoding': 'gzip' }))).toBe('http 200')
})

test('case 4: a character that is split over packets is whole', async () => {
  const bytes = Buffer.from('grün')
  const url = await serveHttp((_req, res) => {
    res.write(bytes.subarray(0, 3))
    setTimeout(() => res.end(bytes.subarray(3)), 30)
  })
  expect(await verdict(url, { match_string: 'grün' })).toBe('ok 200')
})

test('case 4: a body is read by its mark, without it, and by what it declares', async () => {
  for (const bytes of [
    Buffer.from('\uFEFF<p>grün', 'utf16le'),
    Buffer.from('\uFEFF<p>grün'),
    Buffer.from('<meta charset=latin1><p>grün', 'latin1'),
  ]) {
    const found = await run(await body(bytes, { 'content-type': 'text/html' }), { match_string: '<p>grün' })
    expect(found).toMatchObject({ kind: 'ok', response_sample: expect.stringMatching(/^</) })
  }
})

const body = (bytes: Buffer, headers: Record<string, string>) =>
  serveHttp((_req, res) => res.writeHead(200, headers).end(bytes))

test('case 4: a body is read in the charset that it is said to be in', async () => {
  const url = await body(Buffer.from('grün', 'latin1'), { 'content-type': 'text/html; charset=ISO-8859-1' })
  expect(await verdict(url, { match_string: 'grün' })).toBe('ok 200')
})

test.each([
  ['gzip, br', (text: string) => brotliCompressSync(gzipSync(text))],
  ['identity, gzip , gzip', (text: string) => gzipSync(gzipSync(text))],
  ['deflate,deflate', (text: string) => deflateRawSync(deflateSync(text))],
  ['gzip, identity', gzipSync],
  ['br, gzip, deflate', (text: string) => deflateSync(gzipSync(brotliCompressSync(text)))],
])('case 4: a body in several encodings, %s, is matched decoded', async (encoding, compress) => {
  const text = `${'x'.repeat(300_000)}grün`
  const url = await body(compress(text), { 'content-encoding': encoding })
  expect(await verdict(url, { match_string: 'grün' })).toBe('ok 200')
})

test('case 4: in several encodings, each is that of its header', async () => {
  const url = await body(brotliCompressSync('plain'), { 'content-encoding': 'gzip, br' })
  expect((await run(url)).error).toBe('http: the body does not match its Content-Encoding')
  expect(await verdict(await body(brotliCompressSync(''), { 'content-encoding': 'gzip, br' }))).toBe('ok 200')
})

test.each([
  ['zstd', 'zstd'],
  ['gzip, ZSTD', 'zstd'],
  ['gzip, gzip, gzip, gzip', 'more than 3 encodings in a row'],
  [`x${'y'.repeat(99)}`, 'an encoding with an invalid name'],
])('case 4: a match in a body encoded as %s fails, and names what is not known', async (encoding, named) => {
  const url = await body(gzipSync('all is well'), { 'content-encoding': encoding })
  const error = `http: the body has an unsupported encoding: ${named}`
  expect(await run(url, { match_string: 'well' })).toMatchObject({ kind: 'http', error, response_sample: '' })
  expect((await run(url, { match_string: 'well', match_mode: 'not_contains' })).error).toBe(error)
  expect((await run(url, { match_string: 'well', status_code_op: 'eq', status_code_value: 201 })).kind).toBe('status')
  expect(await verdict(url)).toBe('ok 200')
})

test('case 4: text is read as text, whatever encoding it claims', async () => {
  const url = await body(Buffer.from('grün'), { 'content-encoding': 'utf-8' })
  expect(await verdict(url, { match_string: 'grün' })).toBe('ok 200')
})

test.each([
  ['a body shorter than its Content-Length', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', 'end', 'reset 200'],
  ['a chunked body that is cut', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel', 'end', 'reset 200'],
  ['a body that is reset', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', 'reset', 'reset 200'],
] as const)('case 12: %s fails', async (_what, bytes, then, wanted) => {
  expect(await verdict(await serveBytes(bytes, then))).toBe(wanted)
})

test('case 12: a body without a length ends with its connection', async () => {
  const url = await serveBytes('HTTP/1.0 200 OK\r\n\r\nwhole')
  expect(await run(url)).toMatchObject({ kind: 'ok', response_sample: 'whole' })
})

test('case 14: nobody listens', async () => {
  const found = await run(`http://127.0.0.1:${await closedPort()}`)
  expect(found).toMatchObject({ kind: 'refused', http_status: 0, address: '127.0.0.1' })
})

test('case 14: the host name does not exist', async () => {
  expect(await verdict('http://nothing.invalid/')).toBe('dns 0')
})

test.each([
  ['an answer that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'end', 'http 0'],
  ['two lengths that differ', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 'end', 'http 0'],
  ['a change of protocol', 'HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', 'stay', 'http 0'],
  ['a reset', '', 'reset', 'reset 0'],
  ['an end without an answer', '', 'end', 'reset 0'],
] as const)('case 14: %s fails', async (_what, bytes, then, wanted) => {
  expect(await verdict(await serveBytes(bytes, then))).toBe(wanted)
})

const two = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

test.each([
  ['more than its length says', `${two}, and more`, 'ok 200'],
  ['a second answer', `${two}${two}`, 'ok 200'],
  ['a body that a 204 has not', 'HTTP/1.1 204 No Content\r\n\r\nbody', 'ok 204'],
  [
    'a chunked body and more',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\njunk',
    'ok 200',
  ],
])('case 14: an answer is whole, whatever follows it at once: %s', async (_what, bytes, wanted) => {
  expect(await verdict(await serveBytes(bytes))).toBe(wanted)
})

test('case 14: what follows an answer that is still unpacked changes nothing', async () => {
  const packed = gzipSync('all is well').toString('latin1')
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`
  expect(await verdict(await serveBytes(`${head}${packed}junk`), { match_string: 'well' })).toBe('ok 200')
})

test.each([
  ['lines that end in LF', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok'],
  ['one line that does', 'HTTP/1.1 200 OK\r\nA: b\nContent-Length: 2\r\n\r\nok'],
  ['no reason', 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok'],
  [
    'a length that is not asked',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  ],
])('case 14: an answer that browsers take is one: %s', async (_what, bytes) => {
  expect(await verdict(await serveBytes(bytes), { match_string: 'ok' })).toBe('ok 200')
})

test('case 14: early hints before an answer are not the answer', async () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n'
  const url = await serveBytes(`${hints}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`)
  expect(await verdict(url, { match_string: 'ok' })).toBe('ok 200')
})
