// Defines the rules on single parts of a response, and validates them.
import { PATH_FAULT, readJsonPath } from './json-path.ts'
import { faultOfSize, PATTERN_MAX_WEIGHT, weigh } from './pattern.ts'
import { isJudgedByServer, type Scheme, schemeRow } from './schemes.ts'

/** Value that a rule compares with. */
export type Comparand = string | number | boolean | null

/** A rule about one part of a response. A property that a rule does not need is absent. */
export interface Assertion {
  /** Path, header name, or another name within the part of the response. */
  at?: string
  /** Comparison. */
  is: Operator
  /** Part of the response. */
  on: Subject
  value?: Comparand
}

/** Comparisons, with the kind of value that each needs. */
export const OPERATORS = {
  eq: 'any',
  ne: 'any',
  lt: 'number',
  lte: 'number',
  gt: 'number',
  gte: 'number',
  contains: 'any',
  not_contains: 'any',
  regex: 'pattern',
  not_regex: 'pattern',
  exists: 'none',
  absent: 'none',
} as const

export type Operator = keyof typeof OPERATORS

interface SubjectRow {
  /** Name of the part of the response, for people. */
  label: string
  /** Kind of name in `at`: a path, a header, or one of these names. Absent if there is no `at`. */
  at?: 'path' | 'header' | readonly string[]
  /** Name of a field of checks. Only schemes that have this field have the part of the response. Absent if no field decides. */
  field?: string
  /** Schemes that have the part of the response. Absent if `field` decides, or if all schemes have it. */
  schemes?: readonly string[]
}

const HTTP = { field: 'disable_redirects' } as const
const DNS = { schemes: ['dns'] } as const
const NTP = { schemes: ['ntp'] } as const
const ICMP = { schemes: ['icmp'] } as const
const GRPC = { schemes: ['grpc', 'grpcs'] } as const

/** Durations that a rule can compare, in milliseconds. */
export const TIMINGS = ['dns', 'connect', 'tls', 'first_byte', 'body', 'total'] as const

/** Properties of a certificate that a rule can compare. */
export const CERTIFICATE_PROPERTIES = [
  ...(['issuer', 'subject', 'names', 'key', 'signature', 'tls_version', 'fingerprint'] as const),
  ...(['days_left', 'lifetime_left_percent'] as const),
] as const

/** Parts of a response that a rule can judge. */
export const SUBJECTS = {
  json: { label: 'JSON body', at: 'path', ...HTTP },
  header: { label: 'Header', at: 'header', ...HTTP },
  body: { label: 'Body', ...HTTP },
  size: { label: 'Body size (bytes)', ...HTTP },
  redirects: { label: 'Number of redirects', ...HTTP },
  final_url: { label: 'Final URL', ...HTTP },
  http_version: { label: 'HTTP version', ...HTTP },
  timing: { label: 'Timing (ms)', at: TIMINGS },
  certificate: { label: 'Certificate', at: CERTIFICATE_PROPERTIES, field: 'cert_expiry_warn_days' },
  banner: { label: 'Response text', field: 'match_string' },
  dns_answer: { label: 'DNS answer', ...DNS },
  dns_count: { label: 'Number of DNS records', ...DNS },
  dns_rcode: { label: 'DNS response code', ...DNS },
  dns_ttl: { label: 'DNS time to live (s)', ...DNS },
  dns_ad: { label: 'DNSSEC verified', ...DNS },
  dns_serials: { label: 'Zone serial numbers', ...DNS },
  loss: { label: 'Packet loss (%)', ...ICMP },
  jitter_ms: { label: 'Jitter (ms)', ...ICMP },
  offset_ms: { label: 'Clock offset (ms)', ...NTP },
  stratum: { label: 'Stratum', ...NTP },
  leap: { label: 'Leap indicator', ...NTP },
  grpc_status: { label: 'gRPC status', ...GRPC },
  grpc_health: { label: 'gRPC health', ...GRPC },
  value: { label: 'Query value', schemes: ['postgres', 'mysql'] },
} as const satisfies Readonly<Record<string, SubjectRow>>

export type Subject = keyof typeof SUBJECTS

export const SUBJECT_NAMES = Object.keys(SUBJECTS) as readonly Subject[]
export const OPERATOR_NAMES = Object.keys(OPERATORS) as readonly Operator[]

/** Returns the row of a subject, with the type that all rows share. */
export function subjectRow(on: Subject): SubjectRow {
  return SUBJECTS[on]
}

/** Whether the responses of a scheme's targets have a part. */
export function hasSubject(scheme: Scheme, on: Subject): boolean {
  const { field, schemes } = subjectRow(on)
  const { fields, content } = schemeRow(scheme)
  if (isJudgedByServer(scheme)) return false
  // Neither the body of a web page nor the summary of a certificate is a banner.
  if (on === 'banner' && (fields.includes(HTTP.field) || !content.isQuoted)) return false
  return (schemes?.includes(scheme) ?? true) && (field === undefined || fields.includes(field))
}

