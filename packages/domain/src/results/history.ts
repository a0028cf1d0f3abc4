// Maintains the history by hour and by day: folds past spans, and folds them again if they change later.

import { MOST_SKEW_MS } from '@dogwatch/runtime/clock'
import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  countChecks,
  deleteBehind,
  foldDaysBehind,
  insertBehind,
  listBehind,
  putBehindBack,
  updateBehind,
} from '@dogwatch/store/results/behind'
import { foldAgain, foldAllBefore, foldDays, foldHoursBehind, foldSome } from '@dogwatch/store/results/history'
import {
  insertProgress,
  lockProgress,
  type Progress,
  shareProgress,
  updateProgress,
} from '@dogwatch/store/results/sealing/fold-progress'
import { listMarks } from '@dogwatch/store/results/sealing/marks'
import { listPartitions } from '@dogwatch/store/results/sealing/partitions'
import {
  awaitSealProgress,
  claimAndMerge,
  NEVER,
  passedUntil,
  readSealProgress,
} from '@dogwatch/store/results/sealing/sealing'
import type { Tables } from '@dogwatch/store/tables'
import type { Transaction } from 'kysely'
import type { Deps } from '../deps.ts'
import { StepSize } from '../steps.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/**
 * Time from the end of an hour to its folding, in milliseconds. Results that arrive after `LATE_AFTER_MS` mark the hour. Earlier
 * results have five minutes to be committed, and no statement takes that long.
 */
const FOLD_AFTER_MS = 600_000
const LATE_AFTER_MS = 300_000
/** Maximum difference between two processes that trust their time, in milliseconds. */
const AHEAD_MS = 2 * MOST_SKEW_MS
const HOURS_AT_ONCE = 48
/** Instant after all others, also as text. */
const FOREVER = 'infinity'
/**
 * Time of a run for folding hours, in milliseconds. An hour of many checks takes several runs. The run continues with the rest of
 * the history.
 */
const RUN_MS = 40_000
const STEP = { first: 64, least: 1, most: 20_000, step_ms: 100 }
/**
 * Rest after a step, as a multiple of its time, so that the load is hardly noticed. It is shorter if the newest past hour has
 * waited `LATE_MS`, because that hour must be folded, and then sealed, before the next one ends.
 */
const REST = 2
const LATE_REST = 0.5
const LATE_MS = 1_200_000
/**
 * Maximum number of hours to fold for each organisation that is behind, in one transaction. `BEHIND_AT_ONCE`: organisations.
 * `CHECK_HOURS_AT_ONCE`: hours of all their checks together.
 */
const BEHIND_HOURS_AT_ONCE = 6
const BEHIND_AT_ONCE = 20
const CHECK_HOURS_AT_ONCE = 20_000
const MARKS_AT_ONCE = 500

/**
 * Returns the time before which a result is of an hour that ended long ago, which must be folded again. Returns a time after all
 * others if the clock is in doubt, because folding an hour again does no harm.
 */
export function lateUntil(now: Date, isInDoubt: boolean): string {
  if (isInDoubt) return FOREVER
  return fromDate(new Date(Math.ceil((now.getTime() - LATE_AFTER_MS - HOUR_MS) / HOUR_MS) * HOUR_MS))
}

/** Returns the hour of an instant. */
export function hourOf(at: string): string {
  return fromDate(new Date(floor(Date.parse(at), HOUR_MS)))
}

interface FoldCounts {
  hours: number
  days: number
  again: number
  merged: number
}

/** Step size of this process for each database, in checks. */
const pacing = new WeakMap<Deps['database'], StepSize>()

/**
 * Runs the chore once. Returns the number of folded hours and days, and of hours that were folded again. `checks`: number of
 * checks in a step.
 */
export async function foldHistory(deps: Deps, checks?: number): Promise<FoldCounts> {
  const now = deps.clock.now().getTime()
  const end_ms = deps.clock.monotonicMs() + RUN_MS
  const folded = { hours: 0, days: 0, again: 0, merged: 0 }
  while (folded.hours < HOURS_AT_ONCE && (await foldNextHour(deps, { now, end_ms, checks }))) folded.hours++
  while (await foldNextDay(deps)) folded.days++
  while (await foldBehind(deps));
  for (let count = MARKS_AT_ONCE; count === MARKS_AT_ONCE; folded.again += count) {
    const { again, merged } = await foldMarked(deps)
    count = again
    folded.merged += merged
  }
  return folded
}

