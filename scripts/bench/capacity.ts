// How many checks at an interval of 60 s one server and its Postgres handle on this machine, with alerting and an upload p99
// under 500 ms. Hours are sealed, results lie in partitions of ten minutes, and checkpoints come as often as in production.
// The number is found in short steps, which no checkpoint comes into. Then it is held, or less, over two checkpoints, while an
// hour is folded and sealed. In the end both processes are profiled.
// npm run bench -- capacity [--checks N [--minutes N]] [--short] [--profile DIRECTORY]
//   --checks: hold this many, and search for nothing    --profile: also counts what each statement takes

import { type Pace, searchMost } from '../lab/capacity/search.ts'
import { type Ground, grow, P99_MAX_MS, RECOMMENDED, SERVED, type Step, type Used } from '../lab/capacity/steps.ts'
import { freePorts } from '../lab/children.ts'
import { openInspector, profileCpu } from '../lab/inspector.ts'
import { type BareStage, onBareStage, onPart, type Settings, say } from '../lab/stage.ts'
import type { RequestKind, Window } from '../lab/traffic/orders.ts'
import { GATHER_TICKS, TICK_MS } from '../lab/traffic/rounds.ts'
import { startTraffic } from '../lab/traffic/traffic.ts'
import { UNIT } from '../lab/traffic/units.ts'
import { readStatements } from './capacity/expense.ts'
import { type Held, hold, LINE, lineOf, type Minute } from './capacity/hold.ts'
import { type PostgresProfile, profilePostgres } from './capacity/postgres-profile.ts'
import { beginSealing } from '../lab/capacity/sealing-ground.ts'
import { readProfile } from './capacity/server-profile.ts'
import type { Share } from './capacity/shares.ts'
import { median, printFacts, printRows } from './support/report.ts'

interface Plan {
  pace: Pace
  /** Of the hour that is folded and sealed, how many minutes have results. */
  hour_minutes: number
  hold_minutes: number
  profile_ms: number
}

const FULL: Plan = {
  pace: { first: 60, factor: 1.5, coarse_ms: 15_000, fine_ms: 35_000, settle_ms: 20_000, until: 1.07 },
  hour_minutes: 60,
  hold_minutes: 35,
  profile_ms: 20_000,
}
const SHORT: Plan = {
  pace: { first: 40, factor: 2, coarse_ms: 8000, fine_ms: 10_000, settle_ms: 15_000, until: 1.3 },
  hour_minutes: 10,
  hold_minutes: 2,
  profile_ms: 8000,
}
/** Steps leave no room for checkpoints, folding and sealing: this share of what they find is held, and then less. */
const LESS = 0.85
const TRIES = 3
const CHECKPOINTS = 2
const SEALED = { ...SERVED, SEAL_HOURS: 'on' }
const COUNTED: Settings = { shared_preload_libraries: 'pg_stat_statements' }

await onBareStage(async (bare) => {
  const { flags } = bare
  const plan = flags.short ? SHORT : FULL
  const minutes = flags.minutes ?? plan.hold_minutes
  if (flags.checks !== undefined) {
    const units = Math.ceil(flags.checks / UNIT.checks)
    await onGround(bare, { units, plan }, (ground, port) => holdAndTell(ground, port, { units, minutes, plan }))
    return
  }
  const found = await onGround(bare, { units: 0, plan }, async (ground) => {
    const { held, steps } = await searchMost(ground, plan.pace)
    printSteps(steps)
    return held
  })
  if (found === 0) throw new Error(`not even ${UNIT.checks} checks are held`)
  for (let [tries, units] = [1, found * LESS]; tries <= TRIES; tries++, units *= LESS) {
    const tried = { units: Math.max(1, Math.floor(units)), minutes, plan, endsEarly: tries < TRIES }
    if (await onGround(bare, tried, (ground, port) => holdAndTell(ground, port, tried))) return
  }
})

/** An empty database on which hours are sealed, so many units with results of an hour that is over, and a server. */
async function onGround<Answer>(
  bare: BareStage,
  { units, plan }: { units: number; plan: Plan },
  part: (ground: Ground, inspect_port: number) => Promise<Answer>,
): Promise<Answer> {
  const isCounted = bare.flags.profile !== undefined
  return onPart(bare, isCounted ? { ...RECOMMENDED, ...COUNTED } : RECOMMENDED, async (stage) => {
    const [inspect_port = 0] = await freePorts(1)
    await beginSealing(stage)
    if (isCounted) await stage.database.pools.machines.query('create extension pg_stat_statements')
    const bareGround: Omit<Ground, 'server'> = {
      stage,
      traffic: await startTraffic(stage),
      units: [],
      minutes: units === 0 ? 0 : plan.hour_minutes,
    }
    await grow(bareGround, units)
    // Not before: the first thing that it does is to fold the hour.
    const server = await stage.serveAll(SEALED, [`--inspect-port=${inspect_port}`])
    return part({ ...bareGround, server }, inspect_port)
  })
}

