// The agent's own directory: nobody else reads it, and its files are old or new, never half of each.
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EXIT_HOPELESS, Fatal, wordsOf } from './fatal.ts'

const DRAFT = /\.tmp$/

/** Makes the directory ready, or says why it cannot be used. Drafts of a process that was killed are swept away. */
export async function openStateDir(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    await chmod(dir, 0o700)
    for (const name of await readdir(dir)) if (DRAFT.test(name)) await rm(join(dir, name), { force: true })
    await testWritable(dir)
  } catch (error) {
    throw new Fatal(`the state directory ${dir} cannot be used: ${wordsOf(error)}`, EXIT_HOPELESS, { cause: error })
  }
}

/** Throws unless a file can be written here, as large as an identity is. */
export async function testWritable(dir: string): Promise<void> {
  const path = join(dir, 'writable')
  await replaceFile(path, ' '.repeat(4096))
  await rm(path)
}

/** Puts `text` in the place of whatever is there, on disk when this returns; readable for the owner only. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await writeSynced(draft, text)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  await syncDir(dirname(path))
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

/** The rename itself lies in the directory. */
async function syncDir(dir: string): Promise<void> {
  const handle = await open(dir, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
