// Judges an observation by the rules of its check. Pure.
import type { Assertion } from '@dogwatch/check-rules/assertions'
import { type Fault, faultsWithoutPattern } from '@dogwatch/check-rules/definition'
import { appliesTo } from '@dogwatch/check-rules/fields'
import { isJudgedByServer, type ProbedScheme, schemeRow } from '@dogwatch/check-rules/schemes'
import { includesStatus } from '@dogwatch/check-rules/statuses'
import { readTarget, type Target, type TargetOf, usesTls } from '@dogwatch/check-rules/target'
import type { Check } from '@dogwatch/monitor-sdk'
import { type ContentMatch, NO_PATTERN, readContentMatch } from '../matching/content-match.ts'
import type { MatchOutcome } from '../matching/pattern-lane.ts'
import type { Observation } from '../probes/observation.ts'
import { type AssertionOutcome, type ReadAssertion, readAssertions, wordsOfOutcome } from './assertions.ts'
import type { ResultKind, RunResult } from './run-result.ts'
import { firstToExpire } from './seen.ts'

type ProbedTarget = TargetOf<ProbedScheme>

/** A valid check, with everything that judging its runs needs. */
export interface Rules {
  check: Check
  target: ProbedTarget
  match: ContentMatch | undefined
  assertions: readonly ReadAssertion[]
}

/** Validates a check before a run. Refuses unknown values instead of guessing. */
export function readRules(check: Check): Rules | { fault: string } {
  const [fault] = faultsWithoutPattern(check)
  if (fault) return { fault: wordsOf(fault) }
  const target = readTarget(check.url)
  if ('fault' in target) return { fault: `the url ${target.fault}` }
  if (!isProbed(target)) return { fault: 'the server judges this kind of check; monitors do not run it' }
  const match = readContentMatch(check)
  if (match && 'fault' in match) return match
  // The validation above has checked the type of the assertions.
  const assertions = readAssertions((check.assertions ?? []) as readonly Assertion[])
  return 'fault' in assertions ? assertions : { check, target, match, assertions }
}

function isProbed(target: Target): target is ProbedTarget {
  return !isJudgedByServer(target.scheme)
}

/** Describes a fault without the name of a header, which is content that a result may not quote. */
function wordsOf({ field, header, part = '', must }: Fault): string {
  return header === undefined ? `the ${field}${part} ${must}` : `a header ${must}`
}

/**
 * Returns the result of a check that cannot be run because of a fault in its definition. It is a failure even for an inverted
 * check, because the target was not tested.
 */
export function unrunnable(fault: string): RunResult {
  return { kind: 'config', success: false, error: `config: ${fault}`, ...NOTHING_SEEN }
}

const NOTHING_SEEN = { http_status: 0, latency_ms: 0, response_sample: '', phases: {} }

/** Findings of the rules that take time. */
export interface Findings {
  /** Whether the content contains the match. Absent if that is unknown. */
  found?: MatchOutcome | undefined
  /** Outcomes of the rules on parts of the response, in their order. Absent if they were not judged. */
  outcomes?: readonly AssertionOutcome[] | undefined
}

/** Judges by the first rule that fails. The result is not inverted. */
export function verdictOn(
  rules: Rules,
  observation: Observation,
  now: Date,
  { found = rules.match?.isFound(observation.content), outcomes }: Findings = {},
): RunResult {
  const { target } = rules
  const { isQuoted } = schemeRow(target.scheme).content
  const failure = failureOf(rules, observation, now, found) ?? assertionFailure(outcomes)
  const { http_status, latency_ms, phases, redirects, address, failed_in, lookup_age_ms } = observation
  const first = firstToExpire(observation.certificates)
  return {
    ...(failure ? failed(failure) : HEALTHY),
    http_status,
    latency_ms,
    response_sample: isQuoted ? observation.content.slice(0, SAMPLE_MAX) : '',
    ...(failure ? {} : noteOn(rules, observation, found)),
    ...(first ? { certificate_ends: first.path_ends } : {}),
    // The rule about the share of the lifetime applies only to the certificate that expires first.
    ...(first?.not_before && first.path_ends.getTime() === first.not_after.getTime()
      ? { certificate_begins: first.not_before }
      : {}),
    ...(redirects === undefined ? {} : { redirects }),
    phases,
    ...(failed_in === undefined ? {} : { failed_in }),
    ...(lookup_age_ms ? { lookup_age_ms } : {}),
    ...(address === undefined ? {} : { address }),
    ...(outcomes === undefined || outcomes.length === 0 ? {} : { outcomes }),
  }
}

/** Maximum length of a sample, more than any result may contain. */
const SAMPLE_MAX = 65_536

const HEALTHY = { kind: 'ok', success: true, error: '' } as const

export interface Failure {
  kind: ResultKind
  words: string
  /** Number of the rule that failed. Absent if a rule without a number failed. */
  rule?: number
}

function failed({ kind, words, rule }: Failure): Pick<RunResult, 'kind' | 'success' | 'error' | 'rule'> {
  return { kind, success: false, error: `${kind}: ${words}`, ...(rule === undefined ? {} : { rule }) }
}

/** Kinds that say nothing about the target, so an inverted check keeps them. */
const NOT_THE_TARGET: ReadonlySet<ResultKind> = new Set(['config', 'blocked'])

/** Returns the result of an inverted check. */
export function inverted(result: RunResult): RunResult {
  if (result.success)
    return { ...result, ...failed({ kind: 'inverted', words: 'the target is healthy, and the check is inverted' }) }
  return NOT_THE_TARGET.has(result.kind) ? result : { ...result, ...HEALTHY }
}

