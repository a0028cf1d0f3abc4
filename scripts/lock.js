// A lock between processes that survives the death of its holder: a file that identifies the holder.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

let taken = 0

/**
 * Runs the work while no other process holds the lock file. The work may name a child process that holds the lock, too. If this
 * process is killed, the child continues, and no other process may begin the same work beside it.
 * @template T
 * @param {string} file
 * @param {(alsoHeldBy: (pid: number) => void) => Promise<T>} work
 */
export async function withLock(file, work) {
  mkdirSync(dirname(file), { recursive: true })
  const holder = await acquire(file)
  try {
    return await work((pid) => write(file, { ...holder, pids: [...holder.pids, pid] }, renameSync))
  } finally {
    rmSync(file, { force: true })
  }
}

/** @param {string} file */
async function acquire(file) {
  for (;;) {
    const self = { pids: [process.pid], nonce: `${process.pid}-${Math.round(performance.timeOrigin)}-${taken++}` }
    if (write(file, self, linkSync)) return self
    const holder = read(file)
    if (holder && !holder.pids.some(isAlive)) await breakStale(file, holder)
    else if (holder) await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

// Removes a lock whose holder is dead. Only one process at a time may do this, because the slower of two could delete the lock
// that the faster one has taken in the meantime.
async function breakStale(file, dead) {
  const subLock = `${file}.${dead.nonce}`
  await acquire(subLock)
  if (read(file)?.nonce === dead.nonce) rmSync(file, { force: true })
  rmSync(subLock, { force: true })
}

// Creates the lock file complete, by a link or a rename, so that no process reads an incomplete file.
function write(file, holder, place) {
  const draft = `${file}.${holder.nonce}.new`
  writeFileSync(draft, JSON.stringify(holder))
  try {
    place(draft, file)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return null
    throw error
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
