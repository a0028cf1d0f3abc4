// How far following has come, in a file: the next run goes on from there.

import { open, readFile, rename } from 'node:fs/promises'
import type { ArrivalsPage } from '../results.ts'
import { Refusal } from './refusal.ts'

/** The cursor in a file; undefined when there is no such file yet. */
export async function readCursor(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim() || undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new Refusal(`cannot read the cursor file ${file}: ${code ?? 'unknown error'}`)
  }
}

/** The pages; each one's cursor is in the file once the page has been written out. */
export async function* keepingCursor(pages: AsyncIterable<ArrivalsPage>, file: string): AsyncGenerator<ArrivalsPage> {
  for await (const page of pages) {
    yield page
    await writeCursor(file, page.cursor)
  }
}

/** A crash leaves the old cursor or the new one, and then some results come once more, none is lost. */
async function writeCursor(file: string, cursor: string): Promise<void> {
  try {
    const next = `${file}.next`
    const handle = await open(next, 'w')
    try {
      await handle.writeFile(`${cursor}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(next, file)
  } catch (error) {
    throw new Refusal(
      `cannot write the cursor file ${file}: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`,
    )
  }
}
