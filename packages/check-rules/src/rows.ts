// The fields of a check, a row each. Types, columns, files, both APIs, the form and its words come from these rows.

export interface Common {
  /** Part of the definition: a private one is in its agent alone, and the server keeps the field blank. */
  isDefinition: boolean
  /** Whether monitors are told it. */
  isSynced: boolean
  /** In files and answers even when it is 0, false or empty. No document may require a field that it did not. */
  isAlwaysSent: boolean
  /** Whether results from before a change of it say nothing about the check as it is now. */
  changesResults: boolean
  /** Left out of files and answers while that other field is blank. */
  sentWith?: 'status_code_op'
  /** An entry without it is refused. */
  isRequired?: true
  /** What people read beside its input, and in refusals. */
  label: string
  hint?: string
  /** The part of the form in which it stands. */
  part: 'top' | 'monitors' | 'rules' | 'request' | 'alerts'
}

/** The values that a word may have, with what they are called. The first is the empty one, for none of them. */
type Words = readonly [readonly ['', string], ...(readonly (readonly [string, string])[])]

/** What a field is, and its bounds. Left out, it is its default; without one, it is 0, false or empty. */
export type FieldRow = Common &
  (
    | { kind: 'url' }
    | { kind: 'text'; max: number; rows?: number }
    | { kind: 'word'; words: Words }
    | { kind: 'whole'; min: number; max: number; default?: number }
    | { kind: 'yes-no'; default?: boolean }
    | { kind: 'headers' }
    | { kind: 'tags' }
  )

const A_DAY = 86_400
const MAX_TEXT = 65_536

const MATCH_WORDS = [
  ['', 'must contain the text'],
  ['contains', 'must contain the text (said explicitly)'],
  ['not_contains', 'must not contain the text'],
  ['regex', 'must match the pattern (RE2)'],
  ['not_regex', 'must not match the pattern (RE2)'],
] as const

const STATUS_WORDS = [
  ['', 'must be below 400'],
  ['eq', 'must be'],
  ['ne', 'must not be'],
  ['lt', 'must be less than'],
  ['lte', 'must be at most'],
  ['gt', 'must be more than'],
  ['gte', 'must be at least'],
] as const

