// A database of its own for whoever asks: a copy of the migrated template.
import { randomBytes } from 'node:crypto'
import pg from 'pg'

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** `template0`: nothing is in it, not even tables. */
export async function createTestDatabase(
  template: 'dogwatch_template' | 'template0' = 'dogwatch_template',
): Promise<TestDatabase> {
  const name = `test_${process.env.JEST_WORKER_ID ?? '0'}_${randomBytes(6).toString('hex')}`
  await asAdmin(`create database ${name} template ${template} strategy file_copy`)
  const url = new URL(adminUrl())
  url.pathname = `/${name}`
  // Force: a test that failed may have left connections behind.
  return { url: url.href, drop: () => asAdmin(`drop database if exists ${name} with (force)`) }
}

async function asAdmin(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl() })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function adminUrl(): string {
  const url = process.env.DOGWATCH_TEST_POSTGRES
  if (!url) throw new Error('no test server: run the tests with packages/server/jest.config.js')
  return url
}
