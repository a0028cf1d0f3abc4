// Locks between processes by a file that names the process with the lock, so that others can tell whether that process
// is still alive.
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { isAlive, ownIdentity, type ProcessIdentity } from './process.ts'

interface LockHolder extends ProcessIdentity {
  readonly nonce: string
}

const UNREADABLE: LockHolder = { pid: 0x3fffffff, started: null, nonce: 'unreadable' }

let taken = 0

/** Runs the work while no other process, and no other caller in this process, has the lock. */
export async function withLock<T>(file: string, limitMs: number, work: () => Promise<T>): Promise<T> {
  await acquire(file, performance.now() + limitMs)
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}

async function acquire(file: string, end: number): Promise<void> {
  for (;;) {
    if (tryAcquire(file)) return
    const holder = readHolder(file)
    if (holder && !isAlive(holder)) await breakStale(file, holder, end)
    else if (performance.now() > end) throw new Error(`${file} has been held by process ${holder?.pid} for too long`)
    else if (holder) await pause(25)
  }
}

function tryAcquire(file: string): boolean {
  const self = ownIdentity()
  const nonce = `${self.pid}-${self.started ?? Math.round(performance.timeOrigin)}-${taken++}`
  const draft = `${file}.${nonce}.new`
  writeFileSync(draft, JSON.stringify({ ...self, nonce } satisfies LockHolder), { mode: 0o600 })
  try {
    // Creates the file by linking a finished draft, so that no process ever reads a lock without its holder.
    linkSync(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

// Removes the lock of a dead process. Only one process at a time may do so, with a lock of its own: a slower one could
// delete a lock that a faster one has acquired since.
async function breakStale(file: string, dead: LockHolder, end: number): Promise<void> {
  const subLock = `${file}.${dead.nonce}`
  await acquire(subLock, end)
  try {
    if (readHolder(file)?.nonce === dead.nonce) rmSync(file, { force: true })
  } finally {
    rmSync(subLock, { force: true })
  }
}

function readHolder(file: string): LockHolder | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LockHolder
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    // A power failure cut the file short, so its process is dead.
    if (error instanceof SyntaxError) return UNREADABLE
    throw error
  }
}
