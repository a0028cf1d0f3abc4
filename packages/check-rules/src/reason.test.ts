import { expect, test } from '@jest/globals'
import { contradictionsIn } from './contradictions.ts'
import { faultsWithoutPattern } from './definition.ts'
import { FIELD_NAMES, rowOf } from './fields.ts'
import { textOfReason } from './reason.ts'

const quoted = (field: (typeof FIELD_NAMES)[number]) => `“${rowOf(field).label}”`

/** Entries with every fault that names another field. */
const FAULTS = [
  ...contradictionsIn({ degraded_over_ms: 500, max_response_time_ms: 500, down_majority: true, down_places: 2 }),
  ...contradictionsIn({ degraded_after: 3, cert_warn_days: 14, cert_expiry_warn_days: 14, retry_interval_sec: 5 }),
  ...contradictionsIn({ match_mode: 'regex', match_string: '', status_code_op: 'lt', status_code_value: 100 }),
  ...faultsWithoutPattern({ url: 'https://example.com/', status_code_op: 'eq' }),
  ...faultsWithoutPattern({ url: 'https://example.com/', status_code_value: 200 }),
]

test('a form names the other fields of a fault by their labels', () => {
  expect(FAULTS.map(({ field, reason }) => `${field} ${textOfReason(reason, quoted)}`)).toEqual([
    'degraded_over_ms must be less than “Maximum response time” (500 ms)',
    'down_places must not be set together with “Must fail from most monitors”',
    'degraded_after needs “Degraded response time” to be set',
    'cert_warn_days must be more than “Certificate expiry failure” (14 days)',
    'retry_interval_sec needs “Retries” to be set',
    'status_code_value must accept at least one status code from 100 to 599',
    'match_string is required for the selected “Response content”',
    'status_code_value must be between 100 and 599 when “Status code” is set',
    'status_code_op is required when “Status code value” is set',
  ])
})

test('no name of a field is left in the words that a form shows', () => {
  const names = new RegExp(`\\b(?:${FIELD_NAMES.filter((name) => name.includes('_')).join('|')})\\b`)
  expect(FAULTS.map(({ reason }) => textOfReason(reason, quoted)).filter((words) => names.test(words))).toEqual([])
})

test('an API names them as its documents do', () => {
  expect(FAULTS.map(({ reason }) => textOfReason(reason))).toEqual(FAULTS.map(({ must }) => must))
  expect(FAULTS[0]?.must).toBe('must be less than max_response_time_ms (500 ms)')
})

test('what is wrong with a field by itself names no field, not even a target that is no URL', () => {
  const [fault] = faultsWithoutPattern({ url: 'http://' })
  expect(`“Target” ${textOfReason(fault?.reason ?? [], quoted)}`).toBe('“Target” is not a valid URL')
})
