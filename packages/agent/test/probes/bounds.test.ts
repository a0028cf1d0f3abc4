// Cases 10, 11 and 13: nothing that a target does takes longer, or more memory, than the bounds allow.
import type { Writable } from 'node:stream'
import { constants, deflateRawSync, gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { Attempt } from '../../src/probes/attempt.ts'
import type { Observation } from '../../src/probes/observation.ts'
import { boundsOf } from '../../src/run/run-check.ts'
import { mint } from '../support/certificates.ts'
import { aCheck, run } from '../support/checks.ts'
import { serveHttp, serveHttps, serveTcp } from '../support/servers.ts'

test.each([
  [undefined, 10_000],
  [0, 10_000],
  [7, 7000],
  [60, 60_000],
  [90, 60_000],
  [-5, 10_000],
])('case 10: a timeout_sec of %s bounds a run at %d ms', (timeout_sec, wanted) => {
  const check = aCheck('http://shop.example/', timeout_sec === undefined ? {} : { timeout_sec })
  expect(boundsOf({ check, match: undefined, assertions: [] }).timeout_ms).toBe(wanted)
})

const never = () => serveTcp(() => undefined)

test.each([
  ['http that never answers', async () => `http://127.0.0.1:${await never()}`, 'while waiting for a response'],
  ['https that never answers', async () => `https://127.0.0.1:${await never()}`, 'during the TLS handshake'],
  ['a silent tls', async () => `tls://127.0.0.1:${await never()}`, 'during the TLS handshake'],
  ['a body that drips', () => dripping('body'), 'while reading the response'],
  ['headers that drip', () => dripping('headers'), 'while waiting for a response'],
])(
  'cases 10, 11: %s fails at its timeout, and not later than one with half a second more',
  async (_what, start, words) => {
    const url = await start()
    const ended: number[] = []
    // Both begin at the same time: however busy the machine is, it comes to the timers of the first before those of the second.
    const runs = [0.7, 1.2].map(async (timeout_sec) => {
      const found = await run(url, { timeout_sec })
      ended.push(timeout_sec)
      return found
    })
    for (const [i, found] of (await Promise.all(runs)).entries()) {
      expect(found).toMatchObject({ kind: 'timeout', error: `timeout: ${words}` })
      expect(found.latency_ms).toBeGreaterThan([350, 600][i] ?? NaN)
    }
    expect(ended).toEqual([0.7, 1.2])
  },
)

async function dripping(what: 'body' | 'headers'): Promise<string> {
  const port = await serveTcp((socket) => {
    socket.write(what === 'body' ? 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n' : 'HTTP/1.1 200 OK\r\nX-A: ')
    const drip = setInterval(() => socket.write('x'), 50)
    socket.on('close', () => clearInterval(drip))
  })
  return `http://127.0.0.1:${port}`
}

test('case 10: a run that waits for the redirects of others has one deadline over all of them', async () => {
  const url = await serveHttp((_req, res) => {
    setTimeout(() => res.writeHead(302, { location: '/' }).end(), 500)
  })
  // With a deadline for each of them it would follow as many as there may be, and fail for their number.
  expect(await run(url, { timeout_sec: 4 })).toMatchObject({ kind: 'timeout', http_status: 302 })
})

test('case 10: an abort rejects at once with its reason', async () => {
  const url = `http://127.0.0.1:${await never()}`
  const reason = new Error('stopping')
  const stop = new AbortController()
  const running = run(url, {}, { signal: stop.signal })
  setTimeout(() => stop.abort(reason), 50)
  await expect(running).rejects.toBe(reason)
  await expect(run(url, {}, { signal: stop.signal })).rejects.toBe(reason)
})

/** What the work adds to the memory of this process at its highest, in MiB. */
async function growthOf(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss()
  let highest = before
  const look = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss())
  }, 5)
  await work()
  clearInterval(look)
  return (Math.max(highest, process.memoryUsage.rss()) - before) / 1024 ** 2
}

/** Writes for as long as somebody reads. */
function writeWithoutEnd(to: Writable, piece: string | Buffer): void {
  const more = (): void => {
    while (!to.destroyed && to.write(piece));
  }
  to.on('drain', more)
  more()
}

test('case 13: of an endless body the first mebibyte is judged, in little memory', async () => {
  const url = await serveHttp((_req, res) => {
    res.write('begins')
    writeWithoutEnd(res, Buffer.alloc(65_536, 'x'))
  })
  const grown = await growthOf(async () => {
    expect((await run(url, { match_string: 'begins' })).kind).toBe('ok')
  })
  expect(grown).toBeLessThan(100)
})

