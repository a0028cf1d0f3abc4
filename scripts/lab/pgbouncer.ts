// Runs Debian's pgbouncer in transaction mode in front of a Postgres.
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { requireProgram, startMortal, versionOf } from './debian.ts'
import { freePort, sum, type Undo } from './proof.ts'

/** Starts pgbouncer, with at most `pool_size` connections to Postgres for each database. */
export async function startPgbouncer(within: string, database_url: string, pool_size: number, undo: Undo) {
  const program = requireProgram('pgbouncer', '/usr/sbin/pgbouncer')
  const [port, folder] = [await freePort(), join(within, 'pgbouncer')]
  const { username, password, hostname, port: behind } = new URL(database_url)
  await mkdir(folder)
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    pool_mode: 'transaction',
    default_pool_size: pool_size,
    max_client_conn: 1000,
    // Closes idle connections soon, because Postgres cannot drop a database with connections.
    server_idle_timeout: 10,
    auth_type: 'plain',
    auth_file: join(folder, 'users'),
    admin_users: username,
    logfile: join(folder, 'log'),
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  await writeFile(join(folder, 'users'), `"${username}" "${decodeURIComponent(password)}"\n`)
  await writeFile(
    join(folder, 'ini'),
    `[databases]\n* = host=${hostname} port=${behind}\n[pgbouncer]\n${lines.join('')}`,
  )
  // Runs as another user, because pgbouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  if (user.length > 0) execFileSync('chown', ['-R', 'nobody', folder])
  await chmod(folder, 0o700)
  const show = (what: string) =>
    showOnce(`postgres://${username}:${password}@127.0.0.1:${port}/pgbouncer`, `show ${what}`)
  await startMortal([program, '-q', ...user, join(folder, 'ini')], () => show('version').then(Boolean), undo)
  return {
    host: `127.0.0.1:${port}`,
    version: versionOf(program, '--version'),
    /** Returns the number of transactions so far, in all databases. */
    transactions: async () => sum((await show('stats')).map(({ total_xact_count }) => Number(total_xact_count))),
    /** Returns the present numbers of clients and of connections to Postgres, for each pool. */
    pools: async () =>
      (await show('pools'))
        .filter(({ database }) => database !== 'pgbouncer')
        .map((row) => ({
          clients: add(row, /^cl_(active|waiting)$/),
          servers: add(row, /^sv_(active|idle|used|tested|login)$/),
        })),
  }
}

/** Adds up some columns. */
function add(row: Readonly<Record<string, string>>, columns: RegExp): number {
  return sum(Object.entries(row).flatMap(([name, value]) => (columns.test(name) ? [Number(value)] : [])))
}

/** Runs a command on pgbouncer's console, which supports only the simple protocol. */
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
