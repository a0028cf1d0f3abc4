// Searches the results of one check by outcome and monitor. There is no index for either, so a search reads a limited number at once.
import type { Database } from '../database.ts'
import { withMonitorNames } from './monitor-names.ts'
import {
  ALL_OF_RESULT,
  type CheckKey,
  type Position,
  type ResultRow,
  SHOWN,
  type UnnamedResult,
} from './stored/result-rows.ts'
import { inBothForms, type TextReader } from './stored/results-of.ts'
import type { RunColumn } from './stored/sealed-form.ts'

export interface ResultFilter {
  success?: boolean | undefined
  monitor_id?: string | undefined
}

export interface FoundResults {
  rows: ResultRow[]
  /** Position of the last result that was searched. Absent if there are no older ones. */
  stopped: Position | undefined
}

const LOOKED_AT = 10_000

const scanned = (columns: readonly RunColumn[], results: TextReader) =>
  results.of({
    columns,
    ...{ org: '$1', check: '$2', until: '$3::timestamptz' },
    where: 'r.ran_at <= $3::timestamptz and (r.ran_at, r.monitor_id) < ($3::timestamptz, $4)',
    ...{ order: 'desc', limit: String(LOOKED_AT) },
  })

const SEARCH = inBothForms(
  'results-search',
  (results) => `
    select ${SHOWN}
    from (
      select * from (${scanned(ALL_OF_RESULT, results)}) scanned
      where ($7::boolean is null or success = $7) and ($8::text is null or monitor_id = $8)
      order by ran_at desc, monitor_id desc limit $5
    ) r
    order by r.ran_at desc, r.monitor_id desc`,
)

const LAST_SCANNED = inBothForms(
  'results-search-end',
  (results) => `
    select wire_time(ran_at) as ran_at, monitor_id from (${scanned(['ran_at', 'monitor_id'], results)}) scanned
    order by ran_at desc, monitor_id desc offset ${LOOKED_AT - 1}`,
)

/** Finds at most `limit` results before a position that pass the filter, newest first. */
export async function searchResults(
  database: Database,
  { org_id, check_id, result_detail_max_chars }: CheckKey,
  before: Position,
  limit: number,
  { success, monitor_id }: ResultFilter,
): Promise<FoundResults> {
  const { machines } = database.pools
  const from = [org_id, check_id, before.ran_at, before.monitor_id]
  const { rows: found } = await machines.query<UnnamedResult>({
    ...(await SEARCH(database)),
    values: [...from, limit, result_detail_max_chars, success ?? null, monitor_id ?? null],
  })
  const rows = await withMonitorNames(machines, found)
  if (rows.length === limit) return { rows, stopped: rows.at(-1) }
  const last = await machines.query<Position>({ ...(await LAST_SCANNED(database)), values: from })
  return { rows, stopped: last.rows[0] }
}
