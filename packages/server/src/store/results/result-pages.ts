// Reads the results of one check in the order of (ran_at, monitor_id).
import type { Database } from '../database.ts'
import { withMonitorNames } from './monitor-names.ts'
import { inBothForms, resultsText } from '../stored/results-of.ts'
import type { RunColumn } from '../stored/sealed-form.ts'
import { TIMING_NAMES, type TimingColumns, timingsIn } from '../stored/timings.ts'

export interface ResultRow extends TimingColumns {
  ran_at: string
  monitor_id: string
  monitor_name: string
  success: boolean
  latency_ms: number
  http_status: number
  error: string | null
  response_sample: string | null
  /** How many runs before it were repeated; null: none. */
  retries: number | null
  cert_expires_at: string | null
}

export type Unnamed = Omit<ResultRow, 'monitor_name'>

export interface CheckKey {
  org_id: number
  check_id: number
  /** The limit may have been lowered since a result was stored. */
  result_detail_max_chars: number
}

export interface Position {
  ran_at: string
  monitor_id: string
}

/** Before the first possible result. */
export const START: Position = { ran_at: '-infinity', monitor_id: '' }

/** Everything that is stored of a result of a check. */
export const ALL_OF_RESULT: readonly RunColumn[] = [
  ...(['ran_at', 'monitor_id', 'success', 'latency_ms', 'http_status', 'error', 'response_sample'] as const),
  ...TIMING_NAMES,
  ...(['retries', 'cert_expires_at'] as const),
]

/** Results `r` as they are shown: of texts so many characters. */
const shown = (results: string, direction: '' | ' desc') => `
    select wire_time(r.ran_at) as ran_at, r.monitor_id, r.success, r.latency_ms,
      r.http_status, nullif(left(r.error, $6), '') as error, nullif(left(r.response_sample, $6), '') as response_sample,
      ${timingsIn('r')}, r.retries, wire_time(r.cert_expires_at) as cert_expires_at
    from (${results}) r
    order by r.ran_at${direction}, r.monitor_id${direction}`

// Comparing rows makes every page cost the same. `ran_at >= $3` repeats part of it, because only that lets the planner
// skip partitions.
const PAGE = inBothForms('results-page', (isSealed) =>
  shown(
    resultsText(
      {
        columns: ALL_OF_RESULT,
        ...{ org: '$1', check: '$2', from: '$3::timestamptz', ...(isSealed && { until: '$7::timestamptz' }) },
        where: `r.ran_at >= $3::timestamptz and (r.ran_at, r.monitor_id) > ($3::timestamptz, $4)
          ${isSealed ? 'and r.ran_at <= $7::timestamptz' : ''}`,
        ...{ order: 'asc', limit: '$5' },
      },
      isSealed,
    ),
    '',
  ),
)

/** Most pages end within so many days, and only for the others are all days of sealed hours opened. */
const NEAR_MS = 2 * 86_400_000

/** At most `limit` results after a position, oldest first. */
export async function listResults(
  database: Database,
  check: CheckKey,
  after: Position,
  limit: number,
): Promise<ResultRow[]> {
  const { org_id, check_id, result_detail_max_chars } = check
  const values = [org_id, check_id, after.ran_at, after.monitor_id, limit, result_detail_max_chars]
  const { machines } = database.pools
  const { isSealed, ...statement } = await PAGE(database)
  const find = async (until: readonly string[]) =>
    (await machines.query<Unnamed>({ ...statement, values: [...values, ...until] })).rows
  if (!isSealed) return withMonitorNames(machines, await find([]))
  const near = Date.parse(after.ran_at) + NEAR_MS
  const rows = Number.isNaN(near) ? [] : await find([new Date(near).toISOString()])
  return withMonitorNames(machines, rows.length === limit ? rows : await find(['infinity']))
}

/** After the last possible result. */
export const END: Position = { ran_at: 'infinity', monitor_id: '' }

const PAGE_BACK = inBothForms('results-page-back', (isSealed) =>
  shown(
    resultsText(
      {
        columns: ALL_OF_RESULT,
        ...{ org: '$1', check: '$2', from: '$7::timestamptz', until: '$3::timestamptz' },
        where: `r.ran_at <= $3::timestamptz and r.ran_at > $7::timestamptz
          and (r.ran_at, r.monitor_id) < ($3::timestamptz, $4)`,
        ...{ order: 'desc', limit: '$5' },
      },
      isSealed,
    ),
    ' desc',
  ),
)

/**
 * At most `limit` results before a position, newest first. It searches after `near` first: only for a check that ran
 * seldom are all partitions opened.
 */
export async function listResultsBefore(
  database: Database,
  { org_id, check_id, result_detail_max_chars }: CheckKey,
  before: Position,
  limit: number,
  near: string,
): Promise<ResultRow[]> {
  const values = [org_id, check_id, before.ran_at, before.monitor_id, limit, result_detail_max_chars]
  const { isSealed: _, ...statement } = await PAGE_BACK(database)
  const find = async (since: string) =>
    (await database.pools.machines.query<Unnamed>({ ...statement, values: [...values, since] })).rows
  const rows = await find(near)
  return withMonitorNames(database.pools.machines, rows.length === limit ? rows : await find('-infinity'))
}
