// New connections are taken many at a time, however long the turns of the event loop are.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttp, type Server } from 'node:http'
import { type AddressInfo, connect, createServer, type Server as Entrance } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from '@jest/globals'
import { Door } from '../../src/drain.ts'
import { listenAt } from '../../src/entrances.ts'

const CALLERS = fileURLToPath(new URL('../support/callers.ts', import.meta.url))
const COUNT = 8
/** Elsewhere a test that is left out, and says so. */
function onLinux(name: string, run: () => Promise<void>): void {
  if (process.platform === 'linux') test(name, run)
  else test.skip(`${name} (left out: here a port has one queue)`, run)
}

const ending: (() => unknown)[] = []
afterEach(async () => void (await Promise.all(ending.splice(0).map((end) => end()))))

async function open(count: number): Promise<{ server: Server; door: Door; port: number; entrances: Entrance[] }> {
  const server = createHttp((req, res) => res.end(req.url))
  server.maxConnections = 10_000
  const entrances = await listenAt(server, { port: 0, host: '127.0.0.1', count })
  const door = new Door(server, entrances)
  ending.push(() => door.close(AbortSignal.abort()))
  return { server, door, port: (server.address() as AddressInfo).port, entrances }
}

const ask = async (port: number, path: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })).text()

onLinux('requests are answered through each of the queues', async () => {
  const { server, port, entrances } = await open(COUNT)
  const taken = [server, ...entrances].map(() => 0)
  for (const [n, each] of [server, ...entrances].entries())
    each.on('connection', () => (taken[n] = (taken[n] ?? 0) + 1))
  const paths = Array.from({ length: 200 }, (_, n) => `/${n}`)
  expect(await Promise.all(paths.map((path) => ask(port, path)))).toEqual(paths)
  // The first hears of all, since all are handed to it.
  expect(taken[0]).toBe(200)
  expect(Math.min(...taken)).toBeGreaterThan(0)
})

onLinux('many are taken in each turn of the event loop', async () => {
  const { server, port } = await open(COUNT)
  let taken = 0
  server.on('connection', () => taken++)
  const callers = fork(CALLERS, [String(port), '300'], { execArgv: [] })
  ending.push(() => callers.kill('SIGKILL'))
  await once(callers, 'message')
  // All of them are in the queues now, but for those taken meanwhile.
  const before = taken
  for (let turn = 0; turn < 10 && taken < 300; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(taken === 300 || taken - before > 30).toBe(true)
})

onLinux('a port that somebody else has is not shared with them', async () => {
  const { port } = await open(COUNT)
  const given = { port, host: '127.0.0.1', count: COUNT }
  await expect(listenAt(createHttp(), given)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  const plain = createServer().listen(0, '127.0.0.1')
  ending.push(() => plain.close())
  await once(plain, 'listening')
  const taken = { ...given, port: (plain.address() as AddressInfo).port }
  await expect(listenAt(createHttp(), taken)).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

test.each([1, process.platform === 'linux' ? COUNT : 1])('%i: closed, none of them takes any more', async (count) => {
  const { door, port } = await open(count)
  const kept = connect(port, '127.0.0.1').on('error', () => undefined)
  await once(kept, 'connect')
  await door.close(AbortSignal.timeout(1000))
  for (let n = 0; n < 20; n++) await expect(ask(port, '/')).rejects.toThrow()
})
