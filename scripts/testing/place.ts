// Chooses the folder for the files of tests: in memory if there is enough. Tests make and delete thousands of databases with five
// hundred files each. This is slow on ext4, which searches recently deleted inodes for each new file.
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const NAME = /^dogwatch-tests-(\d+)(?:-\d+)?$/
/** Minimum amount of free memory, in bytes. It is ten times what tests need at the same time. */
const ENOUGH_BYTES = 4 * 1024 ** 3

let made = 0

/** Makes a folder for this process. Returns undefined if the usual folder for temporary files is better. */
export function makePlace(): string | undefined {
  if (process.platform !== 'linux' || process.env.TMPDIR !== undefined) return undefined
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (Math.min(bavail * bsize, freemem()) < ENOUGH_BYTES) return undefined
    removeLeft()
    const place = join(MEMORY, `dogwatch-tests-${process.pid}-${made++}`)
    mkdirSync(place)
    // Lets all users write, as in any folder for temporary files, because some tests run programs as another user.
    chmodSync(place, 0o1777)
    return place
  } catch {
    return undefined
  }
}

export function removePlace(place: string): void {
  rmSync(place, { recursive: true, force: true, maxRetries: 10 })
}

/** Removes the folders of runs that were killed. */
function removeLeft(): void {
  for (const name of readdirSync(MEMORY)) {
    const [, pid] = NAME.exec(name) ?? []
    if (pid !== undefined && !isAlive(Number(pid))) removePlace(join(MEMORY, name))
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
