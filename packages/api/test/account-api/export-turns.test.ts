// GET /export of several organisations at once: none holds another's back, and a suspended one gets no more.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { document } from '@dogwatch/contract/account'
import { resumeOrganisation, suspendOrganisation } from '@dogwatch/domain/organisations/suspension'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { exportBoundsFor } from '../../src/account-api/export-queue.ts'
import { createApiApp } from '../../src/app.ts'
import { createHttpServer } from '../../src/server.ts'
import { closed } from '../support/closed-document.ts'
import { ACCOUNT, eventually, type Org, type World, world } from '../support/world.ts'

/** Together far more than the buffers between a server and a client that does not read. */
const RESULTS = 4000
const CHARS = 10_000
const FILL = `
  insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, response_sample)
  select org_id, check_id, timestamptz '2026-11-01Z' + n * interval '1 minute', 1, 503, false, $2, repeat('x', $4::integer)
  from checks, generate_series(1, $3::integer) n where guid = $1`

let w: World
let greedy: Org
const sockets: Socket[] = []
beforeAll(async () => {
  const exports = { ...exportBoundsFor(4), wait_ms: 300 }
  w = await world({ account_api: { contract: closed(document), validateResponses: true, unlimited: true, exports } })
  greedy = await w.org()
  const monitor = await w.monitor(greedy)
  const [guid] = await w.checks(greedy, [{ result_detail_max_chars: CHARS }], 'all')
  await w.rows(FILL, guid, monitor.id, RESULTS, CHARS)
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await w.close()
})

/** Asks for an export, and does not read it. */
async function open(token: string, port = (w.server.address() as AddressInfo).port): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause()
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(`GET ${ACCOUNT}/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  return socket
}
const exportOf = (token: string) => w.http.get(`${ACCOUNT}/export`).set('Authorization', `Bearer ${token}`)

test('forty exports of one organisation, by a token each and never read, keep no other from its own', async () => {
  const tokens = await Promise.all(Array.from({ length: 40 }, () => w.pat(greedy)))
  const held = await Promise.all(tokens.slice(0, 20).map((token) => open(token)))
  const honest = await w.org()
  const { status, body } = await exportOf(await w.pat(honest))
  expect({ status, results: (body as { results: unknown }).results }).toEqual({ status: 200, results: {} })
  // Its own further ones hear that they are too many, or that they waited for too long.
  const answers = await Promise.all(tokens.slice(20).map(exportOf))
  for (const one of answers) {
    expect([429, 503]).toContain(one.status)
    expect(Number(one.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(one.text).not.toMatch(/\n./)
  }
  for (const socket of held) socket.destroy()
  // Whoever goes away leaves its place.
  await eventually(async () => (await exportOf(tokens[0] ?? '')).status === 200, 'the places are free again')
})

test('an export that is under way when its organisation is suspended is cut', async () => {
  const socket = await open(await w.pat(greedy))
  let received = Buffer.alloc(0)
  socket.on('data', (bytes: Buffer) => (received = Buffer.concat([received, bytes])))
  const begun = once(socket, 'data')
  socket.resume()
  const [first] = (await begun) as [Buffer]
  expect(first.toString('latin1', 0, 12)).toBe('HTTP/1.1 200')
  socket.pause()
  await suspendOrganisation(w.deps, greedy.org_id)
  // Its token is proved again when it goes on after a second.
  await new Promise((resolve) => setTimeout(resolve, 1100))
  const closed = once(socket, 'close')
  socket.resume()
  await closed
  expect(received.toString('latin1', received.length - 5)).not.toBe('0\r\n\r\n')
  expect(received.length).toBeLessThan(RESULTS * CHARS)
  await resumeOrganisation(w.deps, greedy.org_id)
})

test('a client that reads in drips is cut in the middle of its document when another export waits', async () => {
  const exports = { ...exportBoundsFor(4), most: 1, wait_ms: 60_000, pace: { bytes_per_sec: 1e9, over_ms: 200 } }
  const app = createApiApp(w.deps, {
    trust_proxy: [],
    address_limit: undefined,
    account_api: { unlimited: true, exports },
  })
  const server = createHttpServer(app, randomBytes)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const socket = await open(await w.pat(greedy), port)
  const closed = once(socket, 'close')
  let received = 0
  let end = ''
  socket.on('data', (bytes: Buffer) => {
    received += bytes.length
    end = (end + bytes.toString('latin1')).slice(-5)
    socket.pause()
    setTimeout(() => socket.resume(), 100)
  })
  socket.resume()
  await eventually(() => received > 0, 'it has begun')
  const token = await w.pat(await w.org())
  const answer = await fetch(`http://127.0.0.1:${port}${ACCOUNT}/export`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  expect([answer.status, ((await answer.json()) as { results: unknown }).results]).toEqual([200, {}])
  await closed
  expect(received).toBeLessThan(RESULTS * CHARS)
  expect(end).not.toBe('0\r\n\r\n')
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
