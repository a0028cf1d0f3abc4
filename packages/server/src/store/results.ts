// Results: stored in batches by one prepared statement.
import type { Database, Db } from './database.ts'

/** One column per field: how a batch travels to Postgres. */
export interface ResultColumns {
  check_guid: string[]
  ran_at: string[]
  success: boolean[]
  http_status: number[]
  latency_ms: number[]
  error: string[]
  response_sample: string[]
}

// The assignment is judged here, in the statement, together with its cap. Rows go in in key order, so that two batches
// with rows in common wait for each other and do not lock each other out; of equal rows in one batch the first stays.
const INSERT = {
  name: 'results-insert',
  text: `
    with mine as (
      select a.org_id, a.check_id, i.ran_at, i.latency_ms, i.http_status, i.success,
        nullif(left(i.error, a.result_detail_max_chars), '') as error,
        nullif(left(i.response_sample, a.result_detail_max_chars), '') as response_sample, i.n
      from unnest($2::text[], $3::timestamptz[], $4::boolean[], $5::integer[], $6::integer[], $7::text[], $8::text[])
        with ordinality as i(check_guid, ran_at, success, http_status, latency_ms, error, response_sample, n)
      join assignments a on a.monitor_id = $1 and a.guid = i.check_guid and a.active
    ), stored as (
      insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error, response_sample)
      select org_id, check_id, ran_at, latency_ms, http_status, success, $1, error, response_sample from mine
      order by org_id, check_id, ran_at, n
      on conflict do nothing
    )
    select count(*)::integer as accepted from mine`,
}

/** Stores what is assigned to the monitor and was not stored before; says how many are assigned. */
export async function insertResults(database: Database, monitor_id: string, columns: ResultColumns): Promise<number> {
  const { rows } = await database.durable.query<{ accepted: number }>({
    ...INSERT,
    values: [
      monitor_id,
      columns.check_guid,
      columns.ran_at,
      columns.success,
      columns.http_status,
      columns.latency_ms,
      columns.error,
      columns.response_sample,
    ],
  })
  return rows[0]?.accepted ?? 0
}

/** Blanks what results kept of a check's definition: errors and samples may quote it. */
export async function updateResultsWiped(db: Db, check: { org_id: number; check_id: number }): Promise<void> {
  await db
    .updateTable('results')
    .set({ error: null, response_sample: null })
    .where('org_id', '=', check.org_id)
    .where('check_id', '=', check.check_id)
    .where((eb) => eb.or([eb('error', 'is not', null), eb('response_sample', 'is not', null)]))
    .execute()
}
