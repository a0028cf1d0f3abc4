// Defines the labels for the fields of a check, which refusals also use, and writes lists of values as text.
import { CHECK_FIELDS, FIELD_NAMES, type FieldName } from '@dogwatch/check-rules/fields'

export function labelOf(field: FieldName): string {
  return CHECK_FIELDS[field].label
}

/** Labels of the fields under the names that refusals use. */
export const LABELS = Object.fromEntries(
  FIELD_NAMES.map((field) => [`check.${field}`, { label: labelOf(field), input: field }]),
)

export function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

/** Returns each rule as a line of JSON. */
export function assertionLines(assertions: readonly object[]): string {
  return assertions.map((one) => JSON.stringify(one)).join('\n')
}

export function tagLine(tags: readonly string[]): string {
  return tags.join(', ')
}
