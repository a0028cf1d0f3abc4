// Clocks that can be set wrong while a process runs: Debian's libfaketime, which reads how wrong it is to be from a file at
// each look at the time. As with a clock that is really set, what counts only forth goes on undisturbed.
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** For programs of several threads, and for those of one, which must not wait for a lock in a signal handler. */
const NAMES = { threads: 'faketime/libfaketimeMT.so.1', one: 'faketime/libfaketime.so.1' }
const LIBRARIES = '/usr/lib'
const SHARED = '/dev/shm'

export interface WrongClock {
  /** For the process that is to go by it, and those that it starts. */
  readonly env: Readonly<Record<string, string>>
  /** How far it is ahead, in seconds. */
  readonly ahead_sec: number
  /** From now on it is so far ahead, or behind. */
  set(ahead_sec: number): void
}

/** Paths of the library. */
export type Library = Readonly<Record<keyof typeof NAMES, string>>

/** Undefined where it is not installed. */
export function findLibrary(): Library | undefined {
  if (process.platform !== 'linux') return undefined
  const places = ['', ...readdirSync(LIBRARIES).filter((name) => name.endsWith('-linux-gnu'))]
  const place = places.find((each) => Object.values(NAMES).every((name) => existsSync(join(LIBRARIES, each, name))))
  if (place === undefined) return undefined
  return { threads: join(LIBRARIES, place, NAMES.threads), one: join(LIBRARIES, place, NAMES.one) }
}

/** How long a clock that Postgres goes by may take until all of its processes have seen that it was set. */
export const POSTGRES_SEES_MS = 1100

/**
 * A clock that is right to begin with. `folder`: one that whoever goes by the clock can walk into. Postgres looks at the time in
 * its signal handlers: it reads the file once a second, and not in each of them.
 */
export function makeClock(library: Library, folder: string, name: string, who: 'node' | 'postgres'): WrongClock {
  const file = join(folder, `${name}.clock`)
  let ahead_sec = 0
  const set = (sec: number): void => {
    ahead_sec = sec
    // Renamed, so that nobody reads half of it.
    writeFileSync(`${file}.new`, `${sec < 0 ? '-' : '+'}${Math.abs(sec)}\n`, { mode: 0o644 })
    renameSync(`${file}.new`, file)
  }
  set(0)
  return {
    env: {
      ...(who === 'node'
        ? { LD_PRELOAD: library.threads, FAKETIME_NO_CACHE: '1' }
        : { LD_PRELOAD: library.one, FAKETIME_CACHE_DURATION: '1' }),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    },
    set,
    get ahead_sec() {
      return ahead_sec
    },
  }
}

/** Takes away what the library leaves of a process that was killed: it would keep the next one of that number from starting. */
export function forgetShared(pid: number): void {
  for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`]) rmSync(join(SHARED, name), { force: true })
}
