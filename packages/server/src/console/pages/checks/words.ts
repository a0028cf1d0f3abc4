// Labels for the fields of a check, which refusals use too, and why a check was down.
import { CHECK_FIELDS, FIELD_NAMES, type FieldName } from '@dogwatch/check-rules/fields'
import type { CheckInDetail } from '../../../domain/checks/inspect.ts'
import { span } from '../../parts/time.tsx'

export function labelOf(field: FieldName): string {
  return CHECK_FIELDS[field].label
}

/** By the names that refusals use for the fields. A label may be a whole sentence, so it is quoted. */
export const QUOTED: Readonly<Record<string, string>> = Object.fromEntries(
  FIELD_NAMES.map((field) => [`check.${field}`, `“${labelOf(field)}”`]),
)

type Why = CheckInDetail['incidents'][number]['verdict']

/** `failing from 2 of 3 monitors for 2 min`, or `3 failures in a row`. Empty when it was not recorded. */
export function whyDown(verdict: Why, began_at: string): string {
  if (verdict?.failures === undefined) return ''
  const { failures, places, turned_at } = verdict
  if (!places) return failures === 1 ? '1 failure' : `${failures} failures in a row`
  const sec = (Date.parse(turned_at ?? began_at) - Date.parse(began_at)) / 1000
  return `failing from ${places.failing} of ${places.of} monitors${sec >= 1 ? ` for ${span(sec)}` : ''}`
}
