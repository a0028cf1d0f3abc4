// Describes where the results of a batch are written: in the transaction that judges them, or in others.
import type { AssignedBatch } from '@dogwatch/store/results/assigned'
import type { StoredKey } from '@dogwatch/store/results/known-results'
import type { TimedColumns } from '@dogwatch/store/results/results'
import type { Tables } from '@dogwatch/store/tables'
import type { Transaction } from 'kysely'
import type { Deps } from '../deps.ts'
import type { Caller } from '../monitors/monitor.ts'
import type { Arrival } from './judge-touched.ts'
import type { BatchPlan, PlannedResult } from './plan.ts'

/** A batch to store. */
export interface Batch {
  deps: Deps
  monitor: Caller
  columns: TimedColumns
  arrival: Arrival
  /** Time before which results are of hours that ended long ago. */
  late_until: string
}

/** Outcome of writing the results of a plan. */
export interface WriteOutcome {
  /** Results of the plan that are in the database now, new or not. */
  kept: readonly PlannedResult[]
  /** Keys of those that were not stored before. */
  fresh: readonly StoredKey[]
  /** Results that could not be written, and the errors. */
  missed: readonly PlannedResult[]
  failures: readonly Error[]
}

/** Checks of a batch. `fresh`: keys of its new results, if the statement that read the checks also stored them. */
export interface ReadOutcome {
  batch: AssignedBatch
  fresh?: readonly StoredKey[] | undefined
}

/** Place where results are written, and the way to write them. */
export interface Target {
  /**
   * Reads the assigned checks. Can also store the results, which the outcome then contains as `fresh`. Returns undefined if the
   * caller may no longer upload.
   */
  read(trx: Transaction<Tables>): Promise<ReadOutcome | undefined>
  /** Stores the results of a plan. The caller must not call it if `read` has stored them. */
  write(trx: Transaction<Tables>, plan: BatchPlan): Promise<WriteOutcome>
  /** Commits what others need to judge the checks, if the rows are not written in the transaction. */
  announce?(plan: BatchPlan): Promise<Announcement>
}

/** Record of the checks that others judge if this process ends before it has judged them. */
export interface Announcement {
  has(result: PlannedResult): boolean
  /** Locks the recorded checks of the results, or all of them, and removes the record. */
  lock(trx: Transaction<Tables>, kept: readonly PlannedResult[], all: boolean): Promise<void>
  /** Removes the notes of late results. Returns the results that had one. */
  takeLate(trx: Transaction<Tables>, late: readonly PlannedResult[]): Promise<readonly StoredKey[]>
}
