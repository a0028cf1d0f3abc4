// Runs a check once: probes its target, judges it, and makes the result.
import { networkInterfaces } from 'node:os'
import { isForOwnMonitors } from '@dogwatch/check-rules/fields'
import { isPublicAddress, needsOwnMonitor } from '@dogwatch/check-rules/target'
import type { Check } from '@dogwatch/monitor-sdk'
import { type ContentMatch, findPattern, type SearchLimits } from '../matching/content-match.ts'
import type { MatchOutcome } from '../matching/pattern-lane.ts'
import { type Attempt, observe } from '../probes/attempt.ts'
import { BODY_MAX_BYTES, FREE_BYTES, Lease } from '../probes/body-memory.ts'
import type { Bounds } from '../probes/bounds.ts'
import type { Observation } from '../probes/observation.ts'
import { probeOf } from '../probes/registry.ts'
import { isMachineOff } from '../probes/trust.ts'
import { OwnTrouble } from '../process/own-trouble.ts'
import { bannerDecides, judgeAssertions, needsBody } from './assertions.ts'
import type { ResultKind, RunResult } from './run-result.ts'
import {
  type Findings,
  failureBeforeMatch,
  failureOf,
  inverted,
  type Rules,
  readRules,
  unrunnable,
  verdictOn,
} from './verdict.ts'

export interface RunOptions {
  /** Whether to dial public addresses only, checked for the dialled address of every redirect. */
  public_targets_only: boolean
  /** Whether the definition is private, so that its headers and body go only to the target itself. */
  is_private?: boolean
  /** Whether a person wants to see certificates that no rule asks for. */
  shows_certificates?: boolean
  /**
   * Whether the caller inverts the result of an inverted check, because only the caller knows later whether the network was up.
   */
  is_upright?: boolean
  /** Returns the server time, for the expiry of certificates. */
  now: () => Date
  /** Signal that ends the run early. The run then rejects with the signal's reason, without a result. */
  signal?: AbortSignal
}

export type RunCheck = (check: Check, options: RunOptions) => Promise<RunResult>

/**
 * Runs a check. Rejects if the signal ends the run early, and for faults of this machine. Whatever the target does, the run has a
 * result.
 */
export const runCheck: RunCheck = async (check, options) => {
  options.signal?.throwIfAborted()
  const rules = rulesOf(check)
  if ('fault' in rules) return unrunnable(rules.fault)
  const result =
    check.ip_family === 'both'
      ? overBoth(await Promise.all([runOver(rules, options, 4), runOver(rules, options, 6)]))
      : await runOver(rules, options, FAMILIES.get(check.ip_family ?? ''))
  return check.invert_result && !options.is_upright ? inverted(result) : result
}

/** Validated rules of checks, by the check object. A check object never changes, because an edit replaces it. */
const read = new WeakMap<Check, ReturnType<typeof readRules>>()

function rulesOf(check: Check): ReturnType<typeof readRules> {
  const before = read.get(check)
  if (before) return before
  const rules = readRules(check)
  read.set(check, rules)
  return rules
}

const FAMILIES = new Map<string, 4 | 6>([
  ['4', 4],
  ['6', 6],
])

/** Returns one result for the runs over IPv4 and IPv6: the first failure, or the slower success if both succeeded. */
function overBoth([four, six]: readonly [RunResult, RunResult]): RunResult {
  const failed = four.success ? six : four
  if (failed.success) return four.latency_ms > six.latency_ms ? four : six
  const words = failed.error.slice(failed.kind.length + 2)
  return { ...failed, error: `${failed.kind}: over ${failed === four ? 'IPv4' : 'IPv6'}: ${words}` }
}

/** Runs a check over one IP version, or over any if `family` is undefined. */
async function runOver(rules: Rules, options: RunOptions, family: 4 | 6 | undefined): Promise<RunResult> {
  const body_bytes = bodyBytesOf(rules, options.is_private ?? false)
  if (body_bytes <= FREE_BYTES) return look(rules, options, { body_bytes, family })
  const lease = new Lease()
  try {
    return await look(rules, options, { body_bytes, lease, family })
  } finally {
    lease.release()
  }
}

/** Refuses a kind of check that shared monitors must not run, even if the server assigns it. */
function refuse(attempt: Attempt): void {
  attempt.fail({ kind: 'blocked', words: 'only own monitors can run this check' })
}

type RunBounds = Pick<Bounds, 'body_bytes' | 'lease' | 'family'>

async function look(rules: Rules, options: RunOptions, body: RunBounds): Promise<RunResult> {
  const { public_targets_only, is_private = false, shows_certificates = false, now, signal } = options
  const mayDial = public_targets_only ? isPublicAddress : anywhere
  const limits = { mayDial, publicNamesOnly: public_targets_only, isPrivate: is_private, signal, server_time: now }
  const probe = await probeOf(rules.target.scheme)
  const began = performance.now()
  const { timeout_ms, ...enough } = boundsOf(rules)
  const left = (): SearchLimits => ({ left_ms: timeout_ms - (performance.now() - began), signal })
  const bounds: Bounds = {
    timeout_ms,
    ...enough,
    ...body,
    ...limits,
    findPattern: (pattern, text) => findPattern(pattern, text, left()),
    showsCertificates: shows_certificates || judgesCertificate(rules),
  }
  const isRefused =
    public_targets_only && (needsOwnMonitor(rules.target, rules.check) || isForOwnMonitors({ ...rules.check }))
  const observation = await observe(bounds, (attempt) =>
    (isRefused ? refuse : probe)(attempt, rules.target, rules.check),
  )
  requireOwnHealth(rules, observation, body)
  const time = now()
  // The clock was set between the handshake and now.
  if (observation.fault?.isDated && isMachineOff(time)) throw new OwnTrouble('machine_clock')
  return verdictOn(
    rules,
    observation,
    time,
    await findingsOf(rules, observation, time, { left, isAsked: shows_certificates }),
  )
}

