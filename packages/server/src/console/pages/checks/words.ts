// The fields of a check in words that people understand; refusals are told in the same.
import type { CheckContent } from '../../../domain/checks/check.ts'

export const LABELS: Readonly<Record<keyof CheckContent, string>> = {
  name: 'Name',
  url: 'Target',
  enabled: 'It runs',
  restricted: "Only the organisation's own monitors may run it",
  interval_sec: 'Run every (seconds)',
  timeout_sec: 'Give up after (seconds)',
  disable_redirects: 'Do not follow redirects',
  insecure_skip_verify: 'Do not verify the TLS certificate',
  headers: 'Request headers',
  post_data: 'Send this body (makes it a POST)',
  match_string: 'Text to look for',
  match_mode: 'The answer',
  status_code_op: 'The status code',
  status_code_value: 'Status code to compare with',
  cert_expiry_warn_days: 'Fail when the certificate has this many days left, or fewer',
  max_response_time_ms: 'Fail when slower than (milliseconds)',
  invert_result: 'Upside down: it fails when the target answers',
  result_detail_max_chars: 'Characters kept of errors and answers',
  down_interval_sec: 'Failures in a row before it counts as down',
  resend_interval_sec: 'While down, tell again every (seconds)',
}

export const MATCH_WORDS: readonly (readonly [string, string])[] = [
  ['', 'must contain the text'],
  ['contains', 'must contain the text (said explicitly)'],
  ['not_contains', 'must not contain the text'],
  ['regex', 'must match the pattern (RE2)'],
  ['not_regex', 'must not match the pattern (RE2)'],
]

export const STATUS_WORDS: readonly (readonly [string, string])[] = [
  ['', 'must be below 400'],
  ['eq', 'must be'],
  ['ne', 'must not be'],
  ['lt', 'must be less than'],
  ['lte', 'must be at most'],
  ['gt', 'must be more than'],
  ['gte', 'must be at least'],
]

/** By what refusals call the fields. A label may be a whole sentence, and is quoted. */
export const QUOTED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(LABELS).map(([field, label]) => [`check.${field}`, `“${label}”`]),
)
