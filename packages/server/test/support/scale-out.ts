// What Citus and its like ask of a schema, and which of our tables are no tenant's: docs/scaling.md has it in words.

/** What is stored whole on every node, and why it is not spread by org. */
export const REFERENCE_TABLES: Readonly<Record<string, string>> = {
  arrival_horizon: 'one row; on the coordinator, whose locks are examined',
  assignments: 'a batch of results is checked against the assignments of its monitor, which may be of many orgs',
  channel_confirmations: 'finds the channel of a link',
  check_guids: 'finds the org of a guid',
  configuration_tokens: 'finds the org of a token',
  enrollment_tokens: 'finds the org of a token; some tokens belong to no org',
  heartbeat_keys: 'finds the org of a ping URL',
  link_secret: 'one row',
  monitors: 'finds the monitor of a key; the shared fleet belongs to no org',
  organisations: 'the list of orgs itself',
  passkeys: 'belong to a person, who may be in any number of orgs',
  password_resets: 'belong to a person, who may be in any number of orgs',
  pending_sign_ins: 'finds what a browser has begun; some belong to no person yet',
  people: 'may be in any number of orgs',
  personal_access_tokens: 'finds the org of a token',
  processes: 'belong to the service',
  provider_accounts: 'finds the person of an account at the OpenID provider',
  rate_limits:
    'by address, token or budget; only on the coordinator: claiming deliveries joins this table, in two steps if necessary',
  recovery_codes: 'belong to a person, who may be in any number of orgs',
  refused_requests: 'belong to a monitor; some monitors belong to no org',
  retention_calendar: 'one row',
  rollup_progress: 'one row',
  server_set_up: 'one row',
  service_outages: 'belong to the service',
  service_presence: 'one row',
  sessions: 'finds the person of a cookie',
  set_up_links: 'of a server that nobody owns yet',
  sign_up_links: 'belong to an address without a person yet',
  status_pages: 'finds the org of an address',
  sync_clock: 'one row; ticked on the coordinator',
  totp_secrets: 'belong to a person, who may be in any number of orgs',
}

const NOTES_CHANGES =
  'allowed, because the table that they write is distributed in the same way; nobody hears what they notify there, and processes look every second'

/** What meets a rule no longer when the schema is spread as it is, and what is to be done then. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'assignments references checks': 'drop it: an assignment is created in the transaction that finds its check',
  'check_guids references checks': 'drop it: the row is created in the transaction that creates the check',
  'heartbeat_keys references heartbeats':
    'drop it: the row is created and deleted together with the heartbeat, in one transaction',
  'assignments has triggers': 'run them on the coordinator, which has sync_clock',
  'checks has triggers': 'keep checks complete on every node, or have the use cases tick the clock themselves',
  'monitors has triggers': 'run them on the coordinator, which has sync_clock',
  'audit_entries has triggers': NOTES_CHANGES,
  'check_states has triggers': NOTES_CHANGES,
  'degradations has triggers': NOTES_CHANGES,
  'deliveries has triggers': NOTES_CHANGES,
  'heartbeats has triggers': NOTES_CHANGES,
  'incidents has triggers': NOTES_CHANGES,
  'organisations has triggers': 'run them on the coordinator, which spreads the rows that they write',
  'notification_channels has triggers':
    'allowed, because they change only their own row; the build after 0050 drops them',
  'pings has triggers':
    'allowed, because the table that it writes is distributed in the same way; otherwise heartbeats.ts writes the day itself',
}

const OURS = `n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition and c.relname not like 'kysely\\_%'`

export const TABLES = `
  select c.relname::text as name,
    exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and a.attnotnull
      and a.atttypid = 'bigint'::regtype) as has_org,
    exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary) as has_primary_key,
    exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) as has_triggers,
    exists (select from pg_inherits i join pg_class p on p.oid = i.inhrelid
      where i.inhparent = c.oid and p.relkind = 'p') as has_nested_partitions,
    c.relpersistence = 'p' as is_logged
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${OURS} order by 1`

/** Unique keys, primary ones among them, and exclusions. The columns that an index only carries along do not count. */
export const KEYS = `
  select c.relname::text as table, i.indexrelid::regclass::text as key,
    array(select a.attname::text from unnest(i.indkey[0:i.indnkeyatts - 1]) k join pg_attribute a
      on a.attrelid = c.oid and a.attnum = k) as columns
  from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
  where (i.indisunique or i.indisexclusion) and ${OURS} order by 1, 2`

