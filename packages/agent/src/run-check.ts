// One run of one check: probe, judge, and what goes into its result.
import type { Check } from '@dogwatch/monitor-sdk'
import { observe } from './probes/attempt.ts'
import { PROBES } from './probes/by-scheme.ts'
import type { Bounds } from './probes/probe.ts'
import { isPublicAddress } from './probes/public-address.ts'
import { judge, type Rules, readRules, unrunnable } from './verdict.ts'

/** Why a run failed; `ok` when it did not. */
export type Kind =
  | 'ok'
  | 'dns'
  | 'refused'
  | 'timeout'
  | 'unreachable'
  | 'reset'
  | 'tls'
  | 'http'
  | 'redirect'
  | 'status'
  | 'cert_expiry'
  | 'match'
  | 'slow'
  | 'blocked'
  | 'config'
  | 'inverted'

/** Milliseconds of each part of a run, summed over redirects; absent when it did not come to that. */
export interface Phases {
  dns?: number
  connect?: number
  tls?: number
  first_byte?: number
  body?: number
}

/** What one run found, before it is cut to the check's `result_detail_max_chars`. */
export interface Finding {
  kind: Kind
  success: boolean
  /** Empty on success; `kind: words` otherwise. May name the target: not for private definitions. */
  error: string
  http_status: number
  latency_ms: number
  response_sample: string
  phases: Phases
  /** The address that was dialled last; absent when it did not come to that. */
  address?: string
}

export interface RunOptions {
  /** Dial public addresses only, checked on the address dialled, on every hop. */
  public_targets_only: boolean
  /** Server time, for the expiry of certificates. */
  now: () => Date
  /** Ends the run early; it then rejects with the signal's reason and there is no finding. */
  signal?: AbortSignal
}

export type RunCheck = (check: Check, options: RunOptions) => Promise<Finding>

/** Rejects when it is ended early, and for faults of this machine; whatever the target does becomes a finding. */
export const runCheck: RunCheck = async (check, { public_targets_only, now, signal }) => {
  signal?.throwIfAborted()
  const rules = readRules(check)
  if ('fault' in rules) return unrunnable(rules.fault)
  const bounds = { ...boundsOf(rules), mayDial: public_targets_only ? isPublicAddress : anywhere, signal }
  const probe = PROBES[rules.target.scheme]
  const observation = await observe(bounds, (attempt) => probe(attempt, rules.target, check))
  return judge(rules, observation, now())
}

const TIMEOUT_DEFAULT_SEC = 10
const TIMEOUT_MAX_SEC = 60

/** What the check itself says of the bounds of its probe. */
export function boundsOf({ check, match }: Pick<Rules, 'check' | 'match'>): Pick<Bounds, 'timeout_ms' | 'isEnough'> {
  const { timeout_sec = 0 } = check
  const timeout_ms = 1000 * Math.min(TIMEOUT_MAX_SEC, timeout_sec > 0 ? timeout_sec : TIMEOUT_DEFAULT_SEC)
  return match ? { timeout_ms, isEnough: enough(match.isFound) } : { timeout_ms }
}

const MATCHING_MAX_MS = 50

/** A target that sends its banner byte by byte could have a slow pattern tried on each: then it is tried at the end. */
function enough(isFound: (text: string) => boolean): (banner: string) => boolean {
  let spent_ms = 0
  return (banner) => {
    if (spent_ms > MATCHING_MAX_MS) return false
    const began = performance.now()
    const found = isFound(banner)
    spent_ms += performance.now() - began
    return found
  }
}

function anywhere(): boolean {
  return true
}
