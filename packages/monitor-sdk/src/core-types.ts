// Completes the types in `core` for this API: the names of its operations, and the details in an error about the part of a call
// that succeeded.

import type { DogwatchError } from './core/errors.ts'
import type * as operation from './core/operation.ts'
import type * as options from './core/options.ts'
import type { operations } from './generated.ts'

/** Progress of an upload: the server confirmed the first `submitted` results and stored `accepted` of them. */
export interface UploadCounts {
  readonly submitted: number
  readonly accepted: number
}

/** Name of an operation in the contract. */
export type OperationName = keyof operations
export type Operation = operation.Operation<OperationName>
export type ClientOptions = options.ClientOptions<OperationName>
export type LogEvent = options.LogEvent<OperationName>
export type PartialWorkError = Error & Pick<DogwatchError, 'uploaded'>

declare module './core/errors.ts' {
  interface DogwatchError {
    /** Results that the server had confirmed before this failure. They need not be sent again. Set by `upload` only. */
    readonly uploaded?: UploadCounts
  }
}
