// Writes an export to stdout, or to a file that appears only when it is complete. Keeps only one piece of the export in memory at
// a time.

import { randomUUID } from 'node:crypto'
import { type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type AccountClient, unusable } from '../client.ts'
import { ExportReader } from '../export-reader.ts'
import { Refusal } from './refusal.ts'
import { type Surroundings, write } from './surroundings.ts'

const PROGRESS_EVERY_MS = 200

/** Requests the export and writes it to `out`. `-` is stdout. */
export async function exportTo(around: Surroundings, client: AccountClient, out: string): Promise<void> {
  if (out === '-') return receive(around, client, out, (piece) => write(around, piece))
  const target = resolve(out)
  await refuseOddTarget(target, out)
  // Creates the temporary file first. If the folder is not writable, the command should fail before it uses up one of the few
  // exports.
  const draft = `${target}.${randomUUID()}.tmp`
  const file = await open(draft, 'wx', 0o600).catch((error: unknown) => refuse('create', out, error))
  try {
    await receive(around, client, out, (piece) =>
      file.appendFile(piece).catch((error: unknown) => refuse('write', out, error)),
    )
    await file.sync().catch((error: unknown) => refuse('write', out, error))
    await file.close()
    await rename(draft, target).catch((error: unknown) => refuse('create', out, error))
  } catch (error) {
    await file.close().catch(() => {})
    await unlink(draft).catch(() => {})
    throw error
  }
  await syncFolder(dirname(target))
}

/** Writes each piece of the export to a file or stdout, and fails unless the pieces are a whole export. */
async function receive(
  around: Surroundings,
  client: AccountClient,
  out: string,
  take: (piece: Uint8Array) => Promise<void>,
): Promise<void> {
  const { stream } = await client.exportStream({ signal: around.signal })
  const reader = stream.getReader()
  const document = new ExportReader(unusable)
  const progress = progressOn(around, out)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      progress.moved(value.length, document.take(value).length)
      await take(value)
    }
    document.end()
    progress.done()
  } catch (error) {
    progress.failed()
    reader.cancel(error).catch(() => {})
    throw error
  }
}

interface Progress {
  moved(bytes: number, results: number): void
  done(): void
  failed(): void
}

/** Returns a display of the progress: a line on a terminal, which is updated now and then. */
function progressOn({ stderr }: Surroundings, out: string): Progress {
  let [bytes, results, shownAt] = [0, 0, 0]
  const line = () => `${out}: ${results} results, ${(bytes / 1e6).toFixed(1)} MB`
  const show = (text: string) => void (stderr.isTTY && stderr.write(`\r\u001b[K${text}`))
  return {
    moved(moreBytes, moreResults) {
      bytes += moreBytes
      results += moreResults
      const now = performance.now()
      if (now - shownAt < PROGRESS_EVERY_MS) return
      shownAt = now
      show(line())
    },
    done: () => show(`${line()}\n`),
    failed: () => show(''),
  }
}

/** Refuses a target that exists and is not a regular file, because a rename would replace a device, or fail at the very end. */
async function refuseOddTarget(target: string, out: string): Promise<void> {
  const found = await lstat(target).catch(() => undefined)
  if (found && !found.isFile())
    throw new Refusal(`cannot replace ${out}, because it is not a regular file; use --out - to write to stdout`)
}

function refuse(what: string, out: string, error: unknown): never {
  throw new Refusal(`cannot ${what} ${out}: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`)
}

/**
 * Syncs the folder, so that the file keeps its new name after a crash. Ignores errors, because some systems cannot sync a folder.
 */
async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined
  try {
    handle = await open(folder)
    await handle.sync()
  } catch {
    // Ignores the error, because the file itself is already on disk.
  } finally {
    await handle?.close()
  }
}
