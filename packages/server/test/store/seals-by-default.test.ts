// Where hours are sealed although the operator says nothing of it: where no earlier build was ever at work.
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { migrateToLatest } from '../../src/store/migrate.ts'
import { createTestDatabase } from '../support/database.ts'

const MIGRATIONS = fileURLToPath(new URL('../../src/store/migrations', import.meta.url))
const THIS = '0190_seals_by_default.sql'

let client: pg.Client
let url: string
let folder: string
let drop: () => Promise<unknown>
beforeEach(async () => {
  const database = await createTestDatabase('template0')
  ;({ url } = database)
  drop = () => database.drop()
  folder = await mkdtemp(join(tmpdir(), 'dogwatch-migrations-'))
  for (const name of await readdir(MIGRATIONS)) {
    if (name < THIS) await copyFile(join(MIGRATIONS, name), join(folder, name))
  }
  await migrateToLatest(url, { folder })
  client = new pg.Client({ connectionString: url })
  await client.connect()
})
afterEach(async () => {
  await client.end()
  await drop()
  await rm(folder, { recursive: true })
})

async function sealsByDefault(): Promise<unknown> {
  await migrateToLatest(url)
  return (await client.query<{ seals_by_default: boolean }>('select seals_by_default from installation')).rows
}

test('a database in which nobody had an organisation yet seals by default', async () => {
  expect(await sealsByDefault()).toEqual([{ seals_by_default: true }])
})

test('a database that an earlier build has used does not', async () => {
  await client.query("insert into organisations (name, plan) values ('Acme', 'team')")
  expect(await sealsByDefault()).toEqual([{ seals_by_default: false }])
})