interface Run {
  now: number
  /** End of the run, on the monotonic clock. The next run continues. */
  end_ms: number
  checks: number | undefined
}

/** Folds the next hour, in several transactions that each record their progress. Returns whether the hour is complete. */
async function foldNextHour(deps: Deps, run: Run): Promise<boolean> {
  const steps = pacing.get(deps.database) ?? new StepSize(STEP)
  pacing.set(deps.database, steps)
  for (;;) {
    const work = (size: number) =>
      deps.database.machines.transaction().execute((trx) => foldFurther(trx, run, run.checks ?? size))
    const folded = await steps.take(deps.clock, work, (done) => (done === 'some' ? restOf(run) : 0))
    if (folded !== 'some') return folded === 'all'
    if (deps.clock.monotonicMs() > run.end_ms) return false
  }
}

function restOf({ now }: Run): number {
  return (now - FOLD_AFTER_MS) % HOUR_MS > LATE_MS ? LATE_REST : REST
}

/** Folds the next hour for some checks. `limit`: number of checks. */
async function foldFurther(trx: Transaction<Tables>, { now }: Run, limit: number): Promise<'all' | 'some' | 'none'> {
  const until = floor(now - FOLD_AFTER_MS, HOUR_MS)
  const progress = await lockProgress(trx)
  if (progress === undefined) return 'none'
  if (progress === null) return (await foldBeginning(trx, until)) ? 'all' : 'none'
  const hour = Date.parse(progress.hours_until)
  if (hour + FOLD_AFTER_MS > now + AHEAD_MS) await foldBack(trx, progress, until)
  if (hour >= until) return 'none'
  const folded = await foldSome(trx, progress, limit)
  if (folded) {
    await updateProgress(trx, { ...progress, folded })
    return 'some'
  }
  const hours_until = fromDate(new Date(hour + HOUR_MS))
  await updateProgress(trx, { ...progress, hours_until, folded: null })
  return 'all'
}

/**
 * Resets the progress after a clock that was ahead folded hours that had not happened yet, so that they are folded when they
 * have.
 */
async function foldBack(trx: Transaction<Tables>, { days_until }: Progress, until: number): Promise<void> {
  const hour = fromDate(new Date(until))
  const day = fromDate(new Date(floor(until, DAY_MS)))
  const back = { hours_until: hour, days_until: days_until < day ? days_until : day }
  await updateProgress(trx, { ...back, folded: null })
  await putBehindBack(trx, back)
}

/** Folds all results before `until` when the chore runs for the first time. Returns false if it has run before. */
async function foldBeginning(trx: Transaction<Tables>, until: number): Promise<boolean> {
  const hours_until = fromDate(new Date(until))
  const days_until = fromDate(new Date(floor(until, DAY_MS)))
  const progress = { hours_until, days_until, folded: null }
  if (!(await insertProgress(trx, progress))) return false
  await foldAllBefore(trx, progress)
  return true
}

async function foldNextDay(deps: Deps): Promise<boolean> {
  return deps.database.machines.transaction().execute(async (trx) => {
    const progress = await lockProgress(trx)
    if (!progress) return false
    const over = floor(Date.parse(progress.hours_until), DAY_MS)
    const from = Date.parse(progress.days_until)
    if (from >= over) return false
    const until = fromDate(new Date(from + DAY_MS))
    await insertBehind(trx, await foldDays(trx, progress.days_until, until), progress)
    await updateProgress(trx, { ...progress, days_until: until })
    return true
  })
}

/** Folds some hours of each organisation whose node did not respond in its turn. Returns false if none of them can continue. */
async function foldBehind(deps: Deps): Promise<boolean> {
  const { machines } = deps.database
  const org_ids = (await listBehind(machines)).map(({ org_id }) => org_id)
  let isFurther = false
  for (const hours of portionsOf(org_ids, await countChecks(machines, org_ids))) {
    if (await foldSomeBehind(deps, hours)) isFurther = true
  }
  return isFurther
}

