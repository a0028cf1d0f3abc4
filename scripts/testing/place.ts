// Where tests put their files: in memory, where there is enough. Tests make and delete some thousand databases of five hundred files
// each, and a disk's file system is long busy with that: ext4 looks at every inode that was deleted in the last five minutes before it
// takes a new one.
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const NAME = /^dogwatch-tests-(\d+)(?:-\d+)?$/
/** Ten times the most that tests need at a time. */
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
    // As of any place for temporary files: some tests run programs as another user.
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
