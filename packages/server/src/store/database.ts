// The database: three pools of connections, and a query builder on two of them.
import { Kysely, type Transaction } from 'kysely'
import type pg from 'pg'
import { NodesDialect } from './layout.ts'
import { Nodes } from './nodes.ts'
import { builderPool } from './builder-pool.ts'
import { openConnections, type Pooler } from './postgres/connections.ts'
import { SESSION } from './postgres/session.ts'
import type { Settings } from './postgres/set-query.ts'
import { Sealing } from './sealing.ts'
import { type Standby, type StandbyOptions, watchStandby } from './postgres/standby.ts'
import type { Tables } from './tables.ts'

/** A connection or a transaction: what every function in store/ takes first. */
export type Db = Kysely<Tables> | Transaction<Tables>

export interface Database {
  /** For what people do: their changes wait for each other, and must hold up nothing else. */
  people: Kysely<Tables>
  /** For what agents, jobs and the clock cause: it must not queue behind people's changes. */
  machines: Kysely<Tables>
  pools: {
    /** The pool of `people`. Only the metrics use it. */
    people: pg.Pool
    /**
     * The pool of `machines`, for named statements: they are prepared once per connection, unless a pooler does not support
     * that. Pages read through it as well, because these statements wait for no lock.
     */
    machines: pg.Pool
    /** Commits without waiting for the disk: for last_seen_at and rate limits, which may lose their last moments in a crash. */
    asyncCommit: pg.Pool
  }
  /** Whether the large tables are distributed over several nodes. */
  nodes: Pick<Nodes, keyof Nodes>
  /** Whether some of what they hold is in sealed hours. */
  sealing: Pick<Sealing, keyof Sealing>
  /** Absent when there is no replica to read from. */
  standby?: Omit<Standby, 'close'> & {
    /** Use it for reading only. */
    database: Database
  }
  close(): Promise<void>
}

export interface DatabaseOptions {
  url: string
  /** Connections in each pool. */
  poolSize?: number
  /** How long a statement may take; without it there is no limit. */
  statement_ms?: number
  /** How long a statement may wait for a lock. */
  lock_ms?: number
  /** Set when the url is that of a pooler. */
  pooler?: Pooler | undefined
  /**
   * A replica to read from. If there is a pooler in front of the primary, one is assumed in front of the replica as
   * well.
   */
  standby?: StandbyOptions | undefined
  /** Instead of those that the database says. */
  nodes?: Database['nodes'] | undefined
  /** Called when an idle connection breaks. */
  onIdleError?: (error: Error) => void
  /** Called each time the server has no space left on its disk. */
  onDiskFull?: () => void
}

/** If the server exceeds its own statement timeout by this much, we give up on the statement here. */
const ANSWER_MS = 5_000
/** A transaction that its owner forgot holds its locks no longer than this. */
const IDLE_MS = 30_000

export function openDatabase(options: DatabaseOptions): Database {
  const {
    url,
    poolSize = 8,
    statement_ms = 0,
    lock_ms = 0,
    pooler,
    onIdleError = () => {},
    onDiskFull = () => {},
  } = options
  const bounds: Settings = {
    idle_in_transaction_session_timeout: String(IDLE_MS),
    ...(lock_ms > 0 && { lock_timeout: String(lock_ms) }),
    ...(statement_ms > 0 && { statement_timeout: String(statement_ms) }),
  }
  const open = (application_name: string, settings: Settings, other?: { url: string; isPrimary: boolean }) =>
    openConnections({
      url: other?.url ?? url,
      size: poolSize,
      // A pooler would set it anew whenever it lends a connection to a client with another name.
      application_name: pooler ? 'dogwatch' : application_name,
      settings: { ...SESSION, ...bounds, ...settings },
      answer_ms: statement_ms > 0 ? statement_ms + ANSWER_MS : 0,
      pooler,
      isPrimary: other?.isPrimary ?? true,
      onIdleError,
      onDiskFull,
      onDemoted: () => {
        for (const each of all) each.renew()
      },
    })
  // Queries of pages are small: starting parallel workers costs more than it saves.
  const people = open('dogwatch-editing', { max_parallel_workers_per_gather: '0' })
  const machines = open('dogwatch', {})
  const asyncCommit = open('dogwatch-relaxed', { synchronous_commit: 'off' })
  const all = [people, machines, asyncCommit]
  const nodes: Database['nodes'] =
    options.nodes ??
    new Nodes({
      coordinator: asyncCommit.pool,
      open: (address) => open('dogwatch-storing', {}, { url: address ? urlOf(url, address) : url, isPrimary: true }),
    })
  const sealing = new Sealing(asyncCommit.pool)
  const builder = (pool: pg.Pool) =>
    new Kysely<Tables>({
      dialect: new NodesDialect({ pool: builderPool(pool, { isPooled: pooler !== undefined }) }, { nodes, sealing }),
    })
  const primary: Database = {
    people: builder(people.pool),
    machines: builder(machines.pool),
    nodes,
    sealing,
    pools: { people: people.pool, machines: machines.pool, asyncCommit: asyncCommit.pool },
    close: async () => void (await Promise.all([nodes.close(), ...all.map((each) => each.close())])),
  }
  if (!options.standby) return primary
  const reading = open(
    'dogwatch-reading',
    { max_parallel_workers_per_gather: '0' },
    { url: options.standby.url, isPrimary: false },
  )
  const { close, ...standby } = watchStandby(options.standby, url, reading, pooler)
  const reader = builder(reading.pool)
  const pools = { ...primary.pools, people: reading.pool, machines: reading.pool }
  return {
    ...primary,
    standby: { ...standby, database: { ...primary, people: reader, machines: reader, pools } },
    close: async () => void (await Promise.all([close(), primary.close()])),
  }
}

/** A node has the same database, for the same user. Behind a pooler, nodes are reached without it. */
function urlOf(coordinator_url: string, { host, port }: { host: string; port: number }): string {
  const url = new URL(coordinator_url)
  url.host = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  return url.href
}
