// Fields of a check that cannot both be meant. Forms refuse them; files and the configuration API take what the rules allow, and there the
// order is: a run that fails is not judged slow, and a majority wins over a number of monitors.
import type { FieldName } from '@dogwatch/check-rules/fields'
import type { FieldFault } from '../errors.ts'
import { DEFAULT_TIMEOUT_SEC } from './check.ts'

/** What can never be, each with the field to change. `entry`: in the shape of an import file; faulty values are left alone. */
export function contradictionsIn(entry: Readonly<Record<string, unknown>>): FieldFault[] {
  const number = (field: FieldName) => (typeof entry[field] === 'number' ? entry[field] : 0)
  const isSet = (field: FieldName) => number(field) > 0
  const timeout_sec = number('timeout_sec') || DEFAULT_TIMEOUT_SEC
  const rules: readonly (readonly [isBroken: boolean, field: FieldName, must: string])[] = [
    [
      isSet('max_response_time_ms') && number('max_response_time_ms') >= timeout_sec * 1000,
      'max_response_time_ms',
      `must be less than the timeout of ${timeout_sec} s, after which a run fails in any case`,
    ],
    [
      isSet('degraded_over_ms') && number('degraded_over_ms') >= timeout_sec * 1000,
      'degraded_over_ms',
      `must be less than the timeout of ${timeout_sec} s, after which a run fails`,
    ],
    [
      isSet('degraded_over_ms') &&
        isSet('max_response_time_ms') &&
        number('degraded_over_ms') >= number('max_response_time_ms'),
      'degraded_over_ms',
      `must be less than max_response_time_ms (${number('max_response_time_ms')} ms), beyond which a run fails`,
    ],
    [isSet('degraded_after') && !isSet('degraded_over_ms'), 'degraded_after', 'must be empty without degraded_over_ms'],
    [
      isSet('cert_warn_days') && number('cert_warn_days') <= number('cert_expiry_warn_days'),
      'cert_warn_days',
      `must be more than cert_expiry_warn_days (${number('cert_expiry_warn_days')} days), with which the check fails`,
    ],
    [entry.down_majority === true && isSet('down_places'), 'down_places', 'must be empty while a majority is required'],
    [isSet('retry_interval_sec') && !isSet('retry_count'), 'retry_interval_sec', 'must be empty without retry_count'],
    [isNeverMet(entry), 'status_code_value', 'must leave a status code that passes: there is none from 100 to 599'],
    [
      ['not_contains', 'regex', 'not_regex'].includes(String(entry.match_mode)) && entry.match_string === '',
      'match_string',
      'is needed for that choice of content',
    ],
  ]
  return rules.flatMap(([isBroken, field, must]) => (isBroken ? [{ field, must }] : []))
}

function isNeverMet({ status_code_op: op, status_code_value: value }: Readonly<Record<string, unknown>>): boolean {
  return (op === 'lt' && value === 100) || (op === 'gt' && value === 599)
}
