// Runs Postgres for proofs: the embedded server, or Debian's as an operator runs it. Both can be killed with SIGKILL.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { appendFile, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { type Account, serverAccount } from '../../packages/embedded-postgres/dist/account.js'
import { ensureCluster, run } from '../../packages/embedded-postgres/dist/cluster.js'
import { openEmbeddedPostgres } from '../../packages/embedded-postgres/dist/open.js'
import { hasEnded } from '../../packages/embedded-postgres/dist/process.js'
import { firstConnection, runningServer } from '../../packages/embedded-postgres/dist/server.js'
import { clusterOf, readRecord } from '../../packages/embedded-postgres/dist/state.js'
import { systemRandom } from '../../packages/runtime/dist/random.js'
import { childrenOf } from './cpu.ts'
import { MORTAL, requireProgram } from './debian.ts'
import { freePort, type Undo } from './proof.ts'
import type { Mortal } from './server.ts'

/** Settings that keep data after a kill, and make work cost as much as in production. */
const DURABLE = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' }
const GONE_MS = 20_000
const MAJORS = ['18', '17', '16', '15']
const USER = 'dogwatch'

/** Opens the embedded server, whose data is removed at the end. */
export async function openEmbedded(
  folder: string,
  undo: Undo,
  settings: Readonly<Record<string, string>> = {},
): Promise<Mortal & { url: string }> {
  const dataDir = join(folder, 'data')
  const options = { dataDir, random: systemRandom, throwaway: true, remove: true }
  const open = () => openEmbeddedPostgres({ ...options, settings: { ...DURABLE, ...settings } })
  let opened = await open()
  const { url } = opened
  undo(() => opened.stop())
  return {
    name: 'Postgres',
    url,
    kill: () => {
      const record = readRecord(dataDir)
      const postmaster = record && runningServer(clusterOf(dataDir, record))
      if (!postmaster) throw new Error('Postgres has ended by itself')
      return killWithChildren(postmaster)
    },
    start: async () => {
      const before = opened
      opened = await open()
      if (opened.url !== url) throw new Error('Postgres came back on another port')
      await before.stop()
    },
  }
}

/** Kills the main process of a Postgres server. Its child processes notice that, and end. */
export async function killWithChildren(postmaster: number): Promise<void> {
  const all = [postmaster, ...childrenOf(postmaster)]
  process.kill(postmaster, 'SIGKILL')
  for (const pid of all) {
    if (!(await hasEnded(pid, GONE_MS))) throw new Error(`process ${pid} of Postgres outlives its postmaster`)
  }
}

interface ClusterPlan {
  name: string
  data: string
  postgres: string
  account: Account
  password: string
  settings: Readonly<Record<string, string>>
  /** Environment of Postgres. The other programs of the cluster do not get it. */
  env?: Readonly<Record<string, string>>
}

/** One Postgres cluster with its server. `start` starts the server. */
export class Cluster implements Mortal {
  readonly name: string
  readonly port: number
  readonly password: string
  readonly url: string
  readonly #plan: ClusterPlan
  #child: ChildProcess | undefined

