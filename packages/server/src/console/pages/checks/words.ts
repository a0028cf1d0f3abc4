// Defines the labels for the fields of a check, which refusals also use.
import { CHECK_FIELDS, FIELD_NAMES, type FieldName } from '@dogwatch/check-rules/fields'

export function labelOf(field: FieldName): string {
  return CHECK_FIELDS[field].label
}

/** Label of each field under the name that refusals use. A label can be a whole sentence, so it is quoted. */
export const QUOTED: ReadonlyMap<string, string> = new Map<string, string>(
  FIELD_NAMES.map((field) => [`check.${field}`, `“${labelOf(field)}”`]),
)
