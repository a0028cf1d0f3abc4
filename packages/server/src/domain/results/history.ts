// Keeps the history by hour and by day: folds spans that are over, and folds them again when they changed later.
import type { Transaction } from 'kysely'
import { MOST_SKEW_MS } from '../../runtime/clock.ts'
import { fromDate } from '../../runtime/timestamps.ts'
import {
  deleteBehind,
  foldDaysBehind,
  foldHoursBehind,
  insertBehind,
  listBehind,
  putBehindBack,
  updateBehind,
} from '../../store/results/behind.ts'
import {
  beginFilling,
  foldAgain,
  foldAllBefore,
  foldDays,
  foldDaysBefore,
  foldHour,
  insertProgress,
  lockProgress,
  type Progress,
  shareProgress,
  updateProgress,
} from '../../store/results/history.ts'
import { claimMarks, type LateHours } from '../../store/results/marks.ts'
import { listPartitions } from '../../store/results/partitions.ts'
import { awaitSealProgress, mergeReopened, NEVER, readSealProgress } from '../../store/results/sealing.ts'
import type { Tables } from '../../store/tables.ts'
import type { Deps } from '../deps.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/**
 * An hour is folded ten minutes after it ends; a result that arrives more than five minutes after it ends marks it. A
 * result that arrived before that has five minutes to be committed, and no statement may take that long.
 */
const FOLD_AFTER_MS = 600_000
const LATE_AFTER_MS = 300_000
/** Further ahead than two processes that trust their time can be of each other. */
const AHEAD_MS = 2 * MOST_SKEW_MS
const HOURS_AT_ONCE = 48
/** How much of the history of an organisation that is behind is folded in one transaction. */
const BEHIND_AT_ONCE_MS = 6 * HOUR_MS
/** Of how many of them: what is folded is kept after each transaction, however many are behind. */
const BEHIND_AT_ONCE = 20
const MARKS_AT_ONCE = 500
/** How far `sketched_until` stays behind while sketches are to be looked at once more. Between hours nothing else ends. */
const ONCE_MORE_MS = HOUR_MS / 2

/**
 * The hours that are long over and have results in a batch; undefined when there are none. When it is not known which
 * hours are over, all of them: folding an hour again does no harm.
 */
export function lateHours(
  batch: { check_guid: string[]; ran_at: string[] },
  now: Date,
  isInDoubt = false,
): LateHours | undefined {
  return hoursEndedBefore(batch, isInDoubt ? Number.POSITIVE_INFINITY : now.getTime() - LATE_AFTER_MS)
}

/** The hours of a batch that end by an instant, which is a full hour; undefined when there are none. */
export function hoursBefore(batch: { check_guid: string[]; ran_at: string[] }, instant: string): LateHours | undefined {
  return hoursEndedBefore(batch, Date.parse(instant) + 1)
}

function hoursEndedBefore(batch: { check_guid: string[]; ran_at: string[] }, bound: number): LateHours | undefined {
  const late = new Map<string, { check_guid: string; hour: string }>()
  for (const [index, check_guid] of batch.check_guid.entries()) {
    const hour = floor(Date.parse(batch.ran_at[index] ?? ''), HOUR_MS)
    if (hour + HOUR_MS >= bound) continue
    const text = fromDate(new Date(hour))
    late.set(`${text} ${check_guid}`, { check_guid, hour: text })
  }
  if (late.size === 0) return undefined
  const hours = [...late.values()]
  return { check_guid: hours.map((one) => one.check_guid), hour: hours.map((one) => one.hour) }
}

/** The hour of an instant, as `lateHours` names it. */
export function hourOf(at: string): string {
  return fromDate(new Date(floor(Date.parse(at), HOUR_MS)))
}

/** One run of the chore; returns how many hours and days were folded, and how many hours again. */
export async function foldHistory(deps: Deps): Promise<{ hours: number; days: number; again: number; merged: number }> {
  const now = deps.clock.now().getTime()
  const folded = { hours: 0, days: 0, again: 0, merged: 0 }
  while (folded.hours < HOURS_AT_ONCE && (await foldNextHour(deps, now, folded.hours === 0))) folded.hours++
  while (await foldNextDay(deps)) folded.days++
  while (await foldBehind(deps));
  for (let count = MARKS_AT_ONCE; count === MARKS_AT_ONCE; folded.again += count) {
    const { again, merged } = await foldMarked(deps)
    count = again
    folded.merged += merged
  }
  return folded
}

async function foldNextHour(deps: Deps, now: number, isFirst: boolean): Promise<boolean> {
  const until = floor(now - FOLD_AFTER_MS, HOUR_MS)
  return deps.database.machines.transaction().execute(async (trx) => {
    const progress = await lockProgress(trx)
    if (progress === undefined) return false
    if (progress === null) return foldBeginning(trx, until)
    const hour = Date.parse(progress.hours_until)
    if (hour + FOLD_AFTER_MS > now + AHEAD_MS) await foldBack(trx, progress, until)
    if (hour >= until) return false
    await insertBehind(trx, await foldHour(trx, progress.hours_until), progress)
    const hours_until = fromDate(new Date(hour + HOUR_MS))
    const sketched = nextSketched(progress, isFirst && hour + HOUR_MS === until)
    await updateProgress(trx, { ...progress, hours_until, sketched_until: fromDate(new Date(hour + sketched.ms)) })
    if (sketched.fills) await beginFilling(trx)
    return true
  })
}

