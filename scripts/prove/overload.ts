// Proves that overload is borne: five times what one server holds, for a minute. Memory stays bounded, health answers, what is
// too much is refused in time with 503 and Retry-After, what is accepted is quick, heartbeats are heard and alerts told, all is
// well again seconds later, and nothing acknowledged is lost. The most comes from clients that do not mind refusals, on
// thousands of connections; among them agents on the SDK, which do.
// npm run prove -- overload [--checks N] [--seconds N] [--connections N]    --checks: the capacity; left out, it is found first
import { setTimeout as pause } from 'node:timers/promises'
import { readFlags } from '../lab/proof-flags.ts'
import { depsOf } from '../lab/archive.ts'
import { calibrate } from '../lab/capacity/search.ts'
import { drive, type Ground, P99_MAX_MS, RECOMMENDED, SERVED, sendFrom } from '../lab/capacity/steps.ts'
import { freePorts } from '../lab/children.ts'
import { say, setStageFor } from '../lab/stage.ts'
import { CALM, type Manner, type Tally, type Window } from '../lab/traffic/orders.ts'
import { startTraffic } from '../lab/traffic/traffic.ts'
import { UNIT } from '../lab/traffic/units.ts'
import { type Outcome, runProof, type World } from '../lab/world.ts'
import { startWatcher, WAYS, type Watched } from './overload/watcher.ts'
import { type Account, settle } from './overload/witness.ts'
import { type Fleet, FLEET_LIMITS, openFleet } from './support/fleet.ts'

const flags = readFlags({
  checks: { type: 'string' },
  seconds: { type: 'string', default: '60' },
  connections: { type: 'string', default: '3000' },
})
const SECONDS = Number(flags.seconds)
const CONNECTIONS = Number(flags.connections)
const LIMIT_MS = 900_000 + SECONDS * 1000
const TIMES = 5
/** They upload every second, and are not to be most of what a slow machine holds. */
const SDK_AGENTS = { least: 4, most: 40, units_each: 4 }
const BEFORE_SEC = 20
const AFTER_SEC = 40
/** Clients that retry at once on more connections, whatever they are told. */
const RUDE: Manner = { haste: TIMES, lanes: 6, patience_ms: 10_000, waiting: 6 }
const HEALTH_P99_MS = 1000
const ACCEPTED_P99_MS = 5000
/** Pings in progress at the end of the minute are heard later. */
const UNHEARD_SHARE = 0.02
const SERVER_MB = 600
const POSTGRES_MB = 600
const RECOVERY_SEC = 15
/** So many seconds in a row are well when it is well again. */
const WELL_SEC = 3
/** Of what is stored at capacity, so much is stored while five times that is sent. */
const LEAST_GOOD = 0.3

await runProof('overload', LIMIT_MS, prove)

interface Phase {
  windows: Window[]
  watched: Watched
}

async function prove(undo: World['undo']): Promise<Outcome> {
  const stage = await setStageFor(undo, RECOMMENDED)
  const traffic = await startTraffic(stage)
  const [metrics_port = 0] = await freePorts(1)
  const server = await stage.serveAll({ ...SERVED, ...FLEET_LIMITS, METRICS_PORT: String(metrics_port) })
  const ground: Ground = { stage, traffic, server, units: [], minutes: 1 }
  const units = flags.checks === undefined ? await calibrate(ground) : Math.ceil(Number(flags.checks) / UNIT.checks)
  const fleet = await openFleet(
    {
      deps: depsOf(stage),
      baseUrls: [`http://127.0.0.1:${server.port}`],
      agents: Math.min(SDK_AGENTS.most, Math.max(SDK_AGENTS.least, Math.round(units / SDK_AGENTS.units_each))),
      seed: Date.now() % 1e6,
      senders: () => [server.pid],
    },
    undo,
  )
  const watcher = await startWatcher(
    { port: server.port, metrics_port },
    { pid: server.pid, postmaster: stage.postmaster },
  )
  undo(async () => watcher.stop())
  const spend = async (seconds: number): Promise<Phase> => {
    const windows: Window[] = []
    const begun = performance.now()
    for (let second = 1; second <= seconds; second++) {
      await pause(Math.max(0, begun + second * 1000 - performance.now()))
      windows.push(await traffic.tell())
    }
    return { windows, watched: watcher.tell() }
  }
  say(`overload: half of ${units * UNIT.checks} checks for ${BEFORE_SEC} s`)
  const half = Math.ceil(units / 2)
  await sendFrom(ground, half, CALM)
  await spend(WELL_SEC)
  const before = await spend(BEFORE_SEC)
  say(`overload: ${TIMES} times as much as ${units * UNIT.checks} checks for ${SECONDS} s`)
  const told = fleet.changes()
  await sendFrom(ground, units, RUDE)
  await traffic.crowd(server.port, CONNECTIONS)
  watcher.tell()
  await traffic.tell()
  const during = await spend(SECONDS)
  const changes = fleet.changes() - told
  say('overload: over')
  await traffic.crowd(server.port, 0)
  // At once: whatever is still in progress is the server's to handle.
  await drive(ground, half, CALM)
  const after = await spend(AFTER_SEC)
  await traffic.rest()
  await fleet.finish()
  const account = await settle(stage, ground.units, await traffic.account())
  return judge({ units, before, during, after, changes, account, fleet })
}

