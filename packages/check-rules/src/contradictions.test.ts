import { expect, test } from '@jest/globals'
import { contradictionsIn, newContradictionsIn } from './contradictions.ts'

const faulty = (entry: Record<string, unknown>) => contradictionsIn(entry).map(({ field }) => field)

test.each([
  [{ max_response_time_ms: 10_000 }, ['max_response_time_ms']],
  [{ max_response_time_ms: 9_999 }, []],
  [{ max_response_time_ms: 10_000, timeout_sec: 20 }, []],
  [{ degraded_over_ms: 500, max_response_time_ms: 500 }, ['degraded_over_ms']],
  [{ degraded_over_ms: 499, max_response_time_ms: 500 }, []],
  [{ degraded_over_ms: 5_000, timeout_sec: 5 }, ['degraded_over_ms']],
  [{ degraded_after: 3 }, ['degraded_after']],
  [{ degraded_after: 3, degraded_over_ms: 100 }, []],
  [{ cert_warn_days: 14, cert_expiry_warn_days: 14 }, ['cert_warn_days']],
  [{ cert_warn_days: 15, cert_expiry_warn_days: 14 }, []],
  [{ down_majority: true, down_places: 2 }, ['down_places']],
  [{ retry_interval_sec: 5 }, ['retry_interval_sec']],
  [{ status_code_op: 'lt', status_code_value: 100 }, ['status_code_value']],
  [{ status_code_op: 'gte', status_code_value: 599 }, []],
  [{ match_mode: 'not_contains', match_string: '' }, ['match_string']],
  [{ match_mode: 'regex' }, ['match_string']],
  [{ match_mode: 'contains', match_string: '' }, []],
  [{ max_response_time_ms: 'soon', down_places: 'two', down_majority: true }, []],
])('of %j these cannot be: %j', (entry, fields) => {
  expect(faulty(entry)).toEqual(fields)
})

test.each([
  ['of a new check counts', undefined, { degraded_over_ms: 500, max_response_time_ms: 400 }, ['degraded_over_ms']],
  [
    'that was there before does not hold up other fields',
    { degraded_over_ms: 500, max_response_time_ms: 400, interval_sec: 60 },
    { degraded_over_ms: 500, max_response_time_ms: 400, interval_sec: 90 },
    [],
  ],
  [
    'counts once either field of it is changed',
    { degraded_over_ms: 500, max_response_time_ms: 400 },
    { degraded_over_ms: 500, max_response_time_ms: 300 },
    ['degraded_over_ms'],
  ],
  [
    'may come of the timeout alone',
    { max_response_time_ms: 5000 },
    { max_response_time_ms: 5000, timeout_sec: 5 },
    ['max_response_time_ms'],
  ],
])('a contradiction %s', (_, before, after, fields) => {
  expect(newContradictionsIn(after, before).map(({ field }) => field)).toEqual(fields)
})
