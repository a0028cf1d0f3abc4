// Finds how many checks at an interval of 60 s one server and its Postgres handle on this machine, with alerting, sealed hours and
// a p99 of uploads under 500 ms. Short steps find the number. Then it is held, or less, over two checkpoints, while an hour is
// summarised and sealed.
// npm run bench -- capacity [--checks N [--minutes N]] [--short] [--profile DIRECTORY]
//   --checks: hold this many, and search for nothing
import { setTimeout as pause } from 'node:timers/promises'
import { beginSealing, readSealing, type SealingState } from '../lab/capacity/sealing-ground.ts'
import { type Pace, searchMost } from '../lab/capacity/search.ts'
import {
  faultsOf,
  type Ground,
  grow,
  meterOf,
  P99_MAX_MS,
  type Queues,
  RECOMMENDED,
  readQueues,
  sendFrom,
  SERVED,
  type CpuUse,
} from '../lab/capacity/steps.ts'
import { type BareStage, onBareStage, onPart, say, type Stage } from '../lab/stage.ts'
import { CALM, type RequestKind, type Window } from '../lab/traffic/orders.ts'
import { startTraffic } from '../lab/traffic/traffic.ts'
import { UNIT } from '../lab/traffic/units.ts'
import { median, printFacts, printRows } from './support/report.ts'

interface Plan {
  pace: Pace
  /** Number of minutes with results in the hour that is summarised and sealed. */
  hour_minutes: number
  hold_minutes: number
}

const FULL: Plan = {
  pace: { first: 60, factor: 1.5, coarse_ms: 15_000, fine_ms: 35_000, settle_ms: 20_000, until: 1.07 },
  ...{ hour_minutes: 60, hold_minutes: 35 },
}
const SHORT: Plan = {
  pace: { first: 40, factor: 2, coarse_ms: 8000, fine_ms: 10_000, settle_ms: 15_000, until: 1.3 },
  ...{ hour_minutes: 10, hold_minutes: 2 },
}
/** Share of the number found that is held, and then this share of that: short steps see no checkpoint and no sealing. */
const LESS = 0.85
const TRIES = 3
/** Pause while agents open their connections. */
const SETTLE_MS = 15_000
/** Longest wait until the server has noted that all new checks are monitored. */
const MOST_NOTING_MS = 1_200_000
const NOTING_LOOK_MS = 5000
const MINUTE_MS = 60_000

/** Runs a part on an empty database with so many units, whose results of a past hour are not yet sealed, and a server. */
async function onGround<Answer>(
  bare: BareStage,
  { units, plan }: { units: number; plan: Plan },
  part: (ground: Ground) => Promise<Answer>,
): Promise<Answer> {
  return onPart(bare, RECOMMENDED, async (stage) => {
    await beginSealing(stage)
    const ground: Omit<Ground, 'server'> = {
      ...{ stage, traffic: await startTraffic(stage), units: [], minutes: units === 0 ? 0 : plan.hour_minutes },
    }
    await grow(ground, units)
    // Not before, because a server first summarises the hour.
    return part({ ...ground, server: await stage.serveAll({ ...SERVED, SEAL_HOURS: 'on' }) })
  })
}

interface Minute {
  window: Window
  cpu: CpuUse
  queues: Queues
  state: SealingState
  log: Log
  faults: string[]
}

/** Counters of Postgres. */
interface Log {
  checkpoints: number
  bytes: number
}

/** Holds so many units for so many minutes, or only until a minute is missed. Returns whether all minutes were held. */
async function hold(ground: Ground, units: number, minutes: number, endsEarly: boolean): Promise<boolean> {
  const { stage, traffic } = ground
  await sendFrom(ground, units, CALM)
  await untilNoted(stage)
  await pause(SETTLE_MS)
  await traffic.tell()
  const [first, at, used] = [await readSealing(stage), performance.now(), meterOf(ground)]
  let before = await readLog(stage)
  const all: Minute[] = []
  for (let minute = 1; minute <= minutes; minute++) {
    await pause(Math.max(0, at + minute * MINUTE_MS - performance.now()))
    const [window, { cpu }] = [await traffic.tell(), used()]
    const [now, queues, state] = [await readLog(stage), await readQueues(stage), await readSealing(stage)]
    const log = { checkpoints: now.checkpoints - before.checkpoints, bytes: now.bytes - before.bytes }
    all.push({ window, cpu, queues, state, log, faults: faultsOf(window, queues) })
    say(`minute ${minute}: ${lineOf(all.at(-1) as Minute).join(', ')}`)
    before = now
    if (endsEarly && all.at(-1)?.faults.length !== 0) break
  }
  const missed = all.filter(({ faults }) => faults.length > 0).length
  print(units * UNIT.checks, all, first, missed)
  await traffic.rest()
  return missed === 0
}