interface Seen {
  units: number
  before: Phase
  during: Phase
  after: Phase
  /** Changes of checks and heartbeats that were alerted meanwhile. */
  changes: number
  account: Account
  fleet: Fleet
}

async function judge(seen: Seen): Promise<Outcome> {
  const { units, before, during, after, changes, account, fleet } = seen
  const ofFleet = await fleet.judge(() => false)
  const [calm, load] = [sumOf(before.windows), sumOf(during.windows)]
  const recovered_sec = recoveryOf(after.windows)
  const { upload, heartbeat } = load
  const [refused, good] = [upload.statuses[503] ?? 0, upload.statuses[200] ?? 0]
  const healths = WAYS.map((way) => ({ way, ...during.watched.health[way] }))
  const [server_mb, postgres_mb] = [during, after]
    .flatMap(({ watched }) => [[watched.server_rss, watched.postgres]])
    .reduce(([a = 0, b = 0], [c = 0, d = 0]) => [Math.max(a, c), Math.max(b, d)], [0, 0])
    .map((bytes) => bytes / 1e6) as [number, number]
  const rate = (units * UNIT.checks) / 60
  const stored = during.windows.reduce((sum, { results }) => sum + results, 0) / SECONDS
  const missed = heartbeat.due - (heartbeat.statuses[200] ?? 0)
  const faults = [
    ...healths.flatMap(({ way, answered_ms, ailments }) => [
      ...(ailments.length > 0 ? [`/healthz ${way}: ${ailments.length} times ${ailments[0]}`] : []),
      ...over(`/healthz ${way}, p99 ms`, quantile(answered_ms, 0.99), HEALTH_P99_MS),
    ]),
    ...over('accepted uploads, p99 ms', upload.p99, ACCEPTED_P99_MS),
    ...over('memory of the server, MB', server_mb, SERVER_MB),
    ...over('memory of Postgres, MB', postgres_mb, POSTGRES_MB),
    ...over('seconds until it is well again', recovered_sec, RECOVERY_SEC),
    ...(refused === 0 ? ['nothing was refused: that is no overload'] : []),
    ...(upload.retry_after < refused ? [`${refused - upload.retry_after} refusals without Retry-After`] : []),
    ...(stored < rate * LEAST_GOOD ? [`only ${stored.toFixed(0)} results/s were stored meanwhile`] : []),
    ...(changes === 0 ? ['no alert was told meanwhile'] : []),
    ...over('heartbeat pings that were not heard meanwhile', missed, heartbeat.due * UNHEARD_SHARE),
    ...(account.lost > 0 ? [`${account.lost} acknowledged results are lost`] : []),
    ...ofFleet.faults,
  ]
  const most = (pick: (window: Window) => number) => Math.max(...during.windows.map(pick))
  const figures = [
    `capacity taken as ${units * UNIT.checks} checks; ${(upload.due / SECONDS).toFixed(0)} uploads/s due for ${SECONDS} s on up to ${most(({ connections }) => connections)} connections`,
    `${good} accepted (${stored.toFixed(0)} results/s of the ${rate.toFixed(0)} of capacity) at p50 ${upload.p50.toFixed(0)} ms, p99 ${upload.p99.toFixed(0)} ms (before: p99 ${calm.upload.p99.toFixed(0)} ms)`,
    `refused: ${told(upload.statuses)}; ${upload.retry_after} with Retry-After; ${upload.given_up} given up, ${upload.broken} broken, ${upload.dropped} never sent`,
    ...healths.map(
      ({ way, answered_ms: ms, ailments }) =>
        `/healthz ${way} p50 ${quantile(ms, 0.5).toFixed(0)} ms, p99 ${quantile(ms, 0.99).toFixed(0)} ms, most ${quantile(ms, 1).toFixed(0)} ms of ${ms.length} calls, ${ailments.length} in vain`,
    ),
    `server at most ${server_mb.toFixed(0)} MB (before ${(before.watched.server_rss / 1e6).toFixed(0)}), Postgres ${postgres_mb.toFixed(0)} MB (before ${(before.watched.postgres / 1e6).toFixed(0)})`,
    `heartbeat pings: ${heartbeat.statuses[200] ?? 0} of ${heartbeat.due} heard, p99 ${heartbeat.p99.toFixed(0)} ms`,
    `${changes} changes happened and were told meanwhile`,
    `well again after ${recovered_sec} s`,
    `${account.acknowledged} results acknowledged to rude clients, ${account.lost} lost, ${account.untold} stored without their knowing`,
    ...ofFleet.figures,
    `the generator was late by p99 ${most(({ late_p99 }) => late_p99).toFixed(0)} ms at worst and used ${(during.windows.reduce((sum, { cpu_sec }) => sum + cpu_sec, 0) / SECONDS).toFixed(2)} processors`,
  ]
  return { figures: figures.join('; '), faults }
}

