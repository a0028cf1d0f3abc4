// Reads the fields of a check that a person wrote, and refuses what the rules or the plan do not allow.
import { DEFAULT_TIMEOUT_SEC, newContradictionsIn } from '@dogwatch/check-rules/contradictions'
import {
  type Fault,
  faultIn,
  faultsOfBlankDefinition,
  faultsOfValue,
  faultsWithoutPattern,
  patternsIn,
} from '@dogwatch/check-rules/definition'
import {
  BLANK_CHECK,
  type CheckFields,
  DEFINITION_FIELDS,
  type Definition,
  defaultOf,
  type FieldName,
  fieldsWith,
  isForOwnMonitors,
  pick,
  READING_ORDER,
  rowOf,
  toFields,
} from '@dogwatch/check-rules/fields'
import { isInternalTarget, readTarget } from '@dogwatch/check-rules/target'
import { DomainError, FaultyFields, FieldError, type FieldFault } from '../errors.ts'
import { type Plan, type PlanColumns, planOf } from '../organisations/plans.ts'
import { faultOfName, isStorable } from '../text.ts'

export type { CheckFields } from '@dogwatch/check-rules/fields'

/** The fields that a private definition leaves blank in the database. */
export const BLANK_DEFINITION: Readonly<Definition> = pick(BLANK_CHECK, DEFINITION_FIELDS)

const REQUIRED = fieldsWith({ isRequired: true })
/** All fields except the name and those of the definition, which are validated together. */
const PLAIN = READING_ORDER.filter((field) => field !== 'name' && !rowOf(field).isDefinition)
const DEFAULTS = Object.fromEntries(
  PLAIN.filter((field) => !rowOf(field).isRequired).map((field) => [field, defaultOf(field)]),
)

/**
 * Reads one entry of an import file. Refuses an invalid entry with all its faults at once, and names the fields as `at.field`.
 */
export function readCheck(at: string, entry: unknown): CheckFields {
  const given = givenOf(at, entry)
  const faults = faultsOf(given)
  faults.push(...patternFaults(given, faults))
  return contentOf(at, given, faults)
}

/**
 * Reads an entry like `readCheck`, but only limits the size of its pattern and does not compile it. Call `requirePattern`
 * afterwards.
 */
export function readWithoutPattern(at: string, entry: unknown): CheckFields {
  const given = givenOf(at, entry)
  return contentOf(at, given, faultsOf(given))
}

/** Returns everything that is wrong with an entry by itself and by the plan, for a form that shows all faults at once. */
export function findFaults(entry: Readonly<Record<string, unknown>>, name: string, plan: Plan): FieldFault[] {
  const given = givenOf('check', entry)
  const faults = faultsOf(given)
  return [...faults, ...patternFaults(given, faults), ...faultsOfPlan(given, name, plan)]
}

function givenOf(at: string, entry: unknown): Record<string, unknown> {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw new FieldError('invalid', at, 'must be an object')
  return { ...DEFAULTS, ...present(entry) }
}

/** Returns every fault that can be found without compiling a pattern, in the order of reading. */
function faultsOf(given: Readonly<Record<string, unknown>>): FieldFault[] {
  const missing = REQUIRED.filter((field) => given[field] === undefined)
  const name = missing.includes('name') ? undefined : faultOfGivenName(given.name)
  const definition = given.url === '' ? faultsOfBlankDefinition(given) : faultsWithoutPattern(given)
  const plain = PLAIN.filter((field) => given[field] !== undefined)
  return [
    ...missing.map((field) => ({ field, must: 'is required' })),
    ...(name === undefined ? [] : [{ field: 'name', must: name }]),
    ...[
      ...definition.filter(({ field }) => !missing.includes(field as 'url')),
      ...plain.flatMap((field) => faultsOfValue(field, given[field])),
    ].map((fault) => ({ field: nameOf(fault), must: fault.must, reason: fault.reason })),
  ]
}

function contentOf(at: string, given: Readonly<Record<string, unknown>>, faults: readonly FieldFault[]): CheckFields {
  if (faults.length > 0) throw new FaultyFields(at, faults)
  const content = toFields(given)
  const target = content.url === '' ? undefined : readTarget(content.url)
  const isOwn = !target || 'fault' in target || isInternalTarget(target, content) || isForOwnMonitors(content)
  return { ...content, restricted: content.restricted || isOwn }
}

