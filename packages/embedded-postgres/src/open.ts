// Opens the default database server. The first process of a data directory starts it, all of them share it, and the
// last one ends it.
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Account, serverAccount } from './account.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { chooseCluster, ensureCluster, isCluster } from './cluster.ts'
import { guardThrowaway } from './guard.ts'
import { type KeepOptions, keepRunning } from './keep.ts'
import { leaveServer, locked } from './leave.ts'
import { isAlive, ownIdentity } from './process.ts'
import {
  endServer,
  firstConnection,
  freePort,
  logTail,
  runningServer,
  SETTINGS,
  startServer,
  THROWAWAY,
} from './server.ts'
import {
  clusterOf,
  ensureDataDir,
  readClients,
  readRecord,
  type ServerRecord,
  urlOf,
  writeClients,
  writeRecord,
} from './state.ts'

export interface EmbeddedPostgres {
  readonly url: string
  /** Ends the server unless another user of it is left. Further calls do nothing. */
  stop(): Promise<void>
}

export interface EmbeddedPostgresOptions {
  /** Data directory. The cluster is its folder `postgres`, unless the server's user cannot access that. */
  readonly dataDir: string
  readonly random: (bytes: number) => Uint8Array
  /**
   * Whether the server is for tests and benchmarks: its data does not survive a crash, and it ends together with this process.
   */
  readonly throwaway?: boolean
  /** Whether the data directory of a throwaway server is deleted with it. */
  readonly remove?: boolean
  readonly settings?: Readonly<Record<string, string>>
  /** Options for restarting the server whenever it ends while this process uses it. Absent means no restarts. */
  readonly keep?: KeepOptions
}

const START_LIMIT_MS = 30_000

/** Starts the server of a data directory or joins the one that already runs there. */
export async function openEmbeddedPostgres(given: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const options = { ...given, dataDir: resolve(given.dataDir) }
  ensureDataDir(options.dataDir)
  const id = hex(options.random(8))
  const last = { id, dataDir: options.dataDir, throwaway: options.throwaway ?? false, remove: options.remove ?? false }
  const watcher = await locked(options.dataDir, async () => {
    enlist(options.dataDir, id)
    // Comes before the start of the server, because this process could be killed during the start.
    return options.throwaway ? guardThrowaway(last) : null
  })
  const stopWatcher = () => watcher?.kill('SIGKILL')
  try {
    const record = await locked(options.dataDir, () => ensureServer(options))
    const unkeep = options.keep && keep(options, record, options.keep)
    let stopped: Promise<void> | undefined
    const leave = async (): Promise<void> => {
      await unkeep?.()
      await leaveServer(last).finally(stopWatcher)
    }
    const stop = () => (stopped ??= leave())
    return { url: urlOf(record, 'dogwatch'), stop }
  } catch (error) {
    await leaveServer(last)
      .catch(() => {})
      .finally(stopWatcher)
    throw error
  }
}

function keep(options: EmbeddedPostgresOptions, known: ServerRecord, told: KeepOptions): () => Promise<void> {
  const { dataDir } = options
  const cluster = clusterOf(dataDir, known)
  const isRunning = (): boolean => runningServer(cluster) !== null
  const restart = async (): Promise<void> => {
    // Fails, because a new empty cluster would be mistaken for the lost one.
    if (!isCluster(cluster)) throw new Error(`the database at ${cluster} no longer exists`)
    const { port } = await locked(dataDir, () => ensureServer(options))
    if (port === known.port) return
    throw new Error(`the database server had to move from port ${known.port} to ${port}; restart this process`)
  }
  return keepRunning(isRunning, restart, told)
}

function enlist(dataDir: string, id: string): void {
  const living = readClients(dataDir).filter(isAlive)
  writeClients(dataDir, [...living, { ...ownIdentity(), id }])
}

async function ensureServer(options: EmbeddedPostgresOptions): Promise<ServerRecord> {
  const { dataDir } = options
  const known = readRecord(dataDir)
  const joined = known && (await joinRunning(dataDir, known))
  if (joined) return joined
  const account = serverAccount(known ? clusterOf(dataDir, known) : join(dataDir, 'postgres'))
  const binaries = findBinaries(account)
  const record = known ?? newRecord(options, chooseCluster(dataDir, account, hex(options.random(6))))
  // Stores the password before creating the cluster, because a cluster without its password would be useless.
  if (!known) writeRecord(dataDir, record)
  const cluster = clusterOf(dataDir, record)
  await ensureCluster(cluster, record.password, binaries, account, !options.throwaway)
  return start(options, record, { binaries, account, cluster })
}

function newRecord(options: EmbeddedPostgresOptions, cluster: string): ServerRecord {
  return { cluster, port: 0, password: Buffer.from(options.random(32)).toString('base64url') }
}

async function joinRunning(dataDir: string, record: ServerRecord): Promise<ServerRecord | null> {
  const pid = runningServer(clusterOf(dataDir, record))
  return pid !== null && (await settle(record, pid)) ? record : null
}

type ClusterSetup = { binaries: Binaries; account: Account; cluster: string }

async function start(
  options: EmbeddedPostgresOptions,
  known: ServerRecord,
  place: ClusterSetup,
): Promise<ServerRecord> {
  const log = join(options.dataDir, 'postgres.log')
  const settings = { ...SETTINGS, ...(options.throwaway ? THROWAWAY : {}), ...options.settings }
  const end = performance.now() + START_LIMIT_MS
  for (;;) {
    const record = { ...known, port: await freePort(known.port) }
    if (record.port !== known.port) writeRecord(options.dataDir, record)
    const child = await startServer({ ...place, log, port: record.port, settings })
    try {
      if (child.pid !== undefined && (await settle(record, child.pid))) return record
    } catch (error) {
      await endServer(place.cluster, 'immediate', place.binaries)
      throw new Error(`${(error as Error).message}; its log ends: ${logTail(log)}`)
    }
    // Tries again after a problem that goes away by itself: another program used the port in the meantime, or children of a killed server still run.
    const tail = logTail(log)
    // A killed server that the system has not cleaned up yet still has the lock file.
    const isLockLeft = tail.includes('lock file') && tail.includes('already exists')
    const passing = isLockLeft || /Address already in use|could not bind|shared memory block/.test(tail)
    if (!passing || performance.now() > end)
      throw new Error(`the database server exited immediately; its log ends: ${tail}`)
    await pause(100)
  }
}

/**
 * Waits until the server responds, and creates the database `dogwatch` if necessary. Returns false if the server ended instead.
 */
async function settle(record: ServerRecord, pid: number): Promise<boolean> {
  const client = await firstConnection(urlOf(record, 'postgres'), pid)
  if (!client) return false
  try {
    const { rowCount } = await client.query(`select from pg_database where datname = 'dogwatch'`)
    if (!rowCount) await client.query('create database dogwatch')
    return true
  } finally {
    await client.end()
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