  constructor(plan: ClusterPlan, port: number) {
    this.#plan = plan
    this.name = plan.name
    this.port = port
    this.password = plan.password
    this.url = `postgres://${USER}:${plan.password}@127.0.0.1:${port}/postgres`
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  async start(): Promise<void> {
    const { name, data, postgres, account, settings, env } = this.#plan
    const identity = account ? ['--reuid', `${account.uid}`, '--regid', `${account.gid}`, '--clear-groups'] : []
    const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', timezone: 'UTC', ...settings }
    const flags = Object.entries({ ...all, port: `${this.port}` }).flatMap(([key, value]) => ['-c', `${key}=${value}`])
    const variables = Object.entries({ PATH: '/usr/bin:/bin', LC_ALL: 'C', ...env }).map(([key, is]) => `${key}=${is}`)
    const inside = ['/usr/bin/env', '-i', ...variables, postgres, '-D', data, ...flags]
    const [wrapper = '', ...args] = [...MORTAL.slice(0, -1), ...identity, '--', ...inside]
    const log = `${data}.log`
    const out = openSync(log, 'a', 0o600)
    this.#child = spawn(wrapper, args, { cwd: '/', stdio: ['ignore', out, out] })
    closeSync(out)
    await once(this.#child, 'spawn')
    const client = await firstConnection(this.url, this.pid)
    if (!client) throw new Error(`${name} does not start: ${(await readFile(log, 'utf8')).slice(-800)}`)
    await client.end()
  }

  async kill(): Promise<void> {
    const { exitCode, signalCode } = this.#child ?? {}
    if (exitCode === null && signalCode === null) await killWithChildren(this.pid)
  }

  ask<Row extends object = Record<string, unknown>>(statement: string): Promise<Row[]> {
    return ask<Row>(this.url, statement)
  }
}

/**
 * Runs a statement. Turns JIT off, because Debian's Postgres would spend a minute on compiling a statement about all days of
 * results.
 */
export async function ask<Row extends object>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'proof', options: '-c jit=off' })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

export interface Debian {
  readonly version: string
  readonly bin: string
  readonly account: Account
  /** Makes a folder that belongs to the account of Postgres. */
  home(name: string): string
  /** Makes an empty cluster, and starts it with the environment `env`. Appends `conf` to its postgresql.conf. */
  create(name: string, conf?: string, env?: Readonly<Record<string, string>>): Promise<Cluster>
  /** Makes a standby of another cluster. The caller must start it. */
  follow(name: string, leader: Cluster): Promise<Cluster>
  /** Returns the cluster in an existing folder. The caller must start it. */
  at(name: string, password: string, env?: Readonly<Record<string, string>>): Promise<Cluster>
}

/** Finds Debian's Postgres. Installs it if necessary. */
export function openDebian(folder: string, undo: Undo, settings: Readonly<Record<string, string>> = {}): Debian {
  const postgres = requireProgram('postgresql', ...MAJORS.map((major) => `/usr/lib/postgresql/${major}/bin/postgres`))
  const [bin, account, major = ''] = [dirname(postgres), serverAccount(join(folder, 'none')), postgres.split('/')[4]]
  const binaries = { postgres, major, initdb: join(bin, 'initdb'), pg_ctl: join(bin, 'pg_ctl') }
  const home = (name: string): string => {
    const path = join(folder, 'postgres', name)
    mkdirSync(path, { mode: 0o700 })
    if (account) chownSync(path, account.uid, account.gid)
    return path
  }
  home('')
  const at: Debian['at'] = async (name, password, env = {}) => {
    const plan = { name, data: join(folder, 'postgres', name), postgres, account, password, settings, env }
    const cluster = new Cluster(plan, await freePort())
    undo(() => cluster.kill())
    return cluster
  }
  return {
    ...{ version: major, bin, account, home, at },
    create: async (name, conf = '', env = {}) => {
      const [password, data] = [newPassword(), join(folder, 'postgres', name)]
      await ensureCluster(data, password, binaries, account, false)
      await appendFile(join(data, 'postgresql.conf'), `\n${conf}`)
      const cluster = await at(name, password, env)
      await cluster.start()
      return cluster
    },
    follow: async (name, leader) => {
      const data = home(name)
      const from = ['-D', data, '-d', leader.url, '-R', '-c', 'fast', '-X', 'stream']
      await run(join(bin, 'pg_basebackup'), from, account)
      // The standby must not wait for itself when it becomes the primary.
      await appendFile(join(data, 'postgresql.auto.conf'), "synchronous_standby_names = ''\n")
      return at(name, leader.password)
    },
  }
}

function newPassword(): string {
  return Buffer.from(systemRandom(16)).toString('hex')
}
