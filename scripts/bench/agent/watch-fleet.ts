// Ten thousand checks a minute on one agent: whether each ran, how punctually, and at what cost.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Check } from '../../../packages/monitor-sdk/dist/index.js'
import { startScript } from '../../lab/children.ts'
import { type BareStage, say } from '../../lab/stage.ts'
import { printFacts } from '../support/report.ts'
import { checkOf } from './checks.ts'
import { startAgent } from './running-agent.ts'
import { type Account, account, share } from './slots.ts'
import type { Lateness } from './slow-target.ts'
import type { Certified } from './targets.ts'

const CHECKS = 10_000
const INTERVAL_SEC = 60
const SECONDS = 70
const ALONE_SECONDS = 15
/** The first seconds make plans and connections: they belong to the start and not to the measurement. */
const SETTLE_MS = 3000
const UNDER_WAY_MS = 1000
const SLEEP_MS = 50
const BIAS_MAX_MS = 5
const MEMORY_MAX_MB = 200
const TARGET = fileURLToPath(new URL('./slow-target.ts', import.meta.url))

/** Prints what a single check measures at a slow target, and what one among ten thousand measures. */
export async function watchFleet(stage: BareStage, certified: Certified): Promise<void> {
  const target = await startTarget(stage, certified)
  const checksAt = (count: number, interval_sec: number): Check[] =>
    Array.from({ length: count }, (_, index) => checkAt(target, SCHEMES[index % 2] ?? 'http', interval_sec))
  say(`one check of each scheme for ${ALONE_SECONDS} s, load average ${loadavg()[0]?.toFixed(1)}`)
  const alone = await watch(stage, certified, target, checksAt(SCHEMES.length, 1), ALONE_SECONDS)
  say(`${CHECKS} checks for ${SECONDS} s, load average ${loadavg()[0]?.toFixed(1)}`)
  const fleet = await watch(stage, certified, target, checksAt(CHECKS, INTERVAL_SEC), SECONDS)
  printFleet(fleet)
  printBias(alone, fleet)
}

const SCHEMES = ['http', 'https'] as const
type Web = (typeof SCHEMES)[number]

interface Target {
  process: ChildProcess
  ports: Record<Web, number>
}

async function startTarget(stage: BareStage, { dir }: Certified): Promise<Target> {
  const args = [join(dir, 'cert.pem'), join(dir, 'key.pem'), String(SLEEP_MS)]
  const process = startScript(stage, TARGET, { args })
  const [ports] = (await once(process, 'message')) as [Record<Web, number>]
  return { process, ports }
}

function checkAt({ ports }: Target, scheme: Web, interval_sec: number): Check {
  return checkOf(scheme, `${scheme}://127.0.0.1:${ports[scheme]}/`, interval_sec)
}

interface Watched {
  account: Account
  uploads: number
  /** Of one processor. */
  cpu: number
  memory_mb: number
  /** The delay of the target itself, in ms. */
  late: number[]
  /** The longest time that this process, which does next to nothing, had to wait for a processor, in ms. */
  held_ms: number
}

async function watch(
  stage: BareStage,
  certified: Certified,
  target: Target,
  checks: readonly Check[],
  seconds: number,
): Promise<Watched> {
  const agent = await startAgent(stage, certified, checks)
  await pause(SETTLE_MS)
  await latenessOf(target)
  const held = monitorEventLoopDelay({ resolution: 10 })
  held.enable()
  const from = Date.now()
  const used = agent.meter.seconds()
  await pause(seconds * 1000)
  const until = Date.now()
  const cpu = (agent.meter.seconds() - used) / ((until - from) / 1000)
  held.disable()
  const late = await latenessOf(target)
  // What began before then also finishes, and is counted with the slot in which it began.
  await pause(UNDER_WAY_MS)
  const memory_mb = agent.peakMemory()
  await agent.stop()
  return {
    account: account(checks, agent.api.results, { from, until }),
    uploads: agent.api.uploads,
    cpu,
    memory_mb,
    late,
    held_ms: held.max / 1e6,
  }
}

async function latenessOf({ process }: Target): Promise<number[]> {
  const told = once(process, 'message')
  process.send({})
  const [{ late }] = (await told) as [Lateness]
  return late
}

function printFleet({ account, uploads, cpu, memory_mb, held_ms }: Watched): void {
  const { due, missing, doubled, failed, delays } = account
  process.stdout.write(
    `\nagent: ${CHECKS.toLocaleString('en-US')} checks each ${INTERVAL_SEC} s, half of them https, for ${SECONDS} s: ` +
      `${(CHECKS / INTERVAL_SEC).toFixed(0)} starts a second; load average ${loadavg()[0]?.toFixed(1)}\n\n`,
  )
  printFacts([
    { what: 'slots that were due', value: due, digits: 0 },
    { what: 'of them without a result', value: missing, digits: 0, atMost: 0 },
    { what: 'with more than one', value: doubled, digits: 0, atMost: 0 },
    { what: 'with a failure', value: failed, digits: 0, atMost: 0 },
    { what: 'uploads', value: uploads, digits: 0 },
    { what: 'start after its slot began, ms, p50', value: share(delays, 0.5), digits: 1 },
    { what: 'p99', value: share(delays, 0.99), digits: 1 },
    { what: 'most', value: share(delays, 1), digits: 1 },
    { what: 'longest that the machine held up the bench itself, ms', value: held_ms, digits: 0 },
    { what: 'processors used', value: cpu },
    { what: 'peak resident memory, MB', value: memory_mb, digits: 0, atMost: MEMORY_MAX_MB },
  ])
}

function printBias(alone: Watched, fleet: Watched): void {
  process.stdout.write(`latency told of a target that sleeps ${SLEEP_MS} ms, less those, in ms\n\n`)
  const [one, all] = [biases(alone), biases(fleet)]
  printFacts([
    { what: 'the target itself was late by, p50', value: share(fleet.late, 0.5), digits: 1 },
    { what: 'p99', value: share(fleet.late, 0.99), digits: 1 },
    { what: 'http, one check, p50', value: share(one.http, 0.5), digits: 1 },
    { what: 'http, p50', value: share(all.http, 0.5), digits: 1, atMost: BIAS_MAX_MS },
    { what: 'p99', value: share(all.http, 0.99), digits: 1 },
    // A handshake is part of the target's time.
    { what: 'https, one check, p50', value: share(one.https, 0.5), digits: 1 },
    { what: 'https, p50', value: share(all.https, 0.5), digits: 1 },
    {
      what: 'more than of one check',
      value: share(all.https, 0.5) - share(one.https, 0.5),
      digits: 1,
      atMost: BIAS_MAX_MS,
    },
    { what: 'p99', value: share(all.https, 0.99), digits: 1 },
  ])
}

function biases({ account }: Watched): Record<Web, number[]> {
  const of = (scheme: Web): number[] =>
    account.latencies.filter(({ url }) => url.startsWith(`${scheme}:`)).map(({ latency_ms }) => latency_ms - SLEEP_MS)
  return { http: of('http'), https: of('https') }
}
