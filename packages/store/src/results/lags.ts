// Measures how far the history, sealing and partitions are behind.

const MOST_COUNTED = 10_000

export const counted = (query: string) => `(select count(*) from (${query} limit ${MOST_COUNTED}) counted)`
export const epoch = (query: string) => `extract(epoch from (${query}))::float8`

const PARTITIONS_UNTIL = `
  select max((regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \\(''([^'']+)''\\)'))[1]::timestamptz)
  from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'results'::regclass`

/** Columns of the lags, as SQL. */
export const LAGS_OF_RESULTS = {
  history_folded_until_timestamp_seconds: epoch('select hours_until from rollup_progress'),
  sealed_until_timestamp_seconds: epoch('select sealed_until from seal_progress where isfinite(sealed_until)'),
  sealing_behind_seconds: epoch(
    'select h.hours_until - p.sealed_until from seal_progress p, rollup_progress h where p.is_on and isfinite(p.sealed_until)',
  ),
  history_orgs_behind: counted('select from rollups_behind'),
  partitions_until_timestamp_seconds: epoch(PARTITIONS_UNTIL),
} as const

/** Columns that need a statement of their own, because statements about distributed tables read no others. */
export const LAGS_ON_NODES = {
  history_marks: counted('select /* on every node */ 1 from rollup_marks'),
  results_outside_partitions: counted('select /* on every node */ 1 from results_default'),
} as const

export type DistributedLag = keyof typeof LAGS_ON_NODES
