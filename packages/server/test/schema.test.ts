// What a sharded Postgres asks of the schema, so that we can move to one without a new data model.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type World, world } from './support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

/** Small, and looked up without the org: they would be copied to every shard. The other tables are spread by org. */
const REFERENCE = new Set([
  'assignments',
  'check_guids',
  'enrollment_tokens',
  'heartbeat_keys',
  'monitors',
  'organisations',
  'password_resets',
  'people',
  'personal_access_tokens',
  'rate_limits',
  'rollup_progress',
  'service_outages',
  'service_presence',
  'sessions',
  'sign_up_links',
  'status_pages',
  'sync_clock',
])

const TABLES = `
  select c.relname as name, c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition and c.relname not like 'kysely\\_%'`
const spread = async () => (await w.rows(TABLES)).filter(({ name }) => !REFERENCE.has(String(name)))

test('tenant tables are spread by org_id: checks, results and what else an org owns', async () => {
  const names = (await spread()).map(({ name }) => name).sort()
  expect(names).toEqual([
    'audit_entries',
    'check_states',
    'checks',
    'deliveries',
    'events',
    'heartbeat_days',
    'heartbeats',
    'incidents',
    'invitations',
    'members',
    'notification_channels',
    'pings',
    'results',
    'retention',
    'rollup_marks',
    'rollups',
    'rollups_daily',
    'status_page_entries',
  ])
})

test('every unique key of a tenant table has org_id in it', async () => {
  for (const { name, oid } of await spread()) {
    const keys = await w.rows(
      `select i.indexrelid::regclass::text as key,
        'org_id' = any(array(select attname from pg_attribute where attrelid = i.indexrelid)) as has_org
       from pg_index i where i.indrelid = $1 and i.indisunique`,
      oid,
    )
    expect(keys.length).toBeGreaterThan(0)
    expect({ name, without: keys.filter(({ has_org }) => !has_org) }).toEqual({ name, without: [] })
  }
})

test('a foreign key between tenant tables carries org_id', async () => {
  const names = new Set((await spread()).map(({ name }) => name))
  const keys = await w.rows(
    `select conrelid::regclass::text as child, confrelid::regclass::text as parent, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f'`,
  )
  const between = keys.filter(({ child, parent }) => names.has(child) && names.has(parent))
  for (const { definition } of between) expect(definition).toMatch(/\(org_id/)
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
