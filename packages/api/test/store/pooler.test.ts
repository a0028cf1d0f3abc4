// What holds on every connection, with the session to ourselves or lent by a pooler: bounds, settings, values, and nothing left behind.

import { isUndone } from '@dogwatch/runtime/database-faults'
import { type Database, type Db, openDatabase } from '@dogwatch/store/database'
import type { Pooler } from '@dogwatch/store/postgres/connections'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { CompiledQuery, sql } from 'kysely'
import pg from 'pg'
import { PREPARED } from '../../../store/src/asking.ts'
import { copyOf, executeTogether } from '../../../store/src/builder-pool.ts'
import { CopyRows } from '../../../store/src/copy-in.ts'
import { wayTo } from '../../../store/test/support/database.ts'
import { eventually, type World, world } from '../support/world.ts'

let w: World
let holder: pg.Client
let database: Database
beforeAll(async () => {
  w = await world()
  holder = new pg.Client({ connectionString: w.databaseUrl })
  await holder.connect()
  await holder.query('create table held (id integer primary key, n integer); insert into held values (1, 0)')
})
afterEach(() => database.close())
afterAll(async () => {
  await holder.end()
  await w.close()
})

/** Past all that is put around a connection. */
function raw<Row extends pg.QueryResultRow>(client: pg.PoolClient, text: string): Promise<pg.QueryResult<Row>> {
  const query = pg.Client.prototype.query as unknown as (text: string) => Promise<pg.QueryResult<Row>>
  return query.call(client, text)
}

type Row = [n: number, text: string | null, is_so: boolean, at: string | null, small: number | null]
/** Of a column more, which all rows have. */
function bytesOf(rows: readonly Row[]): Buffer {
  const copied = new CopyRows(6, 1)
  for (const [n, text, is_so, at, small] of rows) {
    copied.begin(200)
    copied.bigint(n)
    copied.text(text)
    copied.boolean(is_so)
    copied.instant(at)
    copied.smallint(small)
    copied.integer(7)
  }
  return copied.end()
}

/** Bound that no statement of these tests reaches, even on a busy machine. */
const WIDE = { statement_ms: 60_000, lock_ms: 30_000 }
// Behind a real pooler, those that it does not bear are left out.
const WAYS: [string, Pooler | undefined][] = [
  ['the session is ours', undefined],
  ['a pooler lends it', { isPrepared: false }],
  ['a pooler lends it, and bears names', { isPrepared: true }],
]
const through = wayTo('postgres://x@y/z').pooler

