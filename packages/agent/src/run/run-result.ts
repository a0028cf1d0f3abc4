// The outcome of one run of a check.
import type { FaultKind, Phase, Phases } from '../probes/observation.ts'

/** Why a run failed; `ok` when it did not. */
export type ResultKind = 'ok' | FaultKind | 'status' | 'cert_expiry' | 'match' | 'slow' | 'config' | 'inverted'

/** What one run came to, before it is cut to the check's `result_detail_max_chars`. */
export interface RunResult {
  kind: ResultKind
  success: boolean
  /** Empty on success; `kind: words` otherwise. May name the target: not for private definitions. */
  error: string
  http_status: number
  latency_ms: number
  response_sample: string
  /** Time at which the first certificate ends that the target is trusted by. Absent if none was looked at. */
  certificate_ends?: Date
  /** Where the target redirected to, in order, without what may be secret; absent when it did not. */
  redirects?: readonly string[]
  /** What a person should know of a success. */
  note?: string
  phases: Phases
  /** The part of the run in which the transport failed; absent when it did not. */
  failed_in?: Phase
  /** How long the lookup that it waited for last had been in progress when the run began. */
  lookup_age_ms?: number
  /** The address that was dialled last; absent when it did not come to that. */
  address?: string
}
