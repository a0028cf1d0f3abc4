// A load that is held for long, minute by minute.
import { setTimeout as pause } from 'node:timers/promises'
import {
  faultsOf,
  type Ground,
  meterOf,
  type Queues,
  readQueues,
  sendFrom,
  type Used,
} from '../../lab/capacity/steps.ts'
import { say } from '../../lab/stage.ts'
import { CALM, type Window } from '../../lab/traffic/orders.ts'
import { UNIT } from '../../lab/traffic/units.ts'
import { type Expense, readExpense, since } from './expense.ts'
import { type PostgresProfile, profilePostgres } from './postgres-profile.ts'
import { readSealing, type SealingState } from '../../lab/capacity/sealing-ground.ts'

/** So that agents have opened their connections. */
const SETTLE_MS = 15_000
/** At most so long is waited until the server has noted that the new checks are watched: a hold adds all of them at once. */
const MOST_NOTING_MS = 1_200_000
const NOTING_LOOK_MS = 5_000
const UNNOTED = `
  select count(*)::integer as count from checks c
  where enabled and not deleted and not exists (
    select from check_schedules s where s.org_id = c.org_id and s.check_id = c.check_id and s.until is null)`
const MINUTE_MS = 60_000
/** Often enough for half an hour. */
const LOOK_EVERY_MS = 200

export interface Minute {
  window: Window
  cpu: Used
  expense: Expense
  queues: Queues
  state: SealingState
  faults: string[]
}

export interface Held {
  checks: number
  minutes: Minute[]
  /** Of all minutes. */
  expense: Expense
  postgres: PostgresProfile
  first: SealingState
}

/** Holds this many units for so many minutes; where that is asked for, only until a minute is missed. */
export async function hold(ground: Ground, units: number, minutes: number, endsEarly: boolean): Promise<Held> {
  const { stage, traffic } = ground
  await sendFrom(ground, units, CALM)
  await untilNoted(ground)
  await pause(SETTLE_MS)
  await traffic.tell()
  const [first, begun, at] = [await readSealing(stage), await readExpense(stage), performance.now()]
  const used = meterOf(ground)
  const watch = new AbortController()
  const watched = profilePostgres(stage, { ms: minutes * MINUTE_MS, every_ms: LOOK_EVERY_MS, signal: watch.signal })
  const all: Minute[] = []
  let before = begun
  for (let minute = 1; minute <= minutes; minute++) {
    await pause(Math.max(0, at + minute * MINUTE_MS - performance.now()))
    const window = await traffic.tell()
    const { cpu } = used()
    const [now, queues, state] = [await readExpense(stage), await readQueues(stage), await readSealing(stage)]
    const faults = faultsOf(window, queues)
    all.push({ window, cpu, expense: since(before, now), queues, state, faults })
    say(`minute ${minute}: ${lineOf(all.at(-1) as Minute).join(', ')}`)
    before = now
    if (endsEarly && faults.length > 0) break
  }
  watch.abort()
  return { checks: units * UNIT.checks, minutes: all, expense: since(begun, before), postgres: await watched, first }
}

/** Until the server has noted that each of the checks is watched, or would take too long. */
async function untilNoted({ stage: { database } }: Ground): Promise<void> {
  const begun = performance.now()
  for (;;) {
    await pause(NOTING_LOOK_MS)
    const { rows } = await database.pools.machines.query<{ count: number }>(UNNOTED)
    const ms = performance.now() - begun
    if (rows[0]?.count !== 0 && ms < MOST_NOTING_MS) continue
    say(`${rows[0]?.count} checks are not noted as watched after ${(ms / 1000).toFixed(0)} s`)
    return
  }
}

export const LINE = [
  'p50 ms',
  'p99 ms',
  'most ms',
  'server',
  'postgres',
  'generator',
  'others',
  'WAL MB/s',
  'whole pages',
  'checkpoints',
  'sealed until',
]

export function lineOf({ window, cpu, expense, state, faults }: Minute): string[] {
  const { p50, p99, most } = window.tallies.upload
  return [
    ...[p50, p99, most].map((ms) => ms.toFixed(0)),
    ...Object.values(cpu).map((share) => share.toFixed(2)),
    (expense.wal_bytes / window.seconds / 1e6).toFixed(1),
    expense.wal_pages.toFixed(0),
    expense.checkpoints.toFixed(0),
    state.sealed_until.slice(11, 16),
    faults.join('; ') || 'held',
  ]
}
