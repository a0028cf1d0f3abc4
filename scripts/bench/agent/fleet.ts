// Runs ten thousand checks a minute on one agent: whether each ran, how punctually, and at what cost.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { AGENT_FLAGS } from '../../../packages/agent/bin/node-flags.js'
import { nextSlot, slotNumberAt, turnOf } from '../../../packages/monitor-sdk/dist/agent.js'
import type { Check, Result } from '../../../packages/monitor-sdk/dist/index.js'
import { profiling, startScript } from '../../lab/children.ts'
import { peakMemory, processMeter } from '../../lab/cpu.ts'
import { type BareStage, end, LIFELINE, say } from '../../lab/stage.ts'
import { type Fact, printFacts, quantile } from '../support/report.ts'
import { checkOf } from './checks.ts'

const CHECKS = 10_000
const INTERVAL_SEC = 60
const SECONDS = 70
const ALONE_SECONDS = 15
/** Pause while the agent plans and connects. */
const SETTLE_MS = 3000
const UNDER_WAY_MS = 1000
const SLEEP_MS = 50
const BIAS = { atMost: 5 }
const AGENT = fileURLToPath(new URL('../../../packages/agent/dist/main.js', import.meta.url))
const TARGET = fileURLToPath(new URL('./slow-target.ts', import.meta.url))
const WEB = ['http', 'https'] as const

/** Prints what a single check measures at a slow target, and what one among ten thousand measures. */
export async function watchFleet(stage: BareStage, dir: string): Promise<void> {
  const args = [join(dir, 'cert.pem'), join(dir, 'key.pem'), String(SLEEP_MS)]
  const target = startScript(stage, TARGET, { args })
  const [ports] = (await once(target, 'message')) as [Record<(typeof WEB)[number], number>]
  const checksOf = (count: number, interval_sec: number): Check[] =>
    Array.from({ length: count }, (_, index) => {
      const scheme = WEB[index % 2] ?? 'http'
      return checkOf(scheme, `${scheme}://127.0.0.1:${ports[scheme]}/`, interval_sec)
    })
  say(`one check of each scheme for ${ALONE_SECONDS} s`)
  const alone = await watch(stage, dir, target, checksOf(WEB.length, 1), ALONE_SECONDS)
  say(`${CHECKS} checks for ${SECONDS} s`)
  const fleet = await watch(stage, dir, target, checksOf(CHECKS, INTERVAL_SEC), SECONDS)
  process.stdout.write(`\nagent: ${CHECKS} checks each ${INTERVAL_SEC} s, half of them https, for ${SECONDS} s\n\n`)
  printFacts([
    ...fleet.facts,
    ...[0.5, 0.99, 1].map((share): Fact => {
      return [
        `start after its slot began, ms, ${share === 1 ? 'most' : `p${share * 100}`}`,
        quantile(fleet.delays, share),
        1,
      ]
    }),
  ])
  process.stdout.write(`measured latency of a target that sleeps ${SLEEP_MS} ms, less those, in ms\n\n`)
  const excess = quantile(fleet.biases.https, 0.5) - quantile(alone.biases.https, 0.5)
  printFacts([
    ['the target itself was late by, p50', quantile(fleet.late, 0.5), 1],
    ['http, one check, p50', quantile(alone.biases.http, 0.5), 1],
    ['http, p50', quantile(fleet.biases.http, 0.5), 1, BIAS],
    ['http, p99', quantile(fleet.biases.http, 0.99), 1],
    // A handshake takes part of the target's time.
    ['https, p50, more than of one check', excess, 1, BIAS],
    ['https, p99', quantile(fleet.biases.https, 0.99), 1],
  ])
}

async function watch(stage: BareStage, dir: string, target: ChildProcess, checks: readonly Check[], seconds: number) {
  const { results, pid, stop } = await startAgent(stage, dir, checks)
  const meter = processMeter('agent', pid)
  await pause(SETTLE_MS)
  await latenessOf(target)
  const [from, used] = [Date.now(), meter.seconds()]
  await pause(seconds * 1000)
  const until = Date.now()
  const cpu = (meter.seconds() - used) / ((until - from) / 1000)
  const late = await latenessOf(target)
  // Runs in progress finish, and count for the slots in which they began.
  await pause(UNDER_WAY_MS)
  const memory = peakMemory(pid)
  await stop()
  const { due, missing, doubled, found } = compareSlots(checks, results, { from, until })
  const biasesOf = (scheme: string) =>
    found.filter(({ url }) => url.startsWith(`${scheme}:`)).map(({ latency_ms }) => latency_ms - SLEEP_MS)
  const none = { atMost: 0 }
  const facts: Fact[] = [
    ['slots that were due', due, 0],
    ['slots without a result', missing, 0, none],
    ['slots with more than one', doubled, 0, none],
    ['slots with a failure', found.filter(({ success }) => !success).length, 0, none],
    ['processors used', cpu],
    ['peak resident memory, MB', memory, 0, { atMost: 200 }],
  ]
  const delays = found.map(({ delay_ms }) => delay_ms)
  return { late, delays, facts, biases: { http: biasesOf('http'), https: biasesOf('https') } }
}

