// Sends malformed requests to a server as people run it: no response is a 5xx, it responds to others all the while, and it has its memory
// back afterwards.
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { MonitorClient } from '../../../packages/monitor-sdk/dist/index.js'
import { type Dice, dice } from '../../../packages/server/test/support/dice.ts'
import {
  brokenRequest,
  type Credentials,
  hostileRequest,
  toBytes,
} from '../../../packages/server/test/support/hostile-requests.ts'
import { readAnswers } from '../../../packages/server/test/support/raw-http.ts'
import { PLACE, resultOf } from '../../lab/clients/sdk-agent.ts'
import { peakMemory } from '../../lab/cpu.ts'
import { type Inspector, openInspector } from '../../lab/inspector.ts'
import { freePort, type Outcome, tally } from '../../lab/proof.ts'
import { openOrg, shops, type World } from '../../lab/world.ts'

const [AT_ONCE, BATCH, WARM_UP] = [32, 250, 200]
const PING_EVERY_MS = 200
const PING_WITHIN_MS = 3000
const REST_MS = 5000
const [MOST_GROWTH_MB, MOST_PEAK_MB] = [10, 600]
const MEBIBYTE = 1024 * 1024
const PREFIX = '/monitor-api/v1'

/** How a client sends the bytes of a request. */
type Manner = 'whole' | 'slow' | 'half-open' | 'early close' | 'reset' | 'junk after it' | 'silent'
const RARE: readonly Manner[] = ['slow', 'half-open', 'early close', 'reset', 'junk after it', 'silent']
const MANNERS: readonly Manner[] = [...Array<Manner>(10).fill('whole'), ...RARE]

export interface Amount {
  count: number
  seed: number
}

export async function proveRequests(world: World, { count, seed }: Amount): Promise<Outcome> {
  const log: string[] = []
  const inspect_port = await freePort()
  const server = await world.serve(
    { LOG_LEVEL: 'error', ADDRESS_RATE_LIMIT: 'off' },
    { onLog: (line) => void log.push(line), flags: [`--inspect-port=${inspect_port}`] },
  )
  const { port, url: baseUrl } = server
  const org = await openOrg(world.deps, 'requests')
  const token = org.enrollment_token
  const [guid = ''] = await org.addChecks(shops('c', 1))
  const { api_key: key, monitor_id } = await new MonitorClient({ baseUrl, token }).enroll({ ...PLACE, name: 'm' })
  const client = new MonitorClient({ baseUrl, token: key })
  // Whatever the server creates on first use exists before its memory is measured.
  for (let n = 0; n < WARM_UP; n += 1) {
    const results = Array.from({ length: 100 }, () =>
      resultOf({ guid, at: Date.now() - n * 3000, success: true }, monitor_id),
    )
    await Promise.all([client.ping(), client.sync(), client.upload(results)])
  }
  const inspector = await openInspector(server.pid, inspect_port)
  const before_mb = await heldMb(inspector)
  const [statuses, failures] = [new Map<string, number>(), [] as string[]]
  const pinging = new AbortController()
  const pings = pingAllTheWhile(baseUrl, key, pinging.signal)
  await bombard(port, { key, token, guid }, { count, seed }, { statuses, failures })
  await pause(REST_MS)
  pinging.abort()
  const after_mb = await heldMb(inspector)
  inspector.close()
  const peak_mb = peakMemory(server.pid)
  const { answered, missed, slowest_ms } = await pings
  await server.stop()
  return {
    faults: [
      ...failures.slice(0, 5),
      failures.length > 0 && `${failures.length} responses were a 5xx; the log: ${log.join(' ').slice(0, 2000)}`,
      (missed > 0 || answered === 0) && `${missed} pings were missed, and ${answered} not`,
      after_mb - before_mb > MOST_GROWTH_MB && `memory grew by ${(after_mb - before_mb).toFixed(0)} MB`,
      peak_mb > MOST_PEAK_MB && `the server took ${peak_mb.toFixed(0)} MB`,
    ],
    figures: [
      `${count} requests: ${tally(statuses)}`,
      `${answered} pings answered, ${missed} missed, slowest ${slowest_ms.toFixed(0)} ms`,
      `the server held ${before_mb.toFixed(0)} MB before and ${after_mb.toFixed(0)} afterwards; its peak was ${peak_mb.toFixed(0)} MB`,
    ],
  }
}

/** Returns the memory that a process holds, in MB, without garbage. */
async function heldMb(inspector: Inspector): Promise<number> {
  await inspector.call('HeapProfiler.collectGarbage')
  const used = await inspector.call<{ usedSize: number; backingStorageSize: number }>('Runtime.getHeapUsage')
  return (used.usedSize + used.backingStorageSize) / MEBIBYTE
}