/** Throws OwnTrouble if this machine, and not the target, may have caused the observation. */
function requireOwnHealth(rules: Rules, observation: Observation, { lease, family }: RunBounds): void {
  const { hindered_ms = 0, fault } = observation
  const waited_ms = lease?.waited_ms ?? 0
  if (failedByWait(rules, observation, waited_ms + hindered_ms)) {
    throw new OwnTrouble(waited_ms > hindered_ms ? 'body_memory' : 'lookup_queue')
  }
  if (family !== undefined && fault?.kind === 'unreachable' && !hasFamily(family))
    throw new OwnTrouble(`no_ipv${family}`)
}

/** Whether this machine has an address of this IP version that other machines can reach. */
function hasFamily(family: 4 | 6): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((some = []) => some)
  return addresses.some((one) => one.family === `IPv${family}` && !one.internal && !one.address.startsWith('fe80:'))
}

interface FindingOptions {
  left: () => SearchLimits
  /** Whether a person waits for the run, and wants to see the outcome of every rule. */
  isAsked: boolean
}

/** Applies the rules that take time to judge, unless a quick rule has failed already. */
async function findingsOf(
  rules: Rules,
  observation: Observation,
  time: Date,
  { left, isAsked }: FindingOptions,
): Promise<Findings> {
  const { match, assertions } = rules
  let found: MatchOutcome | undefined = match?.isFound(observation.content)
  if (match && found === undefined && !failureBeforeMatch(rules, observation, time)) {
    found = await match.search(observation.content, left())
  }
  const isJudged = assertions.length > 0 && !observation.fault
  if (!isJudged || (!isAsked && failureOf(rules, observation, time, found))) return { found }
  return { found, outcomes: await judgeAssertions(assertions, observation, time, left) }
}

/** Whether a rule judges the certificate. Otherwise, an http check does not read it. */
function judgesCertificate({ assertions }: Rules): boolean {
  return assertions.some(({ rule }) => rule.on === 'certificate')
}

/** Minimum length of a noticeable wait, in milliseconds. */
const HINDERED_MS = 250
const BY_CLOCK: ReadonlySet<ResultKind> = new Set(['timeout', 'reset'])

/** Whether a target may have failed because this machine kept it waiting. */
function failedByWait({ check }: Rules, { fault, latency_ms }: Observation, waited_ms: number): boolean {
  if (waited_ms <= HINDERED_MS) return false
  if (fault) return BY_CLOCK.has(fault.kind)
  return (check.max_response_time_ms ?? 0) > 0 && latency_ms > (check.max_response_time_ms ?? 0)
}

const CHAR_MAX_BYTES = 4

/** Returns the length of the body to keep, in bytes. The rest, which neither a rule nor a sample needs, is read and discarded. */
function bodyBytesOf({ check, match, assertions }: Rules, isPrivate: boolean): number {
  if (match || needsBody(assertions)) return BODY_MAX_BYTES
  const chars = isPrivate ? 0 : check.result_detail_max_chars
  // The first character may be a byte order mark, which does not count.
  return chars > 0 ? Math.min(BODY_MAX_BYTES, (chars + 1) * CHAR_MAX_BYTES) : 0
}

const TIMEOUT_DEFAULT_SEC = 10
const TIMEOUT_MAX_SEC = 60

/** Returns the maximum duration of a run of the check, in milliseconds. */
export function timeoutOf({ timeout_sec = 0 }: Pick<Check, 'timeout_sec'>): number {
  return 1000 * Math.min(TIMEOUT_MAX_SEC, timeout_sec > 0 ? timeout_sec : TIMEOUT_DEFAULT_SEC)
}

/** Returns the limits for the probe that follow from the check itself. */
export function boundsOf({
  check,
  match,
  assertions,
}: Pick<Rules, 'check' | 'match' | 'assertions'>): Pick<Bounds, 'timeout_ms' | 'isEnough'> {
  const timeout_ms = timeoutOf(check)
  const decides = bannerDecides(assertions)
  if (!match && !decides) return { timeout_ms }
  const isFound = (banner: string): boolean => match?.isFound(banner) ?? match === undefined
  return { timeout_ms, isEnough: enough((banner) => isFound(banner) && (decides?.(banner) ?? true)) }
}

const MATCHING_MAX_MS = 50

/**
 * Wraps a match for banners. Once matching the pattern has taken long, no longer matches after each byte, but only at the end.
 */
function enough(isFound: ContentMatch['isFound']): (banner: string) => boolean {
  let spent_ms = 0
  return (banner) => {
    if (spent_ms > MATCHING_MAX_MS) return false
    const began = performance.now()
    const found = isFound(banner)
    spent_ms += performance.now() - began
    return found ?? false
  }
}

function anywhere(): boolean {
  return true
}
