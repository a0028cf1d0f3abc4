// The world that benches measure in: 50,000 checks of 50 orgs, a shared fleet of 200 monitors with 500 checks each.
import { newMonitorId } from '../../../packages/server/dist/runtime/ids.js'
import { systemClock } from '../../../packages/server/dist/runtime/clock.js'
import { systemRandom } from '../../../packages/server/dist/runtime/random.js'
import { hashToken, newToken } from '../../../packages/server/dist/runtime/tokens.js'
import { ensurePartitions } from '../../../packages/server/dist/domain/results/partitions.js'
import { say, type Stage } from './stage.ts'

export interface FleetCheck {
  org_id: number
  check_id: number
  guid: string
}

export interface FleetMonitor {
  id: string
  key: string
  /** In the order of the results table's key. */
  checks: FleetCheck[]
}

export const CHECKS = 50_000
export const MONITORS = 200
export const CHECKS_EACH = 500
const ORGS = 50
const RESULTS_EACH = 10
// Every hundredth check has the same monitors, so that those of one monitor lie all over the tables.
const GROUPS = CHECKS / CHECKS_EACH

/** Loads the world into an empty database: each check with two monitors and some results. */
export async function loadFleet({ database }: Stage): Promise<FleetMonitor[]> {
  say(`loading ${CHECKS} checks, ${MONITORS} monitors, ${MONITORS * CHECKS_EACH * RESULTS_EACH} results`)
  const { durable } = database
  await ensurePartitions({ database, clock: systemClock })
  const monitors = Array.from({ length: MONITORS }, () => ({
    id: newMonitorId(systemRandom),
    key: newToken('key', systemRandom),
  }))
  const hashes = monitors.map(({ key }) => hashToken(key))
  await durable.query('insert into organisations (name, plan) select $1 || n, $2 from generate_series(1, $3) n', [
    'org ',
    'team',
    ORGS,
  ])
  await durable.query(INSERT_MONITORS, [monitors.map(({ id }) => id), hashes])
  await durable.query(INSERT_CHECKS, [CHECKS, ORGS])
  await durable.query('insert into check_guids (guid, org_id, check_id) select guid, org_id, check_id from checks')
  await durable.query(INSERT_ASSIGNMENTS, [monitors.map(({ id }) => id), GROUPS])
  await durable.query(INSERT_RESULTS, [RESULTS_EACH])
  await durable.query('vacuum (analyze)')
  await durable.query('checkpoint')
  return Promise.all(monitors.map(async (monitor) => ({ ...monitor, checks: await listChecks(durable, monitor.id) })))
}

const INSERT_MONITORS = `
  insert into monitors (id, name, region, country, city, key_hash, enrolled_at)
  select id, 'rack ' || n, 'eu-central', 'DE', 'Berlin', key_hash, now()
  from unnest($1::text[], $2::bytea[]) with ordinality as m(id, key_hash, n)`

const INSERT_CHECKS = `
  insert into checks (org_id, guid, name, url, enabled, restricted, interval_sec, timeout_sec, disable_redirects,
    insecure_skip_verify, headers, post_data, match_string, match_mode, status_code_op, status_code_value,
    cert_expiry_warn_days, max_response_time_ms, invert_result, result_detail_max_chars, down_interval_sec,
    resend_interval_sec)
  select o.org_id, gen_random_uuid()::text, 'shop ' || n, 'https://shop-' || n || '.example.com/health?probe=1', true,
    false, 60, 10, false, false, case when n % 5 = 0 then '{"Accept": "application/json"}'::jsonb else '{}' end, '',
    'ready', 'contains', 'lt', 400, 14, 2000, false, 500, 2, 3600
  from generate_series(0, $1::integer - 1) n
  join (select org_id, row_number() over (order by org_id) - 1 as place from organisations) o on o.place = n % $2`

const INSERT_ASSIGNMENTS = `
  insert into assignments (monitor_id, guid, org_id, check_id, active, result_detail_max_chars)
  select m.id, c.guid, c.org_id, c.check_id, true, c.result_detail_max_chars
  from unnest($1::text[]) with ordinality as m(id, n) join checks c on c.check_id % $2 = m.n % $2`

const INSERT_RESULTS = `
  insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
  select org_id, check_id, now() - interval '2 hours' + n * interval '1 minute', 120, 200, true, monitor_id
  from assignments, generate_series(1, $1::integer) n`

async function listChecks(durable: Stage['database']['durable'], monitor_id: string): Promise<FleetCheck[]> {
  const { rows } = await durable.query<FleetCheck>(
    'select org_id, check_id, guid from assignments where monitor_id = $1 order by org_id, check_id',
    [monitor_id],
  )
  return rows
}
