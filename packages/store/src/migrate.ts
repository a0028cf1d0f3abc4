// Brings a database to the current schema: applies each numbered SQL file in migrations/ once, in order. Adopts a database of
// the previous version, whose schema came from other files.
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { SESSION } from './postgres/session.ts'
import { beginOf } from './postgres/set-query.ts'

// The path is the same from the source tree and from dist/, which contains no SQL.
const MIGRATIONS = fileURLToPath(new URL('../src/migrations/', import.meta.url))

/** Boundary between the names of the baseline and those of later migrations. */
const BASELINE_END = '0300'
/** Last migration that a database of the previous version must have, and the number of migrations up to it. */
const PREVIOUS = { last: '0256_quorums_index', count: 105 }

/** Number of the advisory lock for migrations. Kysely's migrator uses the same number. */
const LOCK = '3853314791062309107'
/**
 * Interval in milliseconds at which a waiting migrator checks whether another one has finished. `LOOKS` limits the wait to an
 * hour.
 */
const LOOK_MS = 200
const LOOKS = 18_000
/** Pause in milliseconds between two attempts to lock a table, so that waiting requests can proceed. */
const PAUSE_MS = 1000

export interface MigrateOptions {
  folder?: string
  /**
   * Maximum wait of a migration for each table lock, in milliseconds. It is below the lock timeout of requests, because requests
   * queue behind a migration that waits for a lock.
   */
  lock_ms?: number
  /** Maximum number of attempts to lock a table. */
  tries?: number
}

/** Names of the migrations that this call applied. */
export interface MigrationResult {
  applied: string[]
}

/** Error that a database lacks migrations, which only `dogwatch migrate` and a starting server apply. */
class SchemaBehind extends Error {
  override readonly name = 'SchemaBehind'

  constructor(missing: readonly string[]) {
    super(`the database is missing ${missing.join(', ')}; run dogwatch migrate`)
  }
}

/** Error that a database is older than {@link PREVIOUS}, the oldest version that can be upgraded. */
class SchemaTooOld extends Error {
  override readonly name = 'SchemaTooOld'

  constructor() {
    super(
      `the database is too old for this version; first run dogwatch migrate with the version whose last migration is ${PREVIOUS.last}`,
    )
  }
}

/**
 * Applies the missing migrations. If two processes migrate, the second waits for the first. A migration that fails changes
 * nothing. Ignores migrations of a newer build.
 */
export function migrateToLatest(url: string, options: MigrateOptions = {}): Promise<MigrationResult> {
  return migrate(url, options, () => true)
}

/**
 * Applies all migrations to an empty database. Throws SchemaBehind if the database lacks only some, because servers of a previous
 * version might be using it.
 */
export function migrateIfEmpty(url: string, options: MigrateOptions = {}): Promise<MigrationResult> {
  return migrate(url, options, (isEmpty) => isEmpty)
}

/** Lists the migrations that this build has and the database lacks. Migrations of a newer build do not count. */
export async function findMissingMigrations(pool: pg.Pool): Promise<string[]> {
  known ??= (await readMigrations(MIGRATIONS)).map(({ name }) => name)
  const { rows } = await pool.query<{ name: string }>(
    'select name from unnest($1::text[]) known (name) where not exists (select from kysely_migration m where m.name = known.name) order by 1',
    [known],
  )
  return rows.map(({ name }) => name)
}

let known: string[] | undefined

interface Migration {
  name: string
  text: string
}

async function migrate(
  url: string,
  options: MigrateOptions,
  may: (isEmpty: boolean) => boolean,
): Promise<MigrationResult> {
  const { folder = MIGRATIONS } = options
  const migrations = await readMigrations(folder)
  const client = await connect(url)
  try {
    // Usually no migration is missing, and then there is no reason to wait for the lock.
    if (missingFrom(migrations, await readApplied(client)).length === 0) return { applied: [] }
    return await whileOthersWait(url, async () => {
      const applied = await readApplied(client)
      const missing = missingFrom(migrations, applied)
      const isEmpty = applied.size === 0
      if (missing.length > 0 && !may(isEmpty)) throw new SchemaBehind(missing.map(({ name }) => name))
      // No one uses an empty database, so everything goes into one transaction: an interrupted start leaves the
      // database empty.
      const steps = isEmpty ? [missing.map(atOnce)] : await planSteps(missing, applied, folder)
      for (const step of steps) await applyPatiently(client, step, options)
      return { applied: steps.flat().map(({ name }) => name) }
    })
  } finally {
    await client.end()
  }
}

/**
 * Plans the transactions that bring a database in use to the current schema. A database of the previous version gets the rest of
 * that version's migrations. Its schema then equals the baseline, so it gets only the baseline's names.
 */
async function planSteps(
  missing: readonly Migration[],
  applied: ReadonlySet<string>,
  folder: string,
): Promise<Migration[][]> {
  const baseline = missing.filter(({ name }) => name < BASELINE_END)
  const later = missing.filter(({ name }) => name >= BASELINE_END).map((migration) => [migration])
  if (baseline.length === 0) return later
  if ([...applied].filter((name) => name <= PREVIOUS.last).length < PREVIOUS.count) throw new SchemaTooOld()
  const rest = missingFrom(await readMigrations(join(folder, 'adoption')), applied)
  return [...rest.map((migration) => [migration]), baseline.map(({ name }) => ({ name, text: '' })), ...later]
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'dogwatch-migrating' })
  // If the connection breaks, the running statement rejects anyway. Without a listener, the error would end the
  // process.
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
 * Runs work while a transaction on a separate connection has the migration lock, which also works behind a pooler. Tries again and
 * again instead of waiting in a statement, because building an index concurrently would wait for that statement.
 */
export async function whileOthersWait<Answer>(url: string, work: () => Promise<Answer>): Promise<Answer> {
  const client = await connect(url)
  try {
    for (let looks = 1; !(await tryLock(client)); looks++) {
      if (looks === LOOKS) throw new Error('another migration has been running for an hour')
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

/** Applies a step. If a table cannot be locked, rolls back, pauses so that waiting requests can proceed, and tries again. */
async function applyPatiently(client: pg.Client, step: readonly Migration[], options: MigrateOptions): Promise<void> {
  const { lock_ms = 1000, tries = 120 } = options
  for (let n = 1; ; n++) {
    try {
      return await apply(client, step, lock_ms)
    } catch (error) {
      if (!isHeldUp(error)) throw error
      if (n >= tries)
        throw new Error(
          `${lineOf(error)}; other transactions hold locks that the migration needs (see pg_stat_activity)`,
        )
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
    // A broken connection has already rolled back.
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/**
 * Stores the name of a migration. In a transaction this comes first, so that another process that applies the same file waits,
 * even without the migration lock. Returns false if the name is already stored.
 */
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

/**
 * Whether a migration changes an index while other transactions write. Postgres allows that only outside a transaction, so the
 * file contains only this statement.
 */
function isConcurrent({ text }: Migration): boolean {
  return CONCURRENTLY.test(withoutComments(text))
}

async function applyConcurrently(client: pg.Client, migration: Migration): Promise<void> {
  await naming(migration, async () => {
    const index = CONCURRENTLY.exec(withoutComments(migration.text))?.[2] ?? ''
    // An earlier attempt can have left an invalid index with this name, which is useless.
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
    throw new Error(`migration ${migration.name} failed and was rolled back: ${lineOf(error)}`, { cause: error })
  }
}

function lineOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Whether an error says that a lock was not available, or that there was a deadlock. */
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