async function latenessOf(target: ChildProcess): Promise<number[]> {
  const answered = once(target, 'message')
  target.send({})
  return ((await answered) as [{ late: number[] }])[0].late
}

/** Compares results with the slots that began between these times. */
function compareSlots(
  checks: readonly Check[],
  results: readonly Result[],
  { from, until }: { from: number; until: number },
) {
  const byCheck = Map.groupBy(results, ({ check_guid }) => check_guid)
  const sum = { due: 0, missing: 0, doubled: 0 }
  const found: (Pick<Result, 'success' | 'latency_ms'> & { url: string; delay_ms: number })[] = []
  for (const check of checks) {
    const { guid, url } = check
    const turn = turnOf(check)
    // Times of results are whole milliseconds, and those of slots are not.
    const bySlot = Map.groupBy(byCheck.get(guid) ?? [], ({ ran_at }) => slotNumberAt(turn, Date.parse(ran_at) + 1))
    for (let slot = nextSlot(turn, from); slot.at < until; slot = nextSlot(turn, slot.at, slot.number)) {
      const [result, ...others] = bySlot.get(slot.number) ?? []
      sum.due++
      if (others.length > 0) sum.doubled++
      if (!result) sum.missing++
      else found.push({ ...result, url, delay_ms: Date.parse(result.ran_at) - slot.at })
    }
  }
  return { ...sum, found }
}

/** Starts the agent as users run it, with a monitor API that accepts everything. Resolves when it has its checks. */
async function startAgent(stage: BareStage, dir: string, checks: readonly Check[]) {
  const results: Result[] = []
  const { promise: synced, resolve: wasSynced } = Promise.withResolvers<undefined>()
  const answers: Readonly<Record<string, (body: string, query: URLSearchParams) => object>> = {
    'POST /enroll': () => ({ monitor_id: '0123456789ab', api_key: 'dogwatch_monitor_bench' }),
    'GET /checks': (_, query) => {
      wasSynced(undefined)
      const now = new Date().toISOString().replace('Z', '000Z')
      return { checks: query.has('since') ? [] : checks, server_time: now, now }
    },
    'POST /results': (body) => {
      const uploaded = (JSON.parse(body) as { results: Result[] }).results
      results.push(...uploaded)
      return { accepted: uploaded.length }
    },
  }
  const server = createServer(async (req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://any')
    const raw = await buffer(req)
    const body = (req.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString()
    const answer = answers[`${req.method} ${pathname.replace('/monitor-api/v1', '')}`]
    res
      .setHeader('content-type', 'application/json')
      .setHeader('x-request-id', randomUUID())
      .end(JSON.stringify(answer?.(body, searchParams) ?? { status: 'ok' }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  stage.undo(async () => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  const flags = [
    ...['--server', `http://127.0.0.1:${port}`, '--state-dir', join(dir, `state-${port}`), '--log-level', 'warn'],
    // This machine may have no access to the Internet.
    ...['--region', 'eu-central', '--country', 'DE', '--city', 'Kiel', '--connectivity', 'off'],
  ]
  const command = [...AGENT_FLAGS, ...profiling(stage), '--import', LIFELINE, AGENT, ...flags]
  const child = spawn(process.execPath, command, {
    // With fewer threads it would restart itself, without the lifeline.
    env: {
      ...{ PATH: process.env.PATH, UV_THREADPOOL_SIZE: '64', NODE_EXTRA_CA_CERTS: join(dir, 'ca.pem') },
      DOGWATCH_ENROLLMENT_TOKEN: 'dogwatch_enroll_bench',
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const stop = () => end(child, 'SIGTERM')
  stage.undo(stop)
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the agent ended before it had its checks')))
  ended.catch(() => undefined)
  await Promise.race([synced, ended])
  return { results, pid: child.pid ?? 0, stop }
}
