// Fields of a check that cannot both be meant. Forms, the configuration API and its file refuse them. Checks that were stored before may
// have them: a run that fails is not judged slow then, and a majority wins over a number of monitors.
import type { FieldName } from './fields.ts'

/** What a timeout of 0 means. */
export const DEFAULT_TIMEOUT_SEC = 10

export interface Contradiction {
  /** The field to change. */
  field: FieldName
  /** Goes behind the name of the field. */
  must: string
  /** All fields that take part in it, with that one. */
  fields: readonly FieldName[]
}

/** In the shape of an import file: fields that are left out are at their defaults, and faulty values are left alone. */
export type Entry = Readonly<Record<string, unknown>>

/** What can never be, each with the field to change. */
export function contradictionsIn(entry: Entry): Contradiction[] {
  const number = (field: FieldName) => (typeof entry[field] === 'number' ? entry[field] : 0)
  const isSet = (field: FieldName) => number(field) > 0
  const timeout_sec = number('timeout_sec') || DEFAULT_TIMEOUT_SEC
  const rules: readonly (readonly [isBroken: boolean, fields: readonly [FieldName, ...FieldName[]], must: string])[] = [
    [
      isSet('max_response_time_ms') && number('max_response_time_ms') >= timeout_sec * 1000,
      ['max_response_time_ms', 'timeout_sec'],
      `must be less than the timeout of ${timeout_sec} s, after which a run fails in any case`,
    ],
    [
      isSet('degraded_over_ms') && number('degraded_over_ms') >= timeout_sec * 1000,
      ['degraded_over_ms', 'timeout_sec'],
      `must be less than the timeout of ${timeout_sec} s, after which a run fails`,
    ],
    [
      isSet('degraded_over_ms') &&
        isSet('max_response_time_ms') &&
        number('degraded_over_ms') >= number('max_response_time_ms'),
      ['degraded_over_ms', 'max_response_time_ms'],
      `must be less than max_response_time_ms (${number('max_response_time_ms')} ms), beyond which a run fails`,
    ],
    [
      isSet('degraded_after') && !isSet('degraded_over_ms'),
      ['degraded_after', 'degraded_over_ms'],
      'must be empty without degraded_over_ms',
    ],
    [
      isSet('cert_warn_days') && number('cert_warn_days') <= number('cert_expiry_warn_days'),
      ['cert_warn_days', 'cert_expiry_warn_days'],
      `must be more than cert_expiry_warn_days (${number('cert_expiry_warn_days')} days), with which the check fails`,
    ],
    [
      entry.down_majority === true && isSet('down_places'),
      ['down_places', 'down_majority'],
      'must be empty while a majority is required',
    ],
    [
      isSet('retry_interval_sec') && !isSet('retry_count'),
      ['retry_interval_sec', 'retry_count'],
      'must be empty without retry_count',
    ],
    [
      isNeverMet(entry),
      ['status_code_value', 'status_code_op'],
      'must leave a status code that passes: there is none from 100 to 599',
    ],
    [
      ['not_contains', 'regex', 'not_regex'].includes(String(entry.match_mode)) && (entry.match_string ?? '') === '',
      ['match_string', 'match_mode'],
      'is needed for that choice of content',
    ],
  ]
  return rules.flatMap(([isBroken, fields, must]) => (isBroken ? [{ field: fields[0], must, fields }] : []))
}

/** Those that a change brings: whoever changes other fields of a check that has one is not held up by it. */
export function newContradictionsIn(after: Entry, before: Entry | undefined): Contradiction[] {
  const isHeld = ({ fields }: Contradiction) => before && fields.every((field) => after[field] === before[field])
  return contradictionsIn(after).filter((one) => !isHeld(one))
}

function isNeverMet({ status_code_op: op, status_code_value: value }: Entry): boolean {
  return (op === 'lt' && value === 100) || (op === 'gt' && value === 599)
}
