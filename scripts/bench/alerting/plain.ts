// Stores results as if there were no alerting: the same statement without asking whether a check is down.
import type { Database } from '../../../packages/server/dist/store/database.js'
import type { ResultColumns } from '../../../packages/server/dist/store/results/results.js'

const INSERT_PLAIN = {
  name: 'results-insert-plain',
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
    select count(*)::integer as accepted, false as is_declined from mine`,
}

/** Stores a batch; returns how many results were for checks of the monitor. */
export async function insertPlainly(
  database: Database,
  monitor_id: string,
  { check_guid, ran_at, success, http_status, latency_ms, error, response_sample }: ResultColumns,
): Promise<number> {
  const values = [monitor_id, check_guid, ran_at, success, http_status, latency_ms, error, response_sample]
  const { rows } = await database.pools.machines.query<{ accepted: number }>({ ...INSERT_PLAIN, values })
  return rows[0]?.accepted ?? 0
}

/** Makes a server store its batches this way. For batches of successes only. */
export function storePlainly({ pools: { machines } }: Database): void {
  type Query = (...args: unknown[]) => unknown
  const query = machines.query.bind(machines) as Query
  const instead: Query = (...args) => {
    const { text, values } = args[0] as { text?: string; values?: unknown[] }
    return text?.includes('insert into results') ? query({ ...INSERT_PLAIN, values }) : query(...args)
  }
  Object.assign(machines, { query: instead })
}
