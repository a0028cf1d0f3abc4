// Open connections: a share for each address, and room for those who come when there are many.
import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import express from 'express'
import { listenAt } from '../../src/entrances.ts'
import { createHttpServer, type ServerBounds } from '../../src/server.ts'
import { requestFrom } from '../support/from-address.ts'
import { eventually } from '../support/world.ts'

const HELLO = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const HANG = 'GET /hang HTTP/1.1\r\nHost: x\r\n\r\n'

let server: Server
let dropped: number
let port: number
let close: () => Promise<unknown>
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.closeAllConnections()
  await close()
})

async function start(bounds: ServerBounds, { trusted = [] as string[], count = 1 } = {}): Promise<void> {
  const app = express()
  app.set('trust proxy', trusted)
  app.get('/', (_req, res) => void res.send('hello'))
  app.get('/hang', () => {})
  server = createHttpServer(app, randomBytes, [], bounds)
  dropped = 0
  server.on('drop', () => dropped++)
  const entrances = await listenAt(server, { port: 0, host: '0.0.0.0', count })
  close = () => Promise.all([server, ...entrances].map((each) => new Promise((resolve) => each.close(resolve))))
  port = (server.address() as AddressInfo).port
}

const open = () => sockets.filter(({ destroyed, readyState }) => !destroyed && readyState === 'open').length

/** Opens so many, says that on each, and waits until they are there, or closed. */
async function hold(localAddress: string, count: number, text = ''): Promise<Socket[]> {
  const made = Array.from({ length: count }, () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    socket.on('error', () => {})
    socket.resume()
    if (text !== '') socket.write(text)
    sockets.push(socket)
    return socket
  })
  await Promise.all(made.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
  return made
}

const connections = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))

const get = (address: string) => requestFrom(address, `http://127.0.0.1:${port}/`)

test('an address has so many connections and no more; others get in at once', async () => {
  await start({ connections_of_address: 5 })
  const [first] = await hold('127.0.0.2', 8)
  await eventually(() => dropped === 3, 'three are closed')
  await eventually(() => open() === 5, 'five are left')
  await expect(get('127.0.0.2')).rejects.toThrow()
  expect((await get('127.0.0.3')).status).toBe(200)
  first?.destroy()
  await eventually(async () => (await connections()) === 4, 'one has gone')
  expect((await get('127.0.0.2')).status).toBe(200)
})

test('the bound is one for all queues of new connections', async () => {
  if (process.platform !== 'linux') return
  await start({ connections_of_address: 5 }, { count: 4 })
  await hold('127.0.0.2', 12)
  await eventually(() => dropped === 7, 'seven are closed')
  expect((await get('127.0.0.3')).status).toBe(200)
})

test('a trusted proxy speaks for many, and has no bound of its own', async () => {
  await start({ connections_of_address: 2 }, { trusted: ['127.0.0.2'] })
  await hold('127.0.0.2', 10)
  expect((await get('127.0.0.2')).status).toBe(200)
  expect(dropped).toBe(0)
})

test('when there are many, each new one closes what the largest holder has left idle for longest', async () => {
  // Ten of them are many.
  await start({ most_connections: 14, connections_of_address: 8, crowded_idle_ms: 0 })
  const busy = await hold('127.0.0.2', 2, HANG)
  const silent = await hold('127.0.0.2', 4)
  const [kept] = await hold('127.0.0.2', 1, HELLO)
  const few = await hold('127.0.0.3', 3)
  await eventually(async () => (await connections()) === 10, 'all are there')
  for (let n = 1; n <= 5; n++) {
    await hold(`127.0.1.${n}`, 1)
    if (n <= 3)
      await eventually(() => silent.filter(({ destroyed }) => destroyed).length === n, `${n} of them made room`)
  }
  expect([...busy, ...few].every(({ destroyed }) => !destroyed)).toBe(true)
  expect(kept?.destroyed).toBe(false)
  expect((await get('127.0.0.4')).status).toBe(200)
  expect(dropped).toBe(0)
})

test('who has only just come is not closed for others', async () => {
  await start({ most_connections: 4, connections_of_address: 8, crowded_idle_ms: 60_000 })
  const all = await hold('127.0.0.2', 4)
  await eventually(async () => (await connections()) === 4, 'all are there')
  await expect(get('127.0.0.3')).rejects.toThrow()
  expect(all.every(({ destroyed }) => !destroyed)).toBe(true)
})

test('a connection with too many requests under way is closed, and one that sends few at once is not', async () => {
  await start({})
  const [flood] = await hold('127.0.0.2', 1, HANG.repeat(100))
  await eventually(() => flood?.destroyed === true, 'it is closed upon')
  const [modest] = await hold('127.0.0.2', 1, HELLO.repeat(20))
  await eventually(() => (modest?.bytesRead ?? 0) > 20 * 'HTTP/1.1 200 OK'.length, 'it is answered')
  expect(modest?.destroyed).toBe(false)
})
