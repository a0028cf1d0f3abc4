// Debian's pgbouncer in transaction mode, in front of the Postgres of a proof.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../../packages/server/dist/embedded-postgres/server.js'
import { MORTAL, requireProgram } from './debian.ts'
import { until, type World } from './world.ts'

export interface Pgbouncer {
  readonly host: string
  readonly version: string
  /** Its counters since it began, over all databases. */
  counts(): Promise<{ transactions: number; statements: number }>
  /** Clients and connections to Postgres of each pool, now. */
  pools(): Promise<{ database: string; clients: number; servers: number }[]>
  logged(): Promise<string>
}

export interface PgbouncerPlan {
  folder: string
  /** Url of the server; every client uses its user. */
  database_url: string
  /** Connections to Postgres for each database. */
  pool_size: number
}

const START_MS = 10_000
/** It does not run as root. */
const OTHER_USER = 'nobody'

export async function startPgbouncer(plan: PgbouncerPlan, undo: World['undo']): Promise<Pgbouncer> {
  const program = requireProgram('pgbouncer', '/usr/sbin/pgbouncer')
  const port = await freePort(0)
  const { username, password } = new URL(plan.database_url)
  const folder = join(plan.folder, 'pgbouncer')
  await mkdir(folder)
  const log = join(folder, 'log')
  const asOther = process.getuid?.() === 0
  await writeFile(join(folder, 'users'), `"${username}" "${decodeURIComponent(password)}"\n`)
  await writeFile(join(folder, 'ini'), settings(plan, { port, folder, username }))
  await writeFile(log, '')
  if (asOther) execFileSync('chown', ['-R', OTHER_USER, folder])
  await chmod(folder, 0o700)
  const [wrapper = '', ...args] = MORTAL
  const child = spawn(wrapper, [...args, program, '-q', ...(asOther ? ['-u', OTHER_USER] : []), join(folder, 'ini')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  undo(() => end(child))
  const ask = <Row extends pg.QueryResultRow>(show: string): Promise<Row[]> =>
    askOnce(`postgres://${username}:${password}@127.0.0.1:${port}/pgbouncer`, show)
  const isThere = await until(() => child.exitCode !== null || ask('show version').then(Boolean, () => false), START_MS)
  if (!isThere || child.exitCode !== null) throw new Error(`pgbouncer does not start: ${await readFile(log, 'utf8')}`)
  const [version = ''] = /\d[\w.+~-]*/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' })) ?? []
  return {
    host: `127.0.0.1:${port}`,
    version,
    counts: async () => {
      const rows = await ask<{ total_xact_count: string; total_query_count: string }>('show stats')
      const sum = (of: (row: (typeof rows)[number]) => string) => rows.reduce((all, row) => all + Number(of(row)), 0)
      return { transactions: sum((row) => row.total_xact_count), statements: sum((row) => row.total_query_count) }
    },
    pools: async () => {
      const rows = await ask<Record<string, string>>('show pools')
      const sum = (row: Record<string, string>, names: readonly string[]) =>
        names.reduce((all, name) => all + Number(row[name] ?? 0), 0)
      return rows
        .filter(({ database }) => database !== 'pgbouncer')
        .map((row) => ({
          database: row.database ?? '',
          clients: sum(row, ['cl_active', 'cl_waiting']),
          servers: sum(row, ['sv_active', 'sv_idle', 'sv_used', 'sv_tested', 'sv_login']),
        }))
    },
    logged: () => readFile(log, 'utf8'),
  }
}

function settings(
  { database_url, pool_size }: PgbouncerPlan,
  { port, folder, username }: { port: number; folder: string; username: string },
): string {
  const { hostname, port: behind } = new URL(database_url)
  return [
    '[databases]',
    `* = host=${hostname} port=${behind}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'pool_mode = transaction',
    `default_pool_size = ${pool_size}`,
    'max_client_conn = 1000',
    // No connections to a database that is dropped may be kept.
    'server_idle_timeout = 10',
    'auth_type = plain',
    `auth_file = ${join(folder, 'users')}`,
    `admin_users = ${username}`,
    `logfile = ${join(folder, 'log')}`,
    '',
  ].join('\n')
}

/** Its console supports only the simple protocol. */
async function askOnce<Row extends pg.QueryResultRow>(url: string, show: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(show)).rows
  } finally {
    await client.end()
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
