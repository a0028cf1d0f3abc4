// Parses arguments of commands. An invalid one is a usage error.
import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { buffer, text } from 'node:stream/consumers'
import { FieldError } from '@dogwatch/domain/errors'
import { InvalidArgumentError } from 'commander'

/** Reads an id of the database: a whole number greater than 0. */
export function readId(value: string): number {
  const id = Number(value)
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(id) || id < 1)
    throw new InvalidArgumentError('It must be a numeric id.')
  return id
}

export function readWholeNumber(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(value)
}

export function readOnOff(value: string): boolean {
  if (value !== 'on' && value !== 'off') throw new InvalidArgumentError('It must be on or off.')
  return value === 'on'
}

/** Reads monitor ids such as `M1,M2`. */
export function readMonitors(value: string): readonly string[] {
  const ids = value.split(',').map((id) => id.trim())
  if (ids.some((id) => id === '')) throw new InvalidArgumentError('It must be a comma-separated list of monitor ids.')
  return [...new Set(ids)]
}

/** Reads a password from standard input, without its last line break. */
export async function readSecretLine(): Promise<string> {
  return (await text(process.stdin)).replace(/\r?\n$/, '')
}

/** Reads one JSON document from a file, or from standard input for `-`. */
export async function readDocument(path: string): Promise<unknown> {
  const bytes = path === '-' ? await buffer(process.stdin) : await readFile(path)
  const name = path === '-' ? 'standard input' : path
  if (!isUtf8(bytes)) throw new FieldError('invalid', name, 'must be UTF-8')
  const content = new TextDecoder().decode(bytes)
  try {
    return JSON.parse(content) as unknown
  } catch {
    throw new FieldError('invalid', name, 'must contain valid json')
  }
}