describe.each(through ? WAYS.slice(1, 2) : WAYS)('%s', (_, pooler) => {
  const open = (poolSize = 2, bounds: { statement_ms?: number; lock_ms?: number } = {}) => {
    const { url } = wayTo(w.databaseUrl)
    database = openDatabase({ url, pooler, poolSize, ...WIDE, ...bounds })
  }
  /** The ways in which the code asks. */
  const asks: Record<string, (text: string) => Promise<unknown>> = {
    'by the query builder': (text) => sql.raw(text).execute(database.machines),
    'in a transaction': (text) => database.people.transaction().execute((trx) => sql.raw(text).execute(trx)),
    'by a named statement': (text) => database.pools.machines.query({ name: `n${text.length}`, text, values: [] }),
    'by the relaxed pool': (text) => database.pools.asyncCommit.query(text),
  }

  test.each(Object.entries(asks))(
    'a statement ends in its time, and its connection is good for the next (%s)',
    async (_how, ask) => {
      open(2, { statement_ms: 1000 })
      await expect(ask('select pg_sleep(20)')).rejects.toMatchObject({ code: '57014' })
      await ask('select 1')
    },
  )

  test.each(Object.entries(asks))('it waits for others only so long, each time anew (%s)', async (_how, ask) => {
    open(2, { lock_ms: 100 })
    await holder.query('begin; select from held for update')
    const change = 'update held set n = n + 1'
    try {
      await expect(ask(change)).rejects.toMatchObject({ code: '55P03' })
      await expect(ask(change)).rejects.toMatchObject({ code: '55P03' })
    } finally {
      await holder.query('rollback')
    }
    await ask(change)
    await ask(change)
  })

  test('rows are copied as they are, and what cannot be copied leaves nothing behind', async () => {
    open(1)
    const [early, late] = ['0001-01-01T00:00:00.000001Z', '9999-12-31T23:59:59.999999Z']
    const at = ['2026-11-20T12:00:00.123456Z', '1999-12-31T23:59:59.999999Z', early, late]
    const rows = at.flatMap((instant, n): Row[] => [
      [n, 'tab\t, line\n\r, \\N, \\. and 🐕'.repeat(100 * n), true, instant, 1 - n],
      [2 ** 40 + n, null, false, null, null],
      [-1 - n, '', true, instant, 32_767],
      [Number.MIN_SAFE_INTEGER + n, 'é', true, instant, -32_768],
    ])
    const text = 'copy copied (n, text, is_so, at, small, whole) from stdin (format binary)'
    const twice = database.machines.transaction().execute(async (trx) => {
      await sql`create temp table copied (n bigint primary key, text text, is_so boolean, at timestamptz, small smallint, whole integer)
        on commit drop`.execute(trx)
      await trx.executeQuery(copyOf(text, bytesOf(rows)))
      const found = await sql<{ row: Row }>`
        select json_build_array(n, text, is_so, wire_time(at), small) as row from copied where whole = 7 order by n`.execute(
        trx,
      )
      expect(found.rows.map(({ row }) => row)).toEqual(rows.toSorted(([a], [b]) => a - b))
      await trx.executeQuery(copyOf(text, bytesOf([[-9, null, true, null, null], ...rows])))
    })
    await expect(twice).rejects.toMatchObject({ code: '23505' })
    const left = await sql`select to_regclass('copied') as found`.execute(database.machines)
    expect(left.rows).toEqual([{ found: null }])
  })

  test('a copy that is refused leaves its connection good for the next, and one that is the last of its transaction commits it', async () => {
    open(1)
    await holder.query('create table once (n bigint primary key)')
    const ofOne = (n: number): Buffer => {
      const copied = new CopyRows(1, 1)
      copied.begin(20)
      copied.bigint(n)
      return copied.end()
    }
    const copy = (n: number, isLast: boolean, table = 'once') =>
      database.machines.transaction().execute(async (trx) => {
        await trx.executeQuery(copyOf(`copy ${table} from stdin (format binary)`, ofOne(n), { isLast }))
        if (!isLast) throw new Error('changed its mind')
        return trx
      })
    try {
      await expect(copy(1, true, 'nowhere')).rejects.toMatchObject({ code: '42P01' })
      await expect(copy(1, false)).rejects.toThrow('changed its mind')
      const trx = await copy(1, true)
      await expect(copy(1, true)).rejects.toMatchObject({ code: '23505' })
      await expect(sql`select 1`.execute(trx)).rejects.toThrow()
      expect((await holder.query('select n::integer from once')).rows).toEqual([{ n: 1 }])
    } finally {
      await holder.query('drop table once')
    }
  })

  test('nothing is asked in a transaction that has been committed with its last copy', async () => {
    open(1)
    await holder.query('create table last (n bigint)')
    try {
      const going_on = database.machines.transaction().execute(async (trx) => {
        await trx.executeQuery(
          copyOf('copy last from stdin (format binary)', new CopyRows(1, 1).end(), { isLast: true }),
        )
        await sql`insert into last values (1)`.execute(trx)
      })
      await expect(going_on).rejects.toThrow('the transaction has already ended')
      expect((await database.pools.machines.query('select from last')).rowCount).toBe(0)
    } finally {
      await holder.query('drop table last')
    }
  })

  test('a transaction begins with its first statement, whatever that is, and is undone when that fails', async () => {
    open(1)
    const ids = async (first: (trx: Db) => Promise<unknown>): Promise<unknown[]> => {
      return database.machines.transaction().execute(async (trx) => {
        await first(trx)
        const read = sql<{ id: string }>`select txid_current()::text as id`
        return [(await read.execute(trx)).rows[0]?.id, (await read.execute(trx)).rows[0]?.id]
      })
    }
    const firsts: ((trx: Db) => Promise<unknown>)[] = [
      (trx) => sql`select ${1}::integer`.execute(trx),
      (trx) => sql`${sql.raw(PREPARED)} select ${2}::integer`.execute(trx),
      (trx) => sql`select 1; select 2`.execute(trx),
      (trx) => executeTogether(trx, [sql`select ${1}::integer`, sql`${sql.raw(PREPARED)} select ${2}::integer`]),
      async () => {},
    ]
    for (const first of [...firsts, ...firsts]) {
      const [one, other] = await ids(first)
      expect(one).toBe(other)
      const wrong = database.machines.transaction().execute(async (trx) => {
        await sql`update held set n = ${77}`.execute(trx)
        await first(trx)
        await sql`select 1 / ${0}::integer`.execute(trx)
      })
      await expect(wrong).rejects.toMatchObject({ code: '22012' })
      const failing = database.machines.transaction().execute((trx) => sql`select 1 / ${0}::integer`.execute(trx))
      await expect(failing).rejects.toMatchObject({ code: '22012' })
    }
    expect((await database.pools.machines.query('select n from held where n = 77')).rows).toEqual([])
    const nothing = database.machines.transaction().execute(async () => {
      throw new Error('asked nothing')
    })
    await expect(nothing).rejects.toThrow('asked nothing')
  })

  test('statements that go together see what those before them did, and none is run after one that fails', async () => {
    open(1)
    const set = (n: number) => sql`${sql.raw(PREPARED)} update held set n = ${n}::integer where id = 1 returning n`
    const read = sql`${sql.raw(PREPARED)} select n, ${'é'}::text as text from held where id = ${1}::integer`
    for (let n = 10; n < 14; n++) {
      const rows = await database.machines
        .transaction()
        .execute((trx) => executeTogether(trx, [set(n), read, set(n + 1)]))
      expect(rows).toEqual([[{ n }], [{ n, text: 'é' }], [{ n: n + 1 }]])
      const wrong = database.machines
        .transaction()
        .execute((trx) => executeTogether(trx, [set(1), sql`${sql.raw(PREPARED)} select 1 / ${0}::integer`, set(2)]))
      await expect(wrong).rejects.toMatchObject({ code: '22012' })
      expect((await database.pools.machines.query('select n from held')).rows).toEqual([{ n: n + 1 }])
    }
  })

  test('statements in one transaction that are asked at once are all inside of it', async () => {
    open(1)
    const ids = await database.machines.transaction().execute((trx) => {
      const read = (more: string) =>
        sql<{ id: string }>`select txid_current()::text as id ${sql.raw(more)}`.execute(trx)
      return Promise.all([read(''), read(', 1'), read(', 2')])
    })
    expect(new Set(ids.map(({ rows }) => rows[0]?.id)).size).toBe(1)
  })

  test('a statement of the query builder is prepared where that is asked for and supported', async () => {
    open(1)
    const text = `${PREPARED} select $1::text as said, 'by a test' as by`
    for (const said of ['a', 'b']) {
      const { rows } = await database.machines.executeQuery(CompiledQuery.raw(text, [said]))
      expect(rows).toEqual([{ said, by: 'by a test' }])
    }
    const known = await database.pools.machines.query(
      `select from pg_prepared_statements where name like 'prepared-%' and statement like '%by a test%'`,
    )
    expect(known.rows.length).toBe(pooler?.isPrepared === false ? 0 : 1)
  })

  test('each pool has its settings, by itself and in a transaction, and nobody finds them after', async () => {
    open(1)
    const NAMES = [
      'synchronous_commit',
      'max_parallel_workers_per_gather',
      'idle_in_transaction_session_timeout',
      'jit',
    ]
    const read = `select name, setting, source from pg_settings where name = any('{${NAMES.join()}}') order by name`
    interface Setting {
      name: string
      setting: string
      source: string
    }
    const own = (rows: Setting[]) =>
      Object.fromEntries(
        rows.filter(({ source }) => /^(client|session)$/.test(source)).map(({ name, setting }) => [name, setting]),
      )
    const idle = { idle_in_transaction_session_timeout: '30000', jit: 'off' }
    const editing = { ...idle, max_parallel_workers_per_gather: '0' }
    expect(own((await sql.raw<Setting>(read).execute(database.people)).rows)).toEqual(editing)
    await database.people.transaction().execute(async (trx) => {
      expect(own((await sql.raw<Setting>(read).execute(trx)).rows)).toEqual(editing)
    })
    expect(own((await database.pools.machines.query<Setting>(read)).rows)).toEqual(idle)
    expect(own((await database.pools.asyncCommit.query<Setting>(read)).rows)).toEqual({
      ...idle,
      synchronous_commit: 'off',
    })
    if (!pooler) return
    for (const pool of [database.pools.machines, database.pools.asyncCommit]) {
      const client = await pool.connect()
      const { rows } = await raw<Setting>(client, read)
      expect(own(rows)).toEqual({})
      client.release()
    }
  })

  test('values of every kind come as they are, and so do many rows and none', async () => {
    open()
    const text = `select $1::text[] as texts, $2::bytea as bytes, $3::timestamptz as at, $4::jsonb as json, $5::integer as n,
      7::int8 as big, array[1,2] as numbers, i from generate_series(1, $6::integer) i`
    const values = [['a', 'b,"c'], Buffer.from([0, 255]), '2026-11-20T11:59:00.000001Z', { a: [1] }, null]
    const one = {
      texts: ['a', 'b,"c'],
      bytes: Buffer.from([0, 255]),
      at: '2026-11-20 11:59:00.000001+00',
      json: { a: [1] },
      n: null,
      big: 7,
      numbers: [1, 2],
      i: 1,
    }
    for (let again = 0; again < 2; again++) {
      const named = (count: number) =>
        database.pools.machines.query({ name: 'kinds', text, values: [...values, count] })
      expect((await named(1)).rows).toEqual([one])
      expect((await named(0)).rows).toEqual([])
      expect((await named(1000)).rows.length).toBe(1000)
    }
    const changed = await database.pools.asyncCommit.query('update held set n = $1 where id = $2', [5, 1])
    expect([changed.rowCount, changed.rows]).toEqual([1, []])
  })

  test('a statement by itself that fails is undone, and its settings with it', async () => {
    open(1)
    const wrong = 'with done as (update held set n = 99 returning 1) select 1 / 0 from done'
    await expect(database.pools.asyncCommit.query(wrong)).rejects.toMatchObject({ code: '22012' })
    expect((await database.pools.machines.query('select n from held where n = 99')).rows).toEqual([])
  })

  test('connections to a server that takes no changes any more are thrown out, also those that only read', async () => {
    open(2)
    // What becomes of a session on a server that is demoted, for all that it can tell.
    const demote = 'set session characteristics as transaction read only'
    const each = [
      ...[1, 2].map(() => database.pools.machines.connect()),
      ...[1, 2].map(() => database.pools.asyncCommit.connect()),
    ]
    const clients = await Promise.all(each)
    const pids: number[] = []
    for (const client of clients) {
      await raw(client, demote)
      pids.push((await raw<{ pid: number }>(client, 'select pg_backend_pid() as pid')).rows[0]?.pid ?? 0)
    }
    for (const client of clients) client.release()
    const refused: unknown = await database.pools.machines
      .query('update held set n = 1')
      .catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: '25006' })
    expect(isUndone(refused)).toBe(true)
    // A real pooler keeps its connections to itself.
    if (through) return
    const left = 'select from pg_stat_activity where pid = any($1)'
    await eventually(async () => (await holder.query(left, [pids])).rowCount === 0, 'all of them are gone')
    expect((await database.pools.asyncCommit.query('update held set n = 2')).rowCount).toBe(1)
    expect((await database.pools.machines.query('update held set n = 3')).rowCount).toBe(1)
  })
})
