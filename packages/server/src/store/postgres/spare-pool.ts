// A way to Postgres for looking at it: where all other connections are taken, what watches the process still gets an answer.
import pg from 'pg'
import { lend, type Pooler } from './connections.ts'
import { optionsOf, SESSION } from './session.ts'
import type { Settings } from './set-query.ts'

/** One for the readiness, one for the metrics. */
const CONNECTIONS = 2

export type SparePool = pg.Pool

export interface SparePoolOptions {
  connections?: number
  /** Where the url is that of a pooler. */
  pooler?: Pooler | undefined
  /** What its connections are set to besides. */
  settings?: Settings
}

/** Each statement ends within `bound_ms`, whether or not the database answers. */
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
  // Without a listener, a server that restarts would take this process down. Whoever asks next is told.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    if (pooler) lend(client, { isPrepared: false }, session)
  })
  return pool
}

/** Whether the database takes changes. One that does not is asked over a new connection next time: its address may move. */
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
