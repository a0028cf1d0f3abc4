// Refusals of use cases, in words that may be shown to anybody. http/errors.ts maps them to statuses.

export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'conflict'
  | 'stale'
  | 'too_large'
  | 'limited'

/** A refusal. `line` is one line in lower case that names the field at fault and contains no secret. */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly kind: ErrorKind
  /** For `limited`: whole seconds to wait, at least 1. */
  readonly retry_after_sec: number | undefined

  constructor(kind: ErrorKind, line: string, retry_after_sec?: number) {
    super(line)
    this.kind = kind
    this.retry_after_sec = retry_after_sec
  }
}

/** What is wrong with one field of a form. */
export interface FieldFault {
  /** The name of the field, or of the header of it that is at fault: `interval_sec`, `headers["X-Key"]`. */
  field: string
  must: string
}

/** A refusal of several fields at once. Its line names the first of them. */
export class FaultyFields extends DomainError {
  readonly faults: readonly FieldFault[]

  /** `at`: what the fields belong to; faults of plan limits and the like come last. `line`: where another one is told. */
  constructor(at: string, faults: readonly FieldFault[], line?: string) {
    const [first] = faults
    super('invalid', line ?? `${at}.${first?.field} ${first?.must}`)
    this.faults = faults
  }
}
