// The file that a command is about.

import { readFile } from 'node:fs/promises'
import { type ReadFile, readConfigFile } from '../file/read.ts'
import type { Reading } from '../file/source.ts'
import { Refusal } from './refusal.ts'
import type { Surroundings } from './surroundings.ts'

export const DEFAULT_FILE = 'dogwatch.yaml'

/** Reads the file of that name; `-` is the standard input. */
export async function openConfigFile(around: Surroundings, name: string, how: Reading = {}): Promise<ReadFile> {
  const text = name === '-' ? await readAll(around.stdin) : await readText(name)
  return readConfigFile(name === '-' ? 'stdin' : name, text, around.env, how)
}

export async function readText(name: string): Promise<string> {
  return readFile(name, 'utf8').catch((error: unknown) => {
    throw new Refusal(`cannot read ${name}: ${(error as NodeJS.ErrnoException).code ?? 'no reason was given'}`)
  })
}

async function readAll(input: AsyncIterable<Buffer | string>): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of input) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces).toString('utf8')
}
