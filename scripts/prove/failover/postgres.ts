// Debian's Postgres as an operator would run it twice: a primary whose commits wait for a standby, and that standby.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { serverAccount } from '../../../packages/server/dist/embedded-postgres/account.js'
import { run } from '../../../packages/server/dist/embedded-postgres/cluster.js'
import { hasEnded } from '../../../packages/server/dist/embedded-postgres/process.js'
import { firstConnection, freePort } from '../../../packages/server/dist/embedded-postgres/server.js'
import { MORTAL, requireProgram } from '../../lab/debian.ts'
import { until, type World } from '../../lab/world.ts'
import { childrenOf } from '../alerting/mortals.ts'

const MAJORS = ['18', '17', '16', '15']
const USER = 'dogwatch'
const GONE_MS = 20_000
const SYNC_MS = 60_000
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  // A standby that was away finds what it missed.
  wal_keep_size: '2GB',
  // How soon it retries a primary that is gone: by default after 5 s, for which commits would wait.
  wal_retrieve_retry_interval: '500ms',
  timezone: 'UTC',
}

export interface Cluster {
  readonly name: string
  readonly port: number
  /** Past any address before it. */
  readonly url: string
  /** Resolves when it accepts connections. */
  start(): Promise<void>
  /** With SIGKILL, all of its processes. */
  kill(): Promise<void>
  /** Runs one statement as the superuser. */
  ask<Row extends object>(statement: string): Promise<Row[]>
}

export interface Postgres {
  readonly version: string
  readonly password: string
  /** An empty cluster. */
  create(name: string): Promise<Cluster>
  /** One that follows another. Not started. */
  follow(name: string, leader: Cluster): Promise<Cluster>
}

export async function openPostgres(folder: string, password: string, undo: World['undo']): Promise<Postgres> {
  const postgres = requireProgram('postgresql', ...MAJORS.map((major) => `/usr/lib/postgresql/${major}/bin/postgres`))
  const program = (name: string) => postgres.replace(/postgres$/, name)
  const account = serverAccount(join(folder, 'none'))
  const home = (name: string): string => {
    const path = join(folder, name)
    mkdirSync(path, { mode: 0o700 })
    if (account) chownSync(path, account.uid, account.gid)
    return path
  }
  const open = async (name: string, data: string) => {
    const cluster = new RunningCluster({ name, data, postgres, password, port: await freePort(0), log: `${data}.log` })
    undo(() => cluster.kill())
    return cluster
  }
  return {
    version: postgres.split('/')[4] ?? '',
    password,
    create: async (name) => {
      const data = home(name)
      const passwordFile = join(data, '..', `${name}.password`)
      await writeFile(passwordFile, password, { mode: 0o644 })
      const access = ['-U', USER, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`]
      await run(program('initdb'), ['-D', data, ...access, '--locale=C', '--encoding=UTF8'], account)
      return open(name, data)
    },
    follow: async (name, leader) => {
      const data = home(name)
      await run(program('pg_basebackup'), ['-D', data, '-d', leader.url, '-R', '-c', 'fast', '-X', 'stream'], account)
      // Once it is the primary, it must not wait for itself.
      await appendFile(join(data, 'postgresql.auto.conf'), "synchronous_standby_names = ''\n")
      return open(name, data)
    },
  }
}

interface ClusterPlan {
  name: string
  data: string
  postgres: string
  password: string
  port: number
  log: string
}

class RunningCluster implements Cluster {
  readonly name: string
  readonly port: number
  readonly url: string
  readonly #plan: ClusterPlan
  #child: ChildProcess | undefined

  constructor(plan: ClusterPlan) {
    this.#plan = plan
    this.name = plan.name
    this.port = plan.port
    this.url = `postgres://${USER}:${plan.password}@127.0.0.1:${plan.port}/postgres`
  }

  async start(): Promise<void> {
    const { data, postgres, log } = this.#plan
    const account = serverAccount(data)
    const identity = account ? ['--reuid', `${account.uid}`, '--regid', `${account.gid}`, '--clear-groups'] : []
    const settings = { ...SETTINGS, port: String(this.port), cluster_name: this.name }
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const [wrapper = '', ...args] = [...MORTAL.slice(0, -1), ...identity, '--', postgres, '-D', data, ...flags]
    const out = openSync(log, 'a', 0o600)
    const child = spawn(wrapper, args, { cwd: '/', stdio: ['ignore', out, out] })
    closeSync(out)
    await once(child, 'spawn')
    this.#child = child
    const client = await firstConnection(this.url, child.pid ?? 0)
    if (!client) throw new Error(`${this.name} does not start: ${(await readFile(log, 'utf8')).slice(-500)}`)
    await client.end()
  }

  async kill(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child ?? {}
    if (pid === undefined || exitCode !== null || signalCode !== null) return
    const all = [pid, ...childrenOf(pid)]
    // Those that have just ended by themselves are what we want.
    for (const each of all) ignoringGone(() => process.kill(each, 'SIGKILL'))
    for (const each of all) {
      if (!(await hasEnded(each, GONE_MS))) throw new Error(`process ${each} of ${this.name} cannot be killed`)
    }
  }

  async ask<Row extends object>(statement: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url, application_name: 'proof' })
    await client.connect()
    try {
      return (await client.query<Row>(statement)).rows
    } finally {
      await client.end()
    }
  }
}

function ignoringGone(act: () => void): void {
  try {
    act()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** From now on no commit of the primary returns before it is on the standby's disk. */
export async function waitForEach(leader: Cluster, follower: Cluster): Promise<void> {
  await leader.ask(`alter system set synchronous_standby_names = '${follower.name}'`)
  await leader.ask('select pg_reload_conf()')
  await untilInSync(leader)
}

export async function untilInSync(leader: Cluster): Promise<void> {
  const holds = async () =>
    (await leader.ask("select from pg_stat_replication where sync_state = 'sync' and state = 'streaming'")).length > 0
  if (!(await until(holds, SYNC_MS))) throw new Error(`nobody follows ${leader.name}`)
}

/** Ends writing on the primary, whose connections stay, and waits until the standby has everything. */
export async function freeze(leader: Cluster): Promise<void> {
  await leader.ask('alter system set default_transaction_read_only = on')
  await leader.ask('select pg_reload_conf()')
  const isDone = async () => {
    const [row] = await leader.ask<{ is_done: boolean }>(
      `select not exists (select from pg_stat_activity where backend_xid is not null)
         and (select bool_and(replay_lsn >= pg_current_wal_lsn()) from pg_stat_replication) as is_done`,
    )
    return row?.is_done === true
  }
  if (!(await until(isDone, SYNC_MS))) throw new Error(`what ${leader.name} has does not arrive`)
}

export async function promote(follower: Cluster): Promise<void> {
  const [row] = await follower.ask<{ pg_promote: boolean }>('select pg_promote()')
  if (row?.pg_promote !== true) throw new Error(`${follower.name} cannot be promoted`)
}