test('case 13: of a gzip bomb the first mebibyte is judged, in little memory', async () => {
  const bomb = gzipSync(Buffer.alloc(200 * 1024 ** 2))
  const url = await serveHttp((_req, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
  const grown = await growthOf(async () => {
    expect((await run(url, { match_string: 'x' })).kind).toBe('match')
  })
  expect(grown).toBeLessThan(100)
})

test('case 13: what is encoded twice may not hold an encoding of nothing without end', async () => {
  const nothing = gzipSync('')
  const packed = gzipSync(Buffer.concat(Array.from({ length: 200_000 }, () => nothing)))
  const url = await serveHttp((_req, res) => res.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(packed))
  expect((await run(url)).error).toBe('http: the body does not match its Content-Encoding')
})

test('case 13: so it is of a gzip bomb without end', async () => {
  const begin = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])
  // No block of it is the last one, so that any number of them follow each other.
  const mebibyte = deflateRawSync(Buffer.alloc(1024 ** 2), { finishFlush: constants.Z_SYNC_FLUSH })
  const url = await serveHttp((_req, res) => {
    res.writeHead(200, { 'content-encoding': 'gzip' }).write(begin)
    writeWithoutEnd(res, mebibyte)
  })
  expect((await run(url, { match_string: 'x', timeout_sec: 60 })).kind).toBe('match')
})

test('case 13: what lies beyond the first mebibyte is not seen', async () => {
  const url = await serveHttp((_req, res) => res.end(`${'x'.repeat(1024 ** 2 - 2)}inside`))
  expect((await run(url, { match_string: 'xin' })).kind).toBe('ok')
  expect((await run(url, { match_string: 'ins' })).kind).toBe('match')
})

test('case 13: endless headers fail', async () => {
  const port = await serveTcp((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    writeWithoutEnd(socket, `X-A: ${'a'.repeat(1000)}\r\n`)
  })
  expect((await run(`http://127.0.0.1:${port}`)).error).toBe('http: the response headers are too large')
})

test('heads without end, each of which another one follows, fail; a hundred of them do not', async () => {
  const HINT = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n'
  const endless = await serveTcp((socket) => writeWithoutEnd(socket, HINT.repeat(50)))
  const found = await run(`http://127.0.0.1:${endless}`)
  expect(found.error).toBe('http: the response headers are too large')
  const some = await serveTcp((socket) => {
    socket.once('data', () => socket.end(`${HINT.repeat(100)}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`))
  })
  expect((await run(`http://127.0.0.1:${some}`)).kind).toBe('ok')
})

test('a run that has ended leaves no connection behind', async () => {
  const closed: Promise<void>[] = []
  const port = await serveTcp((socket) => {
    closed.push(new Promise((resolve) => socket.on('close', () => resolve())))
    socket.resume()
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\nyes')
  })
  expect((await run(`http://127.0.0.1:${port}`)).kind).toBe('ok')
  await Promise.all(closed)
  expect(closed).toHaveLength(1)
})

test('the latency of a run begins with its first phase, however long this machine takes until then', async () => {
  const bounds = { timeout_ms: 10_000, mayDial: () => true }
  const { phases, latency_ms } = await new Promise<Observation>((resolve, reject) => {
    const attempt = new Attempt(bounds, resolve, reject)
    setTimeout(() => {
      attempt.enter('connect')
      attempt.finish()
    }, 30)
  })
  expect(latency_ms).toBe(Math.round(phases.connect ?? NaN))
})

test('the phases of a run are its parts, and add up to its latency', async () => {
  const minted = mint({ name: 'localhost', for: ['localhost'] })
  const port = await serveHttps(minted, (_req, res) => {
    setTimeout(() => {
      res.write('first')
      setTimeout(() => res.end('last'), 60)
    }, 80)
  })
  const { phases, latency_ms } = await run(`https://localhost:${port}`, { insecure_skip_verify: true })
  expect(Object.keys(phases)).toEqual(['dns', 'connect', 'tls', 'first_byte', 'body'])
  expect(phases.first_byte).toBeGreaterThanOrEqual(75)
  // On a busy machine the first byte is seen late, and less of the time is the body's.
  expect((phases.first_byte ?? 0) + (phases.body ?? 0)).toBeGreaterThanOrEqual(135)
  const sum = Object.values(phases).reduce((a: number, b: number) => a + b, 0)
  // The last one goes on until it is noticed that nothing follows, which takes a busy machine longer. The latency is in whole milliseconds.
  expect(sum).toBeGreaterThanOrEqual(latency_ms - 1)
  expect(sum - (phases.body ?? 0)).toBeLessThanOrEqual(latency_ms + 1)
})
