// The server, as people run it, under ten thousand requests that nobody should send: it must answer none with a 5xx,
// go on answering others all the while, and have its memory back afterwards.
// npm run prove -- hostile [--requests N] [--seed N]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { type Dice, dice } from '../../packages/server/test/support/dice.ts'
import {
  brokenRequest,
  type Credentials,
  hostileRequest,
  toBytes,
} from '../../packages/server/test/support/hostile-requests.ts'
import { readAnswers } from '../../packages/server/test/support/raw-http.ts'
import { readFlags } from '../lab/proof-flags.ts'
import { SERVER_FLAGS } from '../server-flags.js'

const flags = readFlags({
  requests: { type: 'string', default: '10000' },
  seed: { type: 'string', default: String(Date.now() % 1e9) },
})
const REQUESTS = Number(flags.requests)
const SEED = Number(flags.seed)
const AT_ONCE = 32
const BATCH = 250
const WARM_UP = 600
const PING_EVERY_MS = 200
const PING_WITHIN_MS = 3000
const REST_MS = 30_000
const MOST_GROWTH_MB = 50
const MEBIBYTE = 1024 * 1024
const PROGRAM = fileURLToPath(new URL('../../packages/server/dist/bin/dogwatch.js', import.meta.url))
const PREFIX = '/monitor-api/v1'

/** How the bytes of a request are sent. */
type Manner = 'whole' | 'slow' | 'half-open' | 'early close' | 'reset' | 'junk behind' | 'silent'
const MANNERS: readonly Manner[] = [
  ...Array<Manner>(10).fill('whole'),
  'slow',
  'half-open',
  'early close',
  'reset',
  'junk behind',
  'silent',
]

interface Tally {
  sent: number
  statuses: Map<number, number>
  failures: string[]
}

interface Pings {
  answered: number
  missed: number
  slowest_ms: number
}

const dataDir = await mkdtemp(join(tmpdir(), 'dogwatch-prove-'))
// Root's Postgres runs as another user, who must be able to enter here.
await chmod(dataDir, 0o711)
const env = { PATH: process.env.PATH ?? '', DOGWATCH_DATA_DIR: dataDir, LOG_LEVEL: 'error' }
let holds = false
try {
  holds = await prove()
} finally {
  await rm(dataDir, { recursive: true, force: true })
}
process.stdout.write(`hostile: ${holds ? 'holds' : 'FELL SHORT'}\n`)
process.exitCode = holds ? 0 : 1

