// Makes clocks that a proof can set wrong while a process runs: Debian's libfaketime reads the offset from a file each time the
// process reads the time. As with a clock that is really set, the monotonic clock is not affected.
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireProgram } from '../../lab/debian.ts'

/**
 * Versions of the library: one for programs with several threads, and one for Postgres, which must not wait for a lock in a
 * signal handler.
 */
const NAMES = { node: 'libfaketimeMT.so.1', postgres: 'libfaketime.so.1' }
/**
 * Variables that say how often the library reads the file. Postgres reads it only once a second, because Postgres reads the time
 * in signal handlers.
 */
const CACHES = { node: { FAKETIME_NO_CACHE: '1' }, postgres: { FAKETIME_CACHE_DURATION: '1' } }
const FOLDERS = ['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/faketime`)
/** Time until all Postgres processes have noticed that their clock was set, in milliseconds. */
export const POSTGRES_SEES_MS = 1100

export interface WrongClock {
  /** Environment for a process that should use this clock. */
  readonly env: Readonly<Record<string, string>>
  set(ahead_sec: number): void
}

/** Makes a clock, which is right at first. */
export function makeClock(folder: string, name: string, who: 'node' | 'postgres' = 'node'): WrongClock {
  const file = join(folder, `${name}.clock`)
  const set = (sec: number): void => {
    // Writes a new file and renames it, so that no process reads an incomplete file.
    writeFileSync(`${file}.new`, `${sec < 0 ? '-' : '+'}${Math.abs(sec)}\n`, { mode: 0o644 })
    renameSync(`${file}.new`, file)
  }
  set(0)
  const library = requireProgram('faketime', ...FOLDERS.map((each) => join(each, NAMES[who])))
  const shared = { FAKETIME_TIMESTAMP_FILE: file, FAKETIME_DONT_FAKE_MONOTONIC: '1', NO_FAKE_STAT: '1' }
  return { env: { LD_PRELOAD: library, ...CACHES[who], ...shared }, set }
}

/**
 * Removes the shared memory that the library leaves behind when a process is killed. Otherwise, the next process with the same id
 * could not start.
 */
export function forgetShared(pid: number): void {
  for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`]) rmSync(join('/dev/shm', name), { force: true })
}
