// Proves that a server withstands overload: five times what it handles, for a minute. Memory stays bounded, health checks respond, what is too
// much is refused in time with 503 and Retry-After, what is accepted is quick, heartbeats are heard and alerts sent, all is well again seconds
// later, and nothing acknowledged is lost. Most clients ignore refusals, on thousands of connections. Some are agents on the SDK.
// npm run prove -- overload [--checks N] [--seconds N]    --checks: the capacity, which is measured otherwise
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { openFleet } from '../lab/alerts/fleet.ts'
import { depsOf } from '../lab/archive.ts'
import { calibrate } from '../lab/capacity/search.ts'
import { drive, type Ground, P99_MAX_MS, RECOMMENDED, SERVED, sendFrom } from '../lab/capacity/steps.ts'
import { send } from '../lab/clients/requests.ts'
import { memoryOf } from '../lab/cpu.ts'
import { freePort, quantile, readFlags, runProof, sum, tally } from '../lab/proof.ts'
import { type Stage, setStageFor } from '../lab/stage.ts'
import { type AcknowledgedTick, CALM, type Manner, type Window } from '../lab/traffic/orders.ts'
import { foundIn, type Share, sharesOf } from '../lab/traffic/rounds.ts'
import { startTraffic } from '../lab/traffic/traffic.ts'
import { UNIT, type Unit } from '../lab/traffic/units.ts'
import { numberOf, UNLIMITED } from '../lab/world.ts'

const flags = readFlags({ checks: { type: 'string' }, seconds: { type: 'string', default: '60' } })
const SECONDS = Number(flags.seconds)
const TIMES = 5
const CONNECTIONS = 3000
/** Number of agents on the SDK. It must be small, so that they are only a small part of the load. */
const SDK_AGENTS = { least: 4, most: 40, units_each: 4 }
const AFTER_SEC = 40
/** Behaviour of clients that repeat a refused request at once, on more connections. */
const RUDE: Manner = { haste: TIMES, lanes: 6, patience_ms: 10_000, waiting: 6 }
const HEALTH_EVERY_MS = 200
const HEALTH_P99_MS = 1000
const ACCEPTED_P99_MS = 5000
/** Maximum share of pings without a response at the end of the overload. */
const UNHEARD_SHARE = 0.02
const [SERVER_MB, POSTGRES_MB] = [600, 600]
const RECOVERY_SEC = 15
/** Number of good seconds in a row after which the server counts as recovered. */
const WELL_SEC = 3
/** Minimum number of results that the server stores during the overload, as a share of its capacity. */
const LEAST_GOOD = 0.3
const SETTLED_AT_ONCE = 50_000

/** SQL for the acknowledged results that are missing, or differ from what was sent. */
const MISSING = `
  select count(*)
  from jsonb_to_recordset($1::jsonb) as sent(monitor_id text, guid text, ran_at timestamptz, success boolean)
  join check_guids using (guid)
  left join results r on r.org_id = check_guids.org_id and r.check_id = check_guids.check_id
    and r.ran_at = sent.ran_at and r.monitor_id = sent.monitor_id and r.success = sent.success
  where r.org_id is null`

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
  const plan = { deps: depsOf(stage), baseUrls, agents, seed: Date.now() % 1e6 }
  const fleet = await openFleet(plan, undo)
  const watch = startWatch({ ...server, metrics_port, postmaster: stage.postmaster })
  undo(watch.stop)
  const spend = async (seconds: number): Promise<Window[]> => {
    const windows: Window[] = []
    const begun = performance.now()
    for (let second = 1; second <= seconds; second++) {
      await pause(Math.max(0, begun + second * 1000 - performance.now()))
      windows.push(await traffic.tell())
    }
    return windows
  }
  const half = Math.ceil(units / 2)
  await sendFrom(ground, half, CALM)
  await spend(WELL_SEC)
  process.stderr.write(`overload: ${TIMES} times as much as ${units * UNIT.checks} checks for ${SECONDS} s\n`)
  const known = fleet.changes()
  await sendFrom(ground, units, RUDE)
  await traffic.crowd(server.port, CONNECTIONS)
  await traffic.tell()
  watch.begin()
  const during = await spend(SECONDS)
  const { health } = watch
  const changes = fleet.changes() - known
  await traffic.crowd(server.port, 0)
  // Begins without a pause, because the server must handle this load together with requests still in progress.
  await drive(ground, half, CALM)
  const after = await spend(AFTER_SEC)
  await traffic.rest()
  await fleet.finish()
  const seen = { units: units * UNIT.checks, during, after, changes, health, most_mb: watch.most_mb }
  const settled = await settle(stage, ground.units, await traffic.account())
  const verdicts = [judge(seen, settled), await fleet.judge(() => false)]
  return { faults: verdicts.flatMap(({ faults }) => faults), figures: verdicts.flatMap(({ figures }) => figures) }
})

