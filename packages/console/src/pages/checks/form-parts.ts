// Lists the fields of each section of a check's form, and returns their values.
import { appliesTo, type FieldName, type FieldRow, fieldsWith } from '@dogwatch/check-rules/fields'
import { isJudgedByServer, SCHEME_NAMES } from '@dogwatch/check-rules/schemes'
import { type CheckDraft, USUAL_PERCENT } from './draft.ts'

export type PartName = FieldRow['part']

/** Fields that come first in each section, in an order other than that of the rows. The section's other fields follow. */
const FIRST: Readonly<Record<PartName, readonly FieldName[]>> = {
  top: ['interval_sec'],
  monitors: [],
  rules: [
    'status_code_op',
    'status_code_value',
    'status_codes',
    'match_mode',
    'match_string',
    'timeout_sec',
    'max_response_time_ms',
    'assertions',
    'cert_warn_percent',
    'cert_warn_days',
    'cert_expiry_warn_days',
  ],
  request: ['method', 'headers', 'post_data'],
  alerts: [
    'down_interval_sec',
    'down_majority',
    'down_places',
    'up_successes',
    'alert_every_change',
    'resend_interval_sec',
  ],
}

/** Returns the fields of a section, without the name and the target, which come first in the form. */
export function namesOf(part: PartName): FieldName[] {
  const names = new Set([...FIRST[part], ...fieldsWith({ part })])
  return [...names].filter((field) => field !== 'name' && field !== 'url')
}

export function valueOf({ texts, ticks }: CheckDraft, field: FieldName): string | boolean {
  const values: Readonly<Record<FieldName, string | boolean>> = { ...texts, ...ticks }
  return values[field]
}

/**
 * Returns the value that the form suggests for a field of new checks, which scripts treat as empty. Returns undefined if there is
 * none.
 */
export function usualOf(field: FieldName): string | undefined {
  return field === 'cert_warn_percent' ? USUAL_PERCENT : undefined
}

/** Returns an attribute that makes scripts hide a field for the schemes that it does not apply to. */
export function notFor(field: FieldName): { 'data-not-for'?: string } {
  const schemes = SCHEME_NAMES.filter((scheme) => !appliesTo(field, scheme))
  return schemes.length === 0 ? {} : { 'data-not-for': schemes.join(' ') }
}

/** Attribute that makes scripts hide a part of the form for checks that the server judges. */
export const FOR_RUNS = { 'data-not-for': SCHEME_NAMES.filter(isJudgedByServer).join(' ') }
