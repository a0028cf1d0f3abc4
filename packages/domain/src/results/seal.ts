// Seals past hours of results: one row for each check and hour. docs/reference/stored-results.md says why and how.
import { setTimeout as pause } from 'node:timers/promises'
import { isCrossed, isTimedOut } from '@dogwatch/runtime/database-faults'
import { LogThrottle } from '@dogwatch/runtime/log'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { listChecksAfter } from '@dogwatch/store/check-keys'
import { hasSealedDay, insertSealedDay } from '@dogwatch/store/results/sealing/partitions'
import {
  awaitSealProgress,
  insertSealed,
  isHeldUp,
  listReopenedDays,
  lockSealProgress,
  markReopened,
  NEVER,
  readHoursUntil,
  readOldestHour,
  readSealProgress,
  type SealProgress,
  shareSealProgress,
  updateSealProgress,
} from '@dogwatch/store/results/sealing/sealing'
import { advancePassed, isAnyStoring } from '@dogwatch/store/results/sealing/waits'
import type { Tables } from '@dogwatch/store/tables'
import type { Transaction } from 'kysely'
import type { Deps } from '../deps.ts'
import { type StepState, untilDone } from '../steps.ts'
import { dropSealed, shortenAhead, untilFree } from './partitions.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Time from the end of an hour to its closing, in milliseconds. It equals the time to the folding of the hour. */
const CLOSE_AFTER_MS = 600_000
/**
 * Time until every process has noticed that sealing has begun and reads all tables, and earlier statements have ended. In
 * milliseconds.
 */
const NOTICED_MS = 60_000
/** Pauses of a run while it waits for batches that are being stored, in milliseconds. The next run continues. */
const PAUSES_MS = [10, 50, 250, 1000]
/** Maximum duration of a run, in milliseconds. The next one continues. */
const RUN_MS = 10_000
/**
 * Rest after a transaction, as a multiple of its time. With the rest between runs, sealing takes a tenth of one connection's
 * time.
 */
const REST = 3
/**
 * Shorter rests for hours that have waited `late_ms`, because each hour must be sealed before the next one ends, or partitions
 * pile up. They take 0.2 and 0.4 of one connection's time.
 */
const LATE: readonly { late_ms: number; rest: number }[] = [
  { late_ms: 2_400_000, rest: 0 },
  { late_ms: 1_800_000, rest: 1 },
]
/**
 * Target duration of a transaction, in milliseconds. Wiping and deleting results wait for it, and an upload may wait for a
 * processor.
 */
const STEP_MS = 100
/**
 * Maximum duration of a step with several checks, in milliseconds. A longer one is tried again with fewer, because processes that
 * wait for it give up after two seconds.
 */
const MOST_STEP_MS = 1_500
const CHECKS_AT_FIRST = 8
const MOST_CHECKS = 20_000
const MARKS_AT_ONCE = 10_000
/** Minimum time before the log says again that hours are not sealed, in milliseconds. */
const QUIET_MS = 3_600_000
/**
 * Time until the next attempt to make or drop partitions after other transactions blocked one, in milliseconds, because each
 * attempt makes others wait. The time doubles with each blocked attempt.
 */
const AGAIN_MS = 60_000
const AGAIN_MOST_MS = 1_800_000
/** Maximum number of attempts of a run to make the partition of a day. */
const DAY_TRIES = 3

/** State that a process keeps between runs. */
interface Memory {
  /** Number of checks in a step. */
  checks: number
  heldUp: LogThrottle
  /** Time of the next attempt to make or drop partitions after one that was blocked, and the wait before it. */
  blocked: Map<PartitionWork, { at_ms: number; rest_ms: number }>
}

/** Changes of partitions that others can block. */
type PartitionWork = 'make' | 'drop'

const memories = new WeakMap<Deps, Memory>()

export interface SealOutcome {
  /** Number of sealed rows. */
  hours: number
}

/**
 * Runs the chore once: seals past hours for some seconds, the oldest first. Several processes may run it at once, but only one of
 * them works. It can be interrupted anywhere, and continues where it was.
 */
