// The fields of a check in words that people understand; refusals are told in the same.
import { CHECK_FIELDS, FIELD_NAMES, type FieldName } from '@dogwatch/check-rules/fields'

export function labelOf(field: FieldName): string {
  return CHECK_FIELDS[field].label
}

/** By what refusals call the fields. A label may be a whole sentence, and is quoted. */
export const QUOTED: Readonly<Record<string, string>> = Object.fromEntries(
  FIELD_NAMES.map((field) => [`check.${field}`, `“${labelOf(field)}”`]),
)
