// Opens the database: three pools of connections, and query builders on two of them.
import { Kysely, type Transaction } from 'kysely'
import type pg from 'pg'
import { builderPool } from './builder-pool.ts'
import { openConnections, type Pooler } from './postgres/connections.ts'
import { SESSION } from './postgres/session.ts'
import type { Settings } from './postgres/set-query.ts'
import { type Standby, type StandbyOptions, watchStandby } from './postgres/standby.ts'
import { Nodes, NodesDialect, Sealing } from './results/open.ts'
import type { Tables } from './tables.ts'

/** Open transaction. */
export type Trx = Transaction<Tables>

/** Connection or transaction, which is the first argument of every function in store/. */
export type Db = Kysely<Tables> | Trx

export interface Database {
  /** Query builder for the actions of people. Their transactions can wait for each other, and must delay nothing else. */
  people: Kysely<Tables>
  /** Query builder for requests of agents and for chores, which must not wait for people's transactions. */
  machines: Kysely<Tables>
  pools: {
    /** Pool of `people`. Only the metrics use it. */
    people: pg.Pool
    /**
     * Pool of `machines`, for named statements, which are prepared once per connection unless a pooler does not support that.
     * Pages also read through it, because these statements wait for no lock.
     */
    machines: pg.Pool
    /**
     * Pool that commits without waiting for the disk, for `last_seen_at` and rate limits, whose newest values can be lost in a
     * crash.
     */
    asyncCommit: pg.Pool
  }
  /** Nodes of the database, if the large tables are distributed over several. */
  nodes: Pick<Nodes, keyof Nodes>
  /** Knows whether some results are in sealed hours. */
  sealing: Pick<Sealing, keyof Sealing>
  /** Replica to read from. Absent if there is none. */
  standby?: Omit<Standby, 'close'> & {
    /** Connections to the replica, for reading only. */
    database: Database
  }
  /** Open transaction that all changes of people are part of. Absent outside {@link joinTransaction}. */
  joined?: {
    /** Steps that run after the commit of the open transaction. Each gets the database without that transaction. */
    readonly after_commit: Set<(database: Database) => Promise<unknown>>
  }
  close(): Promise<void>
}

export interface DatabaseOptions {
  url: string
  /** Number of connections in each pool. */
  poolSize?: number
  /** Maximum duration of a statement, in milliseconds. Default: no limit. */
  statement_ms?: number
  /** Maximum wait of a statement for each lock, in milliseconds. */
  lock_ms?: number
  /** Pooler that `url` leads to. Absent if it leads to the server itself. */
  pooler?: Pooler | undefined
  /** Replica to read from. If `url` leads to a pooler, so must the URL of the replica. */
  standby?: StandbyOptions | undefined
  /** Nodes to use instead of those that the database reports. */
  nodes?: Database['nodes'] | undefined
  /** Called when an idle connection breaks. */
  onIdleError?: (error: Error) => void
  /** Called each time the server has no space left on its disk. */
  onDiskFull?: () => void
}

/** Time to wait for a response after the server should have cancelled the statement by its own timeout, in milliseconds. */
const ANSWER_MS = 5_000
/** Maximum time in milliseconds that a transaction can be idle before Postgres ends it and releases its locks. */
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
      // One name for all, because a pooler would set the name again whenever it lends a connection to a client with
      // another name.
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

/** Returns the URL of a node, which has the same database and user as the coordinator. It leads to the node without a pooler. */
function urlOf(coordinator_url: string, { host, port }: { host: string; port: number }): string {
  const url = new URL(coordinator_url)
  url.host = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  return url.href
}
