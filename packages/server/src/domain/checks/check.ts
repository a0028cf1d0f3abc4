// What a check is, and what must be true of one that a person writes.
import { RE2JS } from 're2js'
import { DomainError } from '../errors.ts'
import type { OrgPlanName, Plan } from '../organisations/plans.ts'
import { isStorable, requireName } from '../text.ts'
import { isInternalHost, readTarget } from './target.ts'

/** What people write of a check. Optional fields are 0, false or empty when left out. */
export interface CheckContent {
  name: string
  url: string
  enabled: boolean
  restricted: boolean
  interval_sec: number
  timeout_sec: number
  disable_redirects: boolean
  insecure_skip_verify: boolean
  headers: Record<string, string>
  post_data: string
  match_string: string
  match_mode: string
  status_code_op: string
  status_code_value: number
  cert_expiry_warn_days: number
  max_response_time_ms: number
  invert_result: boolean
  result_detail_max_chars: number
  down_interval_sec: number
  resend_interval_sec: number
}

export const DEFAULT_TIMEOUT_SEC = 10
export const MATCH_MODES = ['contains', 'not_contains', 'regex', 'not_regex']
export const STATUS_CODE_OPS = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte']

/** What a private definition keeps out of the database, blank. */
export const BLANK_DEFINITION = {
  url: '',
  match_string: '',
  match_mode: '',
  post_data: '',
  headers: {},
  status_code_op: '',
  status_code_value: 0,
} satisfies Partial<CheckContent>