interface Seen {
  statuses: Map<string, number>
  failures: string[]
}

async function bombard(
  port: number,
  credentials: Credentials,
  { count, seed }: Amount,
  { statuses, failures }: Seen,
): Promise<void> {
  const d = dice(seed)
  const bombs = zipBombs(credentials)
  const requests = fc.oneof(
    { weight: 8, arbitrary: hostileRequest(credentials) },
    { weight: 1, arbitrary: brokenRequest(credentials) },
  )
  for (let sent = 0; sent < count; sent += BATCH) {
    const numRuns = Math.min(BATCH, count - sent)
    const batch = fc.sample(requests, { seed: seed + sent, numRuns }).map(toBytes)
    for (let n = 0; n < batch.length; n++) if (d.below(50) === 0) batch[n] = d.one(bombs)
    const lane = async () => {
      for (let bytes = batch.pop(); bytes; bytes = batch.pop()) {
        for (const { status, body } of await sendOne(port, bytes, d.one(MANNERS), d)) {
          statuses.set(`with ${status}`, (statuses.get(`with ${status}`) ?? 0) + 1)
          const request = bytes.subarray(0, 300).toString('latin1')
          if (status >= 500) failures.push(`${status} ${body.toString()} to ${request}`)
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
  }
}

/** Returns bodies of a gibibyte in a mebibyte, cut and uncut, and plain ones that are far too long. */
function zipBombs({ key, token }: Credentials): Buffer[] {
  const bomb = Buffer.concat(Array<Buffer>(16).fill(gzipSync(Buffer.alloc(64 * MEBIBYTE))))
  const request = (path: string, credential: string, body: Buffer, headers = 'Content-Encoding: gzip\r\n') => {
    const head = `POST ${PREFIX}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${credential}\r\nConnection: close\r\n`
    return Buffer.concat([Buffer.from(`${head}${headers}Content-Length: ${body.length}\r\n\r\n`), body])
  }
  return [
    request('/results', key, bomb),
    request('/status', key, bomb),
    request('/enroll', token, bomb.subarray(0, 300_000)),
    request('/results', 'unknown', bomb),
    request('/results', key, Buffer.alloc(5 * MEBIBYTE, 'x'), ''),
    request('/results', key, gzipSync(gzipSync(Buffer.alloc(64 * MEBIBYTE)))),
  ]
}

async function sendOne(port: number, bytes: Buffer, manner: Manner, d: Dice) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.once('end', () => socket.destroy())
  // A request without a response, such as half of one, ends here.
  socket.setTimeout(1000, () => socket.destroy())
  await putOnWire(socket, bytes, manner, d)
  await closed
  return readAnswers(Buffer.concat(received), bytes.subarray(0, 5).toString() === 'HEAD ').answers
}

async function putOnWire(socket: Socket, bytes: Buffer, manner: Manner, d: Dice): Promise<void> {
  const cut = bytes.subarray(0, d.below(bytes.length + 1))
  const junk = Buffer.from('\0\r\n\r\njunk \xff\r\nGET / HTTP/1.1\r\n\r\n', 'latin1')
  const piece = Math.ceil(bytes.length / 8)
  if (manner === 'whole') socket.write(bytes)
  else if (manner === 'junk after it') socket.write(Buffer.concat([bytes, junk]))
  else if (manner === 'half-open') socket.end(cut)
  else if (manner === 'early close') socket.write(cut, () => socket.destroy())
  else if (manner === 'reset') socket.write(cut, () => socket.resetAndDestroy())
  else if (manner === 'slow') {
    for (let at = 0; at < bytes.length && !socket.destroyed; at += piece) {
      socket.write(bytes.subarray(at, at + piece))
      await pause(d.below(60))
    }
  }
}

async function pingAllTheWhile(url: string, key: string, signal: AbortSignal) {
  let [answered, missed, slowest_ms] = [0, 0, 0]
  const headers = { Authorization: `Bearer ${key}`, Connection: 'close' }
  while (!signal.aborted) {
    const begun = performance.now()
    const status = await fetch(`${url}${PREFIX}/ping`, { headers, signal: AbortSignal.timeout(PING_WITHIN_MS) }).then(
      async (response) => (await response.text(), response.status),
      () => 0,
    )
    if (status === 200) answered++
    else missed++
    slowest_ms = Math.max(slowest_ms, performance.now() - begun)
    await pause(PING_EVERY_MS)
  }
  return { answered, missed, slowest_ms }
}
