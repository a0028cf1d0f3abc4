// Debian's Postgres as an operator would run it: a new cluster, or one restored from a backup.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { systemRandom } from '../../../packages/server/dist/runtime/random.js'
import { type Account, serverAccount } from '../../../packages/server/dist/embedded-postgres/account.js'
import { run } from '../../../packages/server/dist/embedded-postgres/cluster.js'
import { hasEnded } from '../../../packages/server/dist/embedded-postgres/process.js'
import { firstConnection, freePort } from '../../../packages/server/dist/embedded-postgres/server.js'
import { MORTAL, requireProgram } from '../../lab/debian.ts'
import type { World } from '../../lab/world.ts'

const MAJORS = ['18', '17', '16', '15']
const GONE_MS = 20_000

export interface Place {
  /** Of the programs. */
  readonly bin: string
  readonly account: Account
  /** Belongs to the account. */
  readonly folder: string
}

export interface Cluster {
  readonly url: string
  ask(statement: string): Promise<Record<string, unknown>[]>
  kill(): Promise<void>
}

export function openPlace(folder: string): Place {
  const postgres = requireProgram('postgresql', ...MAJORS.map((major) => `/usr/lib/postgresql/${major}/bin/postgres`))
  const account = serverAccount(join(folder, 'none'))
  const place = { bin: dirname(postgres), account, folder: join(folder, 'postgres') }
  ownFolder(place, '')
  return place
}

/** A folder in the place, made for its account. */
export function ownFolder({ account, folder }: Place, name: string): string {
  const path = join(folder, name)
  mkdirSync(path, { mode: 0o700 })
  if (account) chownSync(path, account.uid, account.gid)
  return path
}

/** Creates a cluster with an empty database `dogwatch`. `conf`: additional lines for its postgresql.conf. */
export async function makeCluster(place: Place, name: string, conf: string, undo: World['undo']): Promise<Cluster> {
  const { bin, account, folder } = place
  const data = join(folder, name)
  const password = Buffer.from(systemRandom(12)).toString('hex')
  const secret = join(folder, `${name}.password`)
  await writeFile(secret, password, { mode: 0o600 })
  if (account) chownSync(secret, account.uid, account.gid)
  const flags = [
    '-D',
    data,
    '-U',
    'dogwatch',
    '-A',
    'scram-sha-256',
    '--pwfile',
    secret,
    '--locale=C',
    '-E',
    'UTF8',
    '-N',
  ]
  await run(join(bin, 'initdb'), flags, account)
  await appendFile(join(data, 'postgresql.conf'), `\n${conf}`)
  const cluster = await startCluster(place, name, password, undo)
  await cluster.ask('create database dogwatch')
  return inDatabase(cluster)
}

/** The same cluster, asked about the service's database. */
export function inDatabase(cluster: Cluster): Cluster {
  const url = cluster.url.replace(/postgres$/, 'dogwatch')
  return { ...cluster, url, ask: (statement) => ask(url, statement) }
}

/** Starts the cluster in the folder of that name, and waits until it accepts writes. */
export async function startCluster(
  { bin, account, folder }: Place,
  name: string,
  password: string,
  undo: World['undo'],
): Promise<Cluster> {
  const port = await freePort(0)
  const identity = account ? ['--reuid', `${account.uid}`, '--regid', `${account.gid}`, '--clear-groups'] : []
  const settings = { port: `${port}`, listen_addresses: '127.0.0.1', unix_socket_directories: '', timezone: 'UTC' }
  const flags = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  const command = [...MORTAL.slice(0, -1), ...identity, '--', join(bin, 'postgres'), '-D', join(folder, name), ...flags]
  const log = join(folder, `${name}.log`)
  const out = openSync(log, 'a', 0o600)
  const child = spawn(command[0] ?? '', command.slice(1), { cwd: '/', stdio: ['ignore', out, out] })
  closeSync(out)
  const kill = () => killAll(child)
  undo(kill)
  await once(child, 'spawn')
  const url = `postgres://dogwatch:${password}@127.0.0.1:${port}/postgres`
  const client = await firstConnection(url, child.pid ?? 0)
  if (!client) throw new Error(`${name} does not start: ${(await readFile(log, 'utf8')).slice(-800)}`)
  await client.end()
  return { url, kill, ask: (statement) => ask(url, statement) }
}

export function passwordOf({ url }: Cluster): string {
  return new URL(url).password
}

/** One statement, to see what is stored. Debian's Postgres would compile a statement about all days of results for a minute. */
export async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, options: '-c jit=off' })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

/** With -9. Its children see that it is gone. */
async function killAll(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  if (!(await hasEnded(child.pid, GONE_MS))) throw new Error('Postgres cannot be killed')
}