async function prove(): Promise<boolean> {
  const server = await startServer()
  try {
    const credentials = await settle(server.port)
    await warmUp(server.port, credentials)
    const before = await residentMb(server.pid)
    const begun = performance.now()
    const tally: Tally = { sent: 0, statuses: new Map(), failures: [] }
    const pinging = new AbortController()
    const pings = pingAllTheWhile(server.port, credentials, pinging.signal)
    await bombard(server.port, credentials, tally)
    const took_sec = (performance.now() - begun) / 1000
    const atEnd = await residentMb(server.pid)
    await pause(REST_MS)
    pinging.abort()
    const after = await residentMb(server.pid)
    const growth = after - before
    const { answered, missed, slowest_ms } = await pings
    const bad = [...tally.statuses].filter(([status]) => status >= 500)
    const statuses = [...tally.statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
    say(`seed ${SEED}: ${tally.sent} hostile requests in ${took_sec.toFixed(1)} s`)
    say(`answers ${statuses.join(', ')}`)
    say(`pings meanwhile: ${answered} answered, ${missed} missed, slowest ${slowest_ms.toFixed(0)} ms`)
    say(
      `resident memory: ${before.toFixed(0)} MB before, ${atEnd.toFixed(0)} at the end, ${after.toFixed(0)} after 30 s`,
    )
    for (const line of tally.failures.slice(0, 5)) say(line)
    if (server.log() !== '') say(`the server said: ${server.log().slice(0, 2000)}`)
    return bad.length === 0 && missed === 0 && answered > 0 && server.isAlive() && growth <= MOST_GROWTH_MB
  } finally {
    await server.stop()
  }
}

async function startServer() {
  const child = spawn(process.execPath, [...SERVER_FLAGS, PROGRAM, 'serve'], {
    env: { ...env, LOCAL_MONITOR: 'off', PORT: '0', ADDRESS_RATE_LIMIT: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString()
  })
  const ended = once(child, 'exit')
  const port = await new Promise<number>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const found = /listening on http:\/\/\S+:(\d+)$/.exec(line)?.[1]
      if (found !== undefined) resolve(Number(found))
    })
    void ended.then(() => reject(new Error(`the server did not start: ${log}`)))
  })
  return {
    port,
    pid: child.pid ?? 0,
    log: () => log,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** An org, a monitor in it and a check, made as an operator and an agent make them. */
async function settle(port: number): Promise<Credentials> {
  const { org_id } = await operate(['org', 'create', '--name', 'o', '--plan', 'team', '--owner-email', 'o@example.com'])
  const { token } = await operate(['enrollment-token', 'create', '--org', String(org_id)])
  const answer = await fetch(`http://127.0.0.1:${port}${PREFIX}/enroll`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${String(token)}` },
    body: JSON.stringify({ name: 'm', region: 'r', country: 'c', city: 'c' }),
  })
  const { api_key: key } = (await answer.json()) as { api_key: string }
  const file = JSON.stringify([{ name: 'c', url: 'https://example.com/', interval_sec: 60 }])
  const { guids } = await operate(
    ['check', 'import', '--org', String(org_id), '--file', '-', '--monitors', 'all'],
    file,
  )
  return { key, token: String(token), guid: (guids as string[])[0] ?? '' }
}

async function operate(args: readonly string[], input = ''): Promise<Record<string, unknown>> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(input)
  return JSON.parse(await text(child.stdout)) as Record<string, unknown>
}

/** A few hundred ordinary requests, so that everything that is created on first use exists before we measure. */
async function warmUp(port: number, { key, guid }: Credentials): Promise<void> {
  const headers = { Authorization: `Bearer ${key}` }
  const url = `http://127.0.0.1:${port}${PREFIX}`
  const result = { check_guid: guid, monitor_id: '', success: true, http_status: 200, latency_ms: 1 }
  for (let i = 0; i < WARM_UP; i += 3) {
    const ran_at = new Date(Date.now() - i * 1000).toISOString()
    const results = Array.from({ length: 100 }, () => ({ ...result, ran_at }))
    await Promise.all([
      fetch(`${url}/ping`, { headers }).then((answer) => answer.text()),
      fetch(`${url}/checks`, { headers }).then((answer) => answer.text()),
      fetch(`${url}/results`, { headers, method: 'POST', body: JSON.stringify({ results }) }).then((answer) =>
        answer.text(),
      ),
    ])
  }
}

async function bombard(port: number, credentials: Credentials, tally: Tally): Promise<void> {
  const d = dice(SEED)
  const bombs = zipBombs(credentials)
  const requests = fc.oneof(
    { weight: 8, arbitrary: hostileRequest(credentials) },
    { weight: 1, arbitrary: brokenRequest(credentials) },
  )
  while (tally.sent < REQUESTS) {
    const wanted = Math.min(BATCH, REQUESTS - tally.sent)
    const batch = fc.sample(requests, { seed: SEED + tally.sent, numRuns: wanted }).map(toBytes)
    // One in fifty is a bomb.
    for (let i = 0; i < batch.length; i++) if (d.below(50) === 0) batch[i] = d.one(bombs)
    tally.sent += batch.length
    const lane = async () => {
      for (let bytes = batch.pop(); bytes; bytes = batch.pop()) await sendOne(port, bytes, d.one(MANNERS), d, tally)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
  }
}

/** A gibibyte in a mebibyte, cut and uncut, and plain bodies that are far too long. */
function zipBombs({ key, token }: Credentials): Buffer[] {
  const bomb = Buffer.concat(Array<Buffer>(16).fill(gzipSync(Buffer.alloc(64 * MEBIBYTE))))
  const request = (path: string, credential: string, body: Buffer, headers: string) => {
    const head = `POST ${PREFIX}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${credential}\r\nConnection: close\r\n`
    return Buffer.concat([Buffer.from(`${head}${headers}Content-Length: ${body.length}\r\n\r\n`), body])
  }
  const gzip = 'Content-Encoding: gzip\r\n'
  return [
    request('/results', key, bomb, gzip),
    request('/status', key, bomb, gzip),
    request('/enroll', token, bomb.subarray(0, 300_000), gzip),
    request('/results', 'unknown', bomb, gzip),
    request('/results', key, Buffer.alloc(5 * MEBIBYTE, 'x'), ''),
    request('/results', key, gzipSync(gzipSync(Buffer.alloc(64 * MEBIBYTE))), gzip),
  ]
}

async function sendOne(port: number, bytes: Buffer, manner: Manner, d: Dice, tally: Tally): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.once('end', () => socket.destroy())
  // Whatever is not answered by then (half a request, say) is left, and closed by us.
  socket.setTimeout(1000, () => socket.destroy())
  await putOnWire(socket, bytes, manner, d)
  await closed
  const { answers } = readAnswers(Buffer.concat(received), bytes.subarray(0, 5).toString() === 'HEAD ')
  for (const { status, body } of answers) {
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
    if (status >= 500)
      tally.failures.push(`${status} ${body.toString()} to ${bytes.subarray(0, 300).toString('latin1')}`)
  }
}

async function putOnWire(socket: Socket, bytes: Buffer, manner: Manner, d: Dice): Promise<void> {
  const cut = d.below(bytes.length + 1)
  switch (manner) {
    case 'whole':
      return void socket.write(bytes)
    case 'slow':
      for (let at = 0; at < bytes.length && !socket.destroyed; at += Math.ceil(bytes.length / 8)) {
        socket.write(bytes.subarray(at, at + Math.ceil(bytes.length / 8)))
        await pause(d.below(60))
      }
      return
    case 'half-open':
      return void socket.end(bytes.subarray(0, cut))
    case 'early close':
      return void socket.write(bytes.subarray(0, cut), () => socket.destroy())
    case 'reset':
      return void socket.write(bytes.subarray(0, cut), () => socket.resetAndDestroy())
    case 'junk behind':
      return void socket.write(
        Buffer.concat([bytes, Buffer.from('\0\r\n\r\njunk \xff\r\nGET / HTTP/1.1\r\n\r\n', 'latin1')]),
      )
    case 'silent':
      return
  }
}

async function pingAllTheWhile(port: number, { key }: Credentials, signal: AbortSignal): Promise<Pings> {
  const pings: Pings = { answered: 0, missed: 0, slowest_ms: 0 }
  while (!signal.aborted) {
    const begun = performance.now()
    const status = await fetch(`http://127.0.0.1:${port}${PREFIX}/ping`, {
      headers: { Authorization: `Bearer ${key}`, Connection: 'close' },
      signal: AbortSignal.timeout(PING_WITHIN_MS),
    }).then(
      async (answer) => (await answer.text(), answer.status),
      () => 0,
    )
    if (status === 200) pings.answered++
    else pings.missed++
    pings.slowest_ms = Math.max(pings.slowest_ms, performance.now() - begun)
    await pause(PING_EVERY_MS)
  }
  return pings
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
