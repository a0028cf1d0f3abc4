// Reads the results of one check in the order of (ran_at, monitor_id).
import type { Database } from '../database.ts'
import { withMonitorNames } from './monitor-names.ts'
import { TIMINGS, type TimingColumns, timingsIn } from './timings.ts'

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

// Comparing rows makes every page cost the same. `ran_at >= $3` repeats part of it, because only that lets the planner
// skip partitions.
const PAGE = {
  name: 'results-page',
  text: `
    select wire_time(r.ran_at) as ran_at, r.monitor_id, r.success, r.latency_ms,
      r.http_status, nullif(left(r.error, $6), '') as error, nullif(left(r.response_sample, $6), '') as response_sample,
      ${timingsIn('r')}, r.retries, wire_time(r.cert_expires_at) as cert_expires_at
    from (
      select ran_at, monitor_id, success, latency_ms, http_status, error, response_sample, ${TIMINGS}, retries, cert_expires_at
      from results
      where org_id = $1 and check_id = $2 and ran_at >= $3::timestamptz and (ran_at, monitor_id) > ($3::timestamptz, $4)
      order by ran_at, monitor_id limit $5
    ) r
    order by r.ran_at, r.monitor_id`,
}

/** At most `limit` results after a position, oldest first. */
export async function listResults(
  database: Database,
  check: CheckKey,
  after: Position,
  limit: number,
): Promise<ResultRow[]> {
  const { org_id, check_id, result_detail_max_chars } = check
  const values = [org_id, check_id, after.ran_at, after.monitor_id, limit, result_detail_max_chars]
  const { rows } = await database.pools.machines.query<Unnamed>({ ...PAGE, values })
  return withMonitorNames(database.pools.machines, rows)
}

/** After the last possible result. */
export const END: Position = { ran_at: 'infinity', monitor_id: '' }

const PAGE_BACK = {
  name: 'results-page-back',
  text: `
    select wire_time(r.ran_at) as ran_at, r.monitor_id, r.success, r.latency_ms,
      r.http_status, nullif(left(r.error, $6), '') as error, nullif(left(r.response_sample, $6), '') as response_sample,
      ${timingsIn('r')}, r.retries, wire_time(r.cert_expires_at) as cert_expires_at
    from (
      select ran_at, monitor_id, success, latency_ms, http_status, error, response_sample, ${TIMINGS}, retries, cert_expires_at
      from results
      where org_id = $1 and check_id = $2 and ran_at <= $3::timestamptz and ran_at > $7::timestamptz
        and (ran_at, monitor_id) < ($3::timestamptz, $4)
      order by ran_at desc, monitor_id desc limit $5
    ) r
    order by r.ran_at desc, r.monitor_id desc`,
}

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
  const find = async (since: string) =>
    (await database.pools.machines.query<Unnamed>({ ...PAGE_BACK, values: [...values, since] })).rows
  const rows = await find(near)
  return withMonitorNames(database.pools.machines, rows.length === limit ? rows : await find('-infinity'))
}
