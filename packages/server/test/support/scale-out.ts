// What Citus asks of the tables that are distributed: docs/reference/nodes.md has it in words.
import { DISTRIBUTED } from '../../../store/src/results/tables.ts'

const LIST = DISTRIBUTED.map((name) => `'${name}'`).join(', ')
const OURS = `n.nspname = 'public' and c.relname in (${LIST})`

const TABLES = `
  select c.relname::text as name,
    exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and a.attnotnull
      and a.atttypid = 'bigint'::regtype) as has_org,
    exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary) as has_primary_key,
    exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) as has_triggers,
    exists (select from pg_inherits i join pg_class p on p.oid = i.inhrelid
      where i.inhparent = c.oid and p.relkind = 'p') as has_nested_partitions,
    exists (select from pg_attribute a where a.attrelid = c.oid and a.attidentity <> '')
      or exists (select from pg_attrdef d where d.adrelid = c.oid and pg_get_expr(d.adbin, d.adrelid) ~ '\\(')
      as has_made_values,
    c.relpersistence = 'p' as is_logged
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${OURS} order by 1`

/** Unique keys, primary ones among them, and exclusions. The columns that an index only carries along do not count. */
const KEYS = `
  select c.relname::text as table, i.indexrelid::regclass::text as key,
    array(select a.attname::text from unnest(i.indkey[0:i.indnkeyatts - 1]) k join pg_attribute a
      on a.attrelid = c.oid and a.attnum = k) as columns
  from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
  where (i.indisunique or i.indisexclusion) and ${OURS} order by 1, 2`

const FOREIGN_KEYS = `
  select f.conrelid::regclass::text as child, f.confrelid::regclass::text as parent
  from pg_constraint f join pg_class c on c.oid in (f.conrelid, f.confrelid)
  join pg_namespace n on n.oid = c.relnamespace where f.contype = 'f' and f.conparentid = 0 and ${OURS} order by 1, 2`

interface Table {
  name: string
  has_org: boolean
  has_primary_key: boolean
  has_triggers: boolean
  has_nested_partitions: boolean
  has_made_values: boolean
  is_logged: boolean
}

export type Rows = (sql: string) => Promise<Record<string, unknown>[]>

/** In what the schema falls short, by the catalogue: one line each. */
export async function findShortcomings(rows: Rows): Promise<string[]> {
  const tables = (await rows(TABLES)) as unknown as Table[]
  const keys = (await rows(KEYS)) as unknown as { table: string; key: string; columns: string[] }[]
  const foreign = (await rows(FOREIGN_KEYS)) as unknown as { child: string; parent: string }[]
  const missing = DISTRIBUTED.filter((name) => !tables.some((table) => table.name === name))
  return [
    ...missing.map((name) => `${name} is missing`),
    ...tables.flatMap(judgeTable),
    ...keys
      .filter(({ columns }) => !columns.includes('org_id'))
      .map(({ table, key }) => `${table}: ${key} is unique without org_id`),
    ...foreign.map(({ child, parent }) => `${child} references ${parent}`),
  ]
}

function judgeTable(table: Table): string[] {
  const { name } = table
  const faults: [boolean, string][] = [
    [!table.has_primary_key, `${name} has no primary key`],
    [table.has_triggers, `${name} has triggers`],
    [table.has_nested_partitions, `${name} has partitions of partitions`],
    [table.has_made_values, `${name} has values that the database makes`],
    [!table.has_org, `${name} has no org_id that is a bigint and not null`],
    [!table.is_logged, `${name} is unlogged`],
  ]
  return faults.flatMap(([isSo, line]) => (isSo ? [line] : []))
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
