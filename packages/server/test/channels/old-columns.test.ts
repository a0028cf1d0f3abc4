// Destinations become one column while servers of the build before go on reading and writing theirs.
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { migrateToLatest } from '../../src/store/migrate.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

const MIGRATIONS = fileURLToPath(new URL('../../src/store/migrations/', import.meta.url))
const OLD = ['ntfy_topic', 'email', 'webhook_url', 'webhook_secret'] as const
const STORED: Record<string, Partial<Record<(typeof OLD)[number], string>>> = {
  ntfy: { ntfy_topic: 'dogs' },
  email: { email: 'alice@example.com' },
  webhook: { webhook_url: 'https://example.com/hook', webhook_secret: 'quite secret' },
  slack: { webhook_url: 'https://hooks.slack.com/services/x' },
}

let database: TestDatabase
let folder: string
let client: pg.Client
let org_id: unknown
beforeAll(async () => {
  database = await createTestDatabase('template0')
  folder = await mkdtemp(join(tmpdir(), 'dogwatch-before-0050-'))
  for (const file of await readdir(MIGRATIONS)) {
    if (file < '0050') await copyFile(join(MIGRATIONS, file), join(folder, file))
  }
  await migrateToLatest(database.url, { folder })
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query<{ org_id: unknown }>(
    "insert into organisations (name, plan) values ('old', 'team') returning org_id",
  )
  org_id = rows[0]?.org_id
})
afterAll(async () => {
  await client.end()
  await database.drop()
  await rm(folder, { recursive: true })
})

/** As a server of the build before makes a channel. */
async function insertOld(kind: string): Promise<unknown> {
  const { rows } = await client.query<{ id: unknown }>(
    `insert into notification_channels (org_id, name, kind, ${OLD.join(', ')}) values ($1, $2, $2, $3, $4, $5, $6) returning id`,
    [org_id, kind, ...OLD.map((column) => STORED[kind]?.[column] ?? '')],
  )
  return rows[0]?.id
}

const destinations = async () => {
  const { rows } = await client.query<{ kind: string; destination: unknown }>(
    'select kind, destination from notification_channels order by id',
  )
  return rows.map(({ kind, destination }) => [kind, destination])
}
/** As a server of the build before reads it. */
const oldColumns = async (id: unknown) =>
  (await client.query(`select ${OLD.join(', ')} from notification_channels where id = $1`, [id])).rows[0] as unknown
const change = async (id: unknown, to: string, value: unknown) => {
  await client.query(`update notification_channels set ${to} = $2 where id = $1`, [id, value])
}
const destination = async (id: unknown) =>
  (await client.query<{ destination: unknown }>('select destination from notification_channels where id = $1', [id]))
    .rows[0]?.destination

test('what is there gets its destination, and what the build before makes afterwards as well', async () => {
  for (const kind of Object.keys(STORED)) await insertOld(kind)
  expect((await migrateToLatest(database.url)).applied.slice(0, 2)).toEqual([
    '0050_one_destination',
    '0051_destinations_filled',
  ])
  expect(await destinations()).toEqual(Object.entries(STORED))
  for (const kind of Object.keys(STORED)) await insertOld(kind)
  expect(await destinations()).toEqual([...Object.entries(STORED), ...Object.entries(STORED)])
})

test('an edit by either build is seen by the other', async () => {
  const id = await insertOld('webhook')
  await change(id, 'webhook_secret', '')
  expect(await destination(id)).toEqual({ webhook_url: 'https://example.com/hook' })
  await change(id, 'destination', { webhook_url: 'https://example.com/new', webhook_secret: 'another' })
  const blank = { ntfy_topic: '', email: '' }
  expect(await oldColumns(id)).toEqual({
    ...blank,
    webhook_url: 'https://example.com/new',
    webhook_secret: 'another',
  })
  await change(id, 'webhook_url', 'https://example.com/newer')
  expect(await destination(id)).toEqual({ webhook_url: 'https://example.com/newer', webhook_secret: 'another' })
  await change(id, 'enabled', false)
  expect(await destination(id)).toEqual({ webhook_url: 'https://example.com/newer', webhook_secret: 'another' })
})

test.each(['{}', '[]', '{"webhook_url": ""}', '{"webhook_url": 7}', '{"webhook_url": ["x"]}'])(
  'a destination of %s is refused',
  async (text) => {
    const id = await insertOld('slack')
    await expect(change(id, 'destination', text)).rejects.toThrow('destination_has_text')
  },
)
