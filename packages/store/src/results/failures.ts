// Reads the failures of a check that people ask about.
import { sql } from 'kysely'
import type { CheckKey } from '../check-keys.ts'
import type { Db } from '../database.ts'
import { ALL_OF_RESULT, type ResultRow } from './stored/result-rows.ts'
import { resultsOf } from './stored/results-of.ts'
import { isUnshifted, readHowStored, shiftedResult } from './stored/shifted.ts'
import { timingsIn } from './timings.ts'

/** Failure of a check, as pages show it. */
export type WholeResult = Omit<ResultRow, 'success'>

/** Finds the failure of a check that ran at an instant by the server's clock, of one monitor, or whichever comes first. */
export async function findFailure(
  db: Db,
  { org_id, check_id, result_detail_max_chars }: CheckKey & { result_detail_max_chars: number },
  at: string,
  monitor_id?: string,
): Promise<WholeResult | undefined> {
  const { isSealed, areShifted } = await readHowStored(db, [{ org_id }])
  const org = sql`${org_id}`
  const ofMonitor = monitor_id === undefined ? sql`` : sql` and r.monitor_id = ${monitor_id}`
  const unshifted = {
    columns: ALL_OF_RESULT,
    ...{ org, check: sql`${check_id}`, from: sql`${at}::timestamptz`, until: sql`${at}::timestamptz` },
    where: sql`r.ran_at = ${at}::timestamptz${ofMonitor}`,
    which: areShifted ? sql`not r.success and ${isUnshifted(org, sql`${check_id}`)}` : sql`not r.success`,
  }
  const shifted = areShifted
    ? sql`
      union all
      select r.* from shifted_results s cross join lateral (${shiftedResult(org, ALL_OF_RESULT, isSealed, sql`not r.success${ofMonitor}`)}) r
      where s.org_id = ${org_id} and s.check_id = ${check_id} and s.effective_at = ${at}::timestamptz`
    : sql``
  const { rows } = await sql<WholeResult>`
    with found as materialized (
      ${resultsOf(unshifted, isSealed)}${shifted})
    select wire_time(u.ran_at) as ran_at, u.monitor_id, coalesce(m.name, '') as monitor_name, u.http_status, u.latency_ms,
      nullif(left(u.error, ${result_detail_max_chars}), '') as error,
      nullif(left(u.response_sample, ${result_detail_max_chars}), '') as response_sample, ${sql.raw(timingsIn('u'))}, u.retries,
      wire_time(u.cert_expires_at) as cert_expires_at
    from found u
    left join monitors m on m.id = u.monitor_id
    order by u.monitor_id limit 1`.execute(db)
  return rows[0]
}
