// Cases 10, 11 and 13: nothing that a target does takes longer, or more memory, than the bounds allow.
import { gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
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
  expect(boundsOf({ check, match: undefined }).timeout_ms).toBe(wanted)
})

/** Beyond a timer of the same time: a busy machine is late with both. */
const LATE_MS = 500

/** Starts a timer, and tells how long it has taken in the end. */
function timerOf(ms: number): () => Promise<number> {
  const began = performance.now()
  const over = new Promise<number>((resolve) => setTimeout(() => resolve(performance.now() - began), ms))
  return () => over
}

const never = () => serveTcp(() => undefined)

test.each([
  ['http that never answers', async () => `http://127.0.0.1:${await never()}`, 'while waiting for an answer'],
  ['https that never answers', async () => `https://127.0.0.1:${await never()}`, 'during the TLS handshake'],
  ['a silent tls', async () => `tls://127.0.0.1:${await never()}`, 'during the TLS handshake'],
  ['a body that drips', () => dripping('body'), 'while reading the answer'],
  ['headers that drip', () => dripping('headers'), 'while waiting for an answer'],
])('cases 10, 11: %s fails at its timeout, and not later than half a second after', async (_what, start, words) => {
  const url = await start()
  const began = performance.now()
  const timer = timerOf(700)
  const found = await run(url, { timeout_sec: 0.7 })
  const took_ms = performance.now() - began
  expect(found).toMatchObject({ kind: 'timeout', error: `timeout: ${words}` })
  expect(took_ms).toBeGreaterThanOrEqual(695)
  expect(took_ms - (await timer())).toBeLessThan(LATE_MS)
  expect(found.latency_ms).toBeGreaterThanOrEqual(695)
})

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
    setTimeout(() => res.writeHead(302, { location: '/' }).end(), 200)
  })
  const timer = timerOf(700)
  const found = await run(url, { timeout_sec: 0.7 })
  expect(found).toMatchObject({ kind: 'timeout', http_status: 302 })
  expect(found.latency_ms - (await timer())).toBeLessThan(LATE_MS)
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

/** CPU time of this thread, which a busy machine does not add to. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

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

test('case 13: of an endless body the first mebibyte is judged, soon and in little memory', async () => {
  const url = await serveHttp((_req, res) => {
    const chunk = Buffer.alloc(65_536, 'x')
    const more = (): void => {
      while (!res.destroyed && res.write(chunk));
    }
    res.write('begins')
    res.on('drain', more)
    more()
  })
  const grown = await growthOf(async () => {
    const before_ms = cpuMs()
    expect((await run(url, { match_string: 'begins' })).kind).toBe('ok')
    expect(cpuMs() - before_ms).toBeLessThan(1000)
  })
  expect(grown).toBeLessThan(100)
})

test('case 13: of a gzip bomb the first mebibyte is judged, soon and in little memory', async () => {
  const bomb = gzipSync(Buffer.alloc(200 * 1024 ** 2))
  const url = await serveHttp((_req, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
  const grown = await growthOf(async () => {
    const before_ms = cpuMs()
    expect((await run(url, { match_string: 'x' })).kind).toBe('match')
    expect(cpuMs() - before_ms).toBeLessThan(1000)
  })
  expect(grown).toBeLessThan(100)
})

test('case 13: what lies beyond the first mebibyte is not seen', async () => {
  const url = await serveHttp((_req, res) => res.end(`${'x'.repeat(1024 ** 2 - 2)}inside`))
  expect((await run(url, { match_string: 'xin' })).kind).toBe('ok')
  expect((await run(url, { match_string: 'ins' })).kind).toBe('match')
})

test('case 13: endless headers fail', async () => {
  const port = await serveTcp((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const more = (): void => {
      while (!socket.destroyed && socket.write(`X-A: ${'a'.repeat(1000)}\r\n`));
    }
    socket.on('drain', more)
    more()
  })
  const before_ms = cpuMs()
  const found = await run(`http://127.0.0.1:${port}`)
  expect(found.error).toBe('http: the headers are too large')
  expect(cpuMs() - before_ms).toBeLessThan(1000)
})

test('heads without end, each of which another one follows, fail; a hundred of them do not', async () => {
  const HINT = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n'
  const endless = await serveTcp((socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(HINT.repeat(50)));
    }
    socket.on('drain', more)
    more()
  })
  const found = await run(`http://127.0.0.1:${endless}`)
  expect(found.error).toBe('http: the headers are too large')
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
  expect(Math.abs(sum - latency_ms)).toBeLessThan(10)
})
