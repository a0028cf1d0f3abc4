// Brings a database to the present schema: the numbered SQL files in migrations/, each once, in order.
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import pg from 'pg'

// One path for the source tree and for dist/, which holds no SQL.
const MIGRATIONS = fileURLToPath(new URL('../../src/store/migrations/', import.meta.url))

/**
 * Applies what is missing and returns the names of what it applied. A second migrator waits for the first; a file that
 * fails leaves nothing behind.
 */
export async function migrateToLatest(url: string): Promise<{ applied: string[] }> {
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 2 }) }),
  })
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: readMigrations } })
    const { error, results = [] } = await migrator.migrateToLatest()
    if (error) throw error instanceof Error ? error : new Error('a migration failed', { cause: error })
    return { applied: results.map((result) => result.migrationName) }
  } finally {
    await db.destroy()
  }
}

/** The migrations that this build knows and the database lacks. What a newer build has applied does not count. */
export async function findMissingMigrations(pool: pg.Pool): Promise<string[]> {
  known ??= Object.keys(await readMigrations())
  const { rows } = await pool.query<{ name: string }>(
    'select name from unnest($1::text[]) known (name) where not exists (select from kysely_migration m where m.name = known.name)',
    [known],
  )
  return rows.map(({ name }) => name)
}

let known: string[] | undefined

async function readMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(MIGRATIONS)).filter((file) => file.endsWith('.sql')).sort()
  return Object.fromEntries(
    files.map((file) => [
      basename(file, '.sql'),
      { up: async (db) => void (await sql.raw(await readFile(join(MIGRATIONS, file), 'utf8')).execute(db)) },
    ]),
  )
}
