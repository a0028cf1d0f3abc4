// Defines which columns a result has, and how pages show them.

import { timingsIn } from '../timings.ts'
import type { ResultRow } from './opened.ts'
import { RUN_COLUMNS, type RunColumn } from './sealed-form.ts'

export type { ResultRow }

export type UnnamedResult = Omit<ResultRow, 'monitor_name'>

export interface CheckKey {
  org_id: number
  check_id: number
  /** Maximum characters of a text. The limit can be lower than when the result was stored. */
  result_detail_max_chars: number
}

export interface Position {
  ran_at: string
  monitor_id: string
}

/** Position before the first possible result. */
export const START: Position = { ran_at: '-infinity', monitor_id: '' }

/** All columns of a result of a check. */
export const ALL_OF_RESULT: readonly RunColumn[] = RUN_COLUMNS.filter(
  (name) => name !== 'org_id' && name !== 'check_id',
)

/** Position after the last possible result. */
export const END: Position = { ran_at: 'infinity', monitor_id: '' }

/** Columns of a result `r` in the form that pages show, with texts cut to $6 characters. */
export const SHOWN = `wire_time(r.ran_at) as ran_at, r.monitor_id, r.success, r.latency_ms,
  r.http_status, nullif(left(r.error, $6), '') as error, nullif(left(r.response_sample, $6), '') as response_sample,
  ${timingsIn('r')}, r.retries, wire_time(r.cert_expires_at) as cert_expires_at`
