// Declares the outcome of one run of a check.

import type { FaultKind, Phase, Phases } from '../probes/observation.ts'
import type { AssertionOutcome } from './assertions.ts'

/** Reason for a failed run, or `ok`. */
export type ResultKind =
  | 'ok'
  | FaultKind
  | 'status'
  | 'cert_expiry'
  | 'match'
  | 'slow'
  | 'assertion'
  | 'config'
  | 'inverted'

/** Outcome of one run, before it is cut to the check's `result_detail_max_chars`. */
export interface RunResult {
  kind: ResultKind
  success: boolean
  /**
   * Kind and description of the failure, as `kind: words`. Empty on success. The text may name the target, so it must not be sent
   * for private definitions.
   */
  error: string
  http_status: number
  latency_ms: number
  response_sample: string
  /** First expiry among the certificates that make the target trusted. Absent if the run examined no certificate. */
  certificate_ends?: Date
  /** Start of the validity of the target's certificate. Absent if another certificate of its path expires earlier. */
  certificate_begins?: Date
  /** Number of the rule that failed, from 1. Absent if no numbered rule failed. */
  rule?: number
  /** Outcomes of the numbered rules. Absent if they were not judged. */
  outcomes?: readonly AssertionOutcome[]
  /** Locations that the target redirected to, in order, without parts that may be secret. Absent if it did not redirect. */
  redirects?: readonly string[]
  /** Information about a success for people. */
  note?: string
  phases: Phases
  /** Phase of the run when the transport failed. Absent if the transport did not fail. */
  failed_in?: Phase
  /** Age of the shared lookup when the run began, in milliseconds. */
  lookup_age_ms?: number
  /** Address that was dialled last. Absent if none was dialled. */
  address?: string
}
