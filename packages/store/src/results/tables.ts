// Lists the tables of results and of the history, and declares their columns for Kysely.
import type { Generated } from 'kysely'

/**
 * Tables that are distributed by `org_id` over the nodes of a Citus cluster, and colocated there. All others are on the
 * coordinator. For the rules of their statements, see docs/reference/nodes.md and test/laws/distributed.test.ts.
 */
export const DISTRIBUTED = [
  'results',
  'sealed_hours',
  'reopened_results',
  'rollups',
  'rollups_daily',
  'rollup_marks',
  'shifted_results',
] as const

/** Tables with rows of an organisation, in the order of deletion, and the columns that identify a row of each. */
export const TABLES_OF_RESULTS: readonly (readonly [table: string, ...key: string[]])[] = [
  ['shifted_results', 'check_id', 'ran_at', 'monitor_id'],
  ['results', 'check_id', 'ran_at', 'monitor_id'],
  ['reopened_results', 'check_id', 'ran_at', 'monitor_id'],
  ['sealed_hours', 'check_id', 'since'],
  ['rollup_marks', 'check_id', 'hour'],
  ['rollups', 'check_id', 'hour'],
  ['rollups_daily', 'check_id', 'day'],
  ['rollups_behind'],
  ['result_budgets'],
]

/**
 * Progress of sealing. A transaction that stores results reads `announced` and `closed` after it locked the table for writing.
 * When all that held this lock at the commit of a change have ended, all others know the change.
 */
export interface SealProgress {
  is_on: boolean
  announced: string
  closed: string
  settled: string
  sealed_until: string
  waits_for: string[] | null
  /** End of the span that is being sealed, which begins at `sealed_until`. */
  sealing_until: string | null
  sealing_org_id: number | null
  sealing_check_id: number | null
  /** Time at which sealing began. Null before that. */
  turned_on_at: string | null
  /**
   * End of the hours that have been sealed for at least a minute. `noticing_until` is the end of all sealed hours as of
   * `noticing_since`. Used where results are distributed.
   */
  noticed_until: string
  noticing_until: string
  noticing_since: string | null
}

/** Columns of the tables that the query builder changes. Statements name those of the other tables as SQL. */
export interface ResultTables {
  rollup_progress: {
    is_the_one: Generated<boolean>
    hours_until: string
    days_until: string
    sketched_until: string | null
    folding_hour: string | null
    folding_org_id: number | null
    folding_check_id: number | null
  }
  seal_progress: SealProgress
}
