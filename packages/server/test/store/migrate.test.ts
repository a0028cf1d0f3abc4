// Migrations: one migrator at a time, all of a file or nothing, and never in the way of those who store results for long.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type MigrateOptions, migrateIfEmpty, migrateToLatest } from '@dogwatch/store/migrate'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { createTestDatabase } from '../../../store/test/support/database.ts'
import { runDogwatch } from '../commands/operator.ts'
import { startServer } from '../support/server-process.ts'
import { eventually } from '../support/world.ts'

let url: string
let folder: string
let undo: (() => Promise<unknown>)[]
beforeEach(async () => {
  undo = []
  await useDatabase('template0')
  folder = await mkdtemp(join(tmpdir(), 'dogwatch-migrations-'))
  undo.push(() => rm(folder, { recursive: true }))
})
afterEach(async () => {
  for (const step of undo.reverse()) await step()
})

async function useDatabase(template: 'dogwatch_template' | 'template0'): Promise<void> {
  const database = await createTestDatabase(template)
  undo.push(() => database.drop())
  ;({ url } = database)
}

/** Somebody else at the same database, who is gone at the end of the test. */
async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  undo.push(() => client.end())
  return client
}

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [name, sql] of Object.entries(files)) await writeFile(join(folder, `${name}.sql`), sql)
}

const migrate = (options: MigrateOptions = {}) => migrateToLatest(url, { folder, ...options })

async function column(client: pg.Client, sql: string): Promise<unknown[]> {
  const { rows } = await client.query<Record<string, unknown>>(sql)
  return rows.flatMap((row) => Object.values(row))
}

const tables = (client: pg.Client) =>
  column(
    client,
    "select relname::text from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
  )
const applied = (client: pg.Client) => column(client, 'select name from kysely_migration order by name')
const waiting = "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"

/** A database that holds `thing`, and in it what 0301 made. */
async function started(): Promise<pg.Client> {
  await write({ '0301_thing': 'create table thing (n integer)' })
  await migrate()
  return connect()
}

describe('two at once', () => {
  test('one waits for the other, each file is applied once, and both succeed', async () => {
    await write({
      '0301_slow': 'create table applied_here (name text); select pg_sleep(0.5)',
      '0302_next': "insert into applied_here values ('0302')",
    })
    const answers = await Promise.all([migrate(), migrate(), migrateIfEmpty(url, { folder })])
    expect(answers.flatMap(({ applied }) => applied).sort()).toEqual(['0301_slow', '0302_next'])
    const client = await connect()
    expect(await column(client, 'select name from applied_here')).toEqual(['0302'])
    expect(await applied(client)).toEqual(['0301_slow', '0302_next'])
  })

  test('one whose lock is lost still cannot apply a file that another applies', async () => {
    const client = await started()
    await write({ '0302_more': 'insert into thing values (2); select pg_sleep(0.5)' })
    const first = migrate()
    await eventually(
      async () =>
        (
          await column(
            client,
            "select pid from pg_stat_activity where query like 'insert into thing values (2)%' and datname = current_database()",
          )
        ).length > 0,
      'the first is under way',
    )
    await client.query(
      "select pg_terminate_backend(pid) from pg_locks l join pg_database d on d.oid = l.database where locktype = 'advisory' and granted and datname = current_database()",
    )
    const second = migrate()
    expect((await Promise.all([first, second])).flatMap(({ applied }) => applied)).toContain('0302_more')
    expect(await column(client, 'select n from thing')).toEqual([2])
  })
})

