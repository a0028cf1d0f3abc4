// Reads the fields of a check that a person tries by hand.
import { faultsOfValue } from '@dogwatch/check-rules/definition'
import { isField } from '@dogwatch/check-rules/fields'
import type { Check } from '@dogwatch/monitor-sdk'

/** Parses a JSON object of fields. Throws an error that names the first field at fault. */
export function fieldsIn(text: string): Partial<Check> {
  const fields: unknown = JSON.parse(text)
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new TypeError('it must be an object')
  for (const [field, value] of Object.entries(fields)) {
    if (!isField(field)) throw new TypeError(`${JSON.stringify(field)} is not a field of a check`)
    const [fault] = faultsOfValue(field, value)
    if (fault) throw new TypeError(`${field}${fault.part ?? ''} ${fault.must}`)
  }
  return fields
}
