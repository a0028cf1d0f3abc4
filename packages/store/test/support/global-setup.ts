// Once per run: a Postgres server, and in it one migrated database that every test copies.
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedPostgres, openEmbeddedPostgres } from '@dogwatch/embedded-postgres/open'
import pg from 'pg'
import { migrateToLatest } from '../../src/migrate.ts'
import { dropOnEach, onEach, shardTemplate, workerUrls } from './cluster.ts'
import { templateName } from './database.ts'

declare global {
  var dogwatchTestServer: EmbeddedPostgres | undefined
}

export default async function globalSetup(): Promise<void> {
  // A run of several packages has one server.
  if (process.env.DOGWATCH_TEST_POSTGRES !== undefined) return
  const url = process.env.TEST_DATABASE_URL ?? (await startServer())
  process.env.DOGWATCH_TEST_POSTGRES = url
  try {
    await makeTemplate(url)
  } catch (error) {
    // Jest runs no teardown after a setup that failed.
    await globalThis.dogwatchTestServer?.stop()
    throw error
  }
}

async function startServer(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'dogwatch-test-'))
  // Root's server runs as another user, who walks through here.
  await chmod(dataDir, 0o711)
  // Readers of arrivals wait for prepared transactions, too.
  const settings = { max_prepared_transactions: '8' }
  const server = await openEmbeddedPostgres({ dataDir, random: randomBytes, throwaway: true, remove: true, settings })
  globalThis.dogwatchTestServer = server
  return server.url
}

async function makeTemplate(url: string): Promise<void> {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  try {
    await loginCheaply(admin, new URL(url))
  } finally {
    await admin.end()
  }
  const workers = workerUrls(url)
  const [name, plain] = [templateName('dogwatch_template'), templateName('dogwatch_plain')]
  await dropOnEach([url, ...workers], name)
  await onEach([url, ...workers], `create database ${name}`)
  const template = new URL(url)
  template.pathname = `/${name}`
  await migrateToLatest(template.href)
  if (workers.length === 0) return
  await dropOnEach([url], plain)
  await onEach([url], `create database ${plain} template ${name}`)
  await shardTemplate(template.href, workers)
}

/** Tests log in some thousand times, and each login of a client takes as long as the password was made to take. */
async function loginCheaply(admin: pg.Client, { username, password }: URL): Promise<void> {
  if (process.env.TEST_DATABASE_URL !== undefined) return
  await admin.query('set scram_iterations = 1')
  await admin.query(`alter role ${pg.escapeIdentifier(username)} password ${pg.escapeLiteral(password)}`)
}
