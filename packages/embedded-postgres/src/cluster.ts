// Manages the cluster on disk: its path, its creation, and whether its version fits the programs.
import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { type Account, canReach } from './account.ts'
import type { Binaries } from './binaries.ts'

/** Returns `postgres` in the data directory, or another path if the server's user cannot access that. */
export function chooseCluster(dataDir: string, account: Account, tag: string): string {
  if (canReach(account, dataDir, 1)) return 'postgres'
  const bases = ['/var/lib/dogwatch', tmpdir(), '/var/tmp']
  for (const base of bases) {
    try {
      mkdirSync(base, { recursive: true, mode: 0o755 })
      const home = join(base, `${basename(dirname(resolve(dataDir)))}-${tag}`)
      mkdirSync(home, { mode: 0o711 })
      if (canReach(account, home, 1)) return join(home, 'postgres')
      rmSync(home, { recursive: true })
    } catch {
      // The folder is read-only or full, so the loop tries the next one.
    }
  }
  throw new Error(`the database user can access neither ${dataDir} nor ${bases.join(', ')}`)
}

/**
 * Creates the cluster unless it exists. First deletes what an interrupted attempt left. A cluster that was created without
 * `isSynced` can be lost when the machine fails.
 */
export async function ensureCluster(
  cluster: string,
  password: string,
  binaries: Binaries,
  account: Account,
  isSynced = true,
) {
  clearDrafts(cluster)
  if (isCluster(cluster)) return checkFit(cluster, binaries, account)
  setAside(cluster)
  const draft = `${cluster}.new-${process.pid}`
  const passwordFile = `${cluster}.password-${process.pid}`
  mkdirSync(draft, { mode: 0o700 })
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (account) for (const path of [draft, passwordFile]) chownSync(path, account.uid, account.gid)
  try {
    await initdb(binaries.initdb, draft, passwordFile, { account, isSynced })
    renameSync(draft, cluster)
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

export function isCluster(path: string): boolean {
  return existsSync(join(path, 'PG_VERSION'))
}

/** Deletes the cluster. If it is outside the data directory, also deletes the folder around it. */
export function removeCluster(cluster: string, dataDir: string): void {
  const outside = resolve(dirname(cluster)) !== resolve(dataDir)
  rmSync(outside ? dirname(cluster) : cluster, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
}

function clearDrafts(cluster: string): void {
  const drafts = [`${basename(cluster)}.new-`, `${basename(cluster)}.password-`]
  for (const name of readdirSync(dirname(cluster))) {
    if (!drafts.some((draft) => name.startsWith(draft))) continue
    // Retries, because an initdb whose parent was killed can still be writing into the folder.
    rmSync(join(dirname(cluster), name), { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

// Renames a folder at the path of the cluster that is no finished cluster, because it can contain data of another
// program.
function setAside(cluster: string): void {
  if (!existsSync(cluster)) return
  let number = 1
  while (existsSync(`${cluster}.broken-${number}`)) number++
  renameSync(cluster, `${cluster}.broken-${number}`)
}

function checkFit(cluster: string, binaries: Binaries, account: Account): void {
  const major = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim()
  if (major !== binaries.major) {
    throw new Error(
      `${cluster} was created by Postgres ${major}, but the installed version is ${binaries.major}; set DATABASE_URL`,
    )
  }
  // If root copied the project, root owns the files now, and the server's user must get them back.
  if (account && lstatSync(cluster).uid === 0) giveTo(account, cluster)
}

function giveTo(account: { uid: number; gid: number }, path: string): void {
  lchownSync(path, account.uid, account.gid)
  const stat = lstatSync(path)
  if (!stat.isDirectory()) return
  chmodSync(path, 0o700)
  for (const name of readdirSync(path)) giveTo(account, join(path, name))
}

function initdb(
  program: string,
  draft: string,
  passwordFile: string,
  { account, isSynced }: { account: Account; isSynced: boolean },
): Promise<void> {
  const args = ['-D', draft, '-U', 'dogwatch', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`]
  return run(program, [...args, '--locale=C', '--encoding=UTF8', ...(isSynced ? [] : ['--no-sync'])], account)
}

/** Runs a Postgres program until it ends. If it fails, rejects with its output as the message. */
export function run(program: string, args: string[], account: Account): Promise<void> {
  return new Promise((done, fail) => {
    // Not in the current directory, because the other user might not be able to enter it, and the program would not
    // start.
    const child = spawn(program, args, {
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      ...serverEnvironment(),
      ...account,
    })
    let said = ''
    const hear = (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-2000)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.on('error', (error) => fail(new Error(`could not run ${program}: ${error.message}; set DATABASE_URL`)))
    child.on('close', (code) => {
      if (code === 0) return done()
      fail(new Error(`${basename(program)} failed: ${said.trim().split('\n').slice(-3).join(' | ')}`))
    })
  })
}

/**
 * Returns the environment of the server. Omits all variables of this process (PGDATA, LC_ALL, secrets), except on Windows, where
 * the server needs them.
 */
export function serverEnvironment(): { env?: Record<string, string> } {
  return process.platform === 'win32' ? {} : { env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' } }
}
