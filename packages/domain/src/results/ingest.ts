// Stores the results that monitors upload.

import { fromDate, shifted, withSixDigits } from '@dogwatch/runtime/timestamps'
import { releasePutOff } from '@dogwatch/store/checks/rejudging'
import { updateCatchingUp } from '@dogwatch/store/monitors/monitors'
import { passOnStored, type TimedColumns } from '@dogwatch/store/results/results'
import { TIMING_NAMES, type TimingName, toSmall, toStoredMs } from '@dogwatch/store/results/timings'
import type { Deps } from '../deps.ts'
import { hearClock, measureClock } from '../monitors/clock-offset.ts'
import type { Caller } from '../monitors/monitor.ts'
import { isStorable, toStorable } from '../text.ts'
import type { Intake } from './intake.ts'
import { noteLifetimes } from './lifetimes.ts'
import { cannotDate, isCatchingUp, isDelayed, type RequestFacts, ranAt, type SenderClock, shiftOf } from './ran-at.ts'
import { storeBatch } from './store-batch.ts'

/** A result as a monitor sends it, validated against the contract. */
export interface Upload {
  check_guid: string
  ran_at: string
  success: boolean
  http_status: number
  latency_ms: number
  error?: string
  response_sample?: string
  timings?: { [Name in TimingName]?: number }
  cert_expires_at?: string
  cert_issued_at?: string
  retries?: number
}

export interface IngestOutcome {
  /** Number of results for checks assigned to the caller, including repeats. */
  accepted: number
  /** Number of accepted results that were not stored before. */
  fresh: number
  /** Number of results that were dropped because they cannot have run at that time. */
  misdated: number
  /** Number of results in `again` that exceed the budget of their organisation. */
  excess: number
  /**
   * Positions of the results to send again, in order: those that exceed a budget, and those that a node could not store for now.
   */
  again: number[]
}

export interface IngestOptions {
  facts: RequestFacts
  intake: Intake
  /** Whether the caller can send again what a node could not store for now. Otherwise the whole batch fails then. */
  isPartial: boolean
}

/**
 * Stores a batch of the caller's results, and judges their checks. Drops results of checks that are not assigned to it. On a
 * repeat, the first result for a check, instant and monitor stays. Refuses a caller that may no longer upload.
 */
export async function ingestResults(
  deps: Deps,
  monitor: Caller,
  uploads: readonly Upload[],
  { facts, intake, isPartial }: IngestOptions,
): Promise<IngestOutcome> {
  hearClock(deps, monitor, facts)
  // A server that doubts its own clock corrects no other clock.
  const isTrusted = deps.clock.isTrusted()
  const clock = isTrusted ? await measureClock(deps, monitor, facts) : undefined
  const timed = uploads.flatMap((upload, index) => {
    const time = clock ? timeOf(upload, clock, facts) : asTold(upload)
    return time ? [{ upload, index, ...time }] : []
  })
  const misdated = uploads.length - timed.length
  if (timed.length === 0) return { accepted: 0, fresh: 0, misdated, excess: 0, again: [] }
  await noteLifetimes(deps, monitor, uploads)
  const { columns, excess, settle } = await intake.screen(monitor.id, toColumns(timed))
  const times = timed.map(({ ran_ms }) => ran_ms)
  const catchingUp = isTrusted ? isCatchingUp(times, facts) : monitor.catching_up
  if (catchingUp !== monitor.catching_up) await updateCatchingUp(deps.database, monitor, catchingUp)
  const wasDelayed = isDelayed(times, facts)
  const arrival = { catchingUp, wasDelayed, isPartial }
  const { missed, ...ingested } = await storeBatch(deps, monitor, columns, arrival).catch(async (error: unknown) => {
    // No budget pays for results that were not stored. The caller must receive the reason.
    await settle().catch(() => {})
    throw error
  })
  await settle({ ...ingested, missed })
  // Nothing of what was held back is stored yet, so no verdict waits for the rest.
  const isHeldBack = missed.size > 0 || excess.size > 0
  if (isHeldBack && ingested.accepted === 0 && catchingUp && !monitor.catching_up) {
    await updateCatchingUp(deps.database, monitor, false)
    await releasePutOff(deps.database.machines, monitor.id, fromDate(deps.clock.now()))
  }
  // Checks that waited for this monitor can be judged now. If we do not get there, they are judged some minutes later.
  if (monitor.catching_up && !catchingUp) {
    await releasePutOff(deps.database.machines, monitor.id, fromDate(deps.clock.now()))
  }
  // Results that are here already may not have reached the standby when their first upload was cut off.
  if (ingested.fresh < ingested.accepted) await passOnStored(deps.database)
  const again = timed.flatMap(({ index, upload }, at) =>
    excess.has(at) || missed.has(upload.check_guid) ? [index] : [],
  )
  return { ...ingested, misdated, excess: excess.size, again }
}