describe('one that does not come to its end', () => {
  // Each begins with `early`, and then waits for what the test holds.
  const MIDWAY = 'create table early (n integer); alter table thing add column late integer'

  test('killed, on an empty database: nothing is left, and the next applies all', async () => {
    await write({
      '0301_first': 'create table first (n integer)',
      '0302_midway': 'select pg_advisory_xact_lock(7); create table second (n integer)',
    })
    const client = await connect()
    await client.query('select pg_advisory_lock(7)')
    const child = spawnMigrator()
    await eventually(async () => (await column(client, waiting)).length > 0, 'it is midway')
    child.kill('SIGKILL')
    await once(child, 'exit')
    await client.query('select pg_advisory_unlock(7)')
    await eventually(async () => (await column(client, waiting)).length === 0, 'its statement is over')
    expect(await tables(client)).toEqual([])
    expect(await migrate()).toEqual({ applied: ['0301_first', '0302_midway'] })
    expect(await tables(client)).toEqual(['first', 'kysely_migration', 'second'])
  })

  test('killed, on a database in use: its file has left nothing, and the next applies it', async () => {
    const client = await started()
    await write({ '0302_fine': 'create table fine (n integer)', '0303_midway': MIDWAY })
    const holder = await connect()
    await holder.query('begin; lock table thing in access share mode')
    const child = spawnMigrator()
    await eventually(async () => (await column(client, waiting)).length > 0, 'it is midway')
    child.kill('SIGKILL')
    await once(child, 'exit')
    await holder.query('commit')
    expect(await migrate()).toEqual({ applied: ['0303_midway'] })
    expect(await tables(client)).toEqual(['early', 'fine', 'kysely_migration', 'thing'])
  })

  test('its connection is cut: it says so in one line, has left nothing, and the next applies all', async () => {
    const client = await started()
    await write({ '0302_midway': MIDWAY })
    const holder = await connect()
    await holder.query('begin; lock table thing in access share mode')
    const migrating = migrate({ lock_ms: 10_000 })
    const ended = expect(migrating).rejects.toThrow(/^migration 0302_midway failed and was rolled back: [^\n]+$/)
    await eventually(async () => (await column(client, waiting)).length > 0, 'it is midway')
    await client.query(waiting.replace('select pid', 'select pg_terminate_backend(pid)'))
    await ended
    await holder.query('commit')
    expect(await tables(client)).toEqual(['kysely_migration', 'thing'])
    expect(await migrate()).toEqual({ applied: ['0302_midway'] })
  })

  test('a file that fails names itself in one line and leaves nothing; those before it are kept', async () => {
    const client = await started()
    await write({
      '0302_fine': 'create table fine (n integer)',
      '0303_faulty': 'create table half (n integer); create table thing (n integer)',
      '0304_after': 'create table after_it (n integer)',
    })
    await expect(migrate()).rejects.toThrow(
      /^migration 0303_faulty failed and was rolled back: relation "thing" already exists$/,
    )
    expect(await tables(client)).toEqual(['fine', 'kysely_migration', 'thing'])
    expect(await applied(client)).toEqual(['0301_thing', '0302_fine'])
    await write({ '0303_faulty': 'create table whole (n integer)' })
    expect(await migrate()).toEqual({ applied: ['0303_faulty', '0304_after'] })
  })

  function spawnMigrator(): ChildProcess {
    const module = new URL('../../../store/dist/migrate.js', import.meta.url).href
    const code = `import(${JSON.stringify(module)}).then(({ migrateToLatest }) =>
      migrateToLatest(process.argv[1], { folder: process.argv[2] }))`
    const child = spawn(process.execPath, ['-e', code, url, folder], { stdio: ['ignore', 'ignore', 'pipe'] })
    undo.push(async () => void child.kill('SIGKILL'))
    void text(child.stderr).then((said) => said !== '' && process.stderr.write(said))
    return child
  }
})

