// Completes the types of the core for this API: its operations, and what an error tells about a call that had done a part of its work.

import type { operations } from './generated.ts'
import type { DogwatchError } from './core/errors.ts'
import type * as options from './core/options.ts'
import type * as operation from './core/operation.ts'

/** How far an upload came: the first `submitted` results are confirmed, `accepted` of them were taken. */
export interface Uploaded {
  readonly submitted: number
  readonly accepted: number
}

/** The name of an operation in the contract. */
export type OperationName = keyof operations
export type Operation = operation.Operation<OperationName>
export type ClientOptions = options.ClientOptions<OperationName>
export type LogEvent = options.LogEvent<OperationName>
export type PartialWorkError = Error & Pick<DogwatchError, 'uploaded'>

declare module './core/errors.ts' {
  interface DogwatchError {
    /** Set by `upload` only: what the server had confirmed before this failure. Those results need not be sent again. */
    readonly uploaded?: Uploaded
  }
}