const MAX_URL = 2048
const MAX_TEXT = 65_536
const MAX_REGEX = 1000
const MAX_REPEATED = 1000
const MAX_HEADERS = 10
const MAX_HEADER_VALUE = 8192
const HTTP_TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
// biome-ignore lint: control characters are what is looked for
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
// Hop-by-hop, or about the framing of the body, which is the agent's own affair.
const NOT_THEIRS = new Set([
  'content-length',
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

type Bounds = readonly [min: number, max: number]
const A_DAY = 86_400
const INTEGERS: Readonly<Record<string, Bounds>> = {
  interval_sec: [1, 31 * A_DAY],
  timeout_sec: [0, 60],
  status_code_value: [0, 599],
  cert_expiry_warn_days: [0, 3650],
  max_response_time_ms: [0, 60_000],
  result_detail_max_chars: [0, 10_000],
  down_interval_sec: [0, 1000],
  resend_interval_sec: [0, 365 * A_DAY],
}
const BOOLEANS = ['enabled', 'restricted', 'disable_redirects', 'insecure_skip_verify', 'invert_result']
const STRINGS = ['name', 'url', 'post_data', 'match_string', 'match_mode', 'status_code_op']
const REQUIRED = ['name', 'url', 'interval_sec']
const DEFAULTS: Readonly<Record<string, unknown>> = { enabled: true, result_detail_max_chars: 256 }

/** Reads one entry of an import file. A fault is a refusal that names the field, as `at.field`. */
export function readCheck(at: string, entry: unknown): CheckContent {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw invalid(at, 'must be an object')
  const given = { ...DEFAULTS, ...present(entry) }
  for (const field of REQUIRED) if (given[field] === undefined) throw invalid(`${at}.${field}`, 'is required')
  const content = {
    ...Object.fromEntries(STRINGS.map((field) => [field, readString(at, field, given[field])])),
    ...Object.fromEntries(BOOLEANS.map((field) => [field, readBoolean(at, field, given[field])])),
    ...Object.fromEntries(Object.keys(INTEGERS).map((field) => [field, readInteger(at, field, given[field])])),
    headers: readHeaders(`${at}.headers`, given.headers ?? {}),
  } as unknown as CheckContent
  requireName(`${at}.name`, content.name)
  requireRules(at, content)
  const target = content.url === '' ? undefined : readTarget(content.url)
  if (target && 'fault' in target) throw invalid(`${at}.url`, target.fault)
  return { ...content, restricted: content.restricted || !target || isInternalHost(target.host) }
}

/** Refuses what the plan does not allow. */
export function requirePlanAllows(at: string, content: CheckContent, name: OrgPlanName, plan: Plan): void {
  if (content.interval_sec < plan.min_interval_sec) {
    throw invalid(`${at}.interval_sec`, `must be at least ${plan.min_interval_sec} on the ${name} plan`)
  }
  if ((content.timeout_sec || DEFAULT_TIMEOUT_SEC) > plan.max_timeout_sec) {
    throw invalid(`${at}.timeout_sec`, `must be at most ${plan.max_timeout_sec} on the ${name} plan`)
  }
  if (content.cert_expiry_warn_days > 0 && !plan.allows_cert_expiry) {
    throw invalid(`${at}.cert_expiry_warn_days`, `must be 0 on the ${name} plan`)
  }
}

/** Binds what is added: after a downgrade what exists may be replaced, but not grow. */
export function requireRoom(name: OrgPlanName, { max_checks }: Plan, before: number, after: number): void {
  if (max_checks === 0 || after <= max_checks || after <= before) return
  throw new DomainError('invalid', `the ${name} plan allows ${max_checks} checks, and this would make ${after}`)
}

function requireRules(at: string, content: CheckContent): void {
  if (content.url.length > MAX_URL) throw invalid(`${at}.url`, `must have at most ${MAX_URL} characters`)
  requireOneOf(`${at}.match_mode`, content.match_mode, MATCH_MODES)
  requireOneOf(`${at}.status_code_op`, content.status_code_op, STATUS_CODE_OPS)
  if (content.status_code_op !== '' && content.status_code_value < 100) {
    throw invalid(`${at}.status_code_value`, 'must be 100 to 599 when status_code_op is set')
  }
  if (content.status_code_op === '' && content.status_code_value !== 0) {
    throw invalid(`${at}.status_code_op`, 'is required when status_code_value is set')
  }
  if (content.match_mode.endsWith('regex')) requireRegex(`${at}.match_string`, content.match_string)
  if (content.url === '') requireBlankDefinition(at, content)
}

function requireBlankDefinition(at: string, content: CheckContent): void {
  for (const field of Object.keys(BLANK_DEFINITION) as (keyof typeof BLANK_DEFINITION)[]) {
    const value = content[field]
    const isBlank = typeof value === 'object' ? Object.keys(value).length === 0 : !value
    if (!isBlank)
      throw invalid(`${at}.${field}`, 'must be empty when url is, for a private definition stays in its agent')
  }
}

function requireRegex(field: string, pattern: string): void {
  // Compiled whole, a repetition is as long as what it repeats: a short pattern may be a large program.
  const repeated = Array.from(pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g), ([, least, most]) => Number(most || least))
  if (pattern.length > MAX_REGEX || repeated.reduce((sum, times) => sum + times, 0) > MAX_REPEATED) {
    throw invalid(
      field,
      `must have at most ${MAX_REGEX} characters and repeat at most ${MAX_REPEATED} times as a regex`,
    )
  }
  try {
    RE2JS.compile(pattern)
  } catch {
    throw invalid(field, 'must be a regular expression in RE2 syntax')
  }
}

function requireOneOf(field: string, value: string, allowed: readonly string[]): void {
  if (value !== '' && !allowed.includes(value)) throw invalid(field, `must be one of ${allowed.join(', ')}`)
}

function readString(at: string, field: string, value: unknown = ''): string {
  if (typeof value !== 'string') throw invalid(`${at}.${field}`, 'must be a string')
  if (!isStorable(value)) throw invalid(`${at}.${field}`, 'must not hold U+0000 or lone surrogates')
  if (value.length > MAX_TEXT) throw invalid(`${at}.${field}`, `must have at most ${MAX_TEXT} characters`)
  return value
}

function readBoolean(at: string, field: string, value: unknown = false): boolean {
  if (typeof value !== 'boolean') throw invalid(`${at}.${field}`, 'must be true or false')
  return value
}

function readInteger(at: string, field: string, value: unknown = 0): number {
  const [min, max] = INTEGERS[field] ?? [0, 0]
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw invalid(`${at}.${field}`, `must be a whole number from ${min} to ${max}`)
  }
  return value
}

function readHeaders(at: string, value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(at, 'must be an object of strings')
  const entries = Object.entries(value)
  if (entries.length > MAX_HEADERS) throw invalid(at, `must have at most ${MAX_HEADERS} entries`)
  const names = new Set(entries.map(([name]) => name.toLowerCase()))
  if (names.size < entries.length) throw invalid(at, 'must not name a header twice')
  for (const [name, content] of entries) {
    const field = `${at}[${JSON.stringify(name).slice(0, 80)}]`
    if (!HTTP_TOKEN.test(name)) throw invalid(field, 'must be named by an http token')
    if (NOT_THEIRS.has(name.toLowerCase())) throw invalid(field, 'must not be a hop-by-hop or framing header')
    if (typeof content !== 'string') throw invalid(field, 'must be a string')
    if (!FIELD_VALUE.test(content)) throw invalid(field, 'must not hold line breaks or other control characters')
    if (content.length > MAX_HEADER_VALUE) throw invalid(field, `must have at most ${MAX_HEADER_VALUE} characters`)
  }
  return { ...(value as Record<string, string>) }
}

/** An exported file may come from a tool that writes null for absent. */
function present(entry: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null && value !== undefined))
}

function invalid(field: string, must: string): DomainError {
  return new DomainError('invalid', `${field} ${must}`)
}
