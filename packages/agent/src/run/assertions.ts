// Judges the rules on single parts of a response.
import { type Assertion, OPERATORS } from '@dogwatch/check-rules/assertions'
import { type JsonPath, readJsonPath } from '@dogwatch/check-rules/json-path'
import { readPattern, type SearchLimits, type TextSearch } from '../matching/content-match.ts'
import { jsonValues } from '../matching/json-values.ts'
import type { MatchOutcome } from '../matching/pattern-lane.ts'
import { readValues } from '../matching/pattern-search.ts'
import type { Observation } from '../probes/observation.ts'
import { type SeenValue, shownValue, valueSeen } from './seen.ts'

/** A rule that is prepared for judging responses. */
export interface ReadAssertion {
  rule: Assertion
  path?: JsonPath
  pattern?: TextSearch
}

/** Outcome of judging a response by one rule. */
export interface AssertionOutcome {
  rule: Assertion
  /** Whether the response passes the rule. Absent if the rule cannot be judged. */
  passed?: boolean
  /** Value that the rule judged, or the reason why the rule could not be judged, in one short line. */
  seen: string
  /** Whether the monitor, and not the target, is the reason that the rule cannot be judged. */
  isTooCostly?: true
}

/** Prepares validated rules. Returns the fault of the first pattern that is known to be invalid. */
export function readAssertions(rules: readonly Assertion[]): ReadAssertion[] | { fault: string } {
  const read: ReadAssertion[] = []
  for (const [index, rule] of rules.entries()) {
    const pattern = OPERATORS[rule.is] === 'pattern' ? readPattern(String(rule.value)) : undefined
    if (OPERATORS[rule.is] === 'pattern' && !pattern) return { fault: noPattern(index) }
    const path = rule.on === 'json' ? readJsonPath(rule.at ?? '') : undefined
    read.push({ rule, ...(path && { path }), ...(pattern && { pattern }) })
  }
  return read
}

export function noPattern(index: number): string {
  return `the assertions[${index}].value is not a valid regular expression (RE2 syntax)`
}

/** Parts that are read from the body. */
const OF_BODY: ReadonlySet<string> = new Set(['json', 'body'])

/** Whether a rule needs the text of the body. */
export function needsBody(rules: readonly ReadAssertion[]): boolean {
  return rules.some(({ rule }) => OF_BODY.has(rule.on))
}

/**
 * Returns a function that decides whether the part of a banner that has arrived is enough for all rules. Returns undefined if no
 * rule judges the banner.
 */
export function bannerDecides(rules: readonly ReadAssertion[]): ((banner: string) => boolean) | undefined {
  const some = rules.filter(({ rule }) => rule.on === 'banner')
  if (some.length === 0) return undefined
  return (banner) =>
    some.every(({ rule: { is, value }, pattern }) => {
      if (is === 'regex') return pattern?.isFound(banner) === true
      return is === 'exists' || (is === 'contains' && typeof value === 'string' && banner.includes(value))
    })
}

/** Judges all rules. Rejects with OwnTrouble, and with the signal's reason. */
export async function judgeAssertions(
  rules: readonly ReadAssertion[],
  observation: Observation,
  now: Date,
  limits: () => SearchLimits,
): Promise<AssertionOutcome[]> {
  const values = await readJson(rules, observation, limits)
  const outcomes: AssertionOutcome[] = []
  const shared = { limits, spent_ms: 0 }
  for (const read of rules) {
    const { rule } = read
    const unknown =
      unknownPart(rule, observation) ?? (rule.on === 'json' && typeof values === 'string' ? values : undefined)
    if (unknown === TOO_COSTLY) outcomes.push({ rule, seen: unknown, isTooCostly: true })
    else if (unknown !== undefined) outcomes.push({ rule, seen: unknown, passed: false })
    else {
      const value =
        typeof values === 'object' && rule.on === 'json' ? values.get(read) : valueSeen(rule, observation, now)
      outcomes.push(await judge(read, value, observation, shared))
    }
  }
  return outcomes
}

const TOO_COSTLY = 'unknown, because the pattern or the body is too costly'

/** Returns why the part of the response that a rule judges is unknown, although a response came. */
function unknownPart({ on, is }: Assertion, { read, unknown_encoding }: Observation): string | undefined {
  if (OF_BODY.has(on) && unknown_encoding !== undefined)
    return `unknown, because the body has an unsupported encoding: ${unknown_encoding}`
  if (read === undefined) return undefined
  const isCut = on === 'json' || (on === 'size' && !['gt', 'gte', 'exists'].includes(is))
  return isCut ? `unknown, because only the first ${read} of the body is read` : undefined
}

/** Length of a text of JSON that this thread parses in less than a millisecond or two. */
const SOON_PARSED_CHARS = 65_536

