// A Postgres and a streaming standby of it, made as the manual says: its files are copied while it says that they are.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedPostgres, openEmbeddedPostgres } from '@dogwatch/embedded-postgres/open'
import pg from 'pg'
import { migrateToLatest } from '../../src/migrate.ts'

export interface Pair {
  primary_url: string
  standby_url: string
  /** One statement at the standby. */
  atStandby(sql: string): Promise<Record<string, unknown>[]>
  /** Ends the standby without a word to anybody. */
  killStandby(): Promise<void>
  startStandby(): Promise<void>
  close(): Promise<void>
}

/** A primary with the present schema, and its standby. */
export async function openPair(): Promise<Pair> {
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-pair-'))
  // Root's Postgres runs as another user, who walks through here.
  await chmod(folder, 0o711)
  const [first, second] = [join(folder, 'primary'), join(folder, 'standby')]
  const open = (dataDir: string, settings: Record<string, string>) =>
    openEmbeddedPostgres({ dataDir, random: randomBytes, throwaway: true, settings })
  // A throwaway's commits wait for nothing, and then for no standby either.
  const primary = await open(first, { synchronous_commit: 'on' })
  await migrateToLatest(primary.url)
  await copyCluster(primary.url, first, second)
  const { port, password } = new URL(primary.url)
  const follow = {
    primary_conninfo: `host=127.0.0.1 port=${port} user=dogwatch password=${password}`,
    // What it has to replay waits for no reader.
    max_standby_streaming_delay: '0',
    wal_retrieve_retry_interval: '100ms',
  }
  const opened: EmbeddedPostgres[] = [primary, await open(second, follow)]
  const standby_url = opened[1]?.url ?? ''
  return {
    primary_url: primary.url,
    standby_url,
    atStandby: (sql) => ask(standby_url, sql),
    killStandby: async () => {
      const rows = await ask(standby_url, 'select pid from pg_stat_activity where pid <> pg_backend_pid()')
      const postmaster = Number.parseInt(await readFile(join(second, 'postgres', 'postmaster.pid'), 'utf8'), 10)
      // The postmaster first, so that nobody brings its children back.
      for (const pid of [postmaster, ...rows.map((row) => Number(row.pid))]) killQuietly(pid)
    },
    startStandby: async () => void opened.push(await open(second, follow)),
    close: async () => {
      for (const each of opened.reverse()) await each.stop()
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

async function copyCluster(url: string, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query("select pg_backup_start('standby', fast => true)")
    execFileSync('mkdir', ['-m', '711', to])
    await cp(join(from, 'postgres.json'), join(to, 'postgres.json'))
    execFileSync('cp', ['-a', join(from, 'postgres'), join(to, 'postgres')])
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    const cluster = join(to, 'postgres')
    for (const file of ['postmaster.pid', 'postmaster.opts']) await rm(join(cluster, file), { force: true })
    const log = join(cluster, 'pg_wal')
    for (const segment of await readdir(log)) {
      if (/^[0-9A-F]{24}/.test(segment)) await rm(join(log, segment))
    }
    const { uid, gid } = await stat(cluster)
    for (const [name, text] of [
      ['backup_label', rows[0]?.labelfile ?? ''],
      ['standby.signal', ''],
    ] as const) {
      await writeFile(join(cluster, name), text, { mode: 0o600 })
      await chown(join(cluster, name), uid, gid)
    }
  } finally {
    await client.end()
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It went with the others.
  }
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}
