// Opens the buffer's database, repairs it if it is damaged, and moves it aside if that does not help.
import { mkdir, readdir, readFile, rename, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { codeOf, Fatal, wordsOf } from '../process/fatal.ts'

/** A result in the buffer's database. The order of the keys is the order of arrival. */
export interface StoredResult {
  key: string
  value: string
}

export type Operation = { type: 'put'; key: string; value: string } | { type: 'del'; key: string }

/** The part of the database that the buffer uses. */
export type Store = Pick<ClassicLevel, 'batch' | 'iterator' | 'keys' | 'open' | 'close'>

export interface StoreOptions {
  dir: string
  /** Returns the time, in milliseconds since the Unix epoch. */
  now: () => number
  log?: (event: StoreEvent) => void
  openStore?: (dir: string) => Promise<Store>
}

/** Report that results may be lost. With `set_aside`, all results in the directory that was moved may be lost. */
export type StoreEvent = { event: 'repaired' | 'set_aside'; error: string }

/**
 * Opens the database. `read` must read all of it, because some damage shows only then. Repairs or replaces a damaged database.
 * @throws Fatal if another agent has the database open.
 */
export async function openStore<T>(options: StoreOptions, read: (store: Store) => Promise<T>): Promise<T> {
  const { dir, now, log } = options
  try {
    await requireCurrent(dir)
    const found = await attempt(options, read)
    const lost = await lossOf(dir)
    if (lost !== undefined) log?.({ event: 'repaired', error: lost })
    return found
  } catch (error) {
    if (codeOf(error) === 'LEVEL_LOCKED') throw locked(dir)
    if (!isDamage(error)) throw error
    try {
      await ClassicLevel.repair(dir)
      const found = await attempt(options, read)
      log?.({ event: 'repaired', error: reasonOf(error) })
      return found
    } catch (unmended) {
      if (!isDamage(unmended)) throw unmended
      log?.({ event: 'set_aside', error: reasonOf(error) })
      await rename(dir, `${dir}.broken-${now()}`)
      return attempt(options, read)
    }
  }
}

async function attempt<T>(
  { dir, openStore = openLevel }: StoreOptions,
  read: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(dir)
  try {
    return await read(store)
  } catch (error) {
    await store.close().catch(() => undefined)
    throw error
  }
}

async function openLevel(dir: string): Promise<Store> {
  // Creates the directory before LevelDB would, because only a private directory protects the files in it from other users.
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const level = new ClassicLevel(dir, { createIfMissing: true })
  await level.open()
  return level
}

/** Space needed to reopen the database, in bytes. Opening writes a table from the write-ahead log, and a little more. */
const OPENING_BYTES = 256 * 1024

/**
 * Closes and reopens the database, which is necessary after a failed write. Does so only if the disk has space for it, because
 * the agent can still read the open database until then.
 */
export async function reopenStore(store: Store, dir: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dir)
  if (bavail * bsize < (await logBytes(dir)) + bytes + OPENING_BYTES) throw new Error('no space left on the disk')
  await store.close()
  await store.open()
}

async function logBytes(dir: string): Promise<number> {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.log'))
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(dir, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Refuses a directory without CURRENT, because LevelDB would treat it as a new database and delete its files. */
async function requireCurrent(dir: string): Promise<void> {
  const names = await readdir(dir).catch((): string[] => [])
  if (names.includes('CURRENT') || !names.some((name) => /\.(ldb|log)$|^MANIFEST/.test(name))) return
  throw Object.assign(new Error('CURRENT is missing'), { code: 'LEVEL_CORRUPTION' })
}

/**
 * Returns LevelDB's note about entries of its write-ahead log that it dropped when it opened. The note is only in its LOG file.
 */
async function lossOf(dir: string): Promise<string | undefined> {
  const log = await readFile(join(dir, 'LOG'), 'utf8').catch(() => '')
  return /dropping \d+ bytes; .*/.exec(log)?.[0]
}

/**
 * Whether the error means damage. LevelDB reports cut or missing files as read errors. Read errors of a full or failing disk are
 * no damage.
 */
function isDamage(error: unknown): boolean {
  const code = codeOf(error)
  if (code === 'LEVEL_CORRUPTION') return true
  return code === 'LEVEL_IO_ERROR' && /No such file|Invalid argument|truncated/i.test(reasonOf(error))
}

/** Returns the text of the innermost cause of an error. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  return cause === undefined ? wordsOf(error) : reasonOf(cause)
}

function locked(dir: string): Fatal {
  return new Fatal(`another dogwatch-agent is already using this state directory (${dir} is locked)`, 1)
}
