// A database of the previous version is adopted: it gets the current schema and the names of the baseline, and keeps its rows.
import { readdir, readFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { findMissingMigrations, migrateIfEmpty, migrateToLatest } from '../src/migrate.ts'
import { createTestDatabase } from './support/database.ts'
import { describeSchema } from './support/describe-schema.ts'

const FOLDER = new URL('../src/migrations/', import.meta.url)
const ADOPTION = new URL('adoption/', FOLDER)
const SCHEMA = new URL('../src/schema.sql', import.meta.url)
const namesIn = async (folder: URL) =>
  (await readdir(folder))
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.replace(/\.sql$/, ''))
    .sort()
const rest = await namesIn(ADOPTION)
const names = await namesIn(FOLDER)
const baseline = names.filter((name) => name < '0300')
const later = names.filter((name) => name >= '0300')
/** Columns that later migrations drop. */
const DROPPED: Readonly<Record<string, readonly string[]>> = {
  notification_channels: ['ntfy_topic', 'webhook_url', 'webhook_secret'],
  rollup_progress: ['sketch_org_id', 'sketch_check_id', 'sketch_before', 'sketch_left_out'],
}
const TOO_OLD =
  'the database is too old for this version; first run dogwatch migrate with the version whose last migration is 0256_quorums_index'

let url: string
let client: pg.Client
let drop: () => Promise<unknown>
beforeEach(async () => {
  ;({ url, client, drop } = await connect())
})
afterEach(() => drop())

async function connect(): Promise<{ url: string; client: pg.Client; drop: () => Promise<unknown> }> {
  const database = await createTestDatabase('template0')
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const drop = async () => {
    await client.end()
    await database.drop()
  }
  return { url: database.url, client, drop }
}

async function useVersion(last: '0256' | '0280'): Promise<void> {
  await client.query(await readFile(new URL('previous-version.sql', import.meta.url), 'utf8'))
  if (last === '0256') return
  for (const name of rest) {
    await client.query(await readFile(new URL(`${name}.sql`, ADOPTION), 'utf8'))
    await client.query("insert into kysely_migration values ($1, '')", [name])
  }
}

async function listNames(): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name')
  return rows.map(({ name }) => name)
}

/** Returns all rows of a table, in the order in which they are stored. */
async function readRows(table: string): Promise<unknown[]> {
  const { rows } = await client.query<{ row: unknown }>(
    `select to_jsonb(stored_row) - $1::text[] as row from ${table} stored_row order by tableoid, ctid`,
    [DROPPED[table] ?? []],
  )
  return rows.map(({ row }) => row)
}

/** Returns the rows of each table that people or the server have filled, without the columns that are dropped. */
async function readTables(): Promise<Record<string, unknown[]>> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and not relispartition and relname <> 'kysely_migration' order by 1`,
  )
  const tables: Record<string, unknown[]> = {}
  for (const { name } of rows) tables[name] = await readRows(name)
  return tables
}

/** Returns the schema as schema.sql has it, without the partitions that a server makes. */
async function readSchema(): Promise<string> {
  return (await describeSchema(client)).replace(/^CREATE TABLE \w+_\d\d PARTITION OF .*\n\n/gm, '')
}

/** Returns what schema.sql does not say about columns, tables, sequences and statistics. */
async function readDetails(client: pg.Client): Promise<unknown[]> {
  const { rows } = await client.query(`
    select c.relname, a.attname, a.attstorage, a.attcompression, a.attstattarget, a.attacl::text, c.relacl::text
    from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'public'::regnamespace and not c.relispartition and c.relkind in ('r', 'p', 'v', 'S')
    union all
    select sequencename, concat_ws(' ', data_type, start_value, increment_by, cycle, cache_size), null, null, null, null, null
    from pg_sequences
    union all
    select stxname, pg_get_statisticsobjdef(oid), null, null, null, null, null from pg_statistic_ext
    order by 1, 2`)
  return rows
}

describe('adopted', () => {
  test.each([
    ['0256', [...rest, ...baseline, ...later]],
    ['0280', [...baseline, ...later]],
  ] as const)('one that ended with %s gets the current schema, and loses no row', async (last, added) => {
    await useVersion(last)
    const [before, tables] = [await listNames(), await readTables()]
    const empty = Object.keys(tables).filter((name) => tables[name]?.length === 0)
    expect(empty).toEqual(last === '0256' ? [] : ['former_secrets'])
    expect((await migrateToLatest(url)).applied).toEqual(added)
    expect(await listNames()).toEqual([...before, ...added].sort())
    expect(await readSchema()).toBe(await readFile(SCHEMA, 'utf8'))
    expect(await readTables()).toMatchObject(tables)
    expect((await migrateToLatest(url)).applied).toEqual([])
  })

  test('one has the same details as a new database', async () => {
    const fresh = await connect()
    try {
      await migrateToLatest(fresh.url)
      await useVersion('0256')
      await migrateToLatest(url)
      expect(await readDetails(client)).toEqual(await readDetails(fresh.client))
    } finally {
      await fresh.drop()
    }
  })

  test('one gets the names of the baseline in one transaction, and no file of it is run', async () => {
    await useVersion('0280')
    const [before] = await readRows('sync_clock')
    await migrateToLatest(url)
    const { rows } = await client.query('select distinct xmin from kysely_migration where name = any ($1)', [baseline])
    expect(rows.length).toBe(1)
    expect(await readRows('sync_clock')).toEqual([before])
  })
})

test('one that could be adopted is behind until it is, and only dogwatch migrate adopts it', async () => {
  await useVersion('0256')
  const before = await listNames()
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  try {
    expect(await findMissingMigrations(pool)).toEqual(names)
    await expect(migrateIfEmpty(url)).rejects.toThrow(
      `the database is missing ${names.join(', ')}; run dogwatch migrate`,
    )
    expect(await listNames()).toEqual(before)
    await migrateToLatest(url)
    expect(await findMissingMigrations(pool)).toEqual([])
    expect((await migrateIfEmpty(url)).applied).toEqual([])
  } finally {
    await pool.end()
  }
})

test.each(['0256_quorums_index', '0190_seals_by_default'])(
  'one that lacks %s is refused, and stays as it was',
  async (name) => {
    await useVersion('0280')
    await client.query('delete from kysely_migration where name = $1', [name])
    const before = [await listNames(), await readTables(), await describeSchema(client)]
    await expect(migrateToLatest(url)).rejects.toThrow(new Error(TOO_OLD))
    expect([await listNames(), await readTables(), await describeSchema(client)]).toEqual(before)
  },
)

test('an empty database gets all migrations in one transaction', async () => {
  expect((await migrateToLatest(url)).applied).toEqual(names)
  const { rows } = await client.query('select distinct xmin from kysely_migration')
  expect(rows.length).toBe(1)
  expect(await describeSchema(client)).toBe(await readFile(SCHEMA, 'utf8'))
  const { rows: installations } = await client.query('select seals_by_default from installation')
  expect(installations).toEqual([{ seals_by_default: true }])
})
