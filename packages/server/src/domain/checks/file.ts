// The file format for importing and exporting checks: an array, in the account API's shape.
import { FIELD_NAMES, type FieldName, type SentFields, senderOf } from '@dogwatch/check-rules/fields'
import { DomainError } from '../errors.ts'
import { type CheckFields, readWithoutPattern } from './check.ts'
import { PatternBudget } from './patterns.ts'

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** More than any plan allows, and few enough to be read at once. */
const MAX_ENTRIES = 10_000

export interface Entry {
  /** As given; undefined when the file leaves the choice to us. */
  guid: string | undefined
  content: CheckFields
}

/**
 * Reads a parsed file. A fault names the entry and the field. Patterns are not compiled; their size is bounded, each
 * and all together. Call `requirePatterns` once the plan allows the file.
 */
export function readEntries(file: unknown): Entry[] {
  if (!Array.isArray(file)) throw new DomainError('invalid', 'the file must contain an array of checks')
  if (file.length > MAX_ENTRIES) throw new DomainError('invalid', `the file must contain at most ${MAX_ENTRIES} checks`)
  const budget = new PatternBudget()
  const entries = file.map((entry: unknown, index): Entry => {
    const content = readWithoutPattern(`[${index}]`, entry)
    budget.spend(content)
    const guid = (entry as { guid?: unknown }).guid ?? ''
    if (guid !== '' && !(typeof guid === 'string' && GUID.test(guid))) {
      throw new DomainError('invalid', `[${index}].guid must be a lower-case uuid`)
    }
    return { guid: guid === '' ? undefined : guid, content }
  })
  const seen = new Set<string>()
  for (const [index, { guid }] of entries.entries()) {
    if (guid !== undefined && seen.has(guid)) throw new DomainError('invalid', `[${index}].guid must not be repeated`)
    if (guid !== undefined) seen.add(guid)
  }
  return entries
}

/** A check as it is written to a file: optional fields that are 0, false or empty are left out. */
export type FileCheck = SentFields<FieldName> & { guid: string }

const toSent = senderOf(FIELD_NAMES)

export function toFileCheck(check: CheckFields & { guid: string }): FileCheck {
  return { guid: check.guid, ...toSent(check) }
}
