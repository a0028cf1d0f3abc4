// The way to Postgres: two pools, one query builder.
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import type { Tables } from './tables.ts'

/** A connection or a transaction: what every function in store/ takes first. */
export type Db = Kysely<Tables> | Transaction<Tables>

export interface Database {
  /** The query builder, over the durable pool. */
  db: Kysely<Tables>
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
  /** Told of connections that break while nobody uses them. */
  onIdleError?: (error: Error) => void
}

/** How long a statement waits for a connection: a server that does not answer must not hold requests for ever. */
const CONNECT_MS = 10_000
const TIMESTAMPTZ = 1184
const INT8 = 20

export function openDatabase({ url, poolSize = 8, onIdleError = () => {} }: DatabaseOptions): Database {
  const types = parsers()
  const shared = { connectionString: url, max: poolSize, types, connectionTimeoutMillis: CONNECT_MS }
  const durable = new pg.Pool({ ...shared, application_name: 'dogwatch' })
  const relaxed = new pg.Pool({
    ...shared,
    application_name: 'dogwatch-relaxed',
    options: '-c synchronous_commit=off',
  })
  // Without a listener, a server that restarts would take this process down.
  let isClosing = false
  for (const pool of [durable, relaxed]) pool.on('error', (error) => isClosing || onIdleError(error))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: durable }) })
  return {
    db,
    durable,
    relaxed,
    close: async () => {
      isClosing = true
      await Promise.all([db.destroy(), relaxed.end()])
    },
  }
}

/** Timestamps stay text, so that no microsecond is lost; int8 becomes a number, since our ids and counts fit one. */
function parsers(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides()
  types.setTypeParser(TIMESTAMPTZ, (text) => text)
  types.setTypeParser(INT8, Number)
  return types
}