/** Whether it is held. */
async function holdAndTell(
  ground: Ground,
  inspect_port: number,
  { units, minutes, plan, endsEarly = false }: { units: number; minutes: number; plan: Plan; endsEarly?: boolean },
): Promise<boolean> {
  const held = await hold(ground, units, minutes, endsEarly)
  const missed = held.minutes.filter(({ faults }) => faults.length > 0).length
  printHeld(held, missed)
  if (endsEarly && missed > 0) return false
  say(`profiling for ${plan.profile_ms / 1000} s`)
  const inspector = await openInspector(ground.server.pid, inspect_port)
  const [profile, ofPostgres] = await Promise.all([
    profileCpu(inspector, plan.profile_ms),
    profilePostgres(ground.stage, { ms: plan.profile_ms }),
  ])
  inspector.close()
  const { busy, groups, functions } = readProfile(profile)
  printShares(`the server, at work ${(busy * 100).toFixed(0)} % of the time, by what it is for`, groups, 14)
  printShares('its functions that take the most themselves', functions, 12)
  printPostgres(ofPostgres)
  if (ground.stage.flags.profile !== undefined) {
    printRows([['statement', 'calls', 'ms', 'mean ms', 'WAL MB'], ...(await readStatements(ground.stage))])
  }
  process.stdout.write(`bottleneck: ${bottleneckOf(meanOf(held.minutes), groups, ofPostgres)}\n`)
  await ground.traffic.rest()
  return missed === 0
}

function printSteps(steps: readonly Step[]): void {
  printRows([
    ['checks', 'results/s', 'p50 ms', 'p99 ms', 'most ms', 'server', 'postgres', 'generator', 'others', 'WAL MB/s', ''],
    ...steps.map(({ checks, window, cpu, wal_per_sec, faults }) => [
      checks.toLocaleString('en-US'),
      (window.results / window.seconds).toFixed(0),
      ...latenciesOf(window).map((ms) => ms.toFixed(0)),
      ...Object.values(cpu).map((share) => share.toFixed(2)),
      (wal_per_sec / 1e6).toFixed(1),
      faults[0] ?? 'held',
    ]),
  ])
}

function latenciesOf({ tallies }: Window): number[] {
  const { p50, p99, most } = tallies.upload
  return [p50, p99, most]
}

function meanOf(minutes: readonly Minute[]): Used {
  const of = (name: keyof Used) => minutes.reduce((sum, { cpu }) => sum + cpu[name], 0) / minutes.length
  return { server: of('server'), postgres: of('postgres'), generator: of('generator'), others: of('others') }
}

