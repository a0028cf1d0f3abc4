// Labels for the fields of a check, which refusals use too.
import { CHECK_FIELDS, FIELD_NAMES, type FieldName } from '@dogwatch/check-rules/fields'

export function labelOf(field: FieldName): string {
  return CHECK_FIELDS[field].label
}

/** By the names that refusals use for the fields. A label may be a whole sentence, so it is quoted. */
export const QUOTED: ReadonlyMap<string, string> = new Map<string, string>(
  FIELD_NAMES.map((field) => [`check.${field}`, `“${labelOf(field)}”`]),
)