/**
 * Divides organisations that are behind among transactions, with the number of hours to fold for each. `checks`: number of checks
 * by organisation. Transactions stay short because they occupy connections, and each keeps what it folded.
 */
export function portionsOf(org_ids: readonly number[], checks: ReadonlyMap<number, number>): Map<number, number>[] {
  const portions: Map<number, number>[] = []
  let room = 0
  for (const org_id of org_ids) {
    const size = Math.max(checks.get(org_id) ?? 0, 1)
    const hours = Math.min(Math.max(Math.floor(CHECK_HOURS_AT_ONCE / size), 1), BEHIND_HOURS_AT_ONCE)
    const last = portions.at(-1)
    if (last && last.size < BEHIND_AT_ONCE && size * hours <= room) last.set(org_id, hours)
    else {
      portions.push(new Map([[org_id, hours]]))
      room = CHECK_HOURS_AT_ONCE
    }
    room -= size * hours
  }
  return portions
}

/**
 * Folds the next hours of organisations whose history is behind that of the others. `hours`: number of hours to fold, by
 * organisation. Returns whether one of them is still behind.
 */
async function foldSomeBehind(deps: Deps, hours: ReadonlyMap<number, number>): Promise<boolean> {
  return deps.database.machines.transaction().execute(async (trx) => {
    const progress = await lockProgress(trx)
    if (!progress) return false
    const some = (await listBehind(trx)).flatMap((one) => {
      const its = hours.get(one.org_id)
      return its === undefined ? [] : [{ ...one, until: after(one.hours_until, its * HOUR_MS, progress.hours_until) }]
    })
    const away = await foldHoursBehind(trx, some)
    const answering = some.filter(({ org_id }) => !away.has(org_id))
    const further = answering.filter(({ until }) => until < progress.hours_until)
    const last = answering.filter(({ until }) => until >= progress.hours_until)
    const days = last.map((one) => ({ ...one, until: after(one.days_until, DAY_MS, progress.days_until) }))
    const still = await foldDaysBehind(trx, days)
    const folded = days.filter(({ org_id }) => !still.has(org_id))
    const lacking = folded.filter(({ until }) => until < progress.days_until)
    const { hours_until } = progress
    await updateBehind(trx, [
      ...further.map(({ until, ...one }) => ({ ...one, hours_until: until })),
      ...lacking.map(({ until, ...one }) => ({ ...one, hours_until, days_until: until })),
    ])
    await deleteBehind(
      trx,
      folded.flatMap(({ org_id, until }) => (until < progress.days_until ? [] : [org_id])),
    )
    return further.length + lacking.length > 0
  })
}

/** Returns the instant `ms` later, or the bound if that comes first. */
function after(at: string, ms: number, bound: string): string {
  const later = fromDate(new Date(Date.parse(at) + ms))
  return later < bound ? later : bound
}

async function foldMarked(deps: Deps): Promise<{ again: number; merged: number }> {
  return deps.database.machines.transaction().execute(async (trx) => {
    const progress = await shareProgress(trx)
    if (!progress) return { again: 0, merged: 0 }
    const isMergeable = await holdSealed(trx)
    const listed = await listMarks(trx, progress.hours_until, MARKS_AT_ONCE)
    const { marked, merged } = await claimAndMerge(trx, listed, isMergeable)
    if (marked.length > 0) await foldAgain(trx, marked, progress.days_until)
    return { again: marked.length, merged }
  })
}

/**
 * Returns a test for the hours that late results can be merged into. Its answers stay true until the transaction ends. Locks
 * nothing if nothing is sealed yet.
 */
async function holdSealed(trx: Transaction<Tables>): Promise<(marked: { hour: string }) => boolean> {
  if ((await readSealProgress(trx)).sealed_until === NEVER) return () => false
  const progress = await awaitSealProgress(trx)
  if (progress.is_held_up) return () => false
  const passed_until = await passedUntil(trx, progress)
  // The sealing chore marks the hours of days without a partition again.
  const days = new Set((await listPartitions(trx, 'sealed_hours')).map(({ from }) => from.slice(0, 10)))
  return ({ hour }) => hour < passed_until && days.has(hour.slice(0, 10))
}

function floor(ms: number, unit: number): number {
  return Math.floor(ms / unit) * unit
}