function printHeld({ checks, minutes, expense, postgres, first }: Held, missed: number): void {
  const seconds = minutes.reduce((sum, { window }) => sum + window.seconds, 0)
  const results = minutes.reduce((sum, { window }) => sum + window.results, 0)
  const answered = (kind: RequestKind) =>
    minutes.reduce((sum, { window }) => sum + (window.tallies[kind].statuses[200] ?? 0), 0) / seconds
  const worst = (pick: (minute: Minute) => number) => Math.max(...minutes.map(pick))
  const cpu = meanOf(minutes)
  const last = minutes.at(-1)?.state ?? first
  printRows([['minute', ...LINE, ''], ...minutes.map((minute, place) => [String(place + 1), ...lineOf(minute)])])
  const agents = `agents that run ${UNIT.checks / UNIT.monitors} checks a minute and upload every ${(GATHER_TICKS * TICK_MS) / 1000} s, and sooner when there is news`
  process.stdout.write(
    `\n${checks.toLocaleString('en-US')} checks at 60 s for ${(seconds / 60).toFixed(0)} minutes, ${agents}: ${missed} minutes missed\n\n`,
  )
  printFacts([
    { what: 'checks', value: checks, digits: 0 },
    { what: 'results/s', value: results / seconds, digits: 0 },
    { what: 'uploads/s', value: answered('upload'), digits: 0 },
    { what: 'syncs/s', value: answered('sync') + answered('full sync'), digits: 1 },
    { what: 'status reports/s', value: answered('status'), digits: 1 },
    { what: 'heartbeat pings/s', value: answered('heartbeat'), digits: 1 },
    { what: 'webhooks/s', value: minutes.reduce((sum, { window }) => sum + window.messages, 0) / seconds, digits: 2 },
    {
      what: 'upload, from when it was due, median of p50, ms',
      value: median(minutes.map(({ window }) => window.tallies.upload.p50)),
      digits: 0,
    },
    { what: 'median of p99, ms', value: median(minutes.map(({ window }) => window.tallies.upload.p99)), digits: 0 },
    {
      what: 'worst p99 of a minute, ms',
      value: worst(({ window }) => window.tallies.upload.p99),
      digits: 0,
      atMost: P99_MAX_MS,
    },
    { what: 'most ms', value: worst(({ window }) => window.tallies.upload.most), digits: 0 },
    { what: 'sync, worst p99 ms', value: worst(({ window }) => window.tallies.sync.p99), digits: 0 },
    { what: 'the generator was late by, worst p99 ms', value: worst(({ window }) => window.late_p99), digits: 1 },
    { what: 'server, processors', value: cpu.server },
    { what: 'postgres', value: cpu.postgres },
    { what: 'generator', value: cpu.generator },
    { what: 'everything else on the machine', value: cpu.others },
    { what: 'server us/result', value: (cpu.server / results) * seconds * 1e6, digits: 0 },
    { what: 'postgres us/result', value: (cpu.postgres / results) * seconds * 1e6, digits: 0 },
    { what: 'checkpoints that ended', value: expense.checkpoints, digits: 0 },
    { what: 'log, MB/s', value: expense.wal_bytes / seconds / 1e6, digits: 2 },
    { what: 'log, bytes/result', value: expense.wal_bytes / results, digits: 0 },
    { what: 'whole pages in it, a result', value: expense.wal_pages / results, digits: 3 },
    { what: 'syncs of it, an upload', value: expense.wal_syncs / (answered('upload') * seconds) },
    { what: 'transactions, an upload', value: expense.commits / (answered('upload') * seconds) },
    { what: 'written to tables and indexes, MB/s', value: expense.written / seconds / 1e6, digits: 2 },
    { what: 'read from there, MB/s', value: expense.read / seconds / 1e6, digits: 2 },
    { what: 'rows that were sealed', value: last.sealed_rows - first.sealed_rows, digits: 0 },
    { what: 'partitions of ten minutes at the end', value: last.open, digits: 0 },
    {
      what: 'deliveries were late by, at worst, s',
      value: Math.max(
        0,
        worst(({ queues }) => queues.deliveries),
      ),
      digits: 1,
    },
    {
      what: 'judging again was late by, at worst, s',
      value: Math.max(
        0,
        worst(({ queues }) => queues.rejudging),
      ),
      digits: 1,
    },
  ])
  process.stdout.write(
    `folded until ${last.hours_until}, sealed until ${last.sealed_until}; before: ${first.sealed_until}\n\n`,
  )
  if (expense.checkpoints < CHECKPOINTS)
    process.stdout.write(`fewer than ${CHECKPOINTS} checkpoints: this shows less\n\n`)
  printPostgres(postgres)
}

function printShares(title: string, shares: readonly Share[], most: number): void {
  process.stdout.write(`${title}\n\n`)
  printRows(shares.slice(0, most).map(({ name, percent }) => [name, `${percent.toFixed(1)} %`]))
}

function printPostgres({ under_way, statements, doing, cpu }: PostgresProfile): void {
  printShares(`postgres: ${under_way.toFixed(1)} statements of the server under way on average`, statements, 14)
  printShares('what they are at', doing, 8)
  printShares('its processes by their names, of one processor', cpu, 10)
}

/** A resource that is exhausted. */
function bottleneckOf(cpu: Used, groups: readonly Share[], { statements, doing }: PostgresProfile): string {
  const all = cpu.server + cpu.postgres + cpu.generator + cpu.others
  const dearest = groups.slice(0, 3).map(({ name, percent }) => `${name} ${percent.toFixed(0)} %`)
  const waits = doing.slice(0, 2).map(({ name, percent }) => `${name} ${percent.toFixed(0)} %`)
  const shares = `of ${all.toFixed(2)} processors in use the server has ${cpu.server.toFixed(2)} and postgres ${cpu.postgres.toFixed(2)}`
  const server = `the server: ${dearest.join(', ')}`
  const postgres = `postgres: ${statements[0]?.name ?? 'nothing'}; its statements are ${waits.join(', ')}`
  if (cpu.server > 0.9) return `the one thread of the server; ${shares}; ${server}; ${postgres}`
  return `${cpu.postgres > cpu.server ? 'postgres first' : 'the server first'}; ${shares}; ${server}; ${postgres}`
}
