// Opens a pool of connections to one server, with timeouts and settings, and discards connections that no longer work.

import { isBroken, isDiskFull, READ_ONLY, UnreachableDatabase } from '@dogwatch/runtime/database-faults'
import pg from 'pg'
import { optionsOf } from './session.ts'
import { beginOf, SETTER, SetQuery, type Settings, setterOf } from './set-query.ts'
import type { WireCallback } from './wire.ts'

/** Pooler in transaction mode, which can use another connection for each transaction, so nothing may depend on the session. */
export interface Pooler {
  /** Whether the pooler supports named prepared statements. */
  isPrepared: boolean
}

export interface PoolOptions {
  url: string
  /** Number of connections. */
  size: number
  application_name: string
  settings: Settings
  /** Time in milliseconds after which a statement without a response fails. 0 means never. */
  answer_ms: number
  /** Pooler that `url` leads to. Undefined if it leads to the server itself. */
  pooler: Pooler | undefined
  /** Whether to refuse a read-only server. */
  isPrimary: boolean
  onIdleError: (error: Error) => void
  /** Called when a server has become read-only, so that none of its connections is useful. */
  onDemoted: () => void
  /** Called when the server had no disk space for a statement. */
  onDiskFull: () => void
  /** Lifetime of a connection, in milliseconds. `opened` is the number of connections that this pool opened before this one. */
  lifetimeOf?: ((opened: number) => number) | undefined
}

export interface Connections {
  pool: pg.Pool
  /** Discards all connections. Those in use are discarded when their users release them. */
  renew(): void
  /** Ends all connections at once, together with the statements that run on them. */
  cut(): void
  close(): Promise<void>
}

/**
 * Maximum time for a statement to wait for a connection, in milliseconds, because a server that does not respond must not hold
 * requests forever.
 */
const CONNECT_MS = 5_000
/** Idle time after which a connection is probed, in milliseconds. */
const KEEP_ALIVE_MS = 10_000
/**
 * Time in milliseconds after which an idle connection is closed. It exceeds the pauses of the chores, because opening a connection
 * costs a new process in Postgres and a password check on both sides.
 */
const IDLE_MS = 75_000
/**
 * Lifetimes of connections, in milliseconds. Limited, because the process behind a connection remembers every table and plan that
 * it used. Different, so that not all connections plan their statements again at once.
 */
const LIFETIME_MS = { least: 600_000, step: 60_000, steps: 8 }
const lifetimeOf = (opened: number): number => LIFETIME_MS.least + LIFETIME_MS.step * (opened % LIFETIME_MS.steps)
const TIMESTAMPTZ = 1184
const INT8 = 20
const INT4_ARRAY = 1007

type PooledClient = pg.PoolClient & Pick<pg.Client, 'end' | 'getTransactionStatus'>

export function openConnections(options: PoolOptions): Connections {
  const { url, size, application_name, settings, answer_ms, pooler, isPrimary } = options
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    application_name,
    types: parsers(),
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    idleTimeoutMillis: IDLE_MS,
    ...(answer_ms > 0 && { query_timeout: answer_ms }),
    ...(!pooler && inStartup(settings)),
    Client: ReachingClient as unknown as new () => pg.ClientBase,
    // The pool awaits this function, although its types do not say so.
    onConnect: async (client: pg.ClientBase) => {
      if (isPrimary) await requirePrimary(client)
      if (pooler?.isPrepared) await client.query({ name: SETTER, text: setterOf(settings) })
    },
  })
  const open = new Set<PooledClient>()
  const lent = new Set<PooledClient>()
  const outdated = new WeakSet<PooledClient>()
  let isClosing = false
  let opened = 0
  // Without a listener, a restart of the server would end this process.
  pool.on('error', (error) => isClosing || options.onIdleError(error))
  pool.on('connect', (given) => {
    const client = given as PooledClient
    open.add(client)
    const lifetime = setTimeout(() => outdated.add(client), (options.lifetimeOf ?? lifetimeOf)(opened++)).unref()
    client.once('end', () => clearTimeout(lifetime))
    if (pooler) lend(client, pooler, settings)
    endWhenBroken(client, options)
  })
  pool.on('remove', (client) => open.delete(client as PooledClient))
  pool.on('acquire', (client) => lent.add(client as PooledClient))
  pool.on('release', (_error, given) => {
    const client = given as PooledClient
    lent.delete(client)
    if (outdated.has(client)) void client.end().catch(() => {})
  })
  const renew = (): void => {
    for (const client of open) outdated.add(client)
    const throwOut = (client: pg.PoolClient): void => client.release(true)
    for (let idle = pool.idleCount; idle > 0; idle--) void pool.connect().then(throwOut, () => {})
  }
  return {
    pool,
    renew,
    cut: () => {
      for (const client of lent) void client.end().catch(() => {})
      renew()
    },
    close: () => {
      isClosing = true
      return pool.end()
    },
  }
}

type ConnectCallback = Parameters<pg.Client['connect']>[0]

