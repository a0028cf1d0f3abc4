// A pool of connections to one server: with timeouts and settings, and without connections that no longer work.
import pg from 'pg'
import { isBroken, isDiskFull, READ_ONLY, Unreached } from '../../runtime/database-faults.ts'
import { optionsOf } from './session.ts'
import { beginOf, SETTER, SetQuery, type Settings, setterOf } from './set-query.ts'

/** A pooler in transaction mode uses another connection for each transaction, so nothing may depend on the session. */
export interface Pooler {
  /** Whether it supports named prepared statements. */
  isPrepared: boolean
}

export interface PoolOptions {
  url: string
  /** Number of connections. */
  size: number
  application_name: string
  settings: Settings
  /** We give up on a statement after this; 0: never. */
  answer_ms: number
  /** Absent when the url is that of the server itself. */
  pooler: Pooler | undefined
  /** Refuses a server that is read-only. */
  isPrimary: boolean
  onIdleError: (error: Error) => void
  /** Called when a server has become read-only: none of its connections is of use any more. */
  onDemoted: () => void
  /** Called when the server had no disk space for a statement. */
  onDiskFull: () => void
  /** How long a connection may be used, in milliseconds. `opened`: how many this pool opened before it. */
  lifetimeOf?: ((opened: number) => number) | undefined
}

export interface Connections {
  pool: pg.Pool
  /** Discards all connections: those in use, when they are released. */
  renew(): void
  /** Ends all connections at once, together with whatever runs on them. */
  cut(): void
  close(): Promise<void>
}

/** How long a statement waits for a connection: a server that does not answer must not hold requests forever. */
const CONNECT_MS = 5_000
/** When an idle connection is probed to see whether it still works. */
const KEEP_ALIVE_MS = 10_000
/**
 * An idle connection is kept for longer than the chores rest: opening one costs Postgres a process, and both sides the
 * proof of a password.
 */
const IDLE_MS = 75_000
/**
 * The process behind a connection keeps something of every table and plan that it ever used, and partitions come and go.
 * Connections end at different times, because a new one plans its statements again.
 */
const LIFETIME_MS = { least: 600_000, step: 60_000, steps: 8 }
const lifetimeOf = (opened: number): number => LIFETIME_MS.least + LIFETIME_MS.step * (opened % LIFETIME_MS.steps)
const TIMESTAMPTZ = 1184
const INT8 = 20
const INT4_ARRAY = 1007

type Client = pg.PoolClient & Pick<pg.Client, 'end' | 'getTransactionStatus'>

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
    // The pool awaits it, although its types do not say so.
    onConnect: async (client: pg.ClientBase) => {
      if (isPrimary) await requirePrimary(client)
      if (pooler?.isPrepared) await client.query({ name: SETTER, text: setterOf(settings) })
    },
  })
  const open = new Set<Client>()
  const lent = new Set<Client>()
  const outdated = new WeakSet<Client>()
  let isClosing = false
  let opened = 0
  // Without a listener, a restart of the server would end this process.
  pool.on('error', (error) => isClosing || options.onIdleError(error))
  pool.on('connect', (given) => {
    const client = given as Client
    open.add(client)
    const lifetime = setTimeout(() => outdated.add(client), (options.lifetimeOf ?? lifetimeOf)(opened++)).unref()
    client.once('end', () => clearTimeout(lifetime))
    if (pooler) lend(client, pooler, settings)
    endWhenBroken(client, options)
  })
  pool.on('remove', (client) => open.delete(client as Client))
  pool.on('acquire', (client) => lent.add(client as Client))
  pool.on('release', (_error, given) => {
    const client = given as Client
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

type Connected = Parameters<pg.Client['connect']>[0]

/** Marks the error when a connection could not be made at all, as opposed to one that broke. */
class ReachingClient extends pg.Client {
  override connect(): Promise<pg.Client>
  override connect(told: Connected): void
  override connect(told?: Connected): Promise<pg.Client> | void {
    if (!told) return super.connect()
    const tell = told as (error: Error | null) => void
    super.connect((error: Error | null) => tell(error && new Unreached(error)))
  }
}

/** The pool does not bound what is done when a connection is made, and a server may hang just then. */
async function requirePrimary(client: pg.ClientBase): Promise<void> {
  const asked: pg.QueryConfig & { query_timeout: number } = {
    text: 'select pg_is_in_recovery() as is_standby',
    query_timeout: CONNECT_MS,
  }
  const { rows } = await client.query<{ is_standby: boolean }>(asked)
  if (!rows[0]?.is_standby) return
  throw new Unreached(
    Object.assign(new Error('the database is a standby, which does not accept writes'), { code: READ_ONLY }),
  )
}

/** Postgres takes some settings directly when a connection starts, and all others as options. */
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

type Told = (error: Error | null | undefined, result: unknown) => void

/** Sends the settings along with each transaction and each single statement. */
export function lend(client: pg.PoolClient, { isPrepared }: Pooler, settings: Settings): void {
  const { getTransactionStatus } = client as Client
  const query = client.query.bind(client) as (...statement: unknown[]) => unknown
  const setter = setterOf(settings)
  const withSettings = (statement: string | pg.QueryConfig, values: unknown[] | undefined, told: Told): unknown => {
    const { name: _, ...unnamed } = typeof statement === 'string' ? { text: statement } : statement
    // Of a query of our own (store/copy-in.ts), a copy would not do.
    const asked = isPrepared || statement instanceof pg.Query ? statement : unnamed
    // Null before the first statement.
    const isInside = ['T', 'E'].includes(getTransactionStatus.call(client) ?? '')
    return isInside ? query(asked, values, told) : query(new SetQuery(setter, asked, values, told))
  }
  client.query = ((statement: string | pg.QueryConfig, values?: unknown[], told?: Told) => {
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
 * The pool keeps a connection unless its user reports it as broken, so one that no longer answers would be used again
 * and again. A connection that we end is discarded.
 */
function endWhenBroken(client: Client, { onDemoted, onDiskFull }: Pick<PoolOptions, 'onDemoted' | 'onDiskFull'>): void {
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
    // The server has rolled back by itself. The caller must see the error that came before.
    if (isEnded && statement[0] === 'rollback')
      return Promise.resolve({ command: 'ROLLBACK', rows: [], rowCount: null })
    const told = statement.at(-1)
    if (typeof told === 'function') {
      const tell = told as Told
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
 * Timestamps stay text, so that no microsecond is lost. int8 becomes a number, because our ids and counts fit. Arrays
 * of integers have one dimension and no nulls; they are parsed here because they come by the hundred.
 */
function parsers(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides()
  types.setTypeParser(TIMESTAMPTZ, (text) => text)
  types.setTypeParser(INT8, Number)
  types.setTypeParser(INT4_ARRAY, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)))
  return types
}