/** Refuses a check whose pattern does not compile. */
export function requirePattern(at: string, content: CheckFields): void {
  const faults = patternFaults({ ...content })
  if (faults.length > 0) throw new FaultyFields(at, faults)
}

/** Compiles the patterns of the fields without other faults, and returns their faults. */
function patternFaults(given: Readonly<Record<string, unknown>>, others: readonly FieldFault[] = []): FieldFault[] {
  const isFaulty = (field: string) =>
    others.some((fault) => fault.field === field || fault.field.startsWith(`${field}[`))
  return patternsIn(given).flatMap(({ pattern, ...at }) => {
    if (isFaulty(at.field) || (at.field === 'match_string' && isFaulty('match_mode'))) return []
    const must = faultIn({ pattern, ...at })
    return must === undefined ? [] : [{ field: nameOf(at), must }]
  })
}

/** Refuses fields that contradict each other, unless the check had the same contradiction before. */
export function requireNoContradiction(at: string, content: CheckFields, before: CheckFields | undefined): void {
  const faults = newContradictionsIn(content, before)
  if (faults.length > 0) throw new FaultyFields(at, faults)
}

/** Refuses values that the plan does not allow. */
export function requirePlanAllows(at: string, content: CheckFields, organisation: PlanColumns): void {
  const faults = faultsOfPlan(content, organisation.plan, planOf(organisation))
  if (faults.length > 0) throw new FaultyFields(at, faults)
}

const CERTIFICATE_FIELDS = ['cert_expiry_warn_days', 'cert_warn_days', 'cert_warn_percent'] as const

/** Returns the values that the plan does not allow. They may also be faulty in other ways. */
export function faultsOfPlan(
  given: Readonly<Partial<Record<FieldName, unknown>>>,
  name: string,
  plan: Plan,
): FieldFault[] {
  const number = (field: FieldName) => (typeof given[field] === 'number' ? given[field] : 0)
  const [interval_sec, timeout_sec] = [number('interval_sec'), number('timeout_sec') || DEFAULT_TIMEOUT_SEC]
  const certificate = CERTIFICATE_FIELDS.filter((field) => number(field) > 0)
  return [
    ...(interval_sec > 0 && interval_sec < plan.min_interval_sec
      ? [{ field: 'interval_sec', must: `must be at least ${plan.min_interval_sec} on the ${name} plan` }]
      : []),
    ...(timeout_sec > plan.max_timeout_sec
      ? [{ field: 'timeout_sec', must: `must be at most ${plan.max_timeout_sec} on the ${name} plan` }]
      : []),
    ...(plan.allows_cert_expiry ? [] : certificate.map((field) => ({ field, must: `must be 0 on the ${name} plan` }))),
  ]
}

export function requireIntervalAllowed(field: string, interval_sec: number, organisation: PlanColumns): void {
  const { min_interval_sec } = planOf(organisation)
  if (interval_sec >= min_interval_sec) return
  throw new FieldError('invalid', field, `must be at least ${min_interval_sec} on the ${organisation.plan} plan`)
}

/**
 * Refuses new checks beyond the plan's limit. After a downgrade, existing checks may be replaced, but their number may not grow.
 */
export function requireRoom(organisation: PlanColumns, before: number, after: number): void {
  const { max_checks } = planOf(organisation)
  if (max_checks === 0 || after <= max_checks || after <= before) return
  throw new DomainError(
    'invalid',
    `the ${organisation.plan} plan allows ${max_checks} checks, but this change would make ${after}; delete checks or change the plan`,
  )
}

/** Returns the name of the field at fault, or of the header or part in the field. */
export function nameOf({ field, header, part = '' }: Pick<Fault, 'field' | 'header' | 'part'>): string {
  return header === undefined ? `${field}${part}` : `${field}[${JSON.stringify(header).slice(0, 80)}]`
}

function faultOfGivenName(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string'
  return isStorable(value) ? faultOfName(value) : 'must not contain null characters or invalid Unicode'
}

/** Removes fields that are null, because an exported file may come from a tool that writes null for absent fields. */
function present(entry: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null && value !== undefined))
}
