// How many checks at an interval of 60 s one server and its Postgres handle on this machine, with alerting and an
// upload p99 under 500 ms. The number is found in steps, then held for a while during which an hour is folded, then
// profiled.

import { type Pace, sayStep, searchMost } from '../lab/capacity/search.ts'
import { type Ground, P99_MAX_MS, SERVED, type Step, takeStep } from '../lab/capacity/steps.ts'
import { freePorts } from '../lab/children.ts'
import { openInspector, profileCpu } from '../lab/inspector.ts'
import { onStage, type Stage, say } from '../lab/stage.ts'
import { UPLOAD_MS } from '../lab/traffic/rounds.ts'
import { startTraffic } from '../lab/traffic/traffic.ts'
import { hourOfUnits, UNIT } from '../lab/traffic/units.ts'
import { type PostgresProfile, profilePostgres } from './capacity/postgres-profile.ts'
import { readProfile } from './capacity/server-profile.ts'
import type { Share } from './capacity/shares.ts'
import { printFacts, printRows } from './support/report.ts'

interface Plan {
  pace: Pace
  minutes: number
  hold_ms: number
  profile_ms: number
}

const FULL: Plan = {
  pace: { first: 30, factor: 1.5, coarse_ms: 15_000, fine_ms: 35_000, settle_ms: 5000, until: 1.07 },
  minutes: 60,
  hold_ms: 90_000,
  profile_ms: 20_000,
}
const SHORT: Plan = {
  pace: { first: 20, factor: 2, coarse_ms: 8000, fine_ms: 10_000, settle_ms: 3000, until: 1.3 },
  minutes: 10,
  hold_ms: 20_000,
  profile_ms: 8000,
}
/** A number that did not hold for long is retried reduced by this much. */
const LESS = 0.92
const TRIES = 3
// Every step begins in the minute after a checkpoint, in which the first change of each page writes the whole page to
// the log.
const POSTGRES = { checkpoint_timeout: '30s' }

await onStage(async (stage) => {
  const plan = stage.flags.short ? SHORT : FULL
  const [inspect_port = 0] = await freePorts(1)
  const traffic = await startTraffic(stage)
  const server = await stage.serveAll(SERVED, [`--inspect-port=${inspect_port}`])
  const ground: Ground = { stage, traffic, server, units: [], minutes: plan.minutes }
  const { held, steps } = await searchMost(ground, plan.pace)
  printSteps(steps)
  if (held === 0) throw new Error(`not even ${UNIT.checks} checks are held`)
  const step = await hold(ground, held, plan)
  say(`profiling for ${plan.profile_ms / 1000} s`)
  const inspector = await openInspector(server.pid, inspect_port)
  const [profile, ofPostgres] = await Promise.all([
    profileCpu(inspector, plan.profile_ms),
    profilePostgres(stage, plan.profile_ms),
  ])
  inspector.close()
  await traffic.rest()
  printHeld(step)
  const { busy, groups, functions } = readProfile(profile)
  printShares(`the server, at work ${(busy * 100).toFixed(0)} % of the time, by what it is for`, groups, 14)
  printShares('its functions that take the most themselves', functions, 12)
  printPostgres(ofPostgres)
  process.stdout.write(`bottleneck: ${bottleneckOf(step, groups, ofPostgres)}\n`)
}, POSTGRES)

/** The step once more and for longer, while the hour of its checks' results is folded. */
async function hold(ground: Ground, held: number, { pace, hold_ms }: Plan): Promise<Step> {
  let units = held
  for (let tries = 1; ; tries++) {
    await unfold(ground.stage)
    const step = await takeStep(ground, units, pace.settle_ms, hold_ms)
    sayStep(step)
    if (step.faults.length === 0) return step
    if (tries === TRIES) throw new Error(`${step.checks} checks were held for a while, and not for ${hold_ms / 1000} s`)
    units = Math.max(1, Math.floor(units * LESS))
  }
}

async function unfold(stage: Stage): Promise<void> {
  await stage.database.pools.machines.query('update rollup_progress set hours_until = $1', [await hourOfUnits(stage)])
}

function printSteps(steps: readonly Step[]): void {
  const cpu = ({ cpu: used }: Step) => Object.values(used).map((share) => share.toFixed(2))
  printRows([
    ['checks', 'results/s', 'p50 ms', 'p99 ms', 'most ms', 'server', 'postgres', 'generator', 'others', 'WAL MB/s', ''],
    ...steps.map((step) => [
      step.checks.toLocaleString('en-US'),
      (step.window.results / step.window.seconds).toFixed(0),
      ...latencies(step).map((ms) => ms.toFixed(0)),
      ...cpu(step),
      (step.wal_per_sec / 1e6).toFixed(1),
      step.faults[0] ?? 'held',
    ]),
  ])
}

