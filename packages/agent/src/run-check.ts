// One run of one check: probe, judge, and what goes into its result.
import type { Check } from '@dogwatch/monitor-sdk'

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
