// Finds, starts, awaits and ends the server process of a cluster.
import { type ChildProcess, spawn } from 'node:child_process'
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Account } from './account.ts'
import type { Binaries } from './binaries.ts'
import { run, serverEnvironment } from './cluster.ts'
import { hasEnded, pidExists } from './process.ts'

const PID_FILE = 'postmaster.pid'
const READY_LIMIT_MS = 30_000
/**
 * Time limit in milliseconds for replaying the log after a crash, of at most `max_wal_size`. Longer than for a start, because the
 * server makes progress.
 */
const RECOVERY_LIMIT_MS = 600_000
const FAST_STOP_LIMIT_MS = 20_000
const LOG_LIMIT_BYTES = 10_000_000

export interface ServerOptions {
  readonly binaries: Binaries
  readonly account: Account
  readonly cluster: string
  readonly log: string
  readonly port: number
  readonly settings: Readonly<Record<string, string>>
}

export const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  // Long, because after each checkpoint the first change of a page writes the whole page to the log, and uploads wait
  // for the log.
  checkpoint_timeout: '15min',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

export const THROWAWAY: Readonly<Record<string, string>> = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
}

/**
 * Returns the process id of the server that runs on this cluster, no matter which process started it. Returns null if none runs.
 */
export function runningServer(cluster: string): number | null {
  const pid = livingPid(cluster)
  return pid !== null && worksIn(pid, cluster) ? pid : null
}

// Returns the process id in the file of the cluster's server. A process that is not a server can have the id now.
function livingPid(cluster: string): number | null {
  const file = join(cluster, PID_FILE)
  if (!existsSync(file)) return null
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
  return pid > 0 && pidExists(pid) ? pid : null
}

/** Starts the server. Resolves when the process runs, which is before it accepts connections. */
export async function startServer(options: ServerOptions): Promise<ChildProcess> {
  forgetReusedPid(options.cluster)
  rotate(options.log)
  const settings = { ...options.settings, port: String(options.port) }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = openSync(options.log, 'a', 0o600)
  const child = spawn(options.binaries.postgres, ['-D', options.cluster, ...args], {
    cwd: '/',
    // A separate process group, so that Ctrl-C in the terminal does not end the server before its clients have
    // finished.
    detached: true,
    stdio: ['ignore', log, log],
    windowsHide: true,
    ...serverEnvironment(),
    ...options.account,
  })
  closeSync(log)
  await new Promise<void>((done, fail) => {
    child.once('spawn', done)
    child.once('error', (error) => fail(new Error(`could not run the database server: ${error.message}`)))
  })
  child.unref()
  return child
}

/** Resolves with a connection as soon as the server accepts one, and with null if the server ended instead. */
export async function firstConnection(url: string, pid: number): Promise<pg.Client | null> {
  const begun = performance.now()
  let limit = READY_LIMIT_MS
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
    // Without a listener, a connection that breaks later would end this process.
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      const { code, message } = error as Error & { code?: string }
      void client.end().catch(() => {})
      if (!pidExists(pid)) return null
      // 57P03 is cannot_connect_now: the server runs and is replaying its log.
      if (code === '57P03') limit = RECOVERY_LIMIT_MS
      else if (code?.startsWith('28')) throw new Error(`the database server refused the connection: ${message}`)
      if (performance.now() - begun > limit)
        throw new Error(`the database server was not ready within ${limit / 1000} s`)
    }
    await pause(20)
  }
}

/** Ends the server. `fast` lets it write a checkpoint, `immediate` does not. */
export async function endServer(cluster: string, mode: 'fast' | 'immediate', binaries?: Binaries): Promise<void> {
  const pid = runningServer(cluster)
  if (pid === null) return
  if (mode === 'fast') {
    await signal(pid, 'SIGINT', cluster, binaries)
    if (await hasEnded(pid, FAST_STOP_LIMIT_MS)) return
  }
  await signal(pid, 'SIGQUIT', cluster, binaries)
  if (await hasEnded(pid, 5_000)) return
  await signal(pid, 'SIGKILL', cluster)
  await hasEnded(pid, 5_000)
}

export function logTail(log: string): string {
  return readFileSync(log, 'utf8').trim().split('\n').slice(-5).join(' | ')
}

/** Returns the preferred port if it is free, or else any free one. */
export async function freePort(wished: number): Promise<number> {
  return (await tryPort(wished)) ?? (await tryPort(0)) ?? wished
}

function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : null))
    })
  })
}

async function signal(pid: number, name: NodeJS.Signals, cluster: string, binaries?: Binaries): Promise<void> {
  if (process.platform === 'win32' && binaries) {
    const mode = name === 'SIGINT' ? 'fast' : 'immediate'
    await run(binaries.pg_ctl, ['stop', '-W', '-m', mode, '-D', cluster], null).catch(() => {})
    return
  }
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

// Compares the working directory of a process with the cluster, because Postgres works in its cluster. Where the system
// does not reveal the directory, the pid must suffice.
function worksIn(pid: number, cluster: string): boolean {
  if (process.platform !== 'linux') return true
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster)
  } catch {
    return false
  }
}

// Removes postmaster.pid if an unrelated process has its pid now, because Postgres would mistake that process for a
// server of the cluster and refuse to start.
function forgetReusedPid(cluster: string): void {
  if (livingPid(cluster) !== null) rmSync(join(cluster, PID_FILE))
}

function rotate(log: string): void {
  const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0
  if (size > LOG_LIMIT_BYTES) renameSync(log, `${log}.1`)
}
