// How a server leaves: unready first, then finishing, then gone. And how it is seen from beside.
import { once } from 'node:events'
import { Agent, type ClientRequest, get, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { withoutLayout } from '../../../store/test/support/cluster.ts'
import { type ServerProcess, SLOW, startServer } from '../support/server-process.ts'
import { eventually } from '../support/world.ts'
import { type Operator, operator } from './operator.ts'

let o: Operator
let api_key: string
let server: ServerProcess | undefined
beforeAll(async () => {
  o = await operator()
  api_key = (await o.monitor(await o.org())).api_key
})
afterEach(() => server?.kill('SIGKILL'))
afterAll(() => o.close())

const start = async (settings: Record<string, string>, role?: 'web' | 'worker') =>
  (server = await startServer({ DATABASE_URL: o.databaseUrl, ...settings }, role))

async function ask(url: string) {
  const answer = await fetch(url)
  return { status: answer.status, line: withoutLayout(await answer.text()) }
}

const STATUS = JSON.stringify({ version: '1', uptime_sec: 1, unsent_results: 0 })

/** Sends the head of a report, and comes back when the server waits for the body. */
async function beginReport(url: string, agent: Agent): Promise<ClientRequest> {
  const report = request(`${url}/monitor-api/v1/status`, {
    method: 'POST',
    agent,
    headers: { Authorization: `Bearer ${api_key}`, 'Content-Length': STATUS.length, Expect: '100-continue' },
  })
  report.on('error', () => {})
  report.flushHeaders()
  await once(report, 'continue')
  return report
}

test('for DRAIN_SEC it says that it is draining and serves all the same, on connections that end; a second signal ends that', async () => {
  const { url, metrics_url, kill, ended } = await start({ DRAIN_SEC: '600', METRICS_PORT: '0' })
  expect(await ask(`${url}/readyz`)).toEqual({ status: 200, line: 'ready' })
  const agent = new Agent({ keepAlive: true })
  const report = await beginReport(url, agent)
  kill('SIGTERM')
  const draining = { status: 503, line: 'draining' }
  await eventually(async () => (await ask(`${url}/readyz`)).status === 503, 'it says so')
  expect(await ask(`${url}/readyz`)).toEqual(draining)
  expect(await ask(`${metrics_url}/readyz`)).toEqual(draining)
  expect(await ask(`${url}/healthz`)).toEqual({ status: 200, line: 'ok' })
  // One that was under way, and one that comes now.
  const answered = once(report, 'response')
  report.end(STATUS)
  const [finished] = (await answered) as [IncomingMessage]
  const [fresh] = (await once(get(`${url}/monitor-api/v1/ping`, { agent }), 'response')) as [IncomingMessage]
  for (const [answer, status] of [
    [finished, 200],
    [fresh, 401],
  ] as const) {
    expect([answer.statusCode, answer.headers.connection]).toEqual([status, 'close'])
    await text(answer)
  }
  kill('SIGTERM')
  expect(await ended).toBe(0)
  agent.destroy()
})

test('a request that never ends is ended at the bound, sooner after a second signal, and the exit is clean', async () => {
  const { url, kill, ended, log } = await start({})
  const agent = new Agent({ keepAlive: true })
  const report = await beginReport(url, agent)
  const lost = new Promise((resolve) => report.once('close', resolve))
  kill('SIGTERM')
  // Another one: two of the same may arrive as one.
  kill('SIGINT')
  expect(await ended).toBe(0)
  await lost
  expect(log().replaceAll(SLOW, '')).toBe('')
  agent.destroy()
})

test('the log tells of its life, with role and version', async () => {
  const { kill, ended, log } = await start({ LOG_LEVEL: 'info', METRICS_PORT: '0' }, 'worker')
  await eventually(() => log().includes('started'), 'it has started')
  kill('SIGTERM')
  expect(await ended).toBe(0)
  const lines = log()
    .replaceAll(SLOW, '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg !== 'results are sharded')
  expect(lines.map(({ msg }) => msg)).toEqual(['started', 'draining', 'stopped'])
  for (const line of lines) expect(line).toMatchObject({ role: 'worker', version: expect.stringMatching(/^\d+\.\d+/) })
})

test('a worker takes no requests, but can be probed and scraped', async () => {
  const { metrics_url, kill, ended } = await start({ METRICS_PORT: '0' }, 'worker')
  expect(await ask(`${metrics_url}/healthz`)).toEqual({ status: 200, line: 'ok' })
  expect(await ask(`${metrics_url}/readyz`)).toEqual({ status: 200, line: 'ready' })
  const ran = /^dogwatch_chore_duration_seconds_count\{chore="heartbeats"\} [1-9]/m
  await eventually(async () => ran.test((await ask(`${metrics_url}/metrics`)).line), 'a chore has run')
  const { line } = await ask(`${metrics_url}/metrics`)
  expect(line).toMatch(/^dogwatch_build_info\{.*role="worker".*\} 1$/m)
  expect(line).toMatch(/^dogwatch_scrape_failed 0$/m)
  expect(line).toMatch(/^process_resident_memory_bytes \d+/m)
  expect((await ask(`${metrics_url}/monitor-api/v1/ping`)).status).toBe(404)
  kill('SIGTERM')
  expect(await ended).toBe(0)
})