/** Waits until the server has noted that each of the checks is monitored. */
async function untilNoted({ database }: Stage): Promise<void> {
  const begun = performance.now()
  for (let left = 1; left > 0 && performance.now() - begun < MOST_NOTING_MS; ) {
    await pause(NOTING_LOOK_MS)
    left = (await database.pools.machines.query<{ count: number }>(UNNOTED)).rows[0]?.count ?? 0
  }
  say(`checks were noted for ${((performance.now() - begun) / 1000).toFixed(0)} s`)
}

const UNNOTED = `
  select count(*)::integer as count from checks c
  where enabled and not deleted and not exists (
    select from check_schedules s where s.org_id = c.org_id and s.check_id = c.check_id and s.until is null)`

async function readLog({ database }: Stage): Promise<Log> {
  const { rows } = await database.pools.machines.query<Log>(
    `select (c.num_timed + c.num_requested)::float8 as checkpoints, w.wal_bytes::float8 as bytes
     from pg_stat_checkpointer c cross join pg_stat_wal w`,
  )
  return rows[0] as Log
}

const LINE = ['p50 ms', 'p99 ms', 'most ms', 'server', 'postgres', 'generator', 'others', 'WAL MB/s', 'checkpoints']

function lineOf({ window, cpu, log, state, faults }: Minute): string[] {
  const { p50, p99, most } = window.tallies.upload
  return [
    ...[p50, p99, most].map((ms) => ms.toFixed(0)),
    ...[...Object.values(cpu), log.bytes / window.seconds / 1e6].map((value) => value.toFixed(2)),
    ...[log.checkpoints.toFixed(0), state.sealed_until.slice(11, 16), faults.join('; ') || 'held'],
  ]
}

function print(checks: number, minutes: readonly Minute[], first: SealingState, missed: number): void {
  const sum = (of: (minute: Minute) => number) => minutes.reduce((total, minute) => total + of(minute), 0)
  const worst = (of: (minute: Minute) => number) => Math.max(0, ...minutes.map(of))
  const [seconds, results] = [sum(({ window }) => window.seconds), sum(({ window }) => window.results)]
  const perSec = (kind: RequestKind) => sum(({ window }) => window.tallies[kind].statuses[200] ?? 0) / seconds
  const cpu = (name: keyof CpuUse) => sum((minute) => minute.cpu[name]) / minutes.length
  const uploads = (of: 'p50' | 'p99') => median(minutes.map(({ window }) => window.tallies.upload[of]))
  const last = minutes.at(-1)?.state ?? first
  printRows([['minute', ...LINE, 'sealed until', ''], ...minutes.map((one, n) => [String(n + 1), ...lineOf(one)])])
  process.stdout.write(`${checks} checks at 60 s for ${minutes.length} minutes: ${missed} minutes missed\n\n`)
  printFacts([
    ['results/s', results / seconds, 0],
    ['uploads/s', perSec('upload'), 0],
    ['syncs/s', perSec('sync') + perSec('full sync'), 1],
    ['webhooks/s', sum(({ window }) => window.messages) / seconds],
    ['upload, from when it was due, median of p50, ms', uploads('p50'), 0],
    ['median of p99, ms', uploads('p99'), 0],
    ['worst p99 of a minute, ms', worst(({ window }) => window.tallies.upload.p99), 0, { atMost: P99_MAX_MS }],
    ['most ms', worst(({ window }) => window.tallies.upload.most), 0],
    ['sync, worst p99 ms', worst(({ window }) => window.tallies.sync.p99), 0],
    ['the generator was late by, worst p99 ms', worst(({ window }) => window.late_p99), 1],
    ['server, processors', cpu('server')],
    ['postgres', cpu('postgres')],
    ['generator', cpu('generator')],
    ['other programs', cpu('others')],
    ['server us/result', (cpu('server') / results) * seconds * 1e6, 0],
    ['postgres us/result', (cpu('postgres') / results) * seconds * 1e6, 0],
    ['checkpoints that ended', sum(({ log }) => log.checkpoints), 0],
    ['log, bytes/result', sum(({ log }) => log.bytes) / results, 0],
    ['rows that were sealed', last.sealed_rows - first.sealed_rows, 0],
    ['deliveries were late by, at worst, s', worst(({ queues }) => queues.deliveries), 1],
    ['judging again was late by, at worst, s', worst(({ queues }) => queues.rejudging), 1],
  ])
}

await onBareStage(async (bare) => {
  const { flags } = bare
  const plan = flags.short ? SHORT : FULL
  const minutes = flags.minutes ?? plan.hold_minutes
  if (flags.checks !== undefined) {
    const units = Math.ceil(flags.checks / UNIT.checks)
    await onGround(bare, { units, plan }, (ground) => hold(ground, units, minutes, false))
    return
  }
  const found = await onGround(bare, { units: 0, plan }, async (ground) => (await searchMost(ground, plan.pace)).held)
  if (found === 0) throw new Error(`not even ${UNIT.checks} checks are held`)
  for (let [tries, share] = [1, found * LESS]; tries <= TRIES; tries++, share *= LESS) {
    const units = Math.max(1, Math.floor(share))
    if (await onGround(bare, { units, plan }, (ground) => hold(ground, units, minutes, tries < TRIES))) return
  }
})