/** In the order in which files, answers and pages have them. */
export const CHECK_FIELDS = {
  name: {
    kind: 'text',
    max: 200,
    isRequired: true,
    isDefinition: false,
    isSynced: true,
    isAlwaysSent: true,
    changesResults: false,
    label: 'Name',
    part: 'top',
  },
  url: {
    kind: 'url',
    isRequired: true,
    isDefinition: true,
    isSynced: true,
    isAlwaysSent: true,
    changesResults: true,
    label: 'Target',
    hint: 'https:// or http:// fetches a page, tcp://host:port connects, tls://host:port does a TLS handshake.',
    part: 'top',
  },
  enabled: {
    kind: 'yes-no',
    default: true,
    isDefinition: false,
    isSynced: true,
    isAlwaysSent: true,
    changesResults: false,
    label: 'It runs',
    hint: 'Without it, the check is paused.',
    part: 'top',
  },
  tags: {
    kind: 'tags',
    isDefinition: false,
    isSynced: false,
    isAlwaysSent: false,
    changesResults: false,
    label: 'Tags',
    hint: 'Words that checks are found and alerts are routed by, with commas between them. Upper and lower case are the same.',
    part: 'top',
  },
  restricted: {
    kind: 'yes-no',
    isDefinition: false,
    isSynced: false,
    isAlwaysSent: true,
    changesResults: false,
    label: "Only the organisation's own monitors may run it",
    hint: 'Always so for internal addresses, and for private definitions: the shared fleet never runs those.',
    part: 'monitors',
  },
  interval_sec: {
    kind: 'whole',
    min: 1,
    max: 31 * A_DAY,
    isRequired: true,
    isDefinition: false,
    isSynced: true,
    isAlwaysSent: true,
    changesResults: false,
    label: 'Run every (seconds)',
    part: 'top',
  },
  timeout_sec: {
    kind: 'whole',
    min: 0,
    max: 60,
    isDefinition: false,
    isSynced: true,
    isAlwaysSent: false,
    changesResults: true,
    label: 'Give up after (seconds)',
    part: 'rules',
  },
  disable_redirects: {
    kind: 'yes-no',
    isDefinition: false,
    isSynced: true,
    isAlwaysSent: false,
    changesResults: true,
    label: 'Do not follow redirects',
    part: 'request',
  },
  insecure_skip_verify: {
    kind: 'yes-no',
    isDefinition: false,
    isSynced: true,
    isAlwaysSent: false,
    changesResults: true,
    label: 'Do not verify the TLS certificate',
    part: 'request',
  },
  headers: {
    kind: 'headers',
    isDefinition: true,
    isSynced: true,
    isAlwaysSent: false,
    changesResults: true,
    label: 'Request headers',
    hint: 'A line for each, as Name: value. At most 10.',
    part: 'request',
  },
  post_data: {
    kind: 'text',
    max: MAX_TEXT,
    rows: 4,
    isDefinition: true,
    isSynced: true,
    isAlwaysSent: false,
    changesResults: true,
    label: 'Send this body (makes it a POST)',
    part: 'request',
  },
  match_string: {
    kind: 'text',
    max: MAX_TEXT,
    rows: 2,
    isDefinition: true,
    isSynced: true,
    isAlwaysSent: true,
    changesResults: true,
    label: 'Text to look for',
    hint: 'In the page, in what a tcp service says first, or in the summary of a certificate. Empty: anything will do.',
    part: 'rules',
  },
  match_mode: {
    kind: 'word',
    words: MATCH_WORDS,
    isDefinition: true,
    isSynced: true,
    isAlwaysSent: false,
    changesResults: true,
    label: 'The answer',
    part: 'rules',
  },
  status_code_op: {
    kind: 'word',
    words: STATUS_WORDS,
    isDefinition: true,
    isSynced: true,
    isAlwaysSent: false,
    changesResults: true,
    label: 'The status code',
    part: 'rules',
  },
  status_code_value: {
    kind: 'whole',
    min: 0,
    max: 599,
    sentWith: 'status_code_op',
    isDefinition: true,
    isSynced: true,
    isAlwaysSent: false,
    changesResults: true,
    label: 'Status code to compare with',
    hint: '100 to 599. Leave it empty when the code must be below 400.',
    part: 'rules',
  },
  cert_expiry_warn_days: {
    kind: 'whole',
    min: 0,
    max: 3650,
    isDefinition: false,
    isSynced: true,
    isAlwaysSent: false,
    changesResults: true,
    label: 'Fail when the certificate has this many days left, or fewer',
    hint: 'For https:// and tls://. Empty: never.',
    part: 'rules',
  },
  max_response_time_ms: {
    kind: 'whole',
    min: 0,
    max: 60_000,
    isDefinition: false,
    isSynced: true,
    isAlwaysSent: false,
    changesResults: true,
    label: 'Fail when slower than (milliseconds)',
    hint: 'Empty: as slow as it likes.',
    part: 'rules',
  },
  invert_result: {
    kind: 'yes-no',
    isDefinition: false,
    isSynced: true,
    isAlwaysSent: false,
    changesResults: true,
    label: 'Upside down: it fails when the target answers',
    hint: 'For what must not be reachable.',
    part: 'rules',
  },
  result_detail_max_chars: {
    kind: 'whole',
    min: 0,
    max: 10_000,
    default: 256,
    isDefinition: false,
    isSynced: true,
    isAlwaysSent: true,
    changesResults: false,
    label: 'Characters kept of errors and answers',
    hint: 'Of each result. 0: nothing of what the target sent is kept.',
    part: 'alerts',
  },
  retry_count: {
    kind: 'whole',
    min: 0,
    max: 10,
    isDefinition: false,
    isSynced: true,
    isAlwaysSent: false,
    changesResults: false,
    label: 'Retries before a failure counts',
    hint: 'The monitor that sees a failure runs the check again, within its turn. Leave empty for none.',
    part: 'alerts',
  },
  retry_interval_sec: {
    kind: 'whole',
    min: 0,
    max: 3600,
    isDefinition: false,
    isSynced: true,
    isAlwaysSent: false,
    changesResults: false,
    label: 'Seconds before a retry',
    hint: 'From the end of the failed run. Leave empty for 5 s.',
    part: 'alerts',
  },
  // A count of failures, not seconds: the name is historical.
  down_interval_sec: {
    kind: 'whole',
    min: 0,
    max: 1000,
    isDefinition: false,
    isSynced: true,
    isAlwaysSent: false,
    changesResults: false,
    label: 'Failures in a row before it counts as down',
    hint: 'Over all its monitors. Empty: the first failure counts.',
    part: 'alerts',
  },
  down_majority: {
    kind: 'yes-no',
    isDefinition: false,
    isSynced: false,
    isAlwaysSent: false,
    changesResults: false,
    label: 'Down only when a majority of its monitors fails',
    hint: 'Of those with a fresh result. Failures in a row then count for each monitor by itself.',
    part: 'alerts',
  },
  down_places: {
    kind: 'whole',
    min: 0,
    max: 100,
    isDefinition: false,
    isSynced: false,
    isAlwaysSent: false,
    changesResults: false,
    label: 'Down only when so many monitors fail',
    hint: 'Or all with a fresh result, if they are fewer. Empty: a failure of any monitor counts. Ignored when it takes a majority.',
    part: 'alerts',
  },
  up_successes: {
    kind: 'whole',
    min: 0,
    max: 100,
    isDefinition: false,
    isSynced: false,
    isAlwaysSent: false,
    changesResults: false,
    label: 'Successes in a row before it counts as up',
    hint: 'Empty: the first success counts.',
    part: 'alerts',
  },
  alert_every_change: {
    kind: 'yes-no',
    isDefinition: false,
    isSynced: false,
    isAlwaysSent: false,
    changesResults: false,
    label: 'Tell every change, however often it changes',
    hint: 'Otherwise a check that changes five times within 30 minutes is told once as flapping, and once when it has settled.',
    part: 'alerts',
  },
  resend_interval_sec: {
    kind: 'whole',
    min: 0,
    max: 365 * A_DAY,
    isDefinition: false,
    isSynced: true,
    isAlwaysSent: false,
    changesResults: false,
    label: 'While down, tell again every (seconds)',
    hint: 'Empty: tell once.',
    part: 'alerts',
  },
  degraded_over_ms: {
    kind: 'whole',
    min: 0,
    max: 60_000,
    isDefinition: false,
    isSynced: false,
    isAlwaysSent: false,
    changesResults: false,
    label: 'Degraded when slower than (milliseconds)',
    hint: 'A warning: the check still counts as up. Leave empty for no limit.',
    part: 'alerts',
  },
  degraded_after: {
    kind: 'whole',
    min: 0,
    max: 1000,
    isDefinition: false,
    isSynced: false,
    isAlwaysSent: false,
    changesResults: false,
    label: 'Slow results in a row before it counts as degraded',
    hint: 'Over all its monitors. Leave empty: the first slow result counts.',
    part: 'alerts',
  },
  cert_warn_days: {
    kind: 'whole',
    min: 0,
    max: 3650,
    isDefinition: false,
    isSynced: false,
    isAlwaysSent: false,
    changesResults: false,
    label: 'Warn when the certificate has fewer days left than',
    hint: 'For https:// and tls://. A warning: the check still counts as up. Leave empty for none.',
    part: 'alerts',
  },
} as const satisfies Readonly<Record<string, FieldRow>>
