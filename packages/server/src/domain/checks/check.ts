// What a check is, and what must be true of one that a person writes.
import {
  type Definition,
  type Fault,
  faultsOfBlankDefinition,
  faultsOfForm,
  patternOf,
} from '@dogwatch/check-rules/definition'
import { faultOfPattern } from '@dogwatch/check-rules/pattern'
import { isInternalHost, readTarget } from '@dogwatch/check-rules/target'
import { DomainError } from '../errors.ts'
import type { OrgPlanName, Plan } from '../organisations/plans.ts'
import { isStorable, requireName } from '../text.ts'

/** What people write of a check. Optional fields are 0, false or empty when left out. */
export interface CheckContent extends Definition {
  name: string
  enabled: boolean
  restricted: boolean
  interval_sec: number
  timeout_sec: number
  disable_redirects: boolean
  insecure_skip_verify: boolean
  cert_expiry_warn_days: number
  max_response_time_ms: number
  invert_result: boolean
  result_detail_max_chars: number
  down_interval_sec: number
  resend_interval_sec: number
}

export const DEFAULT_TIMEOUT_SEC = 10

/** What a private definition keeps out of the database, blank. */
export const BLANK_DEFINITION = {
  url: '',
  match_string: '',
  match_mode: '',
  post_data: '',
  headers: {},
  status_code_op: '',
  status_code_value: 0,
} satisfies Definition

type Bounds = readonly [min: number, max: number]
const A_DAY = 86_400
const INTEGERS: Readonly<Record<string, Bounds>> = {
  interval_sec: [1, 31 * A_DAY],
  timeout_sec: [0, 60],
  cert_expiry_warn_days: [0, 3650],
  max_response_time_ms: [0, 60_000],
  result_detail_max_chars: [0, 10_000],
  down_interval_sec: [0, 1000],
  resend_interval_sec: [0, 365 * A_DAY],
}
const BOOLEANS = ['enabled', 'restricted', 'disable_redirects', 'insecure_skip_verify', 'invert_result']
const REQUIRED = ['name', 'url', 'interval_sec']
const DEFAULTS: Readonly<Record<string, unknown>> = { enabled: true, result_detail_max_chars: 256 }

/** Reads one entry of an import file. A fault is a refusal that names the field, as `at.field`. */
export function readCheck(at: string, entry: unknown): CheckContent {
  const content = readForm(at, entry)
  requirePattern(at, content)
  return content
}

/**
 * Reads an entry as `readCheck` does, but compiles nothing: its pattern, which is not too large, may still be none.
 * `requirePattern` is to follow.
 */
export function readForm(at: string, entry: unknown): CheckContent {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw invalid(at, 'must be an object')
  const given = { ...DEFAULTS, ...present(entry) }
  for (const field of REQUIRED) if (given[field] === undefined) throw invalid(`${at}.${field}`, 'is required')
  const content = {
    name: readName(at, given.name),
    ...readDefinition(at, given),
    ...Object.fromEntries(BOOLEANS.map((field) => [field, readBoolean(at, field, given[field])])),
    ...Object.fromEntries(Object.keys(INTEGERS).map((field) => [field, readInteger(at, field, given[field])])),
  } as unknown as CheckContent
  const target = content.url === '' ? undefined : readTarget(content.url)
  return { ...content, restricted: content.restricted || !target || 'fault' in target || isInternalHost(target.host) }
}

/** Refuses a check whose pattern is none. */
export function requirePattern(at: string, content: CheckContent): void {
  const pattern = patternOf(content)
  const must = pattern === undefined ? undefined : faultOfPattern(pattern)
  if (must !== undefined) throw invalid(`${at}.match_string`, must)
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

function readDefinition(at: string, given: Record<string, unknown>): Definition {
  const [fault] = given.url === '' ? faultsOfBlankDefinition(given) : faultsOfForm(given)
  if (fault) throw invalid(`${at}.${nameOf(fault)}`, fault.must)
  // Without a fault, what was given is of the types that a definition has.
  const definition = { ...BLANK_DEFINITION, ...pick(given) }
  return { ...definition, headers: { ...definition.headers } }
}

function nameOf({ field, header }: Fault): string {
  return header === undefined ? field : `${field}[${JSON.stringify(header).slice(0, 80)}]`
}

function pick(given: Record<string, unknown>): Record<string, unknown> {
  const fields = Object.keys(BLANK_DEFINITION).filter((field) => given[field] !== undefined)
  return Object.fromEntries(fields.map((field) => [field, given[field]]))
}

function readName(at: string, value: unknown): string {
  if (typeof value !== 'string') throw invalid(`${at}.name`, 'must be a string')
  if (!isStorable(value)) throw invalid(`${at}.name`, 'must not hold U+0000 or lone surrogates')
  return requireName(`${at}.name`, value)
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

/** An exported file may come from a tool that writes null for absent. */
function present(entry: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null && value !== undefined))
}

function invalid(field: string, must: string): DomainError {
  return new DomainError('invalid', `${field} ${must}`)
}
