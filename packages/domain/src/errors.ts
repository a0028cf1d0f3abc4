// Defines the refusals of use cases, in words that anyone may read. api/errors.ts maps them to statuses.
import type { Reason } from '@dogwatch/check-rules/reason'

export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'conflict'
  | 'stale'
  | 'too_large'
  | 'limited'

/** Refusal of a use case. `line` is one line in lower case that names the field at fault and contains no secret. */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly kind: ErrorKind
  /** Whole seconds to wait, at least 1. Absent unless the kind is `limited`. */
  readonly retry_after_sec: number | undefined
  /** Fields at fault. Empty if the refusal is about the request as a whole. */
  readonly faults: readonly FieldFault[] = []

  constructor(kind: ErrorKind, line: string, retry_after_sec?: number) {
    super(line)
    this.kind = kind
    this.retry_after_sec = retry_after_sec
  }
}

/** Fault of one field. Its reader builds the sentence, so that no code has to parse a finished one. */
export interface FieldFault {
  /** Name of the field, or of the header in it that is at fault: `interval_sec`, `headers["X-Key"]`. */
  field: string
  /** Reason, beginning with a verb: `must be at least 30`. */
  must: string
  /** Reason of the fault, with the other fields as data. Absent if the words name no other field. */
  reason?: Reason
}

/** Refusal because of one field. Its line is the name of the field and the reason. */
export class FieldError extends DomainError {
  override readonly faults: readonly [FieldFault]

  constructor(kind: ErrorKind, field: string, must: string) {
    super(kind, `${field} ${must}`)
    this.faults = [{ field, must }]
  }
}

/** Refusal of several fields at once. Its line names the first of them. */
export class FaultyFields extends DomainError {
  override readonly faults: readonly FieldFault[]

  /**
   * Builds a line that names the first field with the prefix `at`, unless `line` is given. Faults of plan limits and the like
   * should come last.
   */
  constructor(at: string, faults: readonly FieldFault[], line?: string) {
    const [first] = faults
    super('invalid', line ?? `${at}.${first?.field} ${first?.must}`)
    this.faults = faults
  }
}
