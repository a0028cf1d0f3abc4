// Reads the results of one check in the order of (ran_at, monitor_id).
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Database } from '../database.ts'
import { withMonitorNames } from './monitor-names.ts'
import { MOST_NEAR_MS, nearAfter } from './near.ts'
import { readSealedBoundary } from './nodes/layout.ts'
import {
  ALL_OF_RESULT,
  type CheckKey,
  END,
  type Position,
  type ResultRow,
  SHOWN,
  START,
  type UnnamedResult,
} from './stored/result-rows.ts'
import { inBothForms, OPEN_FROM, type TextForm, type TextReader } from './stored/results-of.ts'
import { listOpened } from './stored/sealed-pages.ts'

export type { CheckKey, Position, ResultRow, UnnamedResult }
export { ALL_OF_RESULT, END, START }

// A page that opens all days has a statement of its own. Postgres plans a statement each time if plans for known values are cheaper on
// average, which they are for few days. For all days, planning takes ten times as long as running it.
/** Selects results `r` in the form that pages show. */
const shown = (results: string, direction: '' | ' desc') => `
    select ${SHOWN}
    from (${results}) r
    order by r.ran_at${direction}, r.monitor_id${direction}`

// Comparing rows makes every page cost the same. `ran_at >= $3` repeats part of it, because only that lets the planner
// skip partitions.
const page = ({ of, isSealed }: TextReader) =>
  shown(
    of({
      columns: ALL_OF_RESULT,
      ...{ org: '$1', check: '$2', from: '$3::timestamptz', ...(isSealed && { until: '$7::timestamptz' }) },
      where: `r.ran_at >= $3::timestamptz and (r.ran_at, r.monitor_id) > ($3::timestamptz, $4)
          ${isSealed ? 'and r.ran_at <= $7::timestamptz' : ''}`,
      ...{ order: 'asc', limit: '$5' },
    }),
    '',
  )
const PAGE = inBothForms('results-page', page)
const PAGE_OF_ALL_DAYS = inBothForms('results-page-of-all-days', page)

/** Lists at most `limit` results after a position, oldest first. */
export async function listResults(
  database: Database,
  check: CheckKey,
  after: Position,
  limit: number,
): Promise<ResultRow[]> {
  const { org_id, check_id, result_detail_max_chars } = check
  const values = [org_id, check_id, after.ran_at, after.monitor_id, limit, result_detail_max_chars]
  const { machines } = database.pools
  const find = async ({ name, text }: Pick<TextForm, 'name' | 'text'>, until: readonly string[]) =>
    (await machines.query<UnnamedResult>({ name, text, values: [...values, ...until] })).rows
  const statement = await PAGE(database)
  if (!statement.isSealed) return withMonitorNames(machines, await find(statement, []))
  const opened = (await database.nodes.isDistributed()) ? undefined : await listOpened(machines, check, after, limit)
  if (opened) return withMonitorNames(machines, opened)
  const near = nearAfter(after.ran_at)
  const rows = near === undefined ? [] : await find(statement, [near])
  if (rows.length === limit) return withMonitorNames(machines, rows)
  return withMonitorNames(machines, await find(await PAGE_OF_ALL_DAYS(database), ['infinity']))
}

const pageBack = ({ of }: TextReader) =>
  shown(
    of({
      columns: ALL_OF_RESULT,
      ...{ org: '$1', check: '$2', from: '$7::timestamptz', until: '$3::timestamptz' },
      where: `r.ran_at <= $3::timestamptz and r.ran_at > $7::timestamptz
          and (r.ran_at, r.monitor_id) < ($3::timestamptz, $4)`,
      ...{ order: 'desc', limit: '$5' },
    }),
    ' desc',
  )
/** Statement for a page of results that are rows, without sealed hours. */
const PAGE_BACK_OPEN = {
  name: 'results-page-of-open-hours',
  text: shown(
    `
      select /* one node */ ${ALL_OF_RESULT.map((name) => `r.${name}`).join(', ')} from results r
      where r.org_id = $1 and r.check_id = $2 and r.ran_at >= ${OPEN_FROM} and r.ran_at > $7::timestamptz
        and r.ran_at <= $3::timestamptz and (r.ran_at, r.monitor_id) < ($3::timestamptz, $4)
      order by r.ran_at desc, r.monitor_id desc limit $5`,
    ' desc',
  ),
}
/** Maximum age of results that are usually rows, in milliseconds. Hours are sealed some minutes after their end. */
const OPEN_MS = 70 * 60_000
const PAGE_BACK = inBothForms('results-page-back', pageBack)
const PAGE_BACK_OF_ALL_DAYS = inBothForms('results-page-back-of-all-days', pageBack)

/** Window that a search for a page of the newest results reads first. */
export interface Near {
  /** Length of the window before `until`, in milliseconds. */
  ms: number
  until: Date
  /** Time that the check needs to produce a page of results, in milliseconds. */
  page_ms: number
}

/**
 * Lists at most `limit` results before a position, newest first. Searches the window `near`, then as far back as its results
 * suggest, and all partitions only for a check that ran seldom.
 */
export async function listResultsBefore(
  database: Database,
  { org_id, check_id, result_detail_max_chars }: CheckKey,
  before: Position,
  limit: number,
  near: Near,
): Promise<ResultRow[]> {
  const values = [org_id, check_id, before.ran_at, before.monitor_id, limit, result_detail_max_chars]
  const { machines } = database.pools
  const find = async ({ name, text }: Pick<TextForm, 'name' | 'text'>, since: string) =>
    (await machines.query<UnnamedResult>({ name, text, values: [...values, since] })).rows
  const findNear = async (ms: number) =>
    // No date has a year that Postgres could not read.
    find(await PAGE_BACK(database), fromDate(new Date(Math.max(0, near.until.getTime() - ms))))
  if (
    before.ran_at === END.ran_at &&
    near.page_ms < OPEN_MS &&
    (await readSealedBoundary(database.machines)) === true
  ) {
    const newest = await find(PAGE_BACK_OPEN, fromDate(new Date(near.until.getTime() - OPEN_MS)))
    if (newest.length === limit) return withMonitorNames(machines, newest)
  }
  let rows = await findNear(near.ms)
  const further_ms = (2 * near.ms * limit) / rows.length
  if (rows.length < limit && further_ms <= MOST_NEAR_MS) rows = await findNear(further_ms)
  if (rows.length < limit) rows = await find(await PAGE_BACK_OF_ALL_DAYS(database), '-infinity')
  return withMonitorNames(machines, rows)
}
