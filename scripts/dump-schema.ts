// Writes packages/server/src/store/schema.sql: the schema that the migrations make, as SQL to read in review.
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { openEmbeddedPostgres } from '../packages/embedded-postgres/src/open.ts'
import { migrateToLatest } from '../packages/server/src/store/migrate.ts'
import { describeSchema } from '../packages/server/test/support/describe-schema.ts'

export const SCHEMA_FILE = fileURLToPath(new URL('../packages/server/src/store/schema.sql', import.meta.url))

/** Returns the text that schema.sql must have: the schema of an empty database after all migrations. */
export async function dumpSchema(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'dogwatch-schema-'))
  await chmod(dataDir, 0o711)
  const server = await openEmbeddedPostgres({ dataDir, random: randomBytes, throwaway: true, remove: true })
  try {
    await migrateToLatest(server.url)
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    const text = await describeSchema(client)
    await client.end()
    return text
  } finally {
    await server.stop()
  }
}

if (import.meta.main) await writeFile(SCHEMA_FILE, await dumpSchema())