interface Health {
  /** Durations of the requests with a response of 200, in milliseconds. */
  answered_ms: number[]
  failed: number
}

/** Watches whether the health check responds in time, and how much memory the server and Postgres use. */
function startWatch(seen: { port: number; metrics_port: number; pid: number; postmaster: number }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ways = {
    'on the metrics port': { port: seen.metrics_port },
    'on a kept connection': { port: seen.port, agent },
    'on a new connection': { port: seen.port },
  }
  const watch = {
    health: {} as Readonly<Record<string, Health>>,
    most_mb: { server: 0, postgres: 0 },
    begin: (): void => {
      const one = (way: string): [string, Health] => [way, { answered_ms: [], failed: 0 }]
      watch.health = Object.fromEntries(Object.keys(ways).map(one))
      watch.most_mb = { server: 0, postgres: 0 }
    },
    stop: (): void => timers.forEach((timer) => clearInterval(timer)),
  }
  watch.begin()
  let isKeptBusy = false
  const call = async (way: string, plan: { port: number; agent?: Agent }): Promise<void> => {
    // Sends one request at a time on a persistent connection.
    if (plan.agent && isKeptBusy) return
    if (plan.agent) isKeptBusy = true
    const health = watch.health[way]
    const { status, ms } = await send({ ...plan, path: '/healthz' })
    if (plan.agent) isKeptBusy = false
    if (status === 200) health?.answered_ms.push(ms)
    else if (health) health.failed++
  }
  const look = (): void => {
    const { server, postgres } = memoryOf(seen.pid, seen.postmaster)
    watch.most_mb.server = Math.max(watch.most_mb.server, server / 1e6)
    watch.most_mb.postgres = Math.max(watch.most_mb.postgres, postgres / 1e6)
  }
  const calls = Object.entries(ways).map(([way, plan]) => setInterval(call, HEALTH_EVERY_MS, way, plan))
  const timers = [...calls, setInterval(look, 1000)]
  return watch
}

/** Checks that every result of every upload with a response of 200 is stored as it was sent. */
async function settle(stage: Stage, units: readonly Unit[], acknowledged: readonly AcknowledgedTick[]) {
  const shares = new Map(units.flatMap((unit) => sharesOf(unit)).map((share) => [share.monitor_id, share]))
  const rows = acknowledged.flatMap(({ monitor_id, ...tick }) =>
    foundIn(shares.get(monitor_id) as Share, tick).map((found) => ({ monitor_id, ...found })),
  )
  let lost = 0
  for (let from = 0; from < rows.length; from += SETTLED_AT_ONCE) {
    lost += await numberOf(stage, MISSING, JSON.stringify(rows.slice(from, from + SETTLED_AT_ONCE)))
  }
  return { acknowledged: rows.length, lost }
}

interface Observations {
  /** Number of checks that the server can handle. */
  units: number
  during: Window[]
  after: Window[]
  /** Number of changes of checks and heartbeats during the overload that caused alerts. */
  changes: number
  health: Readonly<Record<string, Health>>
  most_mb: { server: number; postgres: number }
}