describe('a table that others hold', () => {
  test('those who come after the migration get through, and it succeeds once it can', async () => {
    const client = await started()
    await write({ '0302_column': 'alter table thing add column m integer' })
    const reader = await connect()
    await reader.query('begin; select * from thing')
    const migrating = migrate({ lock_ms: 200 })
    await eventually(async () => (await column(client, waiting)).length > 0, 'it waits for the table')
    // While the reader still holds it: in a queue behind the migration this would never end.
    for (const n of [1, 2, 3]) await client.query('insert into thing values ($1)', [n])
    await reader.query('commit')
    expect(await migrating).toEqual({ applied: ['0302_column'] })
    expect(await column(client, 'select n from thing order by n')).toEqual([1, 2, 3])
  })

  test('it gives up in the end, says why, and has changed nothing', async () => {
    const client = await started()
    await write({ '0302_column': 'create table other (n integer); alter table thing add column m integer' })
    const reader = await connect()
    await reader.query('begin; select * from thing')
    await expect(migrate({ lock_ms: 20, tries: 3 })).rejects.toThrow(
      /^migration 0302_column failed and was rolled back: .*lock timeout; other transactions hold locks that the migration needs \(see pg_stat_activity\)$/,
    )
    expect(await tables(client)).toEqual(['kysely_migration', 'thing'])
  })

  test('an index is made concurrently beside those who write, also when an earlier try left half of it', async () => {
    const client = await started()
    await client.query('insert into thing values (1), (1)')
    const making = 'create unique index concurrently thing_n on thing (n)'
    await write({ '0302_index': `-- It takes its time.\n${making};\n` })
    await expect(migrate()).rejects.toThrow(/^migration 0302_index failed .*could not create unique index/)
    const valid = "select indisvalid from pg_index where indexrelid = to_regclass('thing_n')"
    expect(await column(client, valid)).toEqual([false])
    await client.query('delete from thing')
    const writer = await connect()
    await writer.query('begin; insert into thing values (2)')
    const [first, second] = [migrate(), migrate()]
    await eventually(async () => (await column(client, waiting)).length > 0, 'it waits for the one who writes')
    await client.query('insert into thing values (3)')
    await writer.query('commit')
    expect((await Promise.all([first, second])).flatMap(({ applied }) => applied)).toEqual(['0302_index'])
    expect(await column(client, valid)).toEqual([true])
  })

  test('in an empty database such an index is made with all the rest', async () => {
    await write({
      '0301_thing': 'create table thing (n integer)',
      '0302_index': 'create index concurrently thing_n on thing (n)',
    })
    expect(await migrate()).toEqual({ applied: ['0301_thing', '0302_index'] })
  })
})

describe('a database that is not of this build', () => {
  beforeEach(() => useDatabase('dogwatch_template'))
  const given = () => ({ env: { DATABASE_URL: url } })

  test('newer: an older server starts and serves, and migrate leaves everything alone', async () => {
    const client = await connect()
    const NEWER = [
      'alter table checks add column of_a_newer_build text',
      "insert into kysely_migration values ('9999_of_a_newer_build', '2027-01-01T00:00:00.000Z')",
    ]
    for (const statement of NEWER) await client.query(statement)
    const before = await tables(client)
    const { code, out, err } = await runDogwatch(['migrate'], given())
    expect({ code, err, answer: JSON.parse(out) as unknown }).toMatchObject({
      code: 0,
      err: '',
      answer: { applied: [] },
    })
    const org = await runDogwatch(
      ['org', 'create', '--name', 'o', '--plan', 'free', '--owner-email', 'o@x.org'],
      given(),
    )
    expect(org).toMatchObject({ code: 0, err: '' })
    const server = await startServer({ DATABASE_URL: url, ADDRESS_RATE_LIMIT: 'off' })
    undo.push(() => server.stop())
    expect((await fetch(`${server.url}/monitor-api/v1/ping`)).status).toBe(401)
    expect(await applied(client)).toContain('9999_of_a_newer_build')
    expect((await tables(client)).filter((name) => !String(name).startsWith('results_20'))).toEqual(before)
  })

  test('older: an operator command changes nothing and says what to do, in one line', async () => {
    const client = await connect()
    const [latest] = await column(client, 'select name from kysely_migration order by name desc limit 1')
    await client.query('delete from kysely_migration where name = $1', [latest])
    const { code, out, err } = await runDogwatch(['org', 'list'], given())
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: `dogwatch: the database is missing ${String(latest)}; run dogwatch migrate\n`,
    })
    expect(await applied(client)).not.toContain(latest)
  })

  test('empty: an operator command fills it, also while a server starts on it', async () => {
    await useDatabase('template0')
    const create = ['org', 'create', '--name', 'o', '--plan', 'free', '--owner-email', 'o@x.org']
    const [server, ...outcomes] = await Promise.all([
      startServer({ DATABASE_URL: url }),
      runDogwatch(create, given()),
      runDogwatch(['org', 'list'], given()),
    ])
    undo.push(() => server.stop())
    expect(outcomes.map(({ code, err }) => ({ code, err }))).toEqual([
      { code: 0, err: '' },
      { code: 0, err: '' },
    ])
  })
})
