// Stores the cursor of following in a file, so that the next run continues there.

import { open, readFile, rename } from 'node:fs/promises'
import type { ArrivalsPage } from '../results.ts'
import { Refusal } from './refusal.ts'

/** Reads the cursor in a file. Returns undefined if there is no such file yet. */
export async function readCursor(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim() || undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new Refusal(`cannot read the cursor file ${file}: ${code ?? 'unknown error'}`)
  }
}

/** Yields the pages, and stores each page's cursor in the file after the page was written out. */
export async function* keepingCursor(pages: AsyncIterable<ArrivalsPage>, file: string): AsyncGenerator<ArrivalsPage> {
  for await (const page of pages) {
    yield page
    await writeCursor(file, page.cursor)
  }
}

/**
 * Writes the cursor so that a crash leaves the old or the new one. After a crash, some results may come again, but none is lost.
 */
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
