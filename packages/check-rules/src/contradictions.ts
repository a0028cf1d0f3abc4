// Finds fields of a check that contradict each other. Forms, the configuration API and its file refuse them. Checks that were
// stored before may have them: a failed run is then not judged slow, and a majority has precedence over a number of monitors.
import { appliesTo, defaultOf, FIELD_NAMES, type FieldName, isBlank, rowOf } from './fields.ts'
import { type Reason, textOfReason } from './reason.ts'
import { isJudgedByServer, schemeOf, startOf } from './schemes.ts'

/** Timeout in seconds that a timeout of 0 means. */
export const DEFAULT_TIMEOUT_SEC = 10

export interface Contradiction {
  /** The field to change. */
  field: FieldName
  /** Fault as text that follows the name of the field. */
  must: string
  /** Reason of the fault, with the other fields as data. */
  reason: Reason
  /** All fields that take part in the contradiction, including `field`. */
  fields: readonly FieldName[]
}

/** A check in the shape of an import file: omitted fields have their defaults, and invalid values are ignored. */
export type Entry = Readonly<Record<string, unknown>>

/** Finds all contradictions, each with the field to change. */
export function contradictionsIn(entry: Entry): Contradiction[] {
  const number = (field: FieldName) => (typeof entry[field] === 'number' ? entry[field] : 0)
  const isSet = (field: FieldName) => number(field) > 0
  const timeout_sec = number('timeout_sec') || DEFAULT_TIMEOUT_SEC
  const rules: readonly (readonly [isBroken: boolean, fields: readonly [FieldName, ...FieldName[]], reason: Reason])[] =
    [
      [
        isSet('max_response_time_ms') && number('max_response_time_ms') >= timeout_sec * 1000,
        ['max_response_time_ms', 'timeout_sec'],
        [`must be less than the timeout (${timeout_sec} s)`],
      ],
      [
        isSet('degraded_over_ms') && number('degraded_over_ms') >= timeout_sec * 1000,
        ['degraded_over_ms', 'timeout_sec'],
        [`must be less than the timeout (${timeout_sec} s)`],
      ],
      [
        isSet('degraded_over_ms') &&
          isSet('max_response_time_ms') &&
          number('degraded_over_ms') >= number('max_response_time_ms'),
        ['degraded_over_ms', 'max_response_time_ms'],
        ['must be less than ', { field: 'max_response_time_ms' }, ` (${number('max_response_time_ms')} ms)`],
      ],
      [
        isSet('degraded_after') && !isSet('degraded_over_ms'),
        ['degraded_after', 'degraded_over_ms'],
        ['needs ', { field: 'degraded_over_ms' }, ' to be set'],
      ],
      [
        isSet('cert_warn_days') && number('cert_warn_days') <= number('cert_expiry_warn_days'),
        ['cert_warn_days', 'cert_expiry_warn_days'],
        ['must be more than ', { field: 'cert_expiry_warn_days' }, ` (${number('cert_expiry_warn_days')} days)`],
      ],
      [
        entry.down_majority === true && isSet('down_places'),
        ['down_places', 'down_majority'],
        ['must not be set together with ', { field: 'down_majority' }],
      ],
      [
        isSet('retry_interval_sec') && !isSet('retry_count'),
        ['retry_interval_sec', 'retry_count'],
        ['needs ', { field: 'retry_count' }, ' to be set'],
      ],
      [
        Array.isArray(entry.status_codes) && entry.status_codes.length > 0 && Boolean(entry.status_code_op),
        ['status_codes', 'status_code_op'],
        ['must not be set together with ', { field: 'status_code_op' }],
      ],
      [
        isSet('max_redirects') && entry.disable_redirects === true,
        ['max_redirects', 'disable_redirects'],
        ['must not be set together with ', { field: 'disable_redirects' }],
      ],
      [
        isNeverMet(entry),
        ['status_code_value', 'status_code_op'],
        ['must accept at least one status code from 100 to 599'],
      ],
      [
        ['not_contains', 'regex', 'not_regex'].includes(String(entry.match_mode)) && (entry.match_string ?? '') === '',
        ['match_string', 'match_mode'],
        ['is required for the selected ', { field: 'match_mode' }],
      ],
    ]
  const broken = rules.flatMap(([isBroken, fields, reason]) =>
    isBroken ? [{ field: fields[0], must: textOfReason(reason), reason, fields }] : [],
  )
  return [...broken, ...foreignFields(entry)]
}

/** Finds the fields that are set, but mean nothing because the server judges the check. */
function foreignFields(entry: Entry): Contradiction[] {
  const scheme = typeof entry.url === 'string' ? schemeOf(entry.url) : undefined
  if (scheme === undefined || !isJudgedByServer(scheme)) return []
  const reason: Reason = [`must be omitted, because it does not apply to ${startOf(scheme)} targets`]
  const isSet = (field: FieldName) => !isBlank(entry[field]) && entry[field] !== defaultOf(field)
  const foreign = FIELD_NAMES.filter((field) => !appliesTo(field, scheme) && !rowOf(field).isRequired && isSet(field))
  return foreign.map((field) => ({ field, must: textOfReason(reason), reason, fields: [field, 'url'] }))
}

/** Finds the contradictions that a change adds. A stored contradiction does not block changes of other fields. */
export function newContradictionsIn(after: Entry, before: Entry | undefined): Contradiction[] {
  const isHeld = ({ fields }: Contradiction) => before && fields.every((field) => after[field] === before[field])
  return contradictionsIn(after).filter((one) => !isHeld(one))
}

function isNeverMet({ status_code_op: op, status_code_value: value }: Entry): boolean {
  return (op === 'lt' && value === 100) || (op === 'gt' && value === 599)
}
