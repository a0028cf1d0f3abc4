// Repairs the order of results that ran while a clock was ahead.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { readSealedBoundary } from './nodes/layout.ts'
import { type ResultQuery, resultsOf } from './stored/results-of.ts'
import { isUnshifted } from './stored/shifted.ts'

/**
 * Orders results of an organisation that ran in the future by the time at which they really ran, at most now. Keeps their
 * `ran_at`. Handles some of them, and returns their number.
 */
export async function shiftFutureResults(
  db: Db,
  org_id: number,
  { now, limit, ahead_ms }: { now: string; limit: string; ahead_ms: number },
  some: number,
): Promise<number> {
  const by = sql`${ahead_ms}::float8 * interval '1 millisecond'`
  const { numAffectedRows: moved = 0n } = await sql`
    insert into shifted_results (org_id, check_id, ran_at, monitor_id, effective_at)
    select org_id, check_id, ran_at, monitor_id, least(effective_at - ${by}, ${now}::timestamptz) from shifted_results
    where org_id = ${org_id} and effective_at > ${limit}::timestamptz
    on conflict (org_id, check_id, ran_at, monitor_id) do update set effective_at = excluded.effective_at`.execute(db)
  const most = sql`${limit}::timestamptz`
  const future: ResultQuery = {
    columns: ['ran_at', 'monitor_id'],
    ...{ org: sql`${org_id}`, check: 'c.check_id', from: most },
    where: sql`r.ran_at > ${most}`,
    which: isUnshifted(sql`${org_id}`, sql`c.check_id`),
  }
  const { numAffectedRows: shifted = 0n } = await sql`
    with listed as materialized (select check_id from checks where org_id = ${org_id})
    insert into shifted_results (org_id, check_id, ran_at, monitor_id, effective_at)
    select ${org_id}::bigint, c.check_id, r.ran_at, r.monitor_id, least(r.ran_at - ${by}, ${now}::timestamptz)
    from listed c cross join lateral (${resultsOf(future, await readSealedBoundary(db))}) r
    limit ${some}
    on conflict do nothing`.execute(db)
  return Number(moved) + Number(shifted)
}
