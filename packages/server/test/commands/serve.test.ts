// dogwatch serve: how it begins, and how it ends.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, type Server } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { settingsFor } from '../../../store/test/support/database.ts'
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts'
import { SLOW } from '../support/server-process.ts'
import { shippedServer } from '../support/shipped-server.ts'
import { eventually } from '../support/world.ts'
import { type Operator, operator, PROGRAM } from './operator.ts'

let o: Operator
let api_key: string
/** The command as it is handed out, which starts in half the time of the built one. */
let shipped: string
const running = new Set<Serving>()
beforeAll(async () => {
  o = await operator()
  shipped = await shippedServer()
  api_key = (await o.monitor(await o.org())).api_key
})
afterEach(() => {
  for (const server of running) server.kill('SIGKILL')
})
afterAll(() => o.close())

interface Serving {
  said: string
  url: string
  kill(signal: NodeJS.Signals): void
  /** The exit code or the signal that ended it, and what it said on standard error. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; err: string }>
}

/** Starts `dogwatch serve`; without a port of its own it takes any that is free. */
function start(args: readonly string[] = [], env: Record<string, string> = {}, program = shipped): Serving {
  const child = spawn(process.execPath, [program, 'serve', ...args], {
    env: { ...CHILD_ENVIRONMENT, ...settingsFor(o.databaseUrl), PORT: '0', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const serving: Serving = {
    said: '',
    url: '',
    kill: (signal) => void child.kill(signal),
    ended: Promise.all([once(child, 'close'), text(child.stderr)]).then(([[code, signal], err]) => {
      running.delete(serving)
      return { code: code as number | null, signal: signal as NodeJS.Signals | null, err: err.replaceAll(SLOW, '') }
    }),
  }
  child.stdout.on('data', (chunk: Buffer) => {
    serving.said += chunk.toString()
    serving.url = /listening on (\S+)\n/.exec(serving.said)?.[1] ?? ''
  })
  running.add(serving)
  return serving
}

async function listening(...given: Parameters<typeof start>): Promise<Serving> {
  const server = start(...given)
  await Promise.race([
    eventually(() => server.url !== '', 'it listens'),
    server.ended.then(({ err }) => Promise.reject(new Error(`it ended: ${err}`))),
  ])
  return server
}

const CLEAN = { code: 0, signal: null, err: '' }

test('as built, it prints where it listens on a line of its own, answers there, and SIGTERM ends it with 0', async () => {
  const server = await listening([], {}, PROGRAM)
  expect(server.said).toMatch(/^dogwatch: listening on http:\/\/127\.0\.0\.1:\d+\n$/)
  const answer = await fetch(`${server.url}/monitor-api/v1/ping`, { headers: { Authorization: `Bearer ${api_key}` } })
  expect(await answer.json()).toEqual({ status: 'ok' })
  server.kill('SIGTERM')
  expect(await server.ended).toEqual(CLEAN)
})

test('IPv6 is printed as a url has it', async () => {
  const server = await listening(['--host', '::1'])
  expect(server.url).toMatch(/^http:\/\/\[::1\]:\d+$/)
  server.kill('SIGTERM')
  expect(await server.ended).toEqual(CLEAN)
})

test('SIGTERM lets a request under way finish, takes no other, and does not wait for the connection', async () => {
  const server = await listening()
  const agent = new Agent({ keepAlive: true })
  const body = JSON.stringify({ version: '1', uptime_sec: 1, unsent_results: 0 })
  const underWay = request(`${server.url}/monitor-api/v1/status`, {
    method: 'POST',
    agent,
    headers: { Authorization: `Bearer ${api_key}`, 'Content-Length': body.length, Expect: '100-continue' },
  })
  underWay.flushHeaders()
  // The server has the head, and waits for the body.
  await once(underWay, 'continue')
  underWay.write(body.slice(0, 5))
  server.kill('SIGTERM')
  await eventually(() => refusesConnections(server.url), 'it takes no connection')
  const answered = once(underWay, 'response')
  underWay.end(body.slice(5))
  const [response] = (await answered) as [IncomingMessage]
  // Else the connection would be kept open, and waited for.
  const { statusCode: status, headers } = response
  expect({ status, connection: headers.connection, body: await text(response) }).toEqual({
    status: 200,
    connection: 'close',
    body: '{"status":"ok"}',
  })
  expect(await server.ended).toEqual(CLEAN)
  agent.destroy()
})

test('a second SIGINT, or a SIGTERM on top, does no harm', async () => {
  const server = await listening()
  for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM'] as const) server.kill(signal)
  expect(await server.ended).toEqual(CLEAN)
})

test('a port in use is one clear line and exit 1', async () => {
  const holder = createServer()
  const port = await listen(holder)
  const server = start([], { PORT: String(port) })
  expect(await server.ended).toEqual({
    code: 1,
    signal: null,
    err: `dogwatch: port ${port} is already in use; set PORT to another port\n`,
  })
  expect(server.said).toBe('')
  holder.close()
})

test('--role worker does the chores and listens to nothing', async () => {
  // Somebody who did listen would be found there.
  const port = await freePort()
  await o.rows("insert into rate_limits (key, tat) values ('old', now() - interval '1 day')")
  const server = start(['--role', 'worker'], { PORT: String(port) })
  await eventually(async () => (await o.rows("select from rate_limits where key = 'old'")).length === 0, 'a chore ran')
  expect(await refusesConnections(`http://127.0.0.1:${port}`)).toBe(true)
  server.kill('SIGTERM')
  expect(await server.ended).toEqual(CLEAN)
  expect(server.said).toBe('')
})

test('--role web answers and does no chores', async () => {
  await o.rows("insert into rate_limits (key, tat) values ('kept', now() - interval '1 day')")
  const server = await listening(['--role', 'web'])
  expect((await fetch(`${server.url}/monitor-api/v1/ping`)).status).toBe(401)
  server.kill('SIGINT')
  expect(await server.ended).toEqual(CLEAN)
  expect(await o.rows("select key from rate_limits where key = 'kept'")).toEqual([{ key: 'kept' }])
})

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function refusesConnections(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true))
    socket.once('connect', () => socket.destroy())
  })
}
