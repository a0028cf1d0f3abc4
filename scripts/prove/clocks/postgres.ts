// The embedded Postgres, on a clock of its own. It is created once, with its schema, and copied for each scenario.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, closeSync, cpSync, lchownSync, mkdirSync, openSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemRandom } from '../../../packages/server/dist/runtime/random.js'
import { type Account, serverAccount } from '../../../packages/server/dist/embedded-postgres/account.js'
import { findBinaries } from '../../../packages/server/dist/embedded-postgres/binaries.js'
import { ensureCluster } from '../../../packages/server/dist/embedded-postgres/cluster.js'
import { hasEnded } from '../../../packages/server/dist/embedded-postgres/process.js'
import {
  firstConnection,
  freePort,
  SETTINGS,
  THROWAWAY,
} from '../../../packages/server/dist/embedded-postgres/server.js'
import { migrateToLatest } from '../../../packages/server/dist/store/migrate.js'
import { MORTAL } from '../../lab/debian.ts'
import type { World } from '../../lab/world.ts'
import { forgetShared, type WrongClock } from './wrong-clock.ts'

const GONE_MS = 20_000

export interface Template {
  /** Starts a copy of it that goes by this clock; returns its url. */
  start(folder: string, clock: WrongClock, undo: World['undo']): Promise<string>
}

interface Place {
  postgres: string
  account: Account
  password: string
}

export async function makeTemplate(folder: string): Promise<Template> {
  const account = serverAccount(join(folder, 'none'))
  const binaries = findBinaries(account)
  const password = Buffer.from(systemRandom(12)).toString('hex')
  const place = { postgres: binaries.postgres, account, password }
  const template = join(homeIn(folder, 'template'), 'postgres')
  await ensureCluster(template, password, binaries, account)
  const { url, end } = await run(place, template, {})
  await create(url)
  await migrateToLatest(inDatabase(url))
  await end('SIGINT')
  return {
    start: async (own, clock, undo) => {
      const cluster = join(homeIn(own, 'cluster'), 'postgres')
      cpSync(template, cluster, { recursive: true, preserveTimestamps: true })
      giveTo(account, cluster)
      const running = await run(place, cluster, clock.env)
      undo(() => running.end('SIGQUIT'))
      return inDatabase(running.url)
    },
  }
}

/** A folder that Postgres' user can enter. */
function homeIn(folder: string, name: string): string {
  const home = join(folder, name)
  mkdirSync(home, { mode: 0o711 })
  chmodSync(home, 0o711)
  return home
}

function giveTo(account: Account, path: string): void {
  if (account) chownSync(path, account.uid, account.gid)
  chmodSync(path, 0o700)
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (account) lchownSync(join(entry.parentPath, entry.name), account.uid, account.gid)
  }
}

async function run({ postgres, account, password }: Place, cluster: string, env: Readonly<Record<string, string>>) {
  const port = await freePort(0)
  const settings = { ...SETTINGS, ...THROWAWAY, shared_buffers: '64MB', port: String(port) }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const identity = account ? ['--reuid', `${account.uid}`, '--regid', `${account.gid}`, '--clear-groups'] : []
  // Only Postgres may load the library, and as its user.
  const variables = Object.entries({ LC_ALL: 'C', ...env }).map(([name, value]) => `${name}=${value}`)
  const command = [...MORTAL.slice(0, -1), ...identity, '--', '/usr/bin/env', '-i', ...variables, postgres]
  const log = `${cluster}.log`
  const out = openSync(log, 'a', 0o600)
  const args = [...command.slice(1), '-D', cluster, ...flags]
  const child = spawn(command[0] ?? '', args, { cwd: '/', stdio: ['ignore', out, out] })
  closeSync(out)
  await once(child, 'spawn')
  const pid = child.pid ?? 0
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal)
    if (!(await hasEnded(pid, GONE_MS))) child.kill('SIGKILL')
    forgetShared(pid)
  }
  const url = `postgres://dogwatch:${password}@127.0.0.1:${port}/postgres`
  const client = await firstConnection(url, pid)
  if (!client) throw new Error(`Postgres does not start: ${(await readFile(log, 'utf8')).slice(-800)}`)
  await client.end()
  return { url, end }
}

async function create(url: string): Promise<void> {
  const client = await firstConnection(url, process.pid)
  await client?.query('create database dogwatch')
  await client?.end()
}

function inDatabase(url: string): string {
  return url.replace(/postgres$/, 'dogwatch')
}
