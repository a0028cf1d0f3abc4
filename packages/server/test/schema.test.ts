// Which tables are a tenant's, and how results are partitioned. What all of them have to meet: scale-out.test.ts.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { REFERENCE_TABLES } from './support/scale-out.ts'
import { type World, world } from './support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const TABLES = `
  select c.relname as name, c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition and c.relname not like 'kysely\\_%'`
const spread = async () => (await w.rows(TABLES)).filter(({ name }) => REFERENCE_TABLES[String(name)] === undefined)

test('tenant tables are spread by org_id: checks, results and what else an org owns', async () => {
  const names = (await spread()).map(({ name }) => name).sort()
  expect(names).toEqual([
    'alert_routes',
    'asked_runs',
    'audit_entries',
    'changes',
    'check_schedules',
    'check_states',
    'checks',
    'degradations',
    'deleted_checks',
    'deliveries',
    'events',
    'failing_monitors',
    'heartbeat_days',
    'heartbeats',
    'incident_notes',
    'incidents',
    'invitations',
    'late_results',
    'maintenance_spans',
    'maintenance_windows',
    'memberships',
    'mutes',
    'notification_channels',
    'pings',
    'planned_alerts',
    'postmortems',
    'refused_pings',
    'repeatable_answers',
    'result_budgets',
    'results',
    'retention',
    'rollup_marks',
    'rollups',
    'rollups_daily',
    'shifted_results',
    'status_page_entries',
    'weekly_reports',
  ])
})

test('results have ran_at in their key, one level of partitions, and a default one', async () => {
  const [key] = await w.rows(
    "select pg_get_constraintdef(oid) as key from pg_constraint where conrelid = 'results'::regclass and contype = 'p'",
  )
  expect(key).toEqual({ key: 'PRIMARY KEY (org_id, check_id, ran_at, monitor_id)' })
  const partitions = await w.rows(
    "select relid::text as name, level, isleaf from pg_partition_tree('results') where level > 0",
  )
  expect(partitions).toContainEqual({ name: 'results_default', level: 1, isleaf: true })
  expect(partitions.every(({ level, isleaf }) => level === 1 && isleaf)).toBe(true)
})