export async function sealHours(deps: Deps, checks?: number): Promise<SealOutcome> {
  const { machines } = deps.database
  if (await isHeldUp(machines)) {
    memoryOf(deps).heldUp.run(() => deps.log.warn({ reason: 'dogwatch shard is running' }, 'hours are not sealed'))
    return { hours: 0 }
  }
  const known = await readSealProgress(machines)
  await closeHours(deps)
  if (!known.is_on) deps.database.sealing.forget()
  const hours = await sealMany(deps, checks)
  // Makes this process read the new progress of sealing at once.
  if (hours > 0) deps.database.sealing.forget()
  const passed_until = await advancePassed(machines, known, deps.clock.now(), NOTICED_MS)
  await markReopened(machines, await ensureDays(deps, await listReopenedDays(machines, MARKS_AT_ONCE)), MARKS_AT_ONCE)
  if (known.sealed_until === NEVER) await beginShort(deps)
  // A later run drops what readers may still use when this run begins. A long reader, such as a dump, delays nothing else.
  await whenFree(deps, 'drop', () => dropSealed(deps, passed_until))
  return { hours }
}

function memoryOf(deps: Deps): Memory {
  const memory = memories.get(deps) ?? {
    checks: CHECKS_AT_FIRST,
    heldUp: new LogThrottle(deps.clock, QUIET_MS),
    blocked: new Map(),
  }
  memories.set(deps, memory)
  return memory
}

/** Seals step by step until the run is over, and returns the number of rows. The next run begins with steps of the same size. */
async function sealMany(deps: Deps, checks?: number): Promise<number> {
  const memory = memoryOf(deps)
  if (checks !== undefined) memory.checks = checks
  const began = deps.clock.monotonicMs()
  let hours = 0
  while (deps.clock.monotonicMs() - began <= RUN_MS) {
    const from = deps.clock.monotonicMs()
    let most = 4
    try {
      const step = await sealSome(deps, memory.checks)
      if (!step) break
      hours += step.hours
    } catch (error) {
      if (!isTimedOut(error) || memory.checks === 1) throw error
      most = 0.5
    }
    const took_ms = Math.max(deps.clock.monotonicMs() - from, 1)
    memory.checks = Math.min(Math.max(Math.floor(memory.checks * Math.min(STEP_MS / took_ms, most)), 1), MOST_CHECKS)
    await pause(restAfter(await readSealProgress(deps.database.machines), deps.clock.now()) * took_ms)
  }
  return hours
}

/** Returns the rest after a step, as a multiple of its time. Hours from before sealing began can wait. */
export function restAfter({ sealed_until, turned_on_at }: SealProgress, now: Date): number {
  if (turned_on_at === null || sealed_until < turned_on_at) return REST
  const late_ms = now.getTime() - Date.parse(sealed_until) - HOUR_MS - CLOSE_AFTER_MS
  return LATE.find((one) => late_ms > one.late_ms)?.rest ?? REST
}

/** Makes short partitions as soon as there is a watermark, so that a new installation has them before it has results. */
async function beginShort(deps: Deps): Promise<void> {
  try {
    await shortenAhead(deps)
  } catch (error) {
    // Another chore repeats this every hour.
    if (!isCrossed(error)) throw error
  }
}

/** Makes or drops partitions, unless others block that, or did a short time ago. */
async function whenFree(deps: Deps, what: PartitionWork, work: () => Promise<unknown>): Promise<void> {
  const { blocked } = memoryOf(deps)
  const now = deps.clock.monotonicMs()
  const last = blocked.get(what)
  if (last && now < last.at_ms) return
  try {
    await work()
    blocked.delete(what)
  } catch (error) {
    if (!isCrossed(error)) throw error
    const isRecent = last && now < last.at_ms + last.rest_ms
    const rest_ms = isRecent ? Math.min(last.rest_ms * 2, AGAIN_MOST_MS) : AGAIN_MS
    blocked.set(what, { at_ms: now + rest_ms, rest_ms })
    deps.log.info({ err: error, rest_ms }, BLOCKED[what])
  }
}

const BLOCKED: Readonly<Record<PartitionWork, string>> = {
  make: 'the table of sealed hours is in use, and a partition will be made later',
  drop: 'partitions of sealed hours are still in use and will be dropped later',
}

/** Announces and closes the past hours, as running transactions allow. */
export async function closeHours(deps: Deps, pauses_ms = PAUSES_MS): Promise<void> {
  const step = () => deps.database.machines.transaction().execute((trx) => closeNext(trx, deps))
  await untilDone(step, [...pauses_ms, 0])
}

