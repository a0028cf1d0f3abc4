// Reads the configuration file of a command.

import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { linesOf } from '../file/place.ts'
import { type ReadFile, readConfigFile } from '../file/read.ts'
import type { ReadOptions } from '../file/source.ts'
import { Refusal } from './refusal.ts'
import type { Surroundings } from './surroundings.ts'

export const DEFAULT_FILE = 'dogwatch.yaml'

/** Reads the file of that name, or standard input for `-`. Prints questionable but permitted content as warnings. */
export async function openConfigFile(around: Surroundings, name: string, how: ReadOptions = {}): Promise<ReadFile> {
  const text = name === '-' ? await readAll(around.stdin) : await readText(name)
  const file = await readConfigFile(name === '-' ? 'stdin' : name, text, around.env, how)
  const { source, warnings } = file
  if (warnings.length > 0) around.stderr.write(`${linesOf(source.file, warnings, 'warning: ')}\n`)
  return file
}

export async function readText(name: string): Promise<string> {
  const bytes = await readFile(name).catch((error: unknown) => {
    throw new Refusal(`cannot read ${name}: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`)
  })
  return decode(name, bytes)
}

async function readAll(input: AsyncIterable<Buffer | string>): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of input) pieces.push(Buffer.from(piece))
  return decode('stdin', Buffer.concat(pieces))
}

function decode(name: string, bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Refusal(`cannot read ${name}: it is not UTF-8`)
  return bytes.toString()
}