/** Maximum number of rules of a check. */
export const ASSERTIONS_MAX = 20
const VALUE_MAX_CHARS = 1000
const HEADER = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/

/** Fault of one rule, or of the list. */
export interface AssertionFault {
  /** Part at fault: empty for the list, or such as `[2].at`. */
  part: string
  /** Text that follows the name of the field and the part. Quotes nothing of the rule. */
  must: string
}

/**
 * Returns the faults of a list of rules, without compiling patterns. If a scheme is given, a rule about a part that its responses
 * do not have is a fault.
 */
export function faultsOfAssertions(value: unknown, scheme?: Scheme): AssertionFault[] {
  if (!Array.isArray(value)) return [{ part: '', must: 'must be a list' }]
  if (value.length > ASSERTIONS_MAX) return [{ part: '', must: `must have ${ASSERTIONS_MAX} entries or fewer` }]
  const faults = value.flatMap((one: unknown, index): AssertionFault[] => {
    const fault = faultOfAssertion(one, scheme)
    return fault ? [{ ...fault, part: `[${index}]${fault.part}` }] : []
  })
  const weight = faults.length > 0 ? 0 : patternsOf(value).reduce((sum, { pattern }) => sum + weigh(pattern), 0)
  return weight <= PATTERN_MAX_WEIGHT
    ? faults
    : [
        {
          part: '',
          must: `must have simpler regular expressions; the limit for all together is ${PATTERN_MAX_WEIGHT} steps`,
        },
      ]
}

function faultOfAssertion(given: unknown, scheme: Scheme | undefined): AssertionFault | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { part: '', must: 'must be an object' }
  const { on, at, is, value } = given as Record<string, unknown>
  if (!isSubject(on)) return { part: '.on', must: `must be one of ${SUBJECT_NAMES.join(', ')}` }
  if (scheme !== undefined && !hasSubject(scheme, on))
    return { part: '.on', must: `does not apply to ${scheme}:// targets` }
  const wrongAt = faultOfAt(subjectRow(on), at ?? undefined)
  if (wrongAt !== undefined) return { part: '.at', must: wrongAt }
  if (!isOperator(is)) return { part: '.is', must: `must be one of ${OPERATOR_NAMES.join(', ')}` }
  const wrongValue = faultOfComparand(is, value)
  return wrongValue === undefined ? undefined : { part: '.value', must: wrongValue }
}

function isSubject(on: unknown): on is Subject {
  return typeof on === 'string' && Object.hasOwn(SUBJECTS, on)
}

function isOperator(is: unknown): is is Operator {
  return typeof is === 'string' && Object.hasOwn(OPERATORS, is)
}

function faultOfAt({ at: wanted }: SubjectRow, at: unknown): string | undefined {
  if (wanted === undefined) return at === undefined || at === '' ? undefined : 'must be omitted'
  if (at === undefined) return 'is required'
  if (typeof at !== 'string') return 'must be a string'
  if (wanted === 'path') return at.includes('\0') || !readJsonPath(at) ? PATH_FAULT : undefined
  if (wanted === 'header') return HEADER.test(at) ? undefined : 'must be a valid header name'
  return wanted.includes(at) ? undefined : `must be one of ${wanted.join(', ')}`
}

function faultOfComparand(is: Operator, value: unknown): string | undefined {
  const kind = OPERATORS[is]
  if (kind === 'none') return value === undefined || value === null || value === '' ? undefined : 'must be omitted'
  if (value === undefined) return 'is required'
  if (kind === 'number') return isNumber(value) ? undefined : `must be a number for ${is}`
  if (typeof value !== 'string') {
    const isScalar = value === null || typeof value === 'boolean' || isNumber(value)
    if (kind === 'pattern') return 'must be a regular expression'
    return isScalar ? undefined : 'must be a string, a number, true, false or null'
  }
  if (value.length > VALUE_MAX_CHARS) return `must be ${VALUE_MAX_CHARS} characters or fewer`
  if (!value.isWellFormed() || value.includes('\0')) return 'must not contain null characters or invalid Unicode'
  return kind === 'pattern' ? faultOfSize(value) : undefined
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/** A regular expression of a rule, with the part that contains it, such as `[2].value`. */
export interface AssertionPattern {
  part: string
  pattern: string
}

/** Returns the regular expressions of rules. Ignores everything that is not a rule. */
export function patternsOf(value: unknown): AssertionPattern[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((one: unknown, index) => {
    const { is, value: pattern } = (one ?? {}) as Record<string, unknown>
    const isPattern = isOperator(is) && OPERATORS[is] === 'pattern' && typeof pattern === 'string'
    return isPattern ? [{ part: `[${index}].value`, pattern }] : []
  })
}

/** Returns validated rules in their stored form: with only their own properties, in the order that the database uses. */
export function tidyAssertions(given: readonly unknown[]): Assertion[] {
  return given.map((one) => {
    const { on, at, is, value } = one as Assertion
    const isComparing = OPERATORS[is] !== 'none'
    return { ...(subjectRow(on).at && { at: at ?? '' }), is, on, ...(isComparing && { value: value ?? null }) }
  })
}
