// What a target sends takes the time of its own run: between two turns of the event loop there is little of it.
import { gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { run } from '../support/checks.ts'
import { serveTcp } from '../support/servers.ts'

/** A machine under load takes several times as long as one that is not; what this is about took seconds. */
const TURN_MAX_MS = 200

/** The most CPU time that this thread took between two turns of the event loop while the work was done. */
async function longestTurn(work: () => Promise<void>): Promise<number> {
  const spent = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let [last, longest, isOver] = [spent(), 0, false]
  const look = (): void => {
    const now = spent()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(look)
  }
  look()
  await work()
  isOver = true
  look()
  return longest
}

async function serve(...parts: (string | Buffer)[]): Promise<string> {
  const bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))
  const port = await serveTcp((socket) => {
    socket.once('data', () => socket.write(bytes))
  })
  return `http://127.0.0.1:${port}`
}

const MIB = 1024 * 1024
const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n`
const END = '0\r\n\r\n'
const lines = (count: number, line: string) => `${OK}X: y\r\n${line.repeat(count)}Content-Length: 2\r\n\r\nok`
const hint = (line: string) => `HTTP/1.1 103 Early Hints\r\n${line}\r\n`
const TOO_LARGE = 'http: the response headers are too large'
const TOO_LONG = 'redirect: the redirect location is too long'
const NO_MATCH = 'match: the body does not contain the expected text'
const PIECES = 'match: not found in the first 65,536 pieces of the body; the rest is not read'

test.each([
  ['a body in chunks of a byte', PIECES, [`${CHUNKED}\r\n`, '1\r\nx\r\n'.repeat(MIB), END]],
  [
    'a packed body in chunks of a byte',
    PIECES,
    [`${CHUNKED}Content-Encoding: gzip\r\n\r\n`, chunksOf(gzipSync(noise(MIB))), END],
  ],
  ['80,000 folded lines', TOO_LARGE, [lines(80_000, ' a\n')]],
  ['80,000 folded lines after a body', NO_MATCH, [`${CHUNKED}\r\n0\r\nX: y\r\n`, ' a\n'.repeat(80_000), '\r\n']],
  ['50,000 header lines', TOO_LARGE, [lines(50_000, 'a:b\r\n')]],
  ['large heads before the one that counts', TOO_LARGE, [hint('a:b\r\n'.repeat(4000)).repeat(100), OK, '\r\n']],
  [
    'a body in gb18030',
    NO_MATCH,
    [`${OK}Content-Type: text/plain; charset=gb18030\r\nContent-Length: ${MIB}\r\n\r\n`, noise(MIB)],
  ],
  ['a long location', TOO_LONG, [`HTTP/1.1 302 Found\r\nLocation: /${'\u00e4'.repeat(240_000)}\r\n\r\n`]],
])('%s does not keep other runs waiting', async (_what, error, parts) => {
  const url = await serve(...parts)
  const longest = await longestTurn(async () => {
    const all = Array.from({ length: 12 }, () => run(url, { match_string: 'no such words', timeout_sec: 60 }))
    for (const found of await Promise.all(all)) expect(found.error).toBe(error)
  })
  expect(longest).toBeLessThan(TURN_MAX_MS)
})

test('as many header lines as curl takes, and hundreds of folded ones, are an answer', async () => {
  expect((await run(await serve(lines(4900, 'a:b\r\n')))).kind).toBe('ok')
  expect((await run(await serve(lines(490, ' a\r\n')))).kind).toBe('ok')
})

test('a body in sixty thousand pieces is judged whole', async () => {
  const url = await serve(`${CHUNKED}\r\n`, '1\r\nx\r\n'.repeat(60_000), '7\r\nthe end\r\n', END)
  expect((await run(url, { match_string: 'xthe end', timeout_sec: 60 })).kind).toBe('ok')
})

/** The same bytes each time. */
function noise(length: number): Buffer {
  let state = 1
  return Buffer.from(Uint8Array.from({ length }, () => (state = (state * 48_271) % 2_147_483_647) & 255))
}

function chunksOf(bytes: Buffer): Buffer {
  const chunks = Buffer.alloc(bytes.length * 6)
  bytes.forEach((byte, n) => chunks.write(`1\r\n${String.fromCharCode(byte)}\r\n`, n * 6, 'latin1'))
  return chunks
}