async function readJson(
  rules: readonly ReadAssertion[],
  { content, read, unknown_encoding }: Observation,
  limits: () => SearchLimits,
): Promise<ReadonlyMap<ReadAssertion, SeenValue> | string> {
  const some = rules.filter(({ path }) => path !== undefined)
  if (some.length === 0 || read !== undefined || unknown_encoding !== undefined) return new Map()
  const paths = some.map(({ path = [] }) => path)
  const isSoon = content.length <= SOON_PARSED_CHARS
  const values = isSoon ? (jsonValues(content, paths) ?? 'invalid') : await readValues(content, paths, limits())
  if (values === 'invalid') return 'unknown, because the body is not JSON'
  if (values === 'too_costly') return TOO_COSTLY
  return new Map(some.map((one, index) => [one, values[index]]))
}

/** Limits that all rules of a run share. */
interface SharedLimits {
  limits: () => SearchLimits
  /** Time that the main thread has spent on patterns in this run, in milliseconds. */
  spent_ms: number
}

/** Maximum time that the patterns of a run may keep other checks waiting, in milliseconds. Later searches use another thread. */
const MATCHING_MAX_MS = 50

async function judge(
  { rule, pattern }: ReadAssertion,
  value: SeenValue,
  { read }: Observation,
  shared: SharedLimits,
): Promise<AssertionOutcome> {
  const cut = rule.on === 'body' && read !== undefined ? ` (first ${read})` : ''
  const seen = `${shownValue(value)}${cut}`
  if (!pattern) return { rule, seen, passed: compare(rule, value) }
  const texts = textsIn(value)
  if (!texts) return { rule, seen, passed: false }
  const found = texts.length > TEXTS_MAX ? 'too_costly' : await findIn(texts, pattern, shared)
  if (found === 'no_pattern') return { rule, seen: 'unknown, because the pattern is invalid', isTooCostly: true }
  return found === 'too_costly'
    ? { rule, seen: TOO_COSTLY, isTooCostly: true }
    : { rule, seen, passed: found === (rule.is === 'regex') }
}

/** Maximum number of entries of a list that a rule searches. */
const TEXTS_MAX = 1000

async function findIn(texts: readonly string[], pattern: TextSearch, shared: SharedLimits): Promise<MatchOutcome> {
  for (const text of texts) {
    const began = performance.now()
    const soon = shared.spent_ms > MATCHING_MAX_MS ? undefined : pattern.isFound(text)
    shared.spent_ms += performance.now() - began
    const limits = shared.limits()
    if (soon === undefined && limits.left_ms <= 0) return 'too_costly'
    const found = soon ?? (await pattern.search(text, limits))
    if (found !== false) return found
  }
  return false
}

function textsIn(value: SeenValue): string[] | undefined {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined
}

/** Compares a value by its JSON type. A value that does not exist passes only `absent`. */
export function compare({ on, is, value: wanted = null }: Assertion, value: SeenValue): boolean {
  if (value === undefined || is === 'absent' || is === 'exists') return (value === undefined) === (is === 'absent')
  switch (is) {
    case 'eq':
      return isEqual(single(on, value), wanted)
    case 'ne':
      return !isEqual(single(on, value), wanted)
    case 'contains':
      return contains(value, wanted) === true
    case 'not_contains':
      return contains(value, wanted) === false
    case 'lt':
      return order(value, wanted) < 0
    case 'lte':
      return order(value, wanted) <= 0
    case 'gt':
      return order(value, wanted) > 0
    case 'gte':
      return order(value, wanted) >= 0
    default:
      return false
  }
}

/** Returns the only entry of a list of names or records, or the value itself. A list in JSON stays a list. */
function single(on: Assertion['on'], value: SeenValue): SeenValue {
  return on !== 'json' && Array.isArray(value) && value.length === 1 ? value[0] : value
}

/** Whether two JSON scalars are equal. Objects and lists equal no scalar. */
function isEqual(one: unknown, other: unknown): boolean {
  return one === other
}

/** Whether a text or a list contains a value. Returns undefined for other types. */
function contains(value: SeenValue, wanted: unknown): boolean | undefined {
  if (Array.isArray(value)) return value.some((one) => isEqual(one, wanted))
  return typeof value === 'string' && typeof wanted === 'string' ? value.includes(wanted) : undefined
}

/** Compares two numbers. Returns a negative number, 0 or a positive number, or NaN unless both values are numbers. */
function order(one: unknown, other: unknown): number {
  return typeof one === 'number' && typeof other === 'number' ? one - other : Number.NaN
}

/** Describes a rule that did not pass, such as `rule 2: json $.a is "down", expected eq "up"`. */
export function wordsOfOutcome({ rule: { on, at, is, value }, seen }: AssertionOutcome, number: number): string {
  const wanted = OPERATORS[is] === 'none' ? '' : ` ${shownValue(value ?? null)}`
  return `rule ${number}: ${on}${at === undefined ? '' : ` ${at}`} is ${seen}, expected ${is}${wanted}`
}
