// Clients that take their time, by purpose or not: none is waited for without end.
import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import express from 'express'
import { createHttpServer, type ServerBounds } from '../../src/server.ts'
import { exchange } from '../support/raw-http.ts'
import { eventually } from '../support/world.ts'

const BODY = 'x'.repeat(32 * 1024 * 1024)
// As they are, but shorter.
const SHORT: ServerBounds = {
  headersTimeout: 300,
  requestTimeout: 600,
  connectionsCheckingInterval: 50,
  silence_ms: 700,
}

let server: Server
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function start(bounds: ServerBounds): Promise<number> {
  const app = express()
  app.get('/large', (_req, res) => void res.send(BODY))
  app.post('/read', express.text(), (_req, res) => void res.send('read'))
  app.get('/', (_req, res) => void res.send('hello'))
  server = createHttpServer(app, randomBytes, [], bounds)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const connections = () =>
  new Promise<number>((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })

test('who never ends the head of a request is told so, and closed upon', async () => {
  const port = await start(SHORT)
  const { answers, isStuck } = await exchange(port, ['GET / HTTP/1.1\r\nHost: x\r\nX-A: '])
  expect({ isStuck, statuses: answers.map(({ status }) => status) }).toEqual({ isStuck: false, statuses: [408] })
})

test('who never says anything is closed upon', async () => {
  const port = await start(SHORT)
  expect((await exchange(port, [])).isStuck).toBe(false)
})

test('who never ends a body is closed upon', async () => {
  const port = await start(SHORT)
  const head = 'POST /read HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\n'
  expect((await exchange(port, [head, 'abc'])).isStuck).toBe(false)
  await eventually(async () => (await connections()) === 0, 'nothing is left of it')
})

test('who does not read the answer is closed upon, and nothing is held for them', async () => {
  const port = await start(SHORT)
  let came = 0
  server.on('connection', () => came++)
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  socket.pause()
  socket.on('error', () => {})
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
  await eventually(() => came === 1, 'it has come')
  await eventually(async () => (await connections()) === 0, 'it is closed upon')
})

test('there are so many connections and no more; when one ends, another may come', async () => {
  const port = await start({ most_connections: 2 })
  for (const _ of [1, 2]) sockets.push(connect(port, '127.0.0.1').on('error', () => {}))
  await eventually(async () => (await connections()) === 2, 'both are there')
  const get = () => exchange(port, ['GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'])
  expect((await get()).answers).toEqual([])
  sockets[0]?.destroy()
  await eventually(async () => (await connections()) === 1, 'one has gone')
  expect((await get()).answers).toMatchObject([{ status: 200 }])
})
