// What a use case refuses, in words fit for strangers. http/errors.ts says which status that is.

export type ErrorKind = 'invalid' | 'unauthenticated' | 'forbidden' | 'missing' | 'conflict' | 'too_large' | 'limited'

/** A refusal. `line` is one line, lower case, names the field at fault, and holds no secret. */
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
