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

export interface ResultTables {
  results: {
    org_id: number
    check_id: number
    ran_at: string
    latency_ms: number
    http_status: number
    success: boolean
    monitor_id: string
    error: string | null
    response_sample: string | null
    dns_ms: Generated<number | null>
    connect_ms: Generated<number | null>
    tls_ms: Generated<number | null>
    first_byte_ms: Generated<number | null>
    transfer_ms: Generated<number | null>
    retries: Generated<number | null>
    cert_expires_at: Generated<string | null>
  }
  shifted_results: {
    org_id: number
    check_id: number
    ran_at: string
    monitor_id: string
    effective_at: string
  }
  result_budgets: {
    org_id: number
    remaining: number
    as_of: string
  }
  rollups: {
    org_id: number
    check_id: number
    hour: string
    runs: number
    failures: number
    latency_sum_ms: number
    latency_max_ms: number
    latency_sketch: Buffer | null
  }
  rollups_daily: {
    org_id: number
    check_id: number
    day: string
    runs: number
    failures: number
    latency_sum_ms: number
    latency_max_ms: number
    latency_sketch: Buffer | null
  }
  rollup_marks: {
    org_id: number
    check_id: number
    hour: string
    changes: Generated<number>
  }
  rollup_progress: {
    is_the_one: Generated<boolean>
    hours_until: string
    days_until: string
    sketched_until: string | null
    folding_hour: string | null
    folding_org_id: number | null
    folding_check_id: number | null
  }
  rollups_behind: {
    org_id: number
    hours_until: string
    days_until: string
  }
  seal_progress: {
    is_the_one: Generated<boolean>
    is_on: Generated<boolean>
    announced: Generated<string>
    closed: Generated<string>
    settled: Generated<string>
    sealed_until: Generated<string>
    waits_for: string[] | null
    sealing_until: string | null
    sealing_org_id: number | null
    sealing_check_id: number | null
    turned_on_at: string | null
    noticed_until: Generated<string>
    noticing_until: Generated<string>
    noticing_since: string | null
  }
}
