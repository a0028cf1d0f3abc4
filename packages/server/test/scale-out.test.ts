// The schema and the statements keep to what a sharded Postgres asks: docs/scaling.md. Here it stops who adds what does not.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  EXCEPTIONS,
  findSessionState,
  findShortcomings,
  findStaleExceptions,
  findVolatileChanges,
  REFERENCE_TABLES,
} from './support/scale-out.ts'
import { type World, world } from './support/world.ts'

const SRC = fileURLToPath(new URL('../src/', import.meta.url))
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(tsx?|sql)$/.test(path) && !path.endsWith('.test.ts'))
  .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(SRC, path), 'utf8') }))
const page = readFileSync(new URL('../docs/scaling.md', import.meta.url), 'utf8')

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())
const rows = (sql: string) => w.rows(sql)

describe('the schema', () => {
  test('falls short nowhere but where an exception says so', async () => {
    expect(await findShortcomings(rows)).toEqual([])
  })

  test('has no exception and no reference table that is none any more', async () => {
    expect(await findStaleExceptions(rows)).toEqual([])
  })

  test('the page names every reference table and every exception with its reason', () => {
    const entries = [...Object.entries(REFERENCE_TABLES), ...Object.entries(EXCEPTIONS)]
    const missing = entries.filter(([name, reason]) => !page.includes(`| \`${name}\` | ${reason} |`))
    expect(missing).toEqual([])
  })

  test.each([
    [
      'a table of nobody',
      'create table scratch (n integer primary key)',
      ['scratch has no org_id that is a bigint and not null', 'scratch: scratch_pkey is unique without org_id'],
    ],
    [
      'an org_id that may be missing',
      'create table scratch (org_id bigint, n integer primary key)',
      ['scratch has no org_id that is a bigint and not null', 'scratch: scratch_pkey is unique without org_id'],
    ],
    ['no primary key', 'create table scratch (org_id bigint not null)', ['scratch has no primary key']],
    [
      'a key that spans orgs',
      'create table scratch (org_id bigint, n integer, guid text unique, primary key (org_id, n))',
      ['scratch: scratch_guid_key is unique without org_id'],
    ],
    [
      'a key that only carries it along',
      `create table scratch (org_id bigint, n integer, primary key (org_id, n));
      create unique index scratch_n on scratch (n) include (org_id)`,
      ['scratch: scratch_n is unique without org_id'],
    ],
    [
      'a partial one',
      `create table scratch (org_id bigint, n integer, primary key (org_id, n));
      create unique index scratch_n on scratch (n) where n > 0`,
      ['scratch: scratch_n is unique without org_id'],
    ],
    [
      'a reference across orgs',
      `create table scratch (org_id bigint, n bigint, other bigint, primary key (org_id, n),
      foreign key (other, n) references checks (org_id, check_id))`,
      ["scratch: scratch_other_n_fkey refers to another org's rows, too"],
    ],
    [
      'a reference from everywhere',
      `alter table people add org_id bigint, add check_id bigint,
      add foreign key (org_id, check_id) references checks`,
      ['people references checks'],
    ],
    [
      'a trigger',
      `create table scratch (org_id bigint, n integer, primary key (org_id, n));
      create trigger t before insert on scratch for each statement execute function tick_first()`,
      ['scratch has triggers'],
    ],
    [
      'partitions of partitions',
      `create table scratch (org_id bigint, n integer, primary key (org_id, n)) partition by list (org_id);
      create table scratch_1 partition of scratch for values in (1) partition by range (n)`,
      ['scratch has partitions of partitions'],
    ],
    [
      'an unlogged table',
      'create unlogged table scratch (org_id bigint, n integer, primary key (org_id, n))',
      ['scratch is unlogged'],
    ],
  ])('would not pass with %s', async (_, ddl, shortcomings) => {
    const client = await w.deps.database.pools.machines.connect()
    try {
      await client.query(`begin; ${ddl}`)
      expect(await findShortcomings(async (sql) => (await client.query(sql)).rows as never)).toEqual(
        expect.arrayContaining(shortcomings),
      )
    } finally {
      await client.query('rollback')
      client.release()
    }
  })

  test('passes with a tenant table that is as it should be', async () => {
    const client = await w.deps.database.pools.machines.connect()
    try {
      await client.query(`begin; create table scratch (org_id bigint not null references organisations, check_id bigint, n integer,
        primary key (org_id, check_id, n), foreign key (org_id, check_id) references checks)`)
      expect(await findShortcomings(async (sql) => (await client.query(sql)).rows as never)).toEqual([])
    } finally {
      await client.query('rollback')
      client.release()
    }
  })
})

describe('the statements', () => {
  const inStore = sources.filter(({ path }) => path.startsWith('store/'))

  test('none changes a spread table by a volatile function', () => {
    expect(inStore.filter(({ text }) => /\bupdate\b/.test(text)).length).toBeGreaterThan(10)
    // The bodies of triggers are exceptions that stand in the list; the row by row stamp of checks is one of them.
    const found = inStore.flatMap(({ path, text }) => findVolatileChanges(text).map((change) => `${path}: ${change}`))
    expect(found).toEqual([])
  })

  test('none rests on the state of a session: locks, settings, temporary tables', () => {
    expect(sources.flatMap(({ path, text }) => findSessionState(text).map((found) => `${path}: ${found}`))).toEqual([])
  })

  test('LISTEN is one file, and only wakes who looks by itself as well', () => {
    const listening = sources.filter(({ text }) => /store\/postgres\/listen\.ts'/.test(text)).map(({ path }) => path)
    // The agents whose requests are held sync twice a minute as well.
    expect(listening).toEqual(['alerting/pipeline.ts', 'bin/local-monitor.ts', 'bin/serving.ts'])
    const notifying = sources.filter(({ text }) => /\b(pg_notify\s*\(|notify\s+\w+\s*[;,`])/.test(text))
    expect(notifying.map(({ path }) => path).sort()).toEqual([
      'store/alerting/deliveries.ts',
      'store/alerting/events.ts',
      'store/checks/asked-runs.ts',
      'store/migrations/0053_sync_notice.sql',
      'store/migrations/0109_changes.sql',
      'store/schema.sql',
    ])
  })

  test.each([
    [
      'a volatile change',
      findVolatileChanges,
      'await sql`update results set latency_ms = random() where org_id = ${org_id}`',
    ],
    [
      'a volatile insert',
      findVolatileChanges,
      'insert into events (org_id, at) select org_id, clock_timestamp() from checks',
    ],
    ['a session lock', findSessionState, 'select pg_advisory_lock(1)'],
    ['a session lock that is tried', findSessionState, 'select pg_try_advisory_lock(1)'],
    ['a setting', findSessionState, "client.query('set lock_timeout = 1')"],
    ['a setting by its function', findSessionState, "select set_config('a.b', '1', false)"],
    ['a temporary table', findSessionState, 'create temp table t (n integer)'],
    ['a cursor that outlives its transaction', findSessionState, 'declare c cursor with hold for select 1'],
  ])('%s would be found', (_, find, text) => {
    expect(find(text)).toHaveLength(1)
  })

  test.each([
    ['a change of what is on the coordinator', findVolatileChanges, 'update sync_clock set t = clock_timestamp()'],
    ['a lock of a transaction', findSessionState, 'select pg_advisory_xact_lock(1)'],
    [
      'a setting of a transaction',
      findSessionState,
      "query('set local lock_timeout = 1'); set_config('a.b', $1, true)",
    ],
    ['a change', findSessionState, '`update checks set enabled = true`'],
  ])('%s is none', (_, find, text) => {
    expect(find(text)).toEqual([])
  })
})
