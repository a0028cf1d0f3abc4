// The connection that listens is one on which something can come.

import { type Listener, openListener } from '@dogwatch/store/postgres/listen'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../../../store/test/support/database.ts'
import { type DatabaseProxy, databaseProxy } from '../support/database-proxy.ts'
import { eventually } from '../support/world.ts'

let database: TestDatabase
let way: DatabaseProxy
let straight: pg.Client
let listener: Listener | undefined
let woken: number
let errors: string[]
beforeEach(async () => {
  database = await createTestDatabase('template0')
  way = await databaseProxy(database.url)
  straight = new pg.Client({ connectionString: database.url })
  await straight.connect()
  woken = 0
  errors = []
})
afterEach(async () => {
  way.cut()
  await listener?.close()
  await way.close()
  await straight.end()
  await database.drop()
})

function starts(): void {
  const onError = (error: unknown): void => void errors.push(String(error))
  listener = openListener(way.url, onError, { ask_ms: 50 })
  listener.on('things', () => void woken++)
}
const wakes = (n: number) => eventually(() => woken >= n, `woken ${n} times`)
const readOnly = async (on: boolean) => {
  const { rows } = await straight.query<{ name: string }>('select current_database() as name')
  await straight.query(`alter database ${rows[0]?.name} set default_transaction_read_only = ${on ? 'on' : 'off'}`)
}

test('what is told is heard', async () => {
  starts()
  await wakes(1)
  await straight.query('notify things')
  await wakes(2)
  expect(errors).toEqual([])
})

test('channels that are named at the same time are listened on one after the other', async () => {
  starts()
  await wakes(1)
  const warnings: string[] = []
  const onWarning = ({ message }: Error): void => void warnings.push(message)
  process.on('warning', onWarning)
  try {
    let heard = 0
    for (const channel of ['a', 'b', 'c']) listener?.on(channel, () => void heard++)
    await eventually(() => heard === 3, 'all are listened on')
    expect(warnings).toEqual([])
  } finally {
    process.off('warning', onWarning)
  }
})

test('one connection hears of every channel, of those that are named later too, and tells nobody who left', async () => {
  starts()
  await wakes(1)
  const told: (string | undefined)[] = []
  const leave = listener?.on('others', (payload) => void told.push(payload))
  await eventually(() => told.length === 1, 'it is told that it is heard from now on')
  await straight.query("notify others, 'one'")
  await straight.query('notify things')
  await wakes(2)
  expect(told).toEqual([undefined, 'one'])
  leave?.()
  await straight.query("notify others, 'two'")
  await straight.query('notify things')
  await wakes(3)
  expect([told.length, errors]).toEqual([2, []])
  const { rows } = await straight.query(
    "select from pg_stat_activity where application_name = 'dogwatch-listening' and datname = current_database()",
  )
  expect(rows).toHaveLength(1)
})

test('a connection that nobody holds any more at its other end is opened again', async () => {
  starts()
  await wakes(1)
  way.forget()
  await wakes(2)
  await straight.query('notify things')
  await wakes(3)
  expect(errors).toHaveLength(1)
})

test('a server on which nothing is written is left, until something can be', async () => {
  await readOnly(true)
  starts()
  await eventually(() => errors.length > 1, 'it is left, twice')
  expect(new Set(errors)).toEqual(new Set(['Error: the database is read-only']))
  expect(woken).toBe(0)
  await readOnly(false)
  await wakes(1)
})
