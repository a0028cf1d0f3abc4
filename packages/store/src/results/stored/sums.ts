// Defines the sums of results by hour and by day, in the order of the columns of both tables. Every statement that folds
// or counts results uses them.
import { sql } from 'kysely'
import { bucketOf, joined, SKETCH, shortened } from '../sketch.ts'

/** Sums of a check in one hour or on one day. */
export interface HistoryRow {
  check_id: number
  /** Start of the hour or day. */
  at: string
  runs: number
  failures: number
  /** Mean of the successes. Null if there were none. */
  latency_avg_ms: number | null
  latency_max_ms: number | null
}

/**
 * {@link HistoryRow} with a sketch of the successes. Null if there are none, or if a version without sketches stored the sums.
 */
export interface SketchedRow extends HistoryRow {
  latency_sketch: Uint8Array | null
}

/** Columns that count results by the bucket of their latency, which is null for failures. Group them by `bucket`. */
export const BUCKETED = sql`case when success then ${bucketOf('latency_ms')} end as bucket, count(*) as n,
  sum(latency_ms) as ms, max(latency_ms) as slowest_ms`
/** Columns with the sums of bucketed results. */
export const SUMS = sql`sum(n)::integer as runs, coalesce(sum(n) filter (where bucket is null), 0)::integer as failures,
  coalesce(sum(ms) filter (where bucket is not null), 0)::bigint as latency_sum_ms,
  coalesce(max(slowest_ms) filter (where bucket is not null), 0)::integer as latency_max_ms, ${SKETCH} as latency_sketch`
export const SUMS_OF_SUMS = sql`sum(runs)::integer as runs, sum(failures)::integer as failures,
  sum(latency_sum_ms)::bigint as latency_sum_ms, max(latency_max_ms) as latency_max_ms,
  ${joined('latency_sketch')} as latency_sketch`
export const COLUMNS = sql`runs, failures, latency_sum_ms, latency_max_ms, latency_sketch`
export const REPLACED = sql`runs = excluded.runs, failures = excluded.failures, latency_sum_ms = excluded.latency_sum_ms,
  latency_max_ms = excluded.latency_max_ms, latency_sketch = excluded.latency_sketch`
/** Columns with sums of sums, in stored form. */
export const SHORTENED = sql`runs, failures, latency_sum_ms, latency_max_ms, ${shortened('latency_sketch')}`

/** Columns with sums, in the form that readers receive. */
export const shown = sql`runs, failures, latency_sum_ms::float8 / nullif(runs - failures, 0) as latency_avg_ms,
  case when runs > failures then latency_max_ms end as latency_max_ms`

/** Columns of {@link shown} with sketches. */
export const SKETCHED = sql`${shown}, latency_sketch`
