// Opens a few connections apart from the pools, for health checks, metrics and the clock. They respond even when all other
// connections are in use.
import pg from 'pg'
import { lend, type Pooler } from './connections.ts'
import { optionsOf, SESSION } from './session.ts'
import type { Settings } from './set-query.ts'

/** Number of connections: one for readiness, one for metrics. */
const CONNECTIONS = 2

export type SparePool = pg.Pool

export interface SparePoolOptions {
  connections?: number
  /** Pooler that the URL leads to. Absent if it leads to the server itself. */
  pooler?: Pooler | undefined
  /** Additional settings of its connections. */
  settings?: Settings
}

/** Opens a pool whose statements all end within `bound_ms`, even if the database does not respond. */
export function openSparePool(
  url: string,
  bound_ms: number,
  { connections = CONNECTIONS, pooler, settings = {} }: SparePoolOptions = {},
): SparePool {
  const session = { ...SESSION, ...settings }
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    application_name: 'dogwatch-watch',
    connectionTimeoutMillis: bound_ms,
    query_timeout: bound_ms,
    keepAlive: true,
    ...(!pooler && { options: optionsOf(session) }),
  })
  // Without a listener, a restart of the server would end this process. The next caller gets the error.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    if (pooler) lend(client, { isPrepared: false }, session)
  })
  return pool
}

/**
 * Whether the database accepts changes. If not, the next call opens a new connection, because the address of the primary can have
 * changed.
 */
export async function takesChanges(sparePool: SparePool): Promise<boolean> {
  const client = await sparePool.connect()
  let isPrimary = false
  try {
    const { rows } = await client.query<{ is_primary: boolean }>(
      "select current_setting('transaction_read_only') = 'off' as is_primary",
    )
    isPrimary = rows[0]?.is_primary === true
    return isPrimary
  } finally {
    client.release(!isPrimary)
  }
}
