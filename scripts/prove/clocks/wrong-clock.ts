// Clocks that a proof sets wrong while a process runs: Debian's libfaketime reads the offset from a file each time the process reads the time.
// As with a clock that is really set, the monotonic clock continues undisturbed.
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Libraries for programs of several threads, and of one, which must not wait for a lock in a signal handler. */
const NAMES = { threads: 'faketime/libfaketimeMT.so.1', one: 'faketime/libfaketime.so.1' }
const LIBRARIES = '/usr/lib'
/** Time until all processes of Postgres have noticed that their clock was set. */
export const POSTGRES_SEES_MS = 1100

export interface WrongClock {
  /** Environment of a process that uses the clock. */
  readonly env: Readonly<Record<string, string>>
  set(ahead_sec: number): void
}

/** Paths of the libraries. */
export type Library = Readonly<Record<keyof typeof NAMES, string>>

/** Returns undefined if the library is not installed. */
export function findLibrary(): Library | undefined {
  if (process.platform !== 'linux') return undefined
  const folders = ['', ...readdirSync(LIBRARIES).filter((name) => name.endsWith('-linux-gnu'))]
  const folder = folders.find((each) => Object.values(NAMES).every((name) => existsSync(join(LIBRARIES, each, name))))
  if (folder === undefined) return undefined
  return { threads: join(LIBRARIES, folder, NAMES.threads), one: join(LIBRARIES, folder, NAMES.one) }
}

/** Makes a clock that is right at first. Postgres reads the file once a second, because it reads the time in signal handlers. */
export function makeClock(library: Library, folder: string, name: string, who: 'node' | 'postgres'): WrongClock {
  const file = join(folder, `${name}.clock`)
  const set = (sec: number): void => {
    // Renamed, so that no process reads half of it.
    writeFileSync(`${file}.new`, `${sec < 0 ? '-' : '+'}${Math.abs(sec)}\n`, { mode: 0o644 })
    renameSync(`${file}.new`, file)
  }
  set(0)
  const own =
    who === 'node'
      ? { LD_PRELOAD: library.threads, FAKETIME_NO_CACHE: '1' }
      : { LD_PRELOAD: library.one, FAKETIME_CACHE_DURATION: '1' }
  const env = { ...own, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_DONT_FAKE_MONOTONIC: '1', NO_FAKE_STAT: '1' }
  return { env, set }
}

/** Removes what the library leaves of a killed process, because it would keep the next process of that number from starting. */
export function forgetShared(pid: number): void {
  for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`]) rmSync(join('/dev/shm', name), { force: true })
}
