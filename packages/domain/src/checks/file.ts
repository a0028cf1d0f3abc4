// Reads and writes the file format of checks: an array in the account API's format.
import { FIELD_NAMES, type FieldName, type SentFields, senderOf } from '@dogwatch/check-rules/fields'
import { Pace } from '@dogwatch/runtime/pace'
import { DomainError } from '../errors.ts'
import { type CheckFields, readWithoutPattern } from './check.ts'
import { PatternBudget } from './patterns.ts'

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Maximum number of entries in a file. It is more than any plan allows, and few enough to read at once. */
const MAX_ENTRIES = 10_000

export interface FileEntry {
  /** Guid from the file. Undefined if the file has none, so that the server chooses one. */
  guid: string | undefined
  content: CheckFields
}

/** Number of steps of {@link Pace} that it costs to read, restore or compare an entry, without its headers. */
const STEPS_OF_ENTRY = 20

/** Returns the number of steps that an entry costs a {@link Pace}. */
export function stepsOfEntry({ content }: FileEntry): number {
  return STEPS_OF_ENTRY + Object.keys(content.headers).length
}

/**
 * Reads a parsed file, and lets other requests have their turns. A fault names the entry and the field. Limits the size of
 * patterns without compiling them. Call `requirePatterns` once the plan allows the file.
 */
export async function readEntries(file: unknown): Promise<FileEntry[]> {
  if (!Array.isArray(file)) throw new DomainError('invalid', 'the file must contain an array of checks')
  if (file.length > MAX_ENTRIES) throw new DomainError('invalid', `the file must contain at most ${MAX_ENTRIES} checks`)
  const budget = new PatternBudget()
  const pace = new Pace()
  const entries: FileEntry[] = []
  for (const [index, given] of file.entries()) {
    const content = readWithoutPattern(`[${index}]`, given)
    budget.spend(content)
    const guid = (given as { guid?: unknown }).guid ?? ''
    if (guid !== '' && !(typeof guid === 'string' && GUID.test(guid))) {
      throw new DomainError('invalid', `[${index}].guid must be a lower-case uuid`)
    }
    const entry = { guid: guid === '' ? undefined : guid, content }
    entries.push(entry)
    await pace.spend(stepsOfEntry(entry))
  }
  const seen = new Set<string>()
  for (const [index, { guid }] of entries.entries()) {
    if (guid !== undefined && seen.has(guid))
      throw new DomainError('invalid', `[${index}].guid must not repeat the guid of an earlier check`)
    if (guid !== undefined) seen.add(guid)
  }
  return entries
}

/** A check in the file format, which omits optional fields that are 0, false or empty. */
export type FileCheck = SentFields<FieldName> & { guid: string }

const toSent = senderOf(FIELD_NAMES)

export function toFileCheck(check: CheckFields & { guid: string }): FileCheck {
  return { guid: check.guid, ...toSent(check) }
}
