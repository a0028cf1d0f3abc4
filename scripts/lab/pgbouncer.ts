// Runs Debian's pgbouncer in transaction mode in front of a Postgres.
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { type AsyncUndo, requireProgram, startMortal, versionOf } from './debian.ts'
import { freePort, sum } from './proof.ts'

export interface Pgbouncer {
  readonly host: string
  readonly version: string
  /** Returns its counters over all databases. */
  counts(): Promise<{ transactions: number; statements: number }>
  /** Returns the present clients and connections to Postgres of each pool. */
  pools(): Promise<{ database: string; clients: number; servers: number }[]>
  logged(): Promise<string>
}

export interface PgbouncerPlan {
  folder: string
  database_url: string
  /** Connections to Postgres for each database. */
  pool_size: number
}

export async function startPgbouncer(plan: PgbouncerPlan, undo: AsyncUndo): Promise<Pgbouncer> {
  const program = requireProgram('pgbouncer', '/usr/sbin/pgbouncer')
  const [port, folder] = [await freePort(), join(plan.folder, 'pgbouncer')]
  const { username, password, hostname, port: behind } = new URL(plan.database_url)
  await mkdir(folder)
  const log = join(folder, 'log')
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    pool_mode: 'transaction',
    default_pool_size: plan.pool_size,
    max_client_conn: 1000,
    // Because a database with connections cannot be dropped.
    server_idle_timeout: 10,
    auth_type: 'plain',
    auth_file: join(folder, 'users'),
    admin_users: username,
    logfile: log,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  await writeFile(join(folder, 'users'), `"${username}" "${decodeURIComponent(password)}"\n`)
  await writeFile(
    join(folder, 'ini'),
    `[databases]\n* = host=${hostname} port=${behind}\n[pgbouncer]\n${lines.join('')}`,
  )
  await writeFile(log, '')
  // It does not run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  if (user.length > 0) execFileSync('chown', ['-R', 'nobody', folder])
  await chmod(folder, 0o700)
  const show = (what: string) =>
    showOnce(`postgres://${username}:${password}@127.0.0.1:${port}/pgbouncer`, `show ${what}`)
  await startMortal([program, '-q', ...user, join(folder, 'ini')], () => show('version').then(Boolean), undo)
  const add = (row: Record<string, string>, names: string[]) => sum(names.map((name) => Number(row[name] ?? 0)))
  return {
    host: `127.0.0.1:${port}`,
    version: versionOf(program, '--version'),
    counts: async () => {
      const rows = await show('stats')
      const total = (name: string) => sum(rows.map((row) => Number(row[name])))
      return { transactions: total('total_xact_count'), statements: total('total_query_count') }
    },
    pools: async () => {
      const rows = (await show('pools')).filter(({ database }) => database !== 'pgbouncer')
      return rows.map((row) => ({
        database: row.database ?? '',
        clients: add(row, ['cl_active', 'cl_waiting']),
        servers: add(row, ['sv_active', 'sv_idle', 'sv_used', 'sv_tested', 'sv_login']),
      }))
    },
    logged: () => readFile(log, 'utf8'),
  }
}

/** Asks its console, which supports only the simple protocol. */
async function showOnce(url: string, text: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, string>>(text)).rows
  } finally {
    await client.end()
  }
}
