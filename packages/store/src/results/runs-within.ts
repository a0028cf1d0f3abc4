// Counts results in stretches of time that are no whole hours or days, such as maintenance.
import type { Database } from '../database.ts'
import { inBothForms } from './stored/results-of.ts'

export interface Stretch {
  check_id: number
  from: string
  until: string
  /** Whether it consists of whole folded hours. Then their sums are read instead of the results. */
  is_folded: boolean
  /** Position, from 1, of the times that count within it. Absent if all of it counts. */
  times?: number | undefined
}

export interface CountedRuns {
  runs: number
  failures: number
}

const WITHIN = inBothForms(
  'runs-within',
  (results) => `
    select r.runs, r.failures
    from unnest($2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::boolean[], $6::integer[])
      with ordinality as k(check_id, since, until, is_folded, place, n)
    left join unnest($7::tstzmultirange[]) with ordinality as t(times, place) on t.place = k.place
    cross join lateral (
      select coalesce(sum(runs), 0)::integer as runs, coalesce(sum(failures), 0)::integer as failures from (
        select sum(runs), sum(failures) from rollups
        where k.is_folded and org_id = $1 and check_id = k.check_id and hour >= k.since and hour < k.until
        union all
        select count(*), count(*) filter (where not success) from (${results.of({
          columns: ['success'],
          ...{ org: '$1', check: 'k.check_id' },
          // Reads no results where the folded sums are used.
          from: "case when k.is_folded then 'infinity' else k.since end",
          until: 'k.until',
          where: `not k.is_folded and r.ran_at >= k.since and r.ran_at < k.until
              and (k.place is null or r.ran_at <@ t.times)`,
        })}) r
      ) u(runs, failures)) r
    order by k.n`,
)

/** Returns one row for each stretch, in their order. `times`: multiranges that stretches name by their positions, from 1 on. */
export async function listRunsWithin(
  database: Database,
  org_id: number,
  stretches: readonly Stretch[],
  times: readonly string[],
): Promise<CountedRuns[]> {
  if (stretches.length === 0) return []
  const { rows } = await database.pools.machines.query<CountedRuns>({
    ...(await WITHIN(database)),
    values: [
      org_id,
      stretches.map(({ check_id }) => check_id),
      stretches.map(({ from }) => from),
      stretches.map(({ until }) => until),
      stretches.map(({ is_folded }) => is_folded),
      stretches.map(({ times: place }) => place ?? null),
      times,
    ],
  })
  return rows
}
