// Describes the reason of a fault as data, so that forms and APIs make a sentence of it with their own names of fields.
import type { FieldName } from './fields.ts'

/** Words that follow the name of a field. Other fields in them are data, because forms show their labels. */
export type Reason = readonly (string | { readonly field: FieldName })[]

/** Returns a reason as text. Other fields have their names in the API, unless `nameOf` returns another name. */
export function textOfReason(reason: Reason, nameOf: (field: FieldName) => string = (field) => field): string {
  return reason.map((part) => (typeof part === 'string' ? part : nameOf(part.field))).join('')
}