export const FOREIGN_KEYS = `
  select c.relname::text as child, p.relname::text as parent, f.conname::text as name,
    exists (select from unnest(f.conkey, f.confkey) k (own, other)
      join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.own
      join pg_attribute b on b.attrelid = f.confrelid and b.attnum = k.other
      where a.attname = 'org_id' and b.attname = 'org_id') as carries_org
  from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_class p on p.oid = f.confrelid
  join pg_namespace n on n.oid = c.relnamespace where f.contype = 'f' and f.conparentid = 0 and ${OURS} order by 1, 3`

interface Table {
  name: string
  has_org: boolean
  has_primary_key: boolean
  has_triggers: boolean
  has_nested_partitions: boolean
  is_logged: boolean
}

export type Rows = (sql: string) => Promise<Record<string, unknown>[]>

/** In what the schema falls short, by the catalogue: one line each, the exceptions left out. */
export async function findShortcomings(rows: Rows): Promise<string[]> {
  const tables = (await rows(TABLES)) as unknown as Table[]
  const keys = (await rows(KEYS)) as unknown as { table: string; key: string; columns: string[] }[]
  const foreign = (await rows(FOREIGN_KEYS)) as unknown as {
    child: string
    parent: string
    name: string
    carries_org: boolean
  }[]
  const found = [
    ...tables.flatMap(judgeTable),
    ...keys
      .filter(({ table, columns }) => isSpread(table) && !columns.includes('org_id'))
      .map(({ table, key }) => `${table}: ${key} is unique without org_id`),
    ...foreign.flatMap(({ child, parent, name, carries_org }) => {
      if (!isSpread(parent)) return []
      if (!isSpread(child)) return [`${child} references ${parent}`]
      return carries_org ? [] : [`${child}: ${name} refers to another org's rows, too`]
    }),
  ]
  return found.filter((line) => EXCEPTIONS[line] === undefined)
}

/** Exceptions that are none any more. */
export async function findStaleExceptions(rows: Rows): Promise<string[]> {
  const tables = (await rows(TABLES)) as unknown as Table[]
  const foreign = (await rows(FOREIGN_KEYS)) as unknown as { child: string; parent: string }[]
  const true_ = new Set([
    ...tables.filter(({ has_triggers }) => has_triggers).map(({ name }) => `${name} has triggers`),
    ...foreign.map(({ child, parent }) => `${child} references ${parent}`),
  ])
  const names = new Set(tables.map(({ name }) => name))
  return [
    ...Object.keys(EXCEPTIONS).filter((line) => !true_.has(line)),
    ...Object.keys(REFERENCE_TABLES).filter((name) => !names.has(name)),
  ]
}

function isSpread(table: string): boolean {
  return REFERENCE_TABLES[table] === undefined && table !== 'kysely_migration'
}

function judgeTable(table: Table): string[] {
  const { name } = table
  const faults: [boolean, string][] = [
    [!table.has_primary_key, `${name} has no primary key`],
    [table.has_triggers, `${name} has triggers`],
    [table.has_nested_partitions, `${name} has partitions of partitions`],
    [isSpread(name) && !table.has_org, `${name} has no org_id that is a bigint and not null`],
    [isSpread(name) && !table.is_logged, `${name} is unlogged`],
  ]
  return faults.flatMap(([isSo, line]) => (isSo ? [line] : []))
}

/** Functions that may answer otherwise for each row; Citus takes none in what changes a spread table. */
const VOLATILE =
  /\b(clock_timestamp|timeofday|random|gen_random_uuid|uuidv[47]|nextval|setval|sync_tick|pg_advisory\w+|txid_current)\s*\(/

/** Statements in a source that change a spread table by such a function. */
export function findVolatileChanges(source: string): string[] {
  const changes = source.matchAll(
    /(?<!\bfor |\bkey )\b(?:update|insert into|delete from)\s+(?:only\s+)?(\w+)\b[^`;]*/gi,
  )
  return Array.from(changes)
    .filter(([text, table = '']) => isSpread(table) && VOLATILE.test(text))
    .map(([text]) => text.replace(/\s+/g, ' ').slice(0, 120))
}

/** What means another thing, or nothing, when the next statement goes to another connection or another node. */
const SESSION: readonly RegExp[] = [
  /\bpg_(?:try_)?advisory_(?:lock|unlock)\w*\s*\(/i,
  /\bset\s+session\b/i,
  /['"`;]\s*set\s+(?!local\b)\w+\s*(?:=|\bto\b)/i,
  /\bset_config\s*\([^)]*,\s*false\s*\)/i,
  /\bcreate\s+(?:local\s+|global\s+)?temp(?:orary)?\b/i,
  /\bwith\s+hold\b/i,
]

export function findSessionState(source: string): string[] {
  const code = source.replace(/^\s*(\/\/|--|\*|\/\*).*$/gm, '')
  return SESSION.flatMap((pattern) => pattern.exec(code)?.[0] ?? [])
}