/** Client that marks the error if it could not connect at all, to distinguish this from a connection that broke. */
class ReachingClient extends pg.Client {
  override connect(): Promise<pg.Client>
  override connect(told: ConnectCallback): void
  override connect(told?: ConnectCallback): Promise<pg.Client> | void {
    if (!told) return super.connect()
    const tell = told as (error: Error | null) => void
    super.connect((error: Error | null) => tell(error && new UnreachableDatabase(error)))
  }
}

/**
 * Refuses a standby. Has a timeout of its own, because the pool does not limit work on a new connection, and the server can stop
 * responding just then.
 */
async function requirePrimary(client: pg.ClientBase): Promise<void> {
  const asked: pg.QueryConfig & { query_timeout: number } = {
    text: 'select pg_is_in_recovery() as is_standby',
    query_timeout: CONNECT_MS,
  }
  const { rows } = await client.query<{ is_standby: boolean }>(asked)
  if (!rows[0]?.is_standby) return
  throw new UnreachableDatabase(
    Object.assign(new Error('the database is a standby, which does not accept writes'), { code: READ_ONLY }),
  )
}

/**
 * Returns the settings as options of pg, which has names of its own for some of them. Postgres gets all others when the connection
 * starts.
 */
function inStartup(settings: Settings): Partial<pg.PoolConfig> {
  const { statement_timeout, lock_timeout, idle_in_transaction_session_timeout, ...others } = settings
  return {
    ...(statement_timeout !== undefined && { statement_timeout: Number(statement_timeout) }),
    ...(lock_timeout !== undefined && { lock_timeout: Number(lock_timeout) }),
    ...(idle_in_transaction_session_timeout !== undefined && {
      idle_in_transaction_session_timeout: Number(idle_in_transaction_session_timeout),
    }),
    options: optionsOf(others),
  }
}

/**
 * Makes a client send the settings with each transaction, and with each statement outside of one, because a pooler can use another
 * connection each time.
 */
export function lend(client: pg.PoolClient, { isPrepared }: Pooler, settings: Settings): void {
  const { getTransactionStatus } = client as PooledClient
  const query = client.query.bind(client) as (...statement: unknown[]) => unknown
  const setter = setterOf(settings)
  const withSettings = (
    statement: string | pg.QueryConfig,
    values: unknown[] | undefined,
    told: WireCallback,
  ): unknown => {
    const { name: _, ...unnamed } = typeof statement === 'string' ? { text: statement } : statement
    // Passes the query objects of store/copy-in.ts on unchanged, because a copy of one would not work.
    const asked = isPrepared || statement instanceof pg.Query ? statement : unnamed
    // The transaction status is null before the first statement.
    const isInside = ['T', 'E'].includes(getTransactionStatus.call(client) ?? '')
    return isInside ? query(asked, values, told) : query(new SetQuery(setter, asked, values, told))
  }
  client.query = ((statement: string | pg.QueryConfig, values?: unknown[], told?: WireCallback) => {
    if (isWord(statement, 'begin'))
      return told ? query(beginOf(statement, settings), told) : query(beginOf(statement, settings))
    if (told) return withSettings(statement, values, told)
    return new Promise((resolve, reject) => {
      withSettings(statement, values, (error, result) => (error ? reject(error) : resolve(result)))
    })
  }) as typeof client.query
}

function isWord(statement: unknown, word: string): statement is string {
  return typeof statement === 'string' && statement.startsWith(word)
}

/**
 * Ends a connection when an error shows that it no longer works. Otherwise the pool would use it again and again, unless its user
 * reports it as broken.
 */
function endWhenBroken(
  client: PooledClient,
  { onDemoted, onDiskFull }: Pick<PoolOptions, 'onDemoted' | 'onDiskFull'>,
): void {
  const query = client.query.bind(client) as (...statement: unknown[]) => unknown
  let isEnded = false
  const judge = (error: unknown): void => {
    if (isDiskFull(error)) onDiskFull()
    if (isEnded || !isBroken(error)) return
    isEnded = true
    void client.end().catch(() => {})
    if ((error as { code?: unknown }).code === READ_ONLY) onDemoted()
  }
  client.query = ((...statement: unknown[]) => {
    // The server has already rolled back, and the caller must see the earlier error.
    if (isEnded && statement[0] === 'rollback')
      return Promise.resolve({ command: 'ROLLBACK', rows: [], rowCount: null })
    const told = statement.at(-1)
    if (typeof told === 'function') {
      const tell = told as WireCallback
      statement[statement.length - 1] = (error: Error | null | undefined, result: unknown) => {
        judge(error)
        tell(error, result)
      }
    }
    const answer = query(...statement)
    if (answer instanceof Promise) answer.catch(judge)
    return answer
  }) as typeof client.query
  // Without a listener, a connection that breaks between two statements would end this process. The next statement gets
  // the error.
  client.on('error', judge)
}

/**
 * Returns parsers that keep timestamps as text, so that no microsecond is lost, and turn int8 into numbers, because our ids and
 * counts fit. Integer arrays, which come by the hundred, have one dimension and no nulls.
 */
function parsers(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides()
  types.setTypeParser(TIMESTAMPTZ, (text) => text)
  types.setTypeParser(INT8, Number)
  types.setTypeParser(INT4_ARRAY, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)))
  return types
}
