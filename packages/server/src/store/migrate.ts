// Brings a database to the present schema: the numbered SQL files in migrations/, each once, in order of their numbers.
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { SESSION } from './postgres/session.ts'
import { beginOf } from './postgres/set-query.ts'

// One path for the source tree and for dist/, which holds no SQL.
const MIGRATIONS = fileURLToPath(new URL('../../src/store/migrations/', import.meta.url))

/** Held by whoever migrates. The number is the one that kysely's migrator takes. */
const LOCK = '3853314791062309107'
/** How often who waits for another migrator looks again, and how often at most: for an hour. */
const LOOK_MS = 200
const LOOKS = 18_000
/** Between two tries to get a table's lock: others go first meanwhile. */
const PAUSE_MS = 1000

export interface MigrateOptions {
  folder?: string
  /** How long a migration waits for a table, and makes all who come after it wait: less than requests wait for a lock. */
  lock_ms?: number
  /** How often it tries. */
  tries?: number
}

/** The names of what was applied now. */
export interface Migrated {
  applied: string[]
}

/** What only `dogwatch migrate` and a server that starts put right. */
export class SchemaBehind extends Error {
  override readonly name = 'SchemaBehind'

  constructor(missing: readonly string[]) {
    super(`the database lacks ${missing.join(', ')}: run dogwatch migrate`)
  }
}

/**
 * Applies what is missing. A second migrator waits for the first; a file that fails leaves nothing behind. What a newer build has
 * applied is left alone.
 */
export function migrateToLatest(url: string, options: MigrateOptions = {}): Promise<Migrated> {
  return migrate(url, options, () => true)
}

/** The same for a database that is empty. Of one that lacks something, servers of an older build may be at work: refused. */
export function migrateIfEmpty(url: string, options: MigrateOptions = {}): Promise<Migrated> {
  return migrate(url, options, (isEmpty) => isEmpty)
}

/** The migrations that this build knows and the database lacks. What a newer build has applied does not count. */
export async function findMissingMigrations(pool: pg.Pool): Promise<string[]> {
  known ??= (await readMigrations(MIGRATIONS)).map(({ name }) => name)
  const { rows } = await pool.query<{ name: string }>(
    'select name from unnest($1::text[]) known (name) where not exists (select from kysely_migration m where m.name = known.name)',
    [known],
  )
  return rows.map(({ name }) => name)
}

let known: string[] | undefined

interface Migration {
  name: string
  text: string
}

async function migrate(url: string, options: MigrateOptions, may: (isEmpty: boolean) => boolean): Promise<Migrated> {
  const migrations = await readMigrations(options.folder ?? MIGRATIONS)
  const client = await connect(url)
  try {
    // Most find nothing to do, and wait for nobody then.
    if (missingFrom(migrations, await readApplied(client)).length === 0) return { applied: [] }
    return await whileOthersWait(url, async () => {
      const applied = await readApplied(client)
      const missing = missingFrom(migrations, applied)
      const isEmpty = applied.size === 0
      if (missing.length > 0 && !may(isEmpty)) throw new SchemaBehind(missing.map(({ name }) => name))
      // Nobody uses an empty database: all at once, so that a start that is cut short leaves it empty.
      const steps = isEmpty ? [missing.map(atOnce)] : missing.map((migration) => [migration])
      for (const step of steps) await applyPatiently(client, step, options)
      return { applied: missing.map(({ name }) => name) }
    })
  } finally {
    await client.end()
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'dogwatch-migrating' })
  // Who waits for an answer is told as well; without a listener the process would end.
  client.on('error', () => {})
  await client.connect()
  return client
}

async function readApplied(client: pg.Client): Promise<Set<string>> {
  const { rows: found } = await client.query<{ is_there: boolean }>(
    "select to_regclass('kysely_migration') is not null as is_there",
  )
  if (!found[0]?.is_there) return new Set()
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration')
  return new Set(rows.map(({ name }) => name))
}

function missingFrom(migrations: readonly Migration[], applied: ReadonlySet<string>): Migration[] {
  return migrations.filter(({ name }) => !applied.has(name))
}

