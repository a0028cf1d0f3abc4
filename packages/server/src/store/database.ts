// The way to Postgres: three pools, and a query builder on two of them.
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { isBroken } from '../runtime/database-faults.ts'
import type { Tables } from './tables.ts'

/** A connection or a transaction: what every function in store/ takes first. */
export type Db = Kysely<Tables> | Transaction<Tables>

export interface Database {
  /** The query builder, over a pool of its own: changes wait for each other, and nothing else is to wait with them. */
  db: Kysely<Tables>
  /** The same over the durable pool: for what agents, jobs and time cause, which is not to wait for people's changes. */
  work: Kysely<Tables>
  /** For statements that are worth a name of their own (prepared once a connection). */
  durable: pg.Pool
  /** Commits without waiting for the disk: last_seen_at and rate limits, of which a crash may take the last moments. */
  relaxed: pg.Pool
  close(): Promise<void>
}

export interface DatabaseOptions {
  url: string
  /** Connections of each pool. */
  poolSize?: number
  /** How long a statement may take; left out, as long as it must. */
  statement_ms?: number
  /** How long it may wait for others that hold what it needs. */
  lock_ms?: number
  /** Told of connections that break while nobody uses them. */
  onIdleError?: (error: Error) => void
}

/** How long a statement waits for a connection: a server that does not answer must not hold requests for ever. */
const CONNECT_MS = 5_000
/** Past its own bound on the server, a statement is given up on here. */
const ANSWER_MS = 5_000
/** A transaction that its owner forgot holds others back no longer than this. */
const IDLE_MS = 30_000
/** A connection that nobody uses is asked after that whether it is still there. */
const KEEP_ALIVE_MS = 10_000
const TIMESTAMPTZ = 1184
const INT8 = 20
const INT4_ARRAY = 1007

export function openDatabase(options: DatabaseOptions): Database {
  const { url, poolSize = 8, statement_ms = 0, lock_ms = 0, onIdleError = () => {} } = options
  const shared = {
    connectionString: url,
    max: poolSize,
    types: parsers(),
    connectionTimeoutMillis: CONNECT_MS,
    idle_in_transaction_session_timeout: IDLE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    ...(lock_ms > 0 && { lock_timeout: lock_ms }),
    ...(statement_ms > 0 && { statement_timeout: statement_ms, query_timeout: statement_ms + ANSWER_MS }),
  }
  const editing = new pg.Pool({
    ...shared,
    application_name: 'dogwatch-editing',
    // What a page asks is small: to start workers for it costs more than they save.
    options: '-c max_parallel_workers_per_gather=0',
  })
  const durable = new pg.Pool({ ...shared, application_name: 'dogwatch' })
  const relaxed = new pg.Pool({
    ...shared,
    application_name: 'dogwatch-relaxed',
    options: '-c synchronous_commit=off',
  })
  // Without a listener, a server that restarts would take this process down.
  let isClosing = false
  for (const pool of [editing, durable, relaxed]) {
    pool.on('error', (error) => isClosing || onIdleError(error))
    pool.on('connect', endWhenBroken)
  }
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: editing }) })
  const work = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: durable }) })
  return {
    db,
    work,
    durable,
    relaxed,
    close: async () => {
      isClosing = true
      await Promise.all([db.destroy(), work.destroy(), relaxed.end()])
    },
  }
}

/**
 * The pool takes back what its borrower does not call broken: one that does not answer would be lent again and again. One
 * that is ended is thrown out.
 */
function endWhenBroken(given: pg.PoolClient): void {
  const client = given as pg.PoolClient & Pick<pg.Client, 'end'>
  const query = client.query.bind(client) as (...statement: unknown[]) => unknown
  let isEnded = false
  const judge = (error: unknown): void => {
    if (isEnded || !isBroken(error)) return
    isEnded = true
    void client.end().catch(() => {})
  }
  client.query = ((...statement: unknown[]) => {
    // The server does that by itself; who asked is to be told what went wrong before.
    if (isEnded && statement[0] === 'rollback')
      return Promise.resolve({ command: 'ROLLBACK', rows: [], rowCount: null })
    const answer = query(...statement)
    if (answer instanceof Promise) answer.catch(judge)
    return answer
  }) as typeof client.query
  // Without a listener, one that breaks between two statements would take this process down: the next statement is told.
  client.on('error', judge)
}

/**
 * Timestamps stay text, so that no microsecond is lost; int8 becomes a number, since our ids and counts fit one. Arrays of
 * integers have one dimension and no nulls, and come by the hundred.
 */
function parsers(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides()
  types.setTypeParser(TIMESTAMPTZ, (text) => text)
  types.setTypeParser(INT8, Number)
  types.setTypeParser(INT4_ARRAY, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)))
  return types
}
