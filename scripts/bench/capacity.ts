// Finds how many checks at an interval of 60 s one server and its Postgres handle on this machine, with alerting, sealed hours and
// a p99 of uploads under 500 ms. Short steps find the number. Then it is held, or less, over two checkpoints, while an hour is
// summarised and sealed. Also measures the time from a failing result to its webhook.
// npm run bench -- capacity [--checks N [--minutes N]] [--short] [--profile DIRECTORY]
//   --checks: hold this many, and search for nothing
import { setTimeout as pause } from 'node:timers/promises'
import { beginSealing, readSealing, type SealingState } from '../lab/capacity/sealing-ground.ts'
import { calibrate, type Pace } from '../lab/capacity/search.ts'
import {
  type Ground,
  grow,
  lineOf,
  observe,
  P99_MAX_MS,
  RECOMMENDED,
  SERVED,
  type Step,
  sendFrom,
} from '../lab/capacity/steps.ts'
import { readFlags, SWITCH, until } from '../lab/proof.ts'
import { type BareStage, BENCH_FLAGS, onBareStage, onPart, say } from '../lab/stage.ts'
import type { RequestKind } from '../lab/traffic/orders.ts'
import { startTraffic } from '../lab/traffic/traffic.ts'
import { UNIT } from '../lab/traffic/units.ts'
import { numberOf } from '../lab/world.ts'
import { median, printFacts } from './support/compare.ts'

const text = { type: 'string' } as const
const flags = readFlags({ profile: BENCH_FLAGS.profile, checks: text, minutes: text, short: SWITCH })

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
/**
 * Share of the found number of checks that is held for minutes. If the server fails, the same share of that number is next. Short
 * steps overestimate, because they see no checkpoint and no sealing.
 */
const LESS = 0.85
const TRIES = 3
/** Pause while agents open their connections. */
const SETTLE_MS = 15_000
/** Maximum wait until the server has noted that it monitors all new checks, in milliseconds. */
const MOST_NOTING_MS = 1_200_000
const MINUTE_MS = 60_000

const UNNOTED = `
  select count(*) from checks c
  where enabled and not deleted and not exists (
    select from check_schedules s where s.org_id = c.org_id and s.check_id = c.check_id and s.until is null)`

/**
 * Runs a part of the bench with a new database and a server. The database has the given number of units, with results of a past
 * hour that is not sealed yet.
 */
async function onGround<Answer>(
  bare: BareStage,
  units: number,
  minutes: number,
  part: (ground: Ground) => Promise<Answer>,
): Promise<Answer> {
  return onPart(bare, RECOMMENDED, async (stage) => {
    await beginSealing(stage)
    const ground: Omit<Ground, 'server'> = { stage, traffic: await startTraffic(stage), units: [], minutes }
    await grow(ground, units)
    // Starts the server only now, because it soon begins to summarise the hour.
    return part({ ...ground, server: await stage.serveAll(SERVED) })
  })
}

/**
 * Sends the traffic of the units for the given minutes, or only until the server fails in one of them. Returns whether the server
 * handled every minute.
 */
async function hold(ground: Ground, units: number, minutes: number, endsEarly: boolean): Promise<boolean> {
  const { stage, traffic } = ground
  await sendFrom(ground, units)
  await until(async () => (await numberOf(stage, UNNOTED)) === 0, MOST_NOTING_MS)
  await pause(SETTLE_MS)
  const [first, observed, begun] = [await readSealing(stage), await observe(ground), performance.now()]
  const all: Step[] = []
  const isMissed = ({ faults }: Step) => faults.length > 0
  for (let minute = 1; minute <= minutes && !(endsEarly && all.some(isMissed)); minute++) {
    await pause(Math.max(0, begun + minute * MINUTE_MS - performance.now()))
    const step = await observed()
    all.push(step)
    process.stdout.write(`minute ${minute}: ${lineOf(step)}\n`)
  }
  const missed = all.filter(isMissed).length
  process.stdout.write(`${units * UNIT.checks} checks at 60 s for ${all.length} minutes: ${missed} minutes missed\n\n`)
  print(all, first, await readSealing(stage))
  await traffic.rest()
  return missed === 0
}

function print(minutes: readonly Step[], first: SealingState, last: SealingState): void {
  const sum = (of: (minute: Step) => number) => minutes.reduce((total, minute) => total + of(minute), 0)
  const worst = (of: (minute: Step) => number) => Math.max(0, ...minutes.map(of))
  const [seconds, results] = [sum(({ window }) => window.seconds), sum(({ window }) => window.results)]
  const perSec = (kind: RequestKind) => sum(({ window }) => window.tallies[kind].statuses[200] ?? 0) / seconds
  const cpu = (name: keyof Step['cpu']) => sum((minute) => minute.cpu[name]) / minutes.length
  const uploads = (of: 'p50' | 'p99') => median(minutes.map(({ window }) => window.tallies.upload[of]))
  const alerts = (of: 'p50' | 'p99') => median(minutes.map(({ window }) => window.alerts[of]))
  printFacts([
    ['results/s', results / seconds, 0],
    ['uploads/s', perSec('upload'), 0],
    ['syncs/s', perSec('sync') + perSec('full sync'), 1],
    ['webhooks/s', sum(({ window }) => window.messages) / seconds],
    ['upload, from when it was due, median of p50, ms', uploads('p50'), 0],
    ['median of p99, ms', uploads('p99'), 0],
    ['worst p99 of a minute, ms', worst(({ window }) => window.tallies.upload.p99), 0, { atMost: P99_MAX_MS }],
    ['most ms', worst(({ window }) => window.tallies.upload.most), 0],
    ['the generator was late by, worst p99 ms', worst(({ window }) => window.late_p99), 1],
    ['server, processors', cpu('server')],
    ['postgres', cpu('postgres')],
    ['generator', cpu('generator')],
    ['other programs', cpu('others')],
    ['server us/result', (cpu('server') / results) * seconds * 1e6, 0],
    ['postgres us/result', (cpu('postgres') / results) * seconds * 1e6, 0],
    ['checkpoints that ended', sum(({ checkpoints }) => checkpoints), 0],
    ['log, bytes/result', sum(({ wal }) => wal) / results, 0],
    ['rows that were sealed', last.sealed_rows - first.sealed_rows, 0],
    ['from a result that changes a check to its webhook, median of p50, ms', alerts('p50'), 1],
    ['from a result that changes a check to its webhook, median of p99, ms', alerts('p99'), 1],
    ['deliveries were late by, at worst, s', worst(({ queues }) => queues.deliveries), 1],
  ])
}

await onBareStage(flags, async (bare) => {
  const { pace, hour_minutes, hold_minutes } = flags.short ? SHORT : FULL
  const minutes = Number(flags.minutes ?? hold_minutes)
  if (flags.checks !== undefined) {
    const units = Math.ceil(Number(flags.checks) / UNIT.checks)
    await onGround(bare, units, hour_minutes, (ground) => hold(ground, units, minutes, false))
    return
  }
  const found = await onGround(bare, 0, 0, (ground) => calibrate(ground, pace))
  for (let [tries, share] = [1, found * LESS]; tries <= TRIES; tries++, share *= LESS) {
    const units = Math.max(1, Math.floor(share))
    say(`holding ${units * UNIT.checks} checks`)
    if (await onGround(bare, units, hour_minutes, (ground) => hold(ground, units, minutes, tries < TRIES))) return
  }
})
