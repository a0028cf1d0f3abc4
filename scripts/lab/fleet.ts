// Loads the data for benches: 50,000 checks of 50 organisations, and a shared fleet of 200 monitors with 500 checks each.

import { ensurePartitions } from '../../packages/domain/dist/results/partitions.js'
import { systemClock } from '../../packages/runtime/dist/clock.js'
import { newMonitorId } from '../../packages/runtime/dist/ids.js'
import { systemRandom } from '../../packages/runtime/dist/random.js'
import { hashToken, newToken } from '../../packages/runtime/dist/tokens.js'
import { insertRuns } from './recorded-rows.ts'
import { type Stage, say } from './stage.ts'

export interface FleetCheck {
  org_id: number
  check_id: number
  guid: string
}

export interface FleetMonitor {
  id: string
  key: string
  checks: FleetCheck[]
}

export const CHECKS = 50_000
export const MONITORS = 200
export const CHECKS_EACH = 500
const ORGS = 50
const RESULTS_EACH = 10
/**
 * Number of groups of checks and monitors. Every hundredth check is of the same group, so that a monitor's checks are spread over
 * the tables.
 */
export const GROUPS = CHECKS / CHECKS_EACH

/** Loads the data into an empty database: each check has two monitors, and `results_each` results by each of them. */
export async function loadFleet(stage: Stage, results_each = RESULTS_EACH): Promise<FleetMonitor[]> {
  say(`loading ${CHECKS} checks, ${MONITORS} monitors, ${MONITORS * CHECKS_EACH * results_each} results`)
  const { machines } = stage.database.pools
  const { monitors } = await addToFleet(stage, { orgs: ORGS, checks: CHECKS, monitors: MONITORS, groups: GROUPS })
  if (results_each > 0) await insertRuns(machines, RUNS, [results_each])
  await machines.query('vacuum (analyze)')
  await machines.query('checkpoint')
  return Promise.all(monitors.map(async (monitor) => ({ ...monitor, checks: await listChecks(machines, monitor.id) })))
}

export interface FleetSize {
  orgs: number
  checks: number
  monitors: number
  /** Number of groups of checks and monitors. A check has all monitors of its group. */
  groups: number
  /**
   * Number of checks of a group per check that goes down at its first failure. The others go down at the second. If absent, all
   * do.
   */
  quickEvery?: number
}

export interface FleetAddition {
  /** New monitors. Monitor n is in group n % groups. */
  monitors: Pick<FleetMonitor, 'id' | 'key'>[]
  org_ids: number[]
  /** Id of the last check before the addition. Of the new checks, check n is in group n % groups. */
  after_check_id: number
}

/** Adds organisations, their checks and shared monitors to the existing ones. */
export async function addToFleet({ database }: Pick<Stage, 'database'>, size: FleetSize): Promise<FleetAddition> {
  const { machines } = database.pools
  await ensurePartitions({ database, clock: systemClock })
  const monitors = await addMonitors({ database }, size.monitors)
  const orgs = await machines.query<{ org_id: number }>(INSERT_ORGS, [size.orgs])
  const org_ids = orgs.rows.map(({ org_id }) => org_id)
  const last = await machines.query<{ id: number }>('select coalesce(max(check_id), 0) as id from checks')
  const after_check_id = last.rows[0]?.id ?? 0
  await machines.query(INSERT_CHECKS, [size.checks, org_ids, size.groups, size.quickEvery ?? size.checks + 1])
  await machines.query(INSERT_GUIDS, [after_check_id])
  await machines.query(INSERT_ASSIGNMENTS, [monitors.map(({ id }) => id), size.groups, after_check_id])
  return { monitors, org_ids, after_check_id }
}

/** Adds monitors of an organisation, or shared ones. */
export async function addMonitors(
  { database }: Pick<Stage, 'database'>,
  count: number,
  org_id: number | null = null,
): Promise<FleetAddition['monitors']> {
  const monitors = Array.from({ length: count }, () => ({
    id: newMonitorId(systemRandom),
    key: newToken('key', systemRandom),
  }))
  const values = [monitors.map(({ id }) => id), monitors.map(({ key }) => hashToken(key)), org_id]
  await database.pools.machines.query(INSERT_MONITORS, values)
  return monitors
}

const INSERT_ORGS = `
  insert into organisations (name, plan) select 'org ' || n, 'team' from generate_series(1, $1) n returning org_id`

const INSERT_MONITORS = `
  insert into monitors (id, org_id, name, region, country, city, key_hash, enrolled_at)
  select id, $3::bigint, 'rack ' || n, 'eu-central', 'DE', 'Berlin', key_hash, now()
  from unnest($1::text[], $2::bytea[]) with ordinality as m(id, key_hash, n)`

const INSERT_CHECKS = `
  insert into checks (org_id, guid, name, url, enabled, restricted, interval_sec, timeout_sec, disable_redirects,
    insecure_skip_verify, headers, post_data, match_string, match_mode, status_code_op, status_code_value,
    cert_expiry_warn_days, max_response_time_ms, invert_result, result_detail_max_chars, down_interval_sec,
    resend_interval_sec)
  select ($2::bigint[])[1 + n % cardinality($2::bigint[])], gen_random_uuid()::text, 'shop ' || n,
    'https://shop-' || n || '.example.com/health?probe=1', true,
    false, 60, 10, false, false, case when n % 5 = 0 then '{"Accept": "application/json"}'::jsonb else '{}' end, '',
    'ready', 'contains', 'lt', 400, 14, 2000, false, 500, case when (n / $3::integer + 1) % $4::integer = 0 then 1 else 2 end, 3600
  from generate_series(0, $1::integer - 1) n order by n`

const INSERT_GUIDS = `
  insert into check_guids (guid, org_id, check_id) select guid, org_id, check_id from checks where check_id > $1`

const INSERT_ASSIGNMENTS = `
  insert into assignments (monitor_id, guid, org_id, check_id, active, result_detail_max_chars)
  select m.id, c.guid, c.org_id, c.check_id, true, c.result_detail_max_chars
  from unnest($1::text[]) with ordinality as m(id, n) join checks c on c.check_id % $2 = (m.n - 1) % $2
  where c.check_id > $3`

const RUNS = `
  select org_id, check_id, now() - interval '2 hours' + n * interval '1 minute' as ran_at, monitor_id, true as success, n as run
  from assignments, generate_series(1, $1::integer) n`

/** Lists checks in the order of the results table. */
export async function listChecks(
  machines: Stage['database']['pools']['machines'],
  monitor_id: string,
): Promise<FleetCheck[]> {
  const { rows } = await machines.query<FleetCheck>(
    'select org_id, check_id, guid from assignments where monitor_id = $1 order by org_id, check_id',
    [monitor_id],
  )
  return rows
}