/** Returns the failure that does not depend on the content, if there is one. */
export function failureBeforeMatch(rules: Rules, observation: Observation, now: Date): Failure | undefined {
  return (
    observation.fault ??
    answerFailure(rules, observation) ??
    statusFailure(rules, observation) ??
    expiryFailure(rules, observation, now)
  )
}

/** Returns the failure of the rules that have their own fields in a check, unlike assertions. Returns undefined if none fails. */
export function failureOf(
  rules: Rules,
  observation: Observation,
  now: Date,
  found: MatchOutcome | undefined,
): Failure | undefined {
  return (
    failureBeforeMatch(rules, observation, now) ??
    matchFailure(rules, observation, found) ??
    slowFailure(rules, observation)
  )
}

function assertionFailure(outcomes: readonly AssertionOutcome[] = []): Failure | undefined {
  const at = outcomes.findIndex(({ passed }) => passed !== true)
  const outcome = outcomes[at]
  if (!outcome) return undefined
  const rule = at + 1
  return { kind: outcome.passed === undefined ? 'config' : 'assertion', words: wordsOfOutcome(outcome, rule), rule }
}

/** Fails for a DNS answer that is an error, or that has no record of the type, unless a rule judges that. */
function answerFailure({ match, assertions }: Rules, { facts }: Observation): Failure | undefined {
  const { dns_rcode = 'NOERROR', dns_count } = facts
  const judges = (...parts: string[]) => assertions.some(({ rule }) => parts.includes(rule.on))
  if (dns_rcode !== 'NOERROR') return judges('dns_rcode') ? undefined : { kind: 'dns', words: dns_rcode }
  const isJudged = match !== undefined || judges('dns_answer', 'dns_count')
  return dns_count === 0 && !isJudged ? { kind: 'dns', words: 'there is no record of this type' } : undefined
}

const COMPARE = new Map(
  Object.entries<(status: number, value: number) => boolean>({
    eq: (status, value) => status === value,
    ne: (status, value) => status !== value,
    lt: (status, value) => status < value,
    lte: (status, value) => status <= value,
    gt: (status, value) => status > value,
    gte: (status, value) => status >= value,
  }),
)

function statusFailure({ check, target }: Rules, { http_status }: Observation): Failure | undefined {
  if (!appliesTo('status_code_op', target.scheme)) return undefined
  const { status_code_op: op = '', status_code_value: value = 0, status_codes = [] } = check
  if (status_codes.length > 0) {
    const words = `${http_status} is not one of ${status_codes.join(', ')}`
    return includesStatus(status_codes, http_status) ? undefined : { kind: 'status', words }
  }
  const compare = COMPARE.get(op)
  if (!compare) return http_status >= 400 ? { kind: 'status', words: `the status is ${http_status}` } : undefined
  return compare(http_status, value) ? undefined : { kind: 'status', words: `${http_status} is not ${op} ${value}` }
}

const DAY_MS = 86_400_000

function expiryFailure({ check, target }: Rules, { certificates }: Observation, now: Date): Failure | undefined {
  const days = check.cert_expiry_warn_days ?? 0
  if (days <= 0 || !usesTls(target)) return undefined
  const ends = certificates.map((certificate) => certificate?.not_after.getTime())
  // A check of certificates must not pass if the target presented none.
  if (ends.length === 0 || ends.includes(undefined))
    return { kind: 'cert_expiry', words: 'no certificate was presented' }
  const first_end = Math.min(...ends.map((end) => end ?? 0))
  const left_ms = first_end - now.getTime()
  if (left_ms > days * DAY_MS) return undefined
  const address = certificates[ends.indexOf(first_end)]?.address
  const named = address === undefined ? 'the certificate' : `${address}: the certificate`
  if (left_ms <= 0) return { kind: 'cert_expiry', words: `${named} has expired` }
  // Rounds down: 8.96 days are 8.9.
  const left_days = Math.floor((left_ms * 10) / DAY_MS) / 10
  return {
    kind: 'cert_expiry',
    words: `${named} has ${left_days.toFixed(1)} days left; the check fails at ${days} or fewer`,
  }
}

/**
 * Returns a note about a success that covers only the part of the content that was read, because the rest may contain a match.
 */
function noteOn({ match, target }: Rules, { read }: Observation, found: MatchOutcome | undefined): { note?: string } {
  if (!match?.isUnwanted || read === undefined || found !== false) return {}
  return { note: `match: not found in the first ${read} of the ${nameOf(target)}; the rest is not read` }
}

function nameOf({ scheme }: ProbedTarget): string {
  return schemeRow(scheme).content.called
}

function matchFailure(
  { match, target }: Rules,
  { read, unknown_encoding }: Observation,
  found: MatchOutcome | undefined,
): Failure | undefined {
  if (!match) return undefined
  if (unknown_encoding !== undefined)
    return { kind: 'http', words: `the body has an unsupported encoding: ${unknown_encoding}` }
  // Content that was not searched passes no rule.
  if (found === undefined || found === 'too_costly')
    return { kind: 'config', words: 'the pattern is too costly for this body' }
  if (found === 'no_pattern') return { kind: 'config', words: NO_PATTERN }
  if (found !== match.isUnwanted) return undefined
  const what = nameOf(target)
  if (match.isUnwanted) return { kind: 'match', words: `the ${what} contains the text that it must not contain` }
  const words =
    read === undefined
      ? `the ${what} does not contain the expected text`
      : `not found in the first ${read} of the ${what}; the rest is not read`
  return { kind: 'match', words }
}

function slowFailure({ check }: Rules, { latency_ms }: Observation): Failure | undefined {
  const max = check.max_response_time_ms ?? 0
  return max > 0 && latency_ms > max ? { kind: 'slow', words: `${latency_ms} ms is more than ${max} ms` } : undefined
}