async function closeNext(trx: Transaction<Tables>, { clock }: Deps): Promise<StepState> {
  const progress = await lockSealProgress(trx)
  if (!progress || progress.is_held_up) return 'done'
  const now = clock.now()
  if (!progress.is_on || progress.turned_on_at === null) {
    await updateSealProgress(trx, { is_on: true, turned_on_at: fromDate(now) })
    return 'done'
  }
  if (Math.abs(now.getTime() - Date.parse(progress.turned_on_at)) < NOTICED_MS) return 'done'
  const { announced, closed, settled } = progress
  if (settled === closed && closed === announced) {
    // Announces no hour that is not folded yet, so that such hours are always counted from rows.
    const folded = await readHoursUntil(trx)
    const over = fromDate(new Date(floor(now.getTime() - CLOSE_AFTER_MS, HOUR_MS)))
    const next = folded === undefined || folded > over ? over : folded
    if (folded === undefined || next <= announced) return 'done'
    await updateSealProgress(trx, { announced: next, waits_for: null })
    return 'moved'
  }
  if (await isAnyStoring(trx, progress)) return 'waits'
  await updateSealProgress(
    trx,
    closed < announced ? { closed: announced, waits_for: null } : { settled: closed, waits_for: null },
  )
  return 'moved'
}

/**
 * Seals some checks of the next span in one transaction. Returns undefined if there is nothing to do, or if another process does
 * it.
 */
export async function sealSome(deps: Deps, limit: number): Promise<{ hours: number } | undefined> {
  const { machines } = deps.database
  const known = await readSealProgress(machines)
  const begun = known.sealed_until === NEVER ? await begin(deps, known) : known
  if (begun === undefined || begun.sealed_until >= begun.settled) return undefined
  if (!(await ensureDay(deps, begun.sealed_until.slice(0, 10)))) return undefined
  return machines.transaction().execute(async (trx) => {
    const progress = await awaitSealProgress(trx)
    if (progress.is_held_up) return undefined
    // Another process was faster.
    if (progress.sealed_until !== begun.sealed_until) return { hours: 0 }
    const { sealed_until, sealing_until, sealing_org_id: org_id, sealing_check_id: check_id } = progress
    const until = sealing_until ?? spanAfter(progress)
    const after = org_id === null || check_id === null ? undefined : { org_id, check_id }
    const keys = await listChecksAfter(trx, after, limit)
    const most_ms = limit > 1 ? MOST_STEP_MS : undefined
    const hours = await insertSealed(trx, keys, { from: sealed_until, until, most_ms })
    if (hours === undefined) return undefined
    const last = keys.at(-1)
    const isDone = keys.length < limit || last === undefined
    await updateSealProgress(
      trx,
      isDone
        ? { sealed_until: until, sealing_until: null, sealing_org_id: null, sealing_check_id: null }
        : { sealing_until: until, sealing_org_id: last.org_id, sealing_check_id: last.check_id },
    )
    return { hours }
  })
}

/** Begins the first span at the oldest result. Returns undefined if there is nothing to seal yet. */
async function begin(deps: Deps, { settled }: SealProgress): Promise<SealProgress | undefined> {
  if (settled === NEVER) return undefined
  const oldest = await readOldestHour(deps.database.machines)
  if (oldest === undefined) return undefined
  return deps.database.machines.transaction().execute(async (trx) => {
    const progress = await lockSealProgress(trx)
    if (!progress || progress.is_held_up || progress.sealed_until !== NEVER) return progress
    const sealed_until = oldest === null || oldest > settled ? settled : oldest
    await updateSealProgress(trx, { sealed_until })
    return { ...progress, sealed_until }
  })
}

/** Returns the end of the next span: at most the end of the day, so that a span has one partition. */
function spanAfter({ sealed_until, settled }: SealProgress): string {
  const midnight = fromDate(new Date(floor(Date.parse(sealed_until), DAY_MS) + DAY_MS))
  return midnight < settled ? midnight : settled
}

/**
 * Makes the partition of a day for sealed hours unless it exists. Returns false if it does not exist afterwards, for example because
 * the table is being dumped.
 */
async function ensureDay(deps: Deps, day: string): Promise<boolean> {
  const { machines } = deps.database
  if (await hasSealedDay(machines, day)) return true
  const make = async (trx: Transaction<Tables>): Promise<void> => {
    const { is_held_up } = await shareSealProgress(trx)
    if (!is_held_up) await insertSealedDay(trx, day)
  }
  await whenFree(deps, 'make', () => untilFree(deps, make, DAY_TRIES))
  return hasSealedDay(machines, day)
}

/** Makes the partition of the next day and those of some past days. Returns the past days that have a partition. */
async function ensureDays(deps: Deps, days: readonly string[]): Promise<string[]> {
  await ensureDay(deps, fromDate(new Date(deps.clock.now().getTime() + DAY_MS)).slice(0, 10))
  const made: string[] = []
  for (const day of days) if (await ensureDay(deps, day)) made.push(day)
  return made
}

function floor(ms: number, unit: number): number {
  return Math.floor(ms / unit) * unit
}
