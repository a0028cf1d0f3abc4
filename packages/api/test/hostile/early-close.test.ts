// Clients that leave in the middle leave nothing behind.
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readJsonBody } from '../../src/body.ts'
import { eventually, type Monitor, PREFIX, type World, world } from '../support/world.ts'

let w: World
let monitor: Monitor
beforeAll(async () => {
  w = await world()
  monitor = await w.monitor(await w.org())
})
afterAll(() => w.close())

const CLIENTS = 20
// Idle connections to the database have a timer each.
const OTHER_TIMERS = 10

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
const openConnections = () =>
  new Promise<number>((resolve, reject) => {
    w.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })

test.each([
  ['a plain body', 'Content-Length: 1000\r\n\r\n{"results":'],
  ['a chunked body', 'Transfer-Encoding: chunked\r\n\r\n5\r\n{"res\r\n'],
  ['a gzip body', 'Content-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n\x1f\x8b\x08\0\0\0\0\0\0\x03'],
  ['a body that is refused', `Content-Length: 5000000\r\n\r\n${'x'.repeat(1000)}`],
])('no timer outlives a client that goes away within %s', async (_, rest) => {
  const head = `POST ${PREFIX}/results HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${monitor.key}\r\n`
  const before = timers()
  for (let i = 0; i < CLIENTS; i++) {
    const socket = connect({ port: Number(new URL(w.url).port), host: '127.0.0.1' })
    const received = new Promise<void>((resolve) => w.server.once('request', () => resolve()))
    socket.on('error', () => {}).write(head + rest, 'latin1')
    await received
    socket.resetAndDestroy()
  }
  await eventually(async () => (await openConnections()) <= 1, 'the connections are gone')
  await eventually(() => timers() <= before + OTHER_TIMERS, 'the timers are gone', 40_000)
})

test.each(['identity', 'gzip'])('nobody waits for the rest of a body (%s) whose sender has gone', async (encoding) => {
  const outcomes: unknown[] = []
  const server = createServer((req) => {
    void readJsonBody(req, { bytes: 1000, status: 400 }).catch((error: Error) => outcomes.push(error.message))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
  const received = new Promise<void>((resolve) => server.once('request', () => resolve()))
  const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: ${encoding}\r\nContent-Length: 100\r\n\r\n`
  socket.on('error', () => {}).write(`${head}\x1f\x8b\x08\0\0\0\0\0\0\x03`, 'latin1')
  await received
  socket.resetAndDestroy()
  await eventually(() => outcomes.length > 0, 'the body is given up').finally(() => server.close())
  expect(outcomes).toEqual(['the body is incomplete'])
})