/** Seconds until uploads are as they should be, and stay so for a while; those that are too few to tell count as well. */
function recoveryOf(windows: readonly Window[]): number {
  const isWell = ({ tallies: { upload } }: Window) => {
    const bad = upload.due - (upload.statuses[200] ?? 0)
    return upload.p99 < P99_MAX_MS && bad < Math.max(2, upload.due * 0.05)
  }
  const from = windows.findIndex((_, at) => {
    const next = windows.slice(at, at + WELL_SEC)
    return next.length === WELL_SEC && next.every(isWell)
  })
  return from < 0 ? Number.POSITIVE_INFINITY : from
}

type Sum = Pick<Tally, 'due' | 'statuses' | 'retry_after' | 'broken' | 'given_up' | 'dropped' | 'p50' | 'p99'>

/** Of each kind, all windows together; of the quantiles, that of the middle window and that of the worst but one in fifty. */
function sumOf(windows: readonly Window[]): { upload: Sum; heartbeat: Sum } {
  const of = (kind: 'upload' | 'heartbeat'): Sum => {
    const all = windows.map(({ tallies }) => tallies[kind])
    const sum = (field: 'due' | 'retry_after' | 'broken' | 'given_up' | 'dropped') =>
      all.reduce((total, tally) => total + tally[field], 0)
    const statuses: Record<number, number> = {}
    for (const tally of all) {
      for (const [status, count] of Object.entries(tally.statuses)) {
        statuses[Number(status)] = (statuses[Number(status)] ?? 0) + count
      }
    }
    return {
      due: sum('due'),
      retry_after: sum('retry_after'),
      broken: sum('broken'),
      given_up: sum('given_up'),
      dropped: sum('dropped'),
      statuses,
      p50: quantile(
        all.map(({ p50 }) => p50),
        0.5,
      ),
      p99: quantile(
        all.map(({ p99 }) => p99),
        0.98,
      ),
    }
  }
  return { upload: of('upload'), heartbeat: of('heartbeat') }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function over(what: string, value: number, most: number): string[] {
  return value <= most ? [] : [`${what}: ${value.toFixed(0)}, and at most ${most.toFixed(0)} is allowed`]
}

function told(statuses: Tally['statuses']): string {
  const others = Object.entries(statuses).filter(([status]) => status !== '200')
  return others.map(([status, count]) => `${count} with ${status}`).join(', ') || 'none'
}
