// Stores a batch of results: reads what is assigned, plans, writes and judges.

import { isBroken, isUndone } from '@dogwatch/runtime/database-faults'
import { readAssigned } from '@dogwatch/store/results/assigned'
import { areWrittenApart } from '@dogwatch/store/results/nodes/direct-writes'
import { insertAssigned, insertHealthyResults, isMisrouted, type TimedColumns } from '@dogwatch/store/results/results'
import {
  inOne,
  isMaybeKnown,
  KnownResult,
  listingIfKnown,
  type Way,
  writeResults,
} from '@dogwatch/store/results/write-results'
import type { Tables } from '@dogwatch/store/tables'
import type { Transaction } from 'kysely'
import type { Deps } from '../deps.ts'
import { requireCaller } from '../monitors/authenticate.ts'
import type { Caller } from '../monitors/monitor.ts'
import { apart } from './apart.ts'
import { lateUntil } from './history.ts'
import { type Arrival, judgeTouched } from './judge-touched.ts'
import { type BatchPlan, planOf, touchedBy } from './plan.ts'
import type { Announcement, Batch, ReadOutcome, Target, WriteOutcome } from './target.ts'

/**
 * Minimum size of a batch for COPY, which costs less than inserts from there on. `JUDGED_COPIED_FROM` applies if some results
 * failed.
 */
const COPIED_FROM = 100
const JUDGED_COPIED_FROM = 20

/** Outcome of storing a batch. */
interface StoreOutcome {
  accepted: number
  fresh: number
  /** Guids of the checks whose results were not stored. */
  missed: ReadonlySet<string>
}

/** Stores a batch and judges its checks. Throws if a part could not be written, unless `isPartial` accepts that. */
export async function storeBatch(
  deps: Deps,
  monitor: Caller,
  columns: TimedColumns,
  { isPartial, ...arrival }: Arrival & { isPartial: boolean },
): Promise<StoreOutcome> {
  const late_until = lateUntil(deps.clock.now(), !deps.clock.isTrusted())
  const batch = { deps, monitor, columns, arrival, late_until }
  const store = (await areWrittenApart(deps.database.machines))
    ? async () => outcomeOf(await storeAt(apart(batch), batch), isPartial)
    : () => storeInOne(batch)
  return store().catch((error: unknown) => {
    if (!isMisrouted(error)) throw error
    return store()
  })
}

/** Stores a batch where one Postgres has all results: by COPY if the batch is large, otherwise by INSERT. */
async function storeInOne(batch: Batch): Promise<StoreOutcome> {
  const { deps, monitor, columns, arrival, late_until } = batch
  const hasFailed = columns.success.includes(false)
  if (columns.check_guid.length >= (deps.copies_from ?? (hasFailed ? JUDGED_COPIED_FROM : COPIED_FROM))) {
    const copied = await storeAt(byCopy(batch), batch).catch((error: unknown) => {
      if (!isMaybeKnown(error)) throw error
    })
    if (copied) return outcomeOf(copied, false)
  }
  const isInOrder = columns.effective_at.every((at) => at === null)
  if (!hasFailed && !arrival.wasDelayed && isInOrder && columns.ran_at.every((at) => at >= late_until)) {
    const { is_declined, is_caller, ...stored } = await insertHealthyResults(deps.database, monitor, columns)
    if (is_caller && !is_declined) return { ...stored, missed: new Set() }
  }
  return outcomeOf(await storeAt(byInsert(batch), batch), false)
}

/** Returns the target of large batches. It throws KnownResult if the first or last result of the batch is already stored. */
function byCopy(batch: Batch): Target {
  const { monitor, columns } = batch
  const listKnown = (places: readonly number[]) =>
    listingIfKnown(
      monitor.id,
      places.map((place) => ({ guid: columns.check_guid[place] ?? '', ran_at: columns.ran_at[place] ?? '' })),
    )
  const ends = [0, columns.check_guid.length - 1]
  return {
    read: async (trx) => {
      const read = await readAssigned(trx, monitor, new Set(columns.check_guid), [listKnown(ends)])
      if (read && read.rows.length > 0) throw new KnownResult()
      return read
    },
    write: async (trx, plan) => {
      const [first, last] = [plan.results[0], plan.results.at(-1)]
      // The ends of the batch are of checks that are not assigned.
      if (first && last && !plan.results.some(({ place }) => ends.includes(place))) {
        const { rows } = await listKnown([first.place, last.place]).execute(trx)
        if (rows.length > 0) throw new KnownResult()
      }
      return writeInOne(trx, batch, plan, 'copy')
    },
  }
}

