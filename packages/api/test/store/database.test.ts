// The way to Postgres when it breaks.

import { type Database, openDatabase } from '@dogwatch/store/database'
import { openConnections } from '@dogwatch/store/postgres/connections'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import type pg from 'pg'
import { databaseProxy } from '../support/database-proxy.ts'
import { eventually, type World, world } from '../support/world.ts'

let w: World
let database: Database
beforeAll(async () => {
  w = await world()
  database = openDatabase({ url: w.databaseUrl })
})
afterAll(async () => {
  await database.close()
  await w.close()
})

test.each(['people', 'machines'] as const)(
  'a connection that breaks between two statements fails its transaction and nothing else (%s)',
  async (which) => {
    let statements = 0
    const transaction = database[which].transaction().execute(async (trx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
      statements++
      const pid = rows[0]?.pid
      await w.rows('select pg_terminate_backend($1::integer)', pid)
      const isGone = async () => (await w.rows('select from pg_stat_activity where pid = $1', pid)).length === 0
      await eventually(isGone, 'the connection is broken')
      await sql`select 1`.execute(trx)
      statements++
    })
    await expect(transaction).rejects.toThrow()
    expect(statements).toBe(1)
    expect((await sql`select 1 as one`.execute(database[which])).rows).toEqual([{ one: 1 }])
  },
)

test.each(['in a transaction', 'by itself', 'through the pool'])(
  'a connection that is forgotten on the way fails what was asked of it, once, and is not lent again (%s)',
  async (how) => {
    const proxy = await databaseProxy(w.databaseUrl)
    const bounded = openDatabase({ url: proxy.url, poolSize: 3, statement_ms: 1000 })
    const one = (): Promise<unknown> => {
      if (how === 'through the pool') return bounded.pools.machines.query('select 1')
      const select = sql`select 1`
      if (how === 'by itself') return select.execute(bounded.machines)
      return bounded.machines.transaction().execute((trx) => select.execute(trx))
    }
    const all = () => Promise.allSettled([one(), one(), one()])
    const outcomes = async () =>
      (await all()).map((end) => (end.status === 'fulfilled' ? 'done' : (end.reason as Error).message))
    expect(await outcomes()).toEqual(['done', 'done', 'done'])
    proxy.forget()
    expect(await outcomes()).toEqual(Array.from({ length: 3 }, () => 'Query read timeout'))
    expect(await outcomes()).toEqual(['done', 'done', 'done'])
    await bounded.close()
    await proxy.close()
  },
)

test('a connection whose time is over is used to the end of what it is at, and then another one is opened', async () => {
  const ignore = (): void => {}
  const { pool, close } = openConnections({
    ...{ url: w.databaseUrl, size: 1, application_name: 'test', settings: {}, answer_ms: 0 },
    ...{ pooler: undefined, isPrimary: true, onIdleError: ignore, onDemoted: ignore, onDiskFull: ignore },
    lifetimeOf: (opened) => (opened === 0 ? 1 : 600_000),
  })
  const pidOf = async (asked: Pick<pg.ClientBase, 'query'>) =>
    (await asked.query<{ pid: number }>('select pg_backend_pid() as pid, pg_sleep(0.05)')).rows[0]?.pid
  const client = await pool.connect()
  const first = await pidOf(client)
  expect(await pidOf(client)).toBe(first)
  client.release()
  const second = await pidOf(pool)
  expect(second).not.toBe(first)
  expect(await pidOf(pool)).toBe(second)
  await close()
})

test('what went wrong is told, and not that nothing could be rolled back', async () => {
  const proxy = await databaseProxy(w.databaseUrl)
  const cut = openDatabase({ url: proxy.url })
  const transaction = cut.machines.transaction().execute(async (trx) => {
    const slow = sql`select pg_sleep(10)`.execute(trx)
    const asleep = "select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
    const isAsleep = async () => (await w.rows(asleep)).length > 0
    await eventually(isAsleep, 'it is under way')
    proxy.cut()
    await slow
  })
  await expect(transaction).rejects.toThrow('Connection terminated unexpectedly')
  await cut.close()
  await proxy.close()
})
