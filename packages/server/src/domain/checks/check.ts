// Reads the fields of a check that a person wrote, and refuses what the rules or the plan do not allow.
import {
  type Fault,
  faultsOfBlankDefinition,
  faultsWithoutPattern,
  faultsOfValue,
  patternOf,
} from '@dogwatch/check-rules/definition'
import {
  BLANK_CHECK,
  type CheckFields,
  DEFINITION_FIELDS,
  type Definition,
  defaultOf,
  fieldsWith,
  pick,
  READING_ORDER,
  rowOf,
  toFields,
} from '@dogwatch/check-rules/fields'
import { faultOfPattern } from '@dogwatch/check-rules/pattern'
import { isInternalHost, readTarget } from '@dogwatch/check-rules/target'
import { DomainError } from '../errors.ts'
import type { OrgPlanName, Plan } from '../organisations/plans.ts'
import { isStorable, requireName } from '../text.ts'

export type { CheckFields } from '@dogwatch/check-rules/fields'

export const DEFAULT_TIMEOUT_SEC = 10

/** The fields that a private definition leaves blank in the database. */
export const BLANK_DEFINITION: Readonly<Definition> = pick(BLANK_CHECK, DEFINITION_FIELDS)

const REQUIRED = fieldsWith({ isRequired: true })
/** All fields except the name and those of the definition, which are validated together. */
const PLAIN = READING_ORDER.filter((field) => field !== 'name' && !rowOf(field).isDefinition)
const DEFAULTS = Object.fromEntries(
  PLAIN.filter((field) => !rowOf(field).isRequired).map((field) => [field, defaultOf(field)]),
)

/** Reads one entry of an import file. An invalid entry is refused with the field named as `at.field`. */
export function readCheck(at: string, entry: unknown): CheckFields {
  const content = readWithoutPattern(at, entry)
  requirePattern(at, content)
  return content
}

/**
 * Reads an entry like `readCheck`, but does not compile its pattern, only bounds its size. Call `requirePattern`
 * afterwards.
 */
export function readWithoutPattern(at: string, entry: unknown): CheckFields {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw invalid(at, 'must be an object')
  const given = { ...DEFAULTS, ...present(entry) }
  for (const field of REQUIRED) if (given[field] === undefined) throw invalid(`${at}.${field}`, 'is required')
  const name = readName(at, given.name)
  requireSound(at, given.url === '' ? faultsOfBlankDefinition(given) : faultsWithoutPattern(given))
  for (const field of PLAIN) requireSound(at, faultsOfValue(field, given[field]))
  const content = toFields({ ...given, name })
  const target = content.url === '' ? undefined : readTarget(content.url)
  return { ...content, restricted: content.restricted || !target || 'fault' in target || isInternalHost(target.host) }
}

/** Refuses a check whose pattern does not compile. */
export function requirePattern(at: string, content: CheckFields): void {
  const pattern = patternOf(content)
  const must = pattern === undefined ? undefined : faultOfPattern(pattern)
  if (must !== undefined) throw invalid(`${at}.match_string`, must)
}

/** Refuses what the plan does not allow. */
export function requirePlanAllows(at: string, content: CheckFields, name: OrgPlanName, plan: Plan): void {
  if (content.interval_sec < plan.min_interval_sec) {
    throw invalid(`${at}.interval_sec`, `must be at least ${plan.min_interval_sec} on the ${name} plan`)
  }
  if ((content.timeout_sec || DEFAULT_TIMEOUT_SEC) > plan.max_timeout_sec) {
    throw invalid(`${at}.timeout_sec`, `must be at most ${plan.max_timeout_sec} on the ${name} plan`)
  }
  if (content.cert_expiry_warn_days > 0 && !plan.allows_cert_expiry) {
    throw invalid(`${at}.cert_expiry_warn_days`, `must be 0 on the ${name} plan`)
  }
  if (content.cert_warn_days > 0 && !plan.allows_cert_expiry) {
    throw invalid(`${at}.cert_warn_days`, `must be 0 on the ${name} plan`)
  }
}

/** The limit applies to new checks: after a downgrade existing ones may be replaced, but their number may not grow. */
export function requireRoom(name: OrgPlanName, { max_checks }: Plan, before: number, after: number): void {
  if (max_checks === 0 || after <= max_checks || after <= before) return
  throw new DomainError('invalid', `the ${name} plan allows ${max_checks} checks, and this would make ${after}`)
}

function requireSound(at: string, [fault]: readonly Fault[]): void {
  if (fault) throw invalid(`${at}.${nameOf(fault)}`, fault.must)
}

function nameOf({ field, header }: Fault): string {
  return header === undefined ? field : `${field}[${JSON.stringify(header).slice(0, 80)}]`
}

function readName(at: string, value: unknown): string {
  if (typeof value !== 'string') throw invalid(`${at}.name`, 'must be a string')
  if (!isStorable(value)) throw invalid(`${at}.name`, 'must not contain U+0000 or lone surrogates')
  return requireName(`${at}.name`, value)
}

/** An exported file may come from a tool that writes null for absent fields. */
function present(entry: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null && value !== undefined))
}

function invalid(field: string, must: string): DomainError {
  return new DomainError('invalid', `${field} ${must}`)
}
