// Reads the results of a check in the order of their arrival, each once, however late it was stored.
import { createHash } from 'node:crypto'
import { fromDate, isDateTime, toMicroseconds } from '@dogwatch/runtime/timestamps'
import { lockChecksToJudge } from '@dogwatch/store/checks/check-health'
import {
  type ArrivalPlace,
  announceHorizon,
  insertLateResults,
  listArrivals,
  listStoring,
  lockHorizon,
  settleHorizon,
  stillRunning,
  updateWaitsFor,
} from '@dogwatch/store/results/arrivals'
import { type CheckKey, type ResultRow, START } from '@dogwatch/store/results/result-pages'
import type { BatchCheck } from '@dogwatch/store/results/results'
import type { Tables } from '@dogwatch/store/tables'
import type { Transaction } from 'kysely'
import { PAGE_SIZE, readOneCheck } from '../checks/read.ts'
import type { Deps } from '../deps.ts'
import { FieldError } from '../errors.ts'
import { type StepState, untilDone } from '../steps.ts'

/**
 * Maximum time between a run and the storing of its result, in milliseconds. Later results are recorded as late, which makes
 * storing their batch slower. Readers wait about this long for a result.
 */
export const SETTLING_MS = 30_000
/** Step of the instant that separates settled results from others, in milliseconds. Many readers cost no more than one. */
const STEP_MS = 1_000
/** Pauses of a reader while it waits for batches that are being stored, in milliseconds. */
const PAUSES_MS = [10, 20, 40, 80, 160]
/** Number of pages of outdated records of late results that a reader skips before it gets an empty page. */
const ROUNDS = 20

/** Records results of this transaction as late. Locks their checks until the transaction ends. */
export async function noteLate(
  trx: Transaction<Tables>,
  monitor_id: string,
  touched: readonly BatchCheck[],
): Promise<void> {
  const late = touched.flatMap(({ org_id, check_id, late: times }) =>
    times.map((ran_at) => ({ org_id, check_id, ran_at })),
  )
  if (late.length === 0) return
  // All checks of the batch, because judging will lock some of them: two batches must not lock them in different
  // orders.
  await lockChecksToJudge(trx, touched)
  await insertLateResults(trx, monitor_id, late)
}

/**
 * Advances the instant before which results are settled, as running transactions allow. Call it at the primary before reading
 * arrivals.
 */
export async function settleArrivals(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  pauses_ms = PAUSES_MS,
): Promise<void> {
  // An instant too far ahead would make all results late, which slows down every batch.
  if (!clock.isTrusted()) return
  const bounds = { now: fromDate(clock.now()), lag_ms: SETTLING_MS, step_ms: STEP_MS }
  await untilDone(() => database.machines.transaction().execute((trx) => moveOn(trx, bounds)), pauses_ms)
}

async function moveOn(trx: Transaction<Tables>, bounds: Parameters<typeof lockHorizon>[1]): Promise<StepState> {
  const horizon = await lockHorizon(trx, bounds)
  if (!horizon) return 'done'
  const { is_settled, waits_for, next } = horizon
  if (is_settled) {
    if (next === null) return 'done'
    await announceHorizon(trx, next)
    return 'moved'
  }
  const last = stillRunning(waits_for, await listStoring(trx))
  if (last.length === 0) {
    await settleHorizon(trx)
    return 'moved'
  }
  if (waits_for === null) await updateWaitsFor(trx, last)
  return 'waits'
}

/** Start of a reader: a cursor, or else an instant. */
export interface ArrivalStart {
  cursor?: string
  after?: string
}

/**
 * Returns the results of a check that arrived since a cursor was issued, at most a page, and the next cursor. A reader that
 * follows the cursors gets each result once.
 */
export async function readArrivals(
  deps: Pick<Deps, 'database'>,
  org_id: number,
  guid: string,
  { cursor, after }: ArrivalStart,
  page_size = PAGE_SIZE,
): Promise<{ results: ResultRow[]; cursor: string }> {
  const { check_id, result_detail_max_chars } = await readOneCheck(deps, org_id, guid)
  const check = { org_id, check_id, result_detail_max_chars }
  let place = cursor === undefined ? beginning(after) : fromCursor(cursor, check)
  let results: ResultRow[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    const page = await readPage(deps, check, place, page_size)
    ;({ place, results } = page)
    if (results.length > 0 || !page.mayHaveMore) break
  }
  return { results, cursor: toCursor(place, check) }
}

async function readPage({ database }: Pick<Deps, 'database'>, check: CheckKey, place: ArrivalPlace, size: number) {
  const found = await database.machines.transaction().execute((trx) => listArrivals(trx, check, place, size))
  // A record of a late result that is not read yet may be about a result that lies ahead: the reader must not pass the result
  // before the record.
  const isAllNoted = found.noted < size
  const settled = isAllNoted ? found.settled.slice(0, size - found.late.length) : []
  const last = settled.at(-1)
  return {
    results: [...found.late, ...settled],
    place: {
      position: last ? { ran_at: last.ran_at, monitor_id: last.monitor_id } : place.position,
      late_n: found.late_n,
    },
    mayHaveMore: !isAllNoted,
  }
}

function beginning(after: string | undefined): ArrivalPlace {
  const position = after === undefined ? START : { ran_at: toMicroseconds(after), monitor_id: '' }
  return { position, late_n: undefined }
}

type CursorFields = [version: 1, check: string, late_n: number, ran_at: string, monitor_id: string]

function toCursor({ position, late_n = 0 }: ArrivalPlace, check: CheckKey): string {
  const written: CursorFields = [1, markOf(check), late_n, position.ran_at, position.monitor_id]
  return Buffer.from(JSON.stringify(written)).toString('base64url')
}

/** Parses a cursor. A made-up one gives access to nothing but results of the same check. */
function fromCursor(cursor: string, check: CheckKey): ArrivalPlace {
  const [version, mark, late_n, ran_at, monitor_id] = parsed(cursor)
  const isPlace =
    version === 1 &&
    Number.isSafeInteger(late_n) &&
    (late_n as number) >= 0 &&
    typeof ran_at === 'string' &&
    (ran_at === START.ran_at || isDateTime(ran_at)) &&
    typeof monitor_id === 'string' &&
    /^[0-9a-z]{0,12}$/.test(monitor_id)
  if (!isPlace) throw new FieldError('invalid', 'cursor', 'must be a cursor from an earlier page')
  if (mark !== markOf(check)) throw new FieldError('invalid', 'cursor', 'must be a cursor of the same check')
  return { position: { ran_at, monitor_id }, late_n: late_n as number }
}

function parsed(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? (value as unknown[]) : []
  } catch {
    return []
  }
}

/** Identifies a check without revealing its number. */
function markOf({ org_id, check_id }: CheckKey): string {
  return createHash('sha256').update(`${org_id} ${check_id}`).digest('base64url').slice(0, 8)
}
