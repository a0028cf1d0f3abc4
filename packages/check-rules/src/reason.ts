// Says why a field is at fault as data, so that forms and APIs make one sentence of it, each with its own names of fields.
import type { FieldName } from './fields.ts'

/** Words that follow the name of a field. Other fields in them are data, since forms call them by their labels. */
export type Reason = readonly (string | { readonly field: FieldName })[]

/** Returns a reason as text. Other fields have their names in the API, unless `nameOf` gives another one. */
export function textOfReason(reason: Reason, nameOf: (field: FieldName) => string = (field) => field): string {
  return reason.map((part) => (typeof part === 'string' ? part : nameOf(part.field))).join('')
}
