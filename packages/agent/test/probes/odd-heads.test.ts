// Answers that curl and browsers take as they are, and the agent, too; and those that nobody should.
import { gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { cleanHead, isClean } from '../../src/probes/http/head.ts'
import { run, verdict } from '../support/checks.ts'
import { serveBytes, serveTcp } from '../support/servers.ts'

const answer = (...lines: string[]) => `${['HTTP/1.1 200 OK', ...lines].join('\r\n')}\r\n\r\nok`

test.each([
  ['a space in a header name', answer('X Y: b', 'Content-Length: 2')],
  ['a space before the colon', answer('Content-Length : 2')],
  ['a header without a name', answer(': b', 'Content-Length: 2')],
  ['a name that is no token, and its second line', answer('X(Y): b', '  more', 'Content-Length: 2')],
  ['a line without a colon, and its second line', answer('X', '  more', 'Content-Length: 2')],
  ['its status line twice', answer('HTTP/1.1 200 OK', 'Content-Length: 2')],
  ['a line that continues none', answer('  more', 'Content-Length: 2')],
  ['the same Content-Length twice', answer('Content-Length: 2', 'Content-Length: 2')],
  ['the same Content-Length twice in one', answer('Content-Length: 2, 2')],
  ['the same Content-Length twice, spelt otherwise', answer('content-length: 2', 'X: y', 'CONTENT-LENGTH:2')],
  ['a header of 40 KiB', answer(`X-Big: ${'a'.repeat(40_000)}`, 'Content-Length: 2')],
  ['200 KiB of headers', answer(...Array.from({ length: 200 }, () => `X: ${'a'.repeat(1000)}`), 'Content-Length: 2')],
  [
    'early hints with an odd header',
    `HTTP/1.1 103 Early Hints\r\nX Y: b\r\n\r\n${answer('X Y: b', 'Content-Length: 2')}`,
  ],
])('an answer with %s is one', async (_what, bytes) => {
  expect(await verdict(await serveBytes(bytes, 'stay'), { match_string: 'ok', timeout_sec: 3 })).toBe('ok 200')
})

test('a head may come byte by byte', async () => {
  const bytes = Buffer.from(answer('X Y: b', 'Content-Length: 2', 'Content-Length: 2'))
  const port = await serveTcp((socket) => {
    socket.setNoDelay(true)
    socket.once('data', () => bytes.forEach((byte) => void socket.write(Buffer.of(byte))))
  })
  expect(await verdict(`http://127.0.0.1:${port}`, { match_string: 'ok', timeout_sec: 3 })).toBe('ok 200')
})

test.each([
  ['differing lengths', answer('Content-Length: 2', 'Content-Length: 3'), 'http 0'],
  ['differing lengths in one', answer('Content-Length: 2, 3'), 'http 0'],
  ['the status 000', 'HTTP/1.1 000 Fine\r\nContent-Length: 2\r\n\r\nok', 'http 0'],
  ['the status 099', 'HTTP/1.1 099 Fine\r\nContent-Length: 2\r\n\r\nok', 'http 99'],
  ['headers beyond 256 KiB', answer(`X-Big: ${'a'.repeat(300_000)}`, 'Content-Length: 2'), 'http 0'],
])('an answer with %s is none', async (_what, bytes, wanted) => {
  expect(await verdict(await serveBytes(bytes), { timeout_sec: 3 })).toBe(wanted)
  // Upside down, a target that does not speak HTTP is down, which is what is wanted.
  expect(await verdict(await serveBytes(bytes), { timeout_sec: 3, invert_result: true })).toBe(
    wanted.replace('http', 'ok'),
  )
})

test('a body of which a part came with its head is whole', async () => {
  const packed = gzipSync('x'.repeat(300_000) + 'well').toString('latin1')
  const url = await serveBytes(
    `HTTP/1.1 200 OK\r\nX Y: b\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n${packed}`,
  )
  expect(await verdict(url, { match_string: 'well' })).toBe('ok 200')
})

test('a head that is sound goes on as it is', () => {
  const head =
    'HTTP/1.1 200 OK\r\nDate: now\r\nSet-Cookie: a=b; c\r\n\td\r\nContent-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n'
  expect(cleanHead(head)).toBe(head.replace('Content-Length: 12', 'Content-Length: 12'))
})

// ---- what the first mebibyte alone has decided --------------------------------------------------------------------

const MIB = 1024 * 1024
const bodyOf = (bytes: number, isKnown = true) =>
  serveBytes(`HTTP/1.1 200 OK\r\n${isKnown ? `Content-Length: ${bytes}\r\n` : ''}\r\n${'x'.repeat(bytes)}`)

test('a match that is not in the first mebibyte of a longer body says so', async () => {
  const words = 'match: not found in the first 1 MiB of the body; the rest is not read'
  expect((await run(await bodyOf(MIB + 1), { match_string: 'yes' })).error).toBe(words)
  expect((await run(await bodyOf(MIB + 1), { match_string: 'ye+s', match_mode: 'regex' })).error).toBe(words)
  expect((await run(await bodyOf(MIB), { match_string: 'yes' })).error).toBe(
    'match: the body does not contain the expected text',
  )
})

test('a success that the first mebibyte alone has decided says so behind the sample', async () => {
  const words = 'match: not found in the first 1 MiB of the body; the rest is not read'
  for (const match_mode of ['not_contains', 'not_regex']) {
    const found = await run(await bodyOf(MIB + 1), { match_string: 'no+', match_mode })
    expect(found).toMatchObject({ success: true, error: '', note: words })
    expect(await run(await bodyOf(MIB), { match_string: 'no+', match_mode })).not.toHaveProperty('note')
    expect((await run(await bodyOf(MIB + 1), { match_string: 'x', match_mode })).error).toBe(
      'match: the body contains the text that it must not contain',
    )
  }
})

test('a head that is passed on as it came is one that nothing would be done to', () => {
  const length = ['Content-Length: 5', 'content-length: 7', 'Content-Length: 5, 5', 'Content-Length: ']
  const odd = ['B c: d', 'E : f', ' folded', 'no colon', ': nameless', '\u00e4: g']
  const lines = fc.array(fc.constantFrom('A: b', 'X-Y: ', ...length, ...odd), { maxLength: 4 })
  const ends = fc.constantFrom('\r\n', '\r\n', '\n')
  fc.assert(
    fc.property(lines, ends, (list, end) => {
      const head = ['HTTP/1.1 200 OK', ...list, '', ''].join(end)
      if (isClean(head)) expect(cleanHead(head)).toBe(head)
      else expect(end === '\n' || list.some((line) => length.includes(line) || odd.includes(line))).toBe(true)
    }),
  )
  expect(isClean('HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 5\r\n\r\n')).toBe(true)
})
