// Reads files from strangers, with limits, and reports every fault in one line.
import { isUtf8 } from 'node:buffer'
import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { parseDocument } from 'yaml'
import { type Fields, isFields } from './audit.ts'

const MEBIBYTE = 1024 * 1024
const LARGEST = 32 * MEBIBYTE
const DEEPEST = 40
/** Maximum number of uses of an anchor. Without it, a file of a few kilobytes could expand to gigabytes. */
const MOST_ALIASES = 1_000
const MOST_VALUES = 1_000_000

/** Fault of a file, or of the request, in one line. */
export class ImportError extends Error {
  override readonly name = 'ImportError'
}

export function readText(path: string, largest = LARGEST): string {
  try {
    const { size } = statSync(path)
    if (size > largest)
      throw new ImportError(`${basename(path)} is larger than ${largest / MEBIBYTE} MiB, the maximum for an import`)
    const bytes = readFileSync(path)
    if (!isUtf8(bytes)) throw new ImportError(`${basename(path)} is not UTF-8`)
    return bytes.toString()
  } catch (error) {
    if (error instanceof ImportError) throw error
    throw new ImportError(`cannot read ${basename(path)}: ${codeOf(error)}`)
  }
}

export function readJson(path: string): unknown {
  const text = readText(path)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ImportError(`${basename(path)} is not valid JSON`)
  }
  requireBounded(value, basename(path))
  return value
}

export function readYaml(path: string): unknown {
  return parseYaml(readText(path), basename(path))
}

/**
 * Options that keep every scalar as text, because the field decides its type. For other tools, `no` is false in a field for true
 * or false, and `10.10` is text in a field for text.
 */
const PLAIN: NonNullable<Parameters<typeof parseDocument>[1]> = {
  schema: 'failsafe',
  customTags: ['null'],
  merge: true,
  logLevel: 'silent',
}

export function parseYaml(text: string, name: string): unknown {
  let value: unknown
  try {
    const document = parseDocument(text, PLAIN)
    const [fault] = document.errors
    if (fault) throw new ImportError(`${name} is not valid YAML: ${firstLine(fault.message)}`)
    value = document.toJS({ maxAliasCount: MOST_ALIASES })
  } catch (error) {
    if (error instanceof ImportError) throw error
    throw new ImportError(`cannot read ${name} as YAML: it is nested too deeply or uses too many aliases`)
  }
  requireBounded(value, name)
  return value
}

/** Parses JSON within a field. Returns undefined if it is invalid. */
export function jsonIn(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.length > MEBIBYTE) return undefined
  try {
    const parsed: unknown = JSON.parse(value)
    requireBounded(parsed, 'a field')
    return parsed
  } catch {
    return undefined
  }
}

export function requireFields(value: unknown, what: string): Fields {
  if (!isFields(value)) throw new ImportError(`${what} must be an object`)
  return value
}

export function requireList(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new ImportError(`${what} must be a list`)
  return value
}

/**
 * Refuses a value that is too large or nested too deeply. Walks it with its own stack, because a deep value would overflow the
 * call stack.
 */
function requireBounded(value: unknown, name: string): void {
  const waiting: { at: unknown; depth: number }[] = [{ at: value, depth: 0 }]
  let seen = 0
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    seen += 1
    if (next.depth > DEEPEST)
      throw new ImportError(`${name} is nested more than ${DEEPEST} levels deep, the maximum for an import`)
    if (seen > MOST_VALUES)
      throw new ImportError(`${name} has more than ${MOST_VALUES} values, the maximum for an import`)
    if (typeof next.at !== 'object' || next.at === null) continue
    for (const inner of Object.values(next.at)) waiting.push({ at: inner, depth: next.depth + 1 })
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 200) ?? ''
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
