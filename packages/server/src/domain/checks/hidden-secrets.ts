// Puts the stored secrets of a check in the place of hidden ones that come back.
import { faultsOfValue } from '@dogwatch/check-rules/definition'
import { restoreSecrets } from '@dogwatch/check-rules/secrets'
import { FaultyFields, type FieldFault } from '../errors.ts'
import { type CheckFields, nameOf } from './check.ts'

/** Returns the content with stored secrets in the place of hidden ones, and what is wrong with those that may not be kept. */
export function restoreContent(
  given: CheckFields,
  stored: CheckFields | undefined,
): { content: CheckFields; faults: FieldFault[] } {
  const { restored, faults } = restoreSecrets(given, stored)
  // A secret may be longer than what stands for it.
  const found = faults.length > 0 || restored.url === given.url ? faults : faultsOfValue('url', restored.url)
  return { content: restored, faults: found.map((fault) => ({ field: nameOf(fault), must: fault.must })) }
}

/** Like {@link restoreContent}, but refuses the content if anything is wrong. Refusals name a field as `at.field`. */
export function requireRestored(at: string, given: CheckFields, stored: CheckFields | undefined): CheckFields {
  const { content, faults } = restoreContent(given, stored)
  if (faults.length > 0) throw new FaultyFields(at, faults)
  return content
}
