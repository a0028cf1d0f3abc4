// Stores results as if there were no alerting: the same statement without asking whether a check is down.
import type { Database } from '../../../packages/server/dist/store/database.js'
import type { ResultColumns } from '../../../packages/server/dist/store/results/results.js'
import { TIMING_NAMES } from '../../../packages/server/dist/store/results/timings.js'

/** In the order in which the server's statement takes them, behind the monitor and before its key. */
const COLUMNS = {
  check_guid: 'text',
  ran_at: 'timestamptz',
  success: 'boolean',
  http_status: 'integer',
  latency_ms: 'integer',
  error: 'text',
  response_sample: 'text',
  ...Object.fromEntries(TIMING_NAMES.map((name) => [name, 'smallint'])),
  retries: 'smallint',
  cert_expires_at: 'timestamptz',
}
const NAMES = Object.keys(COLUMNS)
const TOLD = NAMES.slice(NAMES.indexOf('response_sample') + 1).join(', ')
const INPUT = Object.values(COLUMNS).map((type, index) => `$${index + 2}::${type}[]`)

const INSERT_PLAIN = {
  name: 'results-insert-plain',
  text: `
    with mine as (
      select a.org_id, a.check_id, i.ran_at, i.latency_ms, i.http_status, i.success,
        nullif(left(i.error, a.result_detail_max_chars), '') as error,
        nullif(left(i.response_sample, a.result_detail_max_chars), '') as response_sample, i.n,
        ${NAMES.slice(NAMES.indexOf('response_sample') + 1)
          .map((name) => `i.${name}`)
          .join(', ')}
      from unnest(${INPUT.join(', ')}) with ordinality as i(${NAMES.join(', ')}, n)
      join assignments a on a.monitor_id = $1 and a.guid = i.check_guid and a.active
      where $${NAMES.length + 2}::bytea is not null
    ), stored as (
      insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error, response_sample, ${TOLD})
      select org_id, check_id, ran_at, latency_ms, http_status, success, $1, error, response_sample, ${TOLD} from mine
      order by org_id, check_id, ran_at, n
      on conflict do nothing
      returning 1
    )
    select count(*)::integer as accepted, (select count(*)::integer from stored) as fresh, false as is_declined, true as is_caller
    from mine`,
}

/** Stores a batch; returns how many results were for checks of the monitor. */
export async function insertPlainly(
  database: Database,
  { id, key_hash }: { id: string; key_hash: Buffer },
  columns: ResultColumns,
): Promise<number> {
  const values = [id, ...NAMES.map((name) => columns[name as keyof ResultColumns]), key_hash]
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
