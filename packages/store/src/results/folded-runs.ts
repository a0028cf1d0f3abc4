// Reads the counts of hours for pages with many checks: small, and without response times.
import type { Database } from '../database.ts'
import { inBothForms } from './stored/results-of.ts'

/** Folded history of a check, small enough for pages with many checks: the hours of a span and the days before today. */
export interface FoldedRuns {
  check_id: number
  /** Hours or days with a result, each as its number since the epoch, its runs and its failures: `502345 60 1,502346 60 0`. */
  hours: string | null
  days: string | null
}

const told = (at: string, unit_sec: number): string =>
  `string_agg(concat_ws(' ', date_part('epoch', ${at})::bigint / ${unit_sec}, runs, failures), ',')`

// Index scans check by check: an org has few checks, and the tables contain those of all orgs.
const FOLDED = {
  name: 'history-folded-runs',
  text: `
    with listed as materialized (
      select check_id from checks where org_id = $1 and not deleted and check_id = any($6::bigint[]))
    select c.check_id, h.*, d.*
    from listed c
    cross join lateral (
      select ${told('hour', 3600)} as hours from rollups r
      where r.org_id = $1 and r.check_id = c.check_id and r.hour >= $2::timestamptz and r.hour < $3::timestamptz) h
    cross join lateral (
      select ${told('day', 86_400)} as days from rollups_daily r
      where r.org_id = $1 and r.check_id = c.check_id and r.day >= $5::timestamptz and r.day < $4::timestamptz) d`,
}

/** Lists the folded counts of checks. An hour that was marked since then counts with its old values. */
export async function listFoldedRuns(
  { pools }: Database,
  org_id: number,
  { from, until, today, days_from }: { from: string; until: string; today: string; days_from: string },
  check_ids: readonly number[],
): Promise<FoldedRuns[]> {
  const { rows } = await pools.machines.query<FoldedRuns>({
    ...FOLDED,
    values: [org_id, from, until, today, days_from, check_ids],
  })
  return rows
}

/** Counts of one hour. */
export interface HourRuns {
  check_id: number
  /** Start of the hour, in seconds since the epoch. */
  at_sec: number
  runs: number
  failures: number
}

const COUNTED = inBothForms(
  'history-counted',
  (results) => `
    with listed as materialized (
      select check_id from checks where org_id = $1 and not deleted and ($4::bigint[] is null or check_id = any($4)))
    select c.check_id, date_part('epoch', r.at)::integer as at_sec, r.runs, r.failures
    from listed c
    cross join lateral (
      select date_bin('1 hour', ran_at, timestamptz '0001-01-01 00:00:00+00') as at, count(*)::integer as runs,
        (count(*) filter (where not success))::integer as failures
      from (${results.of({
        columns: ['ran_at', 'success'],
        ...{ org: '$1', check: 'c.check_id', from: '$2::timestamptz', until: '$3::timestamptz' },
        where: 'r.ran_at >= $2::timestamptz and r.ran_at < $3::timestamptz',
      })}) r
      group by 1) r`,
)

/** Counts the hours of an organisation's checks, or of some of them, from their results. */
export async function listCountedHours(
  database: Database,
  org_id: number,
  { from, until }: { from: string; until: string },
  check_ids?: readonly number[],
): Promise<HourRuns[]> {
  if (from >= until) return []
  const { rows } = await database.pools.machines.query<HourRuns>({
    ...(await COUNTED(database)),
    values: [org_id, from, until, check_ids ?? null],
  })
  return rows
}
