// Proves that a server withstands overload: five times what it handles, for a minute. Memory stays bounded, health checks respond, what is too
// much is refused in time with 503 and Retry-After, what is accepted is quick, heartbeats are heard and alerts sent, all is well again seconds
// later, and nothing acknowledged is lost. Most clients ignore refusals, on thousands of connections. Some are agents on the SDK.
// npm run prove -- overload [--checks N] [--seconds N] [--connections N]    --checks: the capacity, which is measured otherwise
import { setTimeout as pause } from 'node:timers/promises'
import { type Fleet, openFleet } from '../lab/alerts/fleet.ts'
import { depsOf } from '../lab/archive.ts'
import { calibrate } from '../lab/capacity/search.ts'
import { drive, type Ground, P99_MAX_MS, RECOMMENDED, SERVED, sendFrom } from '../lab/capacity/steps.ts'
import { freePort, type Outcome, quantile, readFlags, runProof, sum, tally } from '../lab/proof.ts'
import { setStageFor } from '../lab/stage.ts'
import { CALM, type Manner, type Window } from '../lab/traffic/orders.ts'
import { startTraffic } from '../lab/traffic/traffic.ts'
import { UNIT } from '../lab/traffic/units.ts'
import { UNLIMITED } from '../lab/world.ts'
import { startWatcher, type Sample, type Way } from './overload/watcher.ts'
import { type Account, settle } from './overload/witness.ts'

const flags = readFlags({
  checks: { type: 'string' },
  seconds: { type: 'string', default: '60' },
  connections: { type: 'string', default: '3000' },
})
const SECONDS = Number(flags.seconds)
const TIMES = 5
/** Number of agents on the SDK, which must be a small part of the load. */
const SDK_AGENTS = { least: 4, most: 40, units_each: 4 }
const [BEFORE_SEC, AFTER_SEC] = [20, 40]
/** Clients that repeat requests at once on more connections. */
const RUDE: Manner = { haste: TIMES, lanes: 6, patience_ms: 10_000, waiting: 6 }
const HEALTH_P99_MS = 1000
const ACCEPTED_P99_MS = 5000
/** Share of pings that may still be in progress at the end of the minute. */
const UNHEARD_SHARE = 0.02
const [SERVER_MB, POSTGRES_MB] = [600, 600]
const RECOVERY_SEC = 15
/** Number of good seconds in a row after which all is well. */
const WELL_SEC = 3
/** Minimum share of the capacity that is stored during the overload. */
const LEAST_GOOD = 0.3

interface Phase {
  windows: Window[]
  watched: Sample
}

await runProof('overload', 900_000 + SECONDS * 1000, async (undo) => {
  const stage = await setStageFor(undo, RECOMMENDED)
  const traffic = await startTraffic(stage)
  const metrics_port = await freePort()
  const server = await stage.serveAll({ ...SERVED, ...UNLIMITED, METRICS_PORT: String(metrics_port) })
  const ground: Ground = { stage, traffic, server, units: [], minutes: 1 }
  const units = flags.checks === undefined ? await calibrate(ground) : Math.ceil(Number(flags.checks) / UNIT.checks)
  const { least, most, units_each } = SDK_AGENTS
  const agents = Math.min(most, Math.max(least, Math.round(units / units_each)))
  const baseUrls = [`http://127.0.0.1:${server.port}`]
  const plan = { deps: depsOf(stage), baseUrls, agents, seed: Date.now() % 1e6, senders: () => [server.pid] }
  const fleet = await openFleet(plan, undo)
  const watcher = startWatcher({ port: server.port, metrics_port }, { pid: server.pid, postmaster: stage.postmaster })
  undo(() => watcher.stop())
  const spend = async (seconds: number): Promise<Phase> => {
    const windows: Window[] = []
    const begun = performance.now()
    for (let second = 1; second <= seconds; second++) {
      await pause(Math.max(0, begun + second * 1000 - performance.now()))
      windows.push(await traffic.tell())
    }
    return { windows, watched: watcher.take() }
  }
  const half = Math.ceil(units / 2)
  await sendFrom(ground, half, CALM)
  await spend(WELL_SEC)
  const before = await spend(BEFORE_SEC)
  process.stderr.write(`overload: ${TIMES} times as much as ${units * UNIT.checks} checks for ${SECONDS} s\n`)
  const known = fleet.changes()
  await sendFrom(ground, units, RUDE)
  await traffic.crowd(server.port, Number(flags.connections))
  watcher.take()
  await traffic.tell()
  const during = await spend(SECONDS)
  const changes = fleet.changes() - known
  await traffic.crowd(server.port, 0)
  // At once, because the server must handle what is still in progress.
  await drive(ground, half, CALM)
  const after = await spend(AFTER_SEC)
  await traffic.rest()
  await fleet.finish()
  const account = await settle(stage, ground.units, await traffic.account())
  return judge({ units, before, during, after, changes, account, fleet })
})