const byInsert = (batch: Batch): Target => ({
  read: (trx) => insertAssigned(trx, batch.monitor, batch.columns, batch.late_until),
  write: (trx, plan) => writeInOne(trx, batch, plan, 'insert'),
})

async function writeInOne(
  trx: Transaction<Tables>,
  { monitor, columns }: Batch,
  { batch: { closing, closed }, results, rows, marks, decided }: BatchPlan,
  way: Way,
): Promise<WriteOutcome> {
  const writing = { monitor_id: monitor.id, columns, rows, marks, closing, closed, isSealed: true }
  const fresh = await writeResults(inOne(trx), { ...writing, isLast: decided.size === 0 }, way)
  return { kept: results, fresh, missed: [], failures: [] }
}

/**
 * Stores a batch in one transaction, which also judges its checks. If the target announces what must be judged, a second
 * transaction stores it, by a plan of its own.
 */
async function storeAt(target: Target, batch: Batch): Promise<WriteOutcome> {
  const { deps, monitor, columns, arrival } = batch
  const store = (announced?: Announcement) =>
    deps.database.machines.transaction().execute(async (trx) => {
      const read = await target.read(trx)
      if (!read) return refuse(trx, monitor)
      const plan = planOf(columns, read.batch, { ...batch, ...arrival })
      if (target.announce && !announced && plan.decided.size > 0) return { plan }
      const written = await write(target, trx, read, plan)
      await judge(trx, batch, plan, written, announced)
      return { plan, written }
    })
  const first = await store()
  if (first.written) return first.written
  const { written } = await store(await target.announce?.(first.plan))
  if (!written) throw new Error('the results of a batch were announced, but not written')
  return written
}

async function write(target: Target, trx: Transaction<Tables>, { fresh }: ReadOutcome, plan: BatchPlan) {
  return fresh ? { kept: plan.results, fresh, missed: [], failures: [] } : target.write(trx, plan)
}

async function judge(
  trx: Transaction<Tables>,
  { deps, monitor, columns, arrival }: Batch,
  { batch, decided }: BatchPlan,
  { kept, fresh }: WriteOutcome,
  announced: Announcement | undefined,
): Promise<void> {
  const isLate = ({ ran_at }: { ran_at: string }): boolean => ran_at < batch.announced
  const deciding = kept.filter((result) => decided.has(result.check) || announced?.has(result))
  const touched = async () => {
    // Another attempt to store these results may have left their notes to this one.
    const expected = await announced?.takeLate(trx, kept.filter(isLate))
    return touchedBy(columns, deciding, [...fresh.filter(isLate), ...(expected ?? [])], {
      isOld: announced !== undefined,
    })
  }
  if (announced) {
    await judgeTouched(
      trx,
      deps,
      monitor,
      { lock: () => announced.lock(trx, kept, kept.some(isLate)), touched },
      arrival,
    )
  } else if (deciding.length > 0) {
    await judgeTouched(trx, deps, monitor, { touched }, arrival)
  }
}

/** Refuses a caller that lost its access while the body arrived, or while the upload waited for its turn. */
async function refuse(trx: Transaction<Tables>, monitor: Caller): Promise<never> {
  await requireCaller(trx, monitor)
  throw new Error('the upload was refused, but the monitor is allowed to upload')
}

/**
 * Returns the outcome of a batch, with the checks to send again. Throws the error of a part instead if the caller cannot send a
 * part again, or if a repeat would not help.
 */
function outcomeOf({ kept, fresh, missed, failures }: WriteOutcome, isPartial: boolean): StoreOutcome {
  const isForNow = (error: Error) => isUndone(error) || isBroken(error)
  const failure = failures.find((error) => !isPartial || !isForNow(error))
  if (failure) throw failure
  return { accepted: kept.length, fresh: fresh.length, missed: new Set(missed.map(({ check }) => check.guid)) }
}