/**
 * Holds the lock on a connection of its own, for as long as a transaction, so that it means the same behind a pooler. It is
 * asked for again and again: a statement that waits would be waited for by an index that is made concurrently.
 */
async function whileOthersWait<Answer>(url: string, work: () => Promise<Answer>): Promise<Answer> {
  const client = await connect(url)
  try {
    for (let looks = 1; !(await tryLock(client)); looks++) {
      if (looks === LOOKS) throw new Error('another migration has been under way for an hour')
      await pause(LOOK_MS)
    }
    return await work()
  } finally {
    await client.end()
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  await client.query(beginOf('begin', SESSION))
  await client.query('set local idle_in_transaction_session_timeout = 0')
  const { rows } = await client.query<{ is_mine: boolean }>(`select pg_try_advisory_xact_lock(${LOCK}) as is_mine`)
  const isMine = rows[0]?.is_mine ?? false
  if (!isMine) await client.query('rollback')
  return isMine
}

/** Who cannot have a table's lock steps back, lets those through who came meanwhile, and tries again. */
async function applyPatiently(client: pg.Client, step: readonly Migration[], options: MigrateOptions): Promise<void> {
  const { lock_ms = 1000, tries = 120 } = options
  for (let n = 1; ; n++) {
    try {
      return await apply(client, step, lock_ms)
    } catch (error) {
      if (!isHeldUp(error)) throw error
      if (n >= tries) throw new Error(`${lineOf(error)}: others hold what it needs (pg_stat_activity says who)`)
      await pause(Math.min(PAUSE_MS, 100 * n))
    }
  }
}

async function apply(client: pg.Client, step: readonly Migration[], lock_ms: number): Promise<void> {
  const [only] = step
  if (only && isConcurrent(only)) return applyConcurrently(client, only)
  await client.query(beginOf('begin', SESSION))
  try {
    await client.query(`set local lock_timeout = ${lock_ms}`)
    for (const migration of step) {
      if (await note(client, migration)) await naming(migration, () => client.query(migration.text))
    }
    await client.query('commit')
  } catch (error) {
    // A connection that broke has rolled back by itself.
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** The note comes first: whoever applies the same file, lock or no lock, waits for its end here. */
async function note(client: pg.Client, { name }: Migration): Promise<boolean> {
  await client.query(
    'create table if not exists kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)',
  )
  const { rowCount } = await client.query(
    `insert into kysely_migration (name, timestamp)
     values ($1, to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) on conflict do nothing`,
    [name],
  )
  return rowCount === 1
}

const CONCURRENTLY =
  /\b(create\s+(?:unique\s+)?index|drop\s+index)\s+concurrently\s+(?:if\s+(?:not\s+)?exists\s+)?(\w+)/i

/** An index made beside those who write. Postgres does that outside a transaction only: the file holds this one statement. */
function isConcurrent({ text }: Migration): boolean {
  return CONCURRENTLY.test(withoutComments(text))
}

async function applyConcurrently(client: pg.Client, migration: Migration): Promise<void> {
  await naming(migration, async () => {
    const index = CONCURRENTLY.exec(withoutComments(migration.text))?.[2] ?? ''
    // What an earlier try began and did not end: it serves nobody, and its name is taken.
    const { rows } = await client.query(
      'select from pg_index join pg_class on oid = indexrelid where relname = lower($1) and not indisvalid',
      [index],
    )
    if (rows.length > 0) await client.query(`drop index concurrently if exists ${index}`)
    await client.query(migration.text)
  })
  await note(client, migration)
}

function atOnce({ name, text }: Migration): Migration {
  return { name, text: isConcurrent({ name, text }) ? text.replace(/\bconcurrently\b/gi, '') : text }
}

function withoutComments(text: string): string {
  return text.replace(/--.*$/gm, '')
}

async function naming(migration: Migration, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw new Error(`migration ${migration.name} failed and left nothing: ${lineOf(error)}`, { cause: error })
  }
}

function lineOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Lock not available, and deadlock. */
function isHeldUp(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: unknown }
  return code === '55P03' || code === '40P01' || (cause !== undefined && isHeldUp(cause))
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file) => ({ name: basename(file, '.sql'), text: await readFile(join(folder, file), 'utf8') })),
  )
}