function latencies({ window }: Step): number[] {
  const { p50, p99, most } = window.tallies.upload
  return [p50, p99, most]
}

function printHeld(step: Step): void {
  const { window, cpu, queues, checks, wal_per_sec } = step
  const { seconds, tallies } = window
  const [p50 = 0, p99 = 0, most = 0] = latencies(step)
  const agents = `agents that run ${UNIT.checks / UNIT.monitors} checks a minute and upload every ${UPLOAD_MS / 1000} s`
  process.stdout.write(
    `\nheld for ${seconds.toFixed(0)} s: ${checks.toLocaleString('en-US')} checks at 60 s, ${agents}\n\n`,
  )
  const answered = (kind: keyof typeof tallies) => (tallies[kind].statuses[200] ?? 0) / seconds
  printFacts([
    { what: 'checks', value: checks, digits: 0 },
    { what: 'results/s', value: window.results / seconds, digits: 0 },
    { what: 'uploads/s', value: answered('upload'), digits: 0 },
    { what: 'syncs/s', value: answered('sync') + answered('full sync'), digits: 1 },
    { what: 'status reports/s', value: answered('status'), digits: 1 },
    { what: 'heartbeat pings/s', value: answered('heartbeat'), digits: 1 },
    { what: 'webhooks/s', value: window.messages / seconds, digits: 2 },
    { what: 'upload, from when it was due, p50 ms', value: p50, digits: 0 },
    { what: 'p99 ms', value: p99, digits: 0, atMost: P99_MAX_MS },
    { what: 'most ms', value: most, digits: 0 },
    { what: 'sync, p99 ms', value: tallies.sync.p99, digits: 0 },
    { what: 'heartbeat ping, p99 ms', value: tallies.heartbeat.p99, digits: 0 },
    { what: 'the generator was late by, p99 ms', value: window.late_p99, digits: 1 },
    { what: 'server, processors', value: cpu.server },
    { what: 'postgres', value: cpu.postgres },
    { what: 'generator', value: cpu.generator },
    { what: 'everything else on the machine', value: cpu.others },
    { what: 'WAL, MB/s', value: wal_per_sec / 1e6, digits: 1 },
    { what: 'server us/result', value: (cpu.server / window.results) * seconds * 1e6, digits: 0 },
    { what: 'postgres us/result', value: (cpu.postgres / window.results) * seconds * 1e6, digits: 0 },
    { what: 'deliveries were late by, s', value: Math.max(0, queues.deliveries), digits: 1 },
    { what: 'judging again was late by, s', value: Math.max(0, queues.rejudging), digits: 1 },
  ])
}

function printShares(title: string, shares: readonly Share[], most: number): void {
  process.stdout.write(`${title}\n\n`)
  printRows(shares.slice(0, most).map(({ name, percent }) => [name, `${percent.toFixed(1)} %`]))
}

function printPostgres({ under_way, statements, doing, cpu }: PostgresProfile): void {
  printShares(`postgres: ${under_way.toFixed(1)} statements of the server under way on average`, statements, 10)
  printShares('what they are at', doing, 8)
  printShares('its processes by their names, of one processor', cpu, 10)
}

/** A resource that is exhausted. */
function bottleneckOf({ cpu }: Step, groups: readonly Share[], { statements, doing }: PostgresProfile): string {
  const all = cpu.server + cpu.postgres + cpu.generator + cpu.others
  const dearest = groups.slice(0, 3).map(({ name, percent }) => `${name} ${percent.toFixed(0)} %`)
  const waits = doing.slice(0, 2).map(({ name, percent }) => `${name} ${percent.toFixed(0)} %`)
  const shares = `of ${all.toFixed(2)} processors in use the server has ${cpu.server.toFixed(2)} and postgres ${cpu.postgres.toFixed(2)}`
  const server = `the server: ${dearest.join(', ')}`
  const postgres = `postgres: ${statements[0]?.name ?? 'nothing'}; its statements are ${waits.join(', ')}`
  if (cpu.server > 0.9) return `the one thread of the server; ${shares}; ${server}; ${postgres}`
  return `${cpu.postgres > cpu.server ? 'postgres first' : 'the server first'}; ${shares}; ${server}; ${postgres}`
}
