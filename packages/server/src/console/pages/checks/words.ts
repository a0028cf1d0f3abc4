// Defines the labels for the fields of a check, which refusals also use.
import { CHECK_FIELDS, FIELD_NAMES, type FieldName } from '@dogwatch/check-rules/fields'

export function labelOf(field: FieldName): string {
  return CHECK_FIELDS[field].label
}

/** Labels of the fields under the names that refusals use. */
export const LABELS = Object.fromEntries(
  FIELD_NAMES.map((field) => [`check.${field}`, { label: labelOf(field), input: field }]),
)
