// Manages the agent's state directory: no other user can read it, and each file in it is always complete, in its old or its new
// version.
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf, EXIT_HOPELESS, Fatal, wordsOf } from './fatal.ts'

const DRAFT = /^(identity\.json|checks\.json|writable)\.[0-9a-f]{12}\.tmp$/
const OURS = new Set(['identity.json', 'buffer'])
const OTHERS = 0o077
const STICKY = 0o1000
const FULL = /^(ENOSPC|EDQUOT)$/
const FULL_IN_WORDS = /No space left|Disk quota/i

/** Makes sure that a usable state directory exists. @throws Fatal that says why it cannot be used. */
export async function openStateDir(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const { uid, mode } = await stat(dir)
    if (uid !== (process.getuid?.() ?? uid)) throw new Error('it belongs to another user')
    if ((mode & STICKY) !== 0) throw new Error('it is shared by several users')
    if ((mode & OTHERS) !== 0 && (await isOurs(dir))) await chmod(dir, 0o700)
  } catch (error) {
    throw unusable(dir, error)
  }
}

/**
 * Deletes unfinished files of a process that was killed, and tests whether the directory is writable. The caller must hold the
 * lock of the buffer.
 */
export async function tidyStateDir(dir: string): Promise<void> {
  try {
    for (const name of await readdir(dir)) if (DRAFT.test(name)) await rm(join(dir, name), { force: true })
    await testWritable(dir)
  } catch (error) {
    throw unusable(dir, error)
  }
}

export function unusable(dir: string, error: unknown): Fatal {
  // Disk space may become free again, but missing permissions stay.
  const isFull = FULL.test(codeOf(error) ?? '') || FULL_IN_WORDS.test(causesOf(error))
  const words = `cannot use the state directory ${dir}: ${causesOf(error)}`
  return new Fatal(words, isFull ? 1 : EXIT_HOPELESS, { cause: error })
}

/** Returns the message of an error and of its causes, because a database explains the problem in a cause. */
function causesOf(error: unknown): string {
  const { cause } = Object(error) as ErrorOptions
  return cause === undefined ? wordsOf(error) : `${wordsOf(error)}: ${causesOf(cause)}`
}

/**
 * Whether the agent may restrict the permissions of the directory. The operator may have named a directory with other content by
 * mistake.
 */
async function isOurs(dir: string): Promise<boolean> {
  const names = await readdir(dir)
  return names.length === 0 || names.some((name) => OURS.has(name))
}

/** Writes a file as large as an identity, and deletes it. Throws if that fails. */
export async function testWritable(dir: string): Promise<void> {
  const path = draftOf(join(dir, 'writable'))
  try {
    await writeSynced(path, ' '.repeat(4096))
  } finally {
    await rm(path, { force: true })
  }
}

/** Replaces the file with `text`, which is on disk when this returns. Only the owner can read it. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = draftOf(path)
  try {
    await writeSynced(draft, text)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  await syncDir(dirname(path))
}

function draftOf(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.tmp`
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Syncs a directory, which contains the rename itself. */
async function syncDir(dir: string): Promise<void> {
  const handle = await open(dir, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