interface Observations {
  units: number
  before: Phase
  during: Phase
  after: Phase
  /** Changes of checks and heartbeats that were alerted during the overload. */
  changes: number
  account: Account
  fleet: Fleet
}

async function judge(seen: Observations): Promise<Outcome> {
  const { units, before, during, after, changes, account, fleet } = seen
  const ofFleet = await fleet.judge(() => false)
  const [upload, heartbeat] = [total(during.windows, 'upload'), total(during.windows, 'heartbeat')]
  const refused = upload.statuses.get('with 503') ?? 0
  const recovered_sec = recoveryOf(after.windows)
  const healths = Object.entries(during.watched.health) as [Way, Sample['health'][Way]][]
  const mb = (name: 'server' | 'postgres') => Math.max(during.watched[name], after.watched[name]) / 1e6
  const rate = (units * UNIT.checks) / 60
  const stored = sum(during.windows.map(({ results }) => results)) / SECONDS
  const heard = heartbeat.statuses.get('with 200') ?? 0
  const most = (pick: (window: Window) => number) => Math.max(...during.windows.map(pick))
  const over = (what: string, value: number, limit: number) =>
    !(value <= limit) && `${what}: ${value.toFixed(0)}, and at most ${limit.toFixed(0)} is allowed`
  return {
    faults: [
      ...healths.flatMap(([way, { answered_ms, failures }]) => [
        failures.length > 0 && `/healthz ${way}: ${failures.length} times ${failures[0]}`,
        over(`/healthz ${way}, p99 ms`, quantile(answered_ms, 0.99), HEALTH_P99_MS),
      ]),
      over('accepted uploads, p99 ms', upload.p99, ACCEPTED_P99_MS),
      over('memory of the server, MB', mb('server'), SERVER_MB),
      over('memory of Postgres, MB', mb('postgres'), POSTGRES_MB),
      over('seconds until all is well again', recovered_sec, RECOVERY_SEC),
      refused === 0 && 'nothing was refused: that is no overload',
      upload.retry_after < refused && `${refused - upload.retry_after} refusals without Retry-After`,
      stored < rate * LEAST_GOOD && `only ${stored.toFixed(0)} results/s were stored`,
      changes === 0 && 'no alert was sent during the overload',
      over('heartbeat pings that were not heard', heartbeat.due - heard, heartbeat.due * UNHEARD_SHARE),
      account.lost > 0 && `${account.lost} acknowledged results are lost`,
      ...ofFleet.faults,
    ],
    figures: [
      `capacity ${units * UNIT.checks} checks; ${(upload.due / SECONDS).toFixed(0)} uploads/s for ${SECONDS} s on up to ${most(({ connections }) => connections)} connections`,
      `uploads: ${tally(upload.statuses)}; ${stored.toFixed(0)} results/s of ${rate.toFixed(0)} stored; p50 ${upload.p50.toFixed(0)} ms, p99 ${upload.p99.toFixed(0)} ms (before: p99 ${total(before.windows, 'upload').p99.toFixed(0)} ms)`,
      `${upload.retry_after} refusals with Retry-After; ${upload.lost} uploads without a response`,
      ...healths.map(
        ([way, { answered_ms: ms, failures }]) =>
          `/healthz ${way} p99 ${quantile(ms, 0.99).toFixed(0)} ms of ${ms.length} calls, ${failures.length} failed`,
      ),
      `server at most ${mb('server').toFixed(0)} MB, Postgres ${mb('postgres').toFixed(0)} MB`,
      `heartbeat pings: ${heard} of ${heartbeat.due} heard, p99 ${heartbeat.p99.toFixed(0)} ms`,
      `${changes} changes alerted during the overload, well again after ${recovered_sec} s`,
      `${account.acknowledged} results acknowledged to rude clients, ${account.lost} lost, ${account.unconfirmed} stored without a response`,
      ...ofFleet.figures,
      `the generator was late by p99 ${most(({ late_p99 }) => late_p99).toFixed(0)} ms`,
    ],
  }
}

/** Returns the seconds until uploads are as they should be, and stay so for a while. */
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

/** Adds up windows. Quantiles are those of the middle window, and of the worst but one in fifty. */
function total(windows: readonly Window[], kind: 'upload' | 'heartbeat') {
  const all = windows.map(({ tallies }) => tallies[kind])
  const statuses = new Map<string, number>()
  for (const [status, count] of all.flatMap((one) => Object.entries(one.statuses))) {
    statuses.set(`with ${status}`, (statuses.get(`with ${status}`) ?? 0) + count)
  }
  const added = (field: 'due' | 'retry_after' | 'broken' | 'given_up' | 'dropped') => sum(all.map((one) => one[field]))
  const at = (field: 'p50' | 'p99', share: number) =>
    quantile(
      all.map((one) => one[field]),
      share,
    )
  return {
    ...{ statuses, due: added('due'), retry_after: added('retry_after'), p50: at('p50', 0.5), p99: at('p99', 0.98) },
    lost: added('broken') + added('given_up') + added('dropped'),
  }
}