function judge(seen: Observations, { acknowledged, lost }: Awaited<ReturnType<typeof settle>>) {
  const { units, during, after, changes, most_mb } = seen
  const [upload, heartbeat] = [total(during, 'upload'), total(during, 'heartbeat')]
  const refused = upload.statuses.get('with 503') ?? 0
  const recovered_sec = recoveryOf(after)
  const healths = Object.entries(seen.health)
  const rate = units / 60
  const stored = sum(during.map(({ results }) => results)) / SECONDS
  const heard = heartbeat.statuses.get('with 200') ?? 0
  const connections = Math.max(...during.map((window) => window.connections))
  const over = (what: string, value: number, limit: number) =>
    !(value <= limit) && `${what}: ${value.toFixed(0)}, and at most ${limit.toFixed(0)} is allowed`
  return {
    faults: [
      ...healths.flatMap(([way, { answered_ms, failed }]) => [
        failed > 0 && `/healthz ${way} failed ${failed} times`,
        over(`/healthz ${way}, p99 ms`, quantile(answered_ms, 0.99), HEALTH_P99_MS),
      ]),
      over('accepted uploads, p99 ms', upload.p99, ACCEPTED_P99_MS),
      over('memory of the server, MB', most_mb.server, SERVER_MB),
      over('memory of Postgres, MB', most_mb.postgres, POSTGRES_MB),
      over('seconds until all is well again', recovered_sec, RECOVERY_SEC),
      refused === 0 && 'nothing was refused: that is no overload',
      upload.retry_after < refused && `${refused - upload.retry_after} refusals without Retry-After`,
      stored < rate * LEAST_GOOD && `only ${stored.toFixed(0)} results/s were stored`,
      changes === 0 && 'no alert was sent during the overload',
      over('heartbeat pings that were not heard', heartbeat.due - heard, heartbeat.due * UNHEARD_SHARE),
      lost > 0 && `${lost} acknowledged results are lost`,
    ],
    figures: [
      `capacity ${units} checks; ${(upload.due / SECONDS).toFixed(0)} uploads/s for ${SECONDS} s on up to ${connections} connections`,
      `uploads: ${tally(upload.statuses)}, ${upload.retry_after} with Retry-After; ${stored.toFixed(0)} results/s of ${rate.toFixed(0)} stored; p50 ${upload.p50.toFixed(0)} ms, p99 ${upload.p99.toFixed(0)} ms`,
      ...healths.map(
        ([way, { answered_ms: ms }]) => `/healthz ${way} p99 ${quantile(ms, 0.99).toFixed(0)} ms of ${ms.length} calls`,
      ),
      `server at most ${most_mb.server.toFixed(0)} MB, Postgres ${most_mb.postgres.toFixed(0)} MB`,
      `heartbeat pings: ${heard} of ${heartbeat.due} heard, p99 ${heartbeat.p99.toFixed(0)} ms`,
      `${changes} changes alerted during the overload, well again after ${recovered_sec} s`,
      `${acknowledged} results acknowledged to rude clients, ${lost} lost`,
    ],
  }
}

/** Returns the seconds until uploads are as quick and complete as before, and stay so for a while. */
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

/** Adds up the figures of windows. Takes the median of their medians, and the 98th percentile of their 99th percentiles. */
function total(windows: readonly Window[], kind: 'upload' | 'heartbeat') {
  const all = windows.map(({ tallies }) => tallies[kind])
  const statuses = new Map<string, number>()
  for (const [status, count] of all.flatMap((one) => Object.entries(one.statuses))) {
    statuses.set(`with ${status}`, (statuses.get(`with ${status}`) ?? 0) + count)
  }
  return {
    ...{ statuses, due: sum(all.map(({ due }) => due)), retry_after: sum(all.map((one) => one.retry_after)) },
    p50: quantile(
      all.map((one) => one.p50),
      0.5,
    ),
    p99: quantile(
      all.map((one) => one.p99),
      0.98,
    ),
  }
}