/**
 * Until when, from the beginning of the hour that is folded, hours count as folded with sketches, and whether sketches
 * are to be filled in. A server of an earlier build that folded the hour before, or all of them, may go on for a while
 * beside this one, and folds hours again without their sketches. So filling begins twice: at once, and when an hour has
 * passed.
 */
function nextSketched({ hours_until, sketched_until }: Progress, hasPassed: boolean): { ms: number; fills: boolean } {
  if (sketched_until === hours_until) return { ms: HOUR_MS, fills: false }
  const isOnceMore = sketched_until === fromDate(new Date(Date.parse(hours_until) - ONCE_MORE_MS))
  if (isOnceMore && hasPassed) return { ms: HOUR_MS, fills: true }
  return { ms: HOUR_MS - ONCE_MORE_MS, fills: !isOnceMore }
}

/** A clock that was ahead folded hours that had not happened yet: they must be folded when they have. */
async function foldBack(
  trx: Transaction<Tables>,
  { hours_until, days_until, sketched_until }: Progress,
  until: number,
): Promise<void> {
  const hour = fromDate(new Date(until))
  const day = fromDate(new Date(floor(until, DAY_MS)))
  const back = { hours_until: hour, days_until: days_until < day ? days_until : day }
  await updateProgress(trx, { ...back, sketched_until: sketched_until === hours_until ? hour : sketched_until })
  await putBehindBack(trx, back)
}

/** Everything before the first fold. */
async function foldBeginning(trx: Transaction<Tables>, until: number): Promise<boolean> {
  const hours_until = fromDate(new Date(until))
  const progress = { hours_until, days_until: fromDate(new Date(floor(until, DAY_MS))), sketched_until: hours_until }
  if (!(await insertProgress(trx, progress))) return false
  await foldAllBefore(trx, progress.hours_until)
  await foldDaysBefore(trx, progress.days_until)
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

/**
 * Folds what organisations lack whose node did not answer when it was their turn, some hours of each. False when none of
 * them can go on.
 */
async function foldBehind(deps: Deps): Promise<boolean> {
  const org_ids = (await listBehind(deps.database.machines)).map(({ org_id }) => org_id)
  let isFurther = false
  for (let first = 0; first < org_ids.length; first += BEHIND_AT_ONCE) {
    if (await foldSomeBehind(deps, new Set(org_ids.slice(first, first + BEHIND_AT_ONCE)))) isFurther = true
  }
  return isFurther
}

async function foldSomeBehind(deps: Deps, org_ids: ReadonlySet<number>): Promise<boolean> {
  return deps.database.machines.transaction().execute(async (trx) => {
    const progress = await lockProgress(trx)
    if (!progress) return false
    const some = (await listBehind(trx)).filter(({ org_id }) => org_ids.has(org_id))
    const due = some.map((one) => {
      const until = fromDate(new Date(Date.parse(one.hours_until) + BEHIND_AT_ONCE_MS))
      return { ...one, until: until < progress.hours_until ? until : progress.hours_until }
    })
    const away = await foldHoursBehind(trx, due)
    const answering = due.filter(({ org_id }) => !away.has(org_id))
    const [further, last] = [answering.filter(isBefore(progress)), answering.filter((one) => !isBefore(progress)(one))]
    await updateBehind(
      trx,
      further.map(({ until, ...one }) => ({ ...one, hours_until: until })),
    )
    const still = await foldDaysBehind(trx, last, progress.days_until)
    await deleteBehind(
      trx,
      last.flatMap(({ org_id }) => (still.has(org_id) ? [] : [org_id])),
    )
    return further.length > 0
  })
}

const isBefore =
  ({ hours_until }: Progress) =>
  ({ until }: { until: string }): boolean =>
    until < hours_until

async function foldMarked(deps: Deps): Promise<{ again: number; merged: number }> {
  return deps.database.machines.transaction().execute(async (trx) => {
    const progress = await shareProgress(trx)
    if (!progress) return { again: 0, merged: 0 }
    const isMergeable = await holdSealed(trx)
    const marked = await claimMarks(trx, progress.hours_until, MARKS_AT_ONCE)
    const merged = await mergeReopened(trx, marked.filter(isMergeable))
    if (marked.length > 0) await foldAgain(trx, marked, progress.days_until)
    return { again: marked.length, merged }
  })
}

/**
 * Into which hours late results are merged, which stays so until the transaction ends: into those that are sealed. Days that have no
 * partition yet are left to the sealing chore, which marks them again. Before anything was sealed, nothing is locked.
 */
async function holdSealed(trx: Transaction<Tables>): Promise<(marked: { hour: string }) => boolean> {
  if ((await readSealProgress(trx)).sealed_until === NEVER) return () => false
  const { sealed_until, is_barred } = await awaitSealProgress(trx)
  if (is_barred) return () => false
  const days = new Set((await listPartitions(trx, 'sealed_hours')).map(({ from }) => from.slice(0, 10)))
  return ({ hour }) => hour < sealed_until && days.has(hour.slice(0, 10))
}

function floor(ms: number, unit: number): number {
  return Math.floor(ms / unit) * unit
}
