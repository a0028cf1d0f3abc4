// Replaces hidden secrets that come back in a request with the stored secrets of the check.
import { faultsOfValue } from '@dogwatch/check-rules/definition'
import { restoreSecrets } from '@dogwatch/check-rules/secrets'
import { FaultyFields, type FieldFault } from '../errors.ts'
import { type CheckFields, nameOf } from './check.ts'

/**
 * Returns the content with stored secrets in place of hidden ones, and the faults of the fields whose stored secrets may not be
 * kept.
 */
export function restoreContent(
  given: CheckFields,
  stored: CheckFields | undefined,
): { content: CheckFields; faults: FieldFault[] } {
  const { restored, faults } = restoreSecrets(given, stored)
  // A secret can be longer than the text that hides it.
  const longer = (['url', 'proxy'] as const).filter((field) => restored[field] !== given[field])
  const found = faults.length > 0 ? faults : longer.flatMap((field) => faultsOfValue(field, restored[field]))
  return { content: restored, faults: found.map((fault) => ({ field: nameOf(fault), must: fault.must })) }
}

/** Returns the content of {@link restoreContent}, or refuses it if anything is wrong. Refusals name a field as `at.field`. */
export function requireRestored(at: string, given: CheckFields, stored: CheckFields | undefined): CheckFields {
  const { content, faults } = restoreContent(given, stored)
  if (faults.length > 0) throw new FaultyFields(at, faults)
  return content
}