interface ResultTime {
  /** Time to store, with six digits. */
  ran_at: string
  /** Stored time, in milliseconds. `ran_ms`: time by the server's clock. */
  told_ms: number
  ran_ms: number
}

interface TimedUpload extends ResultTime {
  upload: Upload
  /** Position of the upload in its batch. */
  index: number
}

function asTold({ ran_at: sent }: Upload): ResultTime {
  const ran_at = withSixDigits(sent)
  const told_ms = Date.parse(ran_at)
  return { ran_at, told_ms, ran_ms: told_ms }
}

/** Returns undefined if the result cannot have run at that time. */
function timeOf(upload: Upload, clock: SenderClock, facts: RequestFacts): ResultTime | undefined {
  const told = asTold(upload)
  const shift_ms = shiftOf(told.told_ms, clock, facts)
  if (shift_ms === undefined) return undefined
  // A time that is plausible although the clock cannot date was shown by that clock before, or by another one.
  const offset_ms = cannotDate(clock.offset_ms) ? 0 : clock.offset_ms
  if (shift_ms === 0) return { ...told, ran_ms: ranAt(told.told_ms, offset_ms, facts) }
  const told_ms = told.told_ms + shift_ms
  return { ran_at: shifted(told.ran_at, shift_ms), told_ms, ran_ms: ranAt(told_ms, 0, facts) }
}

function toColumns(timed: readonly TimedUpload[]): TimedColumns {
  const uploads = timed.map(({ upload }) => upload)
  return {
    // A guid that cannot be stored names nothing. Sanitised, it might name something.
    check_guid: uploads.map(({ check_guid }) => (isStorable(check_guid) ? check_guid : '')),
    ran_at: timed.map(({ ran_at }) => ran_at),
    effective_at: effectiveTimes(timed),
    success: uploads.map((upload) => upload.success),
    http_status: uploads.map((upload) => upload.http_status),
    latency_ms: uploads.map((upload) => upload.latency_ms),
    error: uploads.map((upload) => toStorable(upload.error ?? '')),
    response_sample: uploads.map((upload) => toStorable(upload.response_sample ?? '')),
    ...timingsOf(uploads),
    retries: uploads.map(({ retries }) => (retries ? toSmall(retries) : null)),
    cert_expires_at: uploads.map(({ cert_expires_at: at }) => (at === undefined ? null : withSixDigits(at))),
  }
}

/** Maximum number of microseconds to add within a millisecond. */
const MOST_MICROSECONDS = 999

/**
 * Returns the times that count for judging, or null for results whose stored time counts. Results of a check that count from one
 * instant, such as their receipt, keep their order by microseconds.
 */
function effectiveTimes(timed: readonly TimedUpload[]): (string | null)[] {
  const times: (string | null)[] = timed.map(() => null)
  if (timed.every(({ told_ms, ran_ms }) => told_ms === ran_ms)) return times
  const counts = new Map<string, number>()
  const inOrder = [...timed.entries()].toSorted(([, a], [, b]) => compare(a.ran_at, b.ran_at))
  for (const [place, { upload, told_ms, ran_ms }] of inOrder) {
    const key = `${upload.check_guid} ${ran_ms}`
    const before = counts.get(key) ?? 0
    counts.set(key, before + 1)
    if (told_ms === ran_ms) continue
    const microseconds = String(Math.min(before, MOST_MICROSECONDS)).padStart(3, '0')
    times[place] = fromDate(new Date(ran_ms)).replace(/000Z$/, `${microseconds}Z`)
  }
  return times
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function timingsOf(uploads: readonly Upload[]): Record<TimingName, (number | null)[]> {
  const columns = TIMING_NAMES.map((name) => {
    const values = uploads.map(({ timings }) => {
      const ms = timings?.[name]
      return ms === undefined ? null : toStoredMs(ms)
    })
    return [name, values] as const
  })
  return Object.fromEntries(columns) as Record<TimingName, (number | null)[]>
}
