// Describes the schema of a database as schema.sql does, from the catalogue: the embedded Postgres ships no pg_dump.
import type pg from 'pg'

// kysely's own bookkeeping is not ours to review.
const OURS = `n.nspname = 'public' and c.relname not like 'kysely\\_%'`

const TABLES = `
  select c.oid, c.relname as name, c.relpersistence = 'u' as unlogged, c.reloptions as options,
    pg_get_partkeydef(c.oid) as partition_key, pg_get_expr(c.relpartbound, c.oid) as bound,
    (select i.inhparent::regclass::text from pg_inherits i where i.inhrelid = c.oid) as parent
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and ${OURS} order by c.relname`

const COLUMNS = `
  select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
    a.attidentity <> '' as identity, pg_get_expr(d.adbin, d.adrelid) as fallback,
    case when a.attcollation <> t.typcollation then (select collname from pg_collation where oid = a.attcollation) end
      as collation
  from pg_attribute a join pg_type t on t.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped order by a.attnum`

const CONSTRAINTS = `
  select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
  where conrelid = $1 and contype <> 'n' and conparentid = 0 order by contype desc, conname`

const INDEXES = `
  select pg_get_indexdef(i.indexrelid) as definition from pg_index i
  where i.indrelid = $1 and not exists (select from pg_constraint where conindid = i.indexrelid) order by 1`

const TRIGGERS = `
  select pg_get_triggerdef(oid) as definition from pg_trigger where tgrelid = $1 and not tgisinternal order by tgname`

const VIEWS = `
  select format(E'CREATE VIEW %s AS\\n%s', c.relname, pg_get_viewdef(c.oid, true)) as definition
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'v' and ${OURS} order by c.relname`

const FUNCTIONS = `
  select pg_get_functiondef(p.oid) as definition from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname = 'public' order by p.proname, p.oid::regprocedure::text`

interface Table {
  oid: number
  name: string
  unlogged: boolean
  options: string[] | null
  partition_key: string | null
  bound: string | null
  parent: string | null
}

interface Column {
  name: string
  type: string
  required: boolean
  identity: boolean
  fallback: string | null
  collation: string | null
}

/** Describes the schema of a database as schema.sql does. */
export async function describeSchema(client: pg.Client): Promise<string> {
  const functions = await definitions(client, FUNCTIONS)
  const { rows: tables } = await client.query<Table>(TABLES)
  const parts = []
  for (const table of tables) parts.push(await describeTable(client, table))
  parts.push(...(await definitions(client, VIEWS)))
  const banner = '-- Generated from the migrations by `npm run generate`. Do not edit.\n'
  return `${banner}\n${[...functions.map((text) => `${text.trim()};`), ...parts].join('\n\n')}\n`
}

async function describeTable(client: pg.Client, table: Table): Promise<string> {
  if (table.parent !== null) return `CREATE TABLE ${table.name} PARTITION OF ${table.parent} ${table.bound};`
  const { rows: columns } = await client.query<Column>(COLUMNS, [table.oid])
  const { rows: constraints } = await client.query<{ name: string; definition: string }>(CONSTRAINTS, [table.oid])
  const lines = [
    ...columns.map(describeColumn),
    ...constraints.map(({ name, definition }) => `CONSTRAINT ${name} ${definition}`),
  ]
  const kind = table.unlogged ? 'UNLOGGED TABLE' : 'TABLE'
  const partitioned = table.partition_key === null ? '' : ` PARTITION BY ${table.partition_key}`
  const options = table.options === null ? '' : ` WITH (${table.options.join(', ')})`
  const create = `CREATE ${kind} ${table.name} (\n  ${lines.join(',\n  ')}\n)${partitioned}${options};`
  const rest = [...(await definitions(client, INDEXES, table.oid)), ...(await definitions(client, TRIGGERS, table.oid))]
  return [create, ...rest.map((text) => `${text};`)].join('\n')
}

function describeColumn({ name, type, required, identity, fallback, collation }: Column): string {
  return [
    `${name} ${type}`,
    ...(collation === null ? [] : [`COLLATE "${collation}"`]),
    ...(required ? ['NOT NULL'] : []),
    ...(identity ? ['GENERATED ALWAYS AS IDENTITY'] : []),
    ...(fallback === null ? [] : [`DEFAULT ${fallback}`]),
  ].join(' ')
}

async function definitions(client: pg.Client, query: string, ...values: unknown[]): Promise<string[]> {
  const { rows } = await client.query<{ definition: string }>(query, values)
  return rows.map(({ definition }) => definition)
}
