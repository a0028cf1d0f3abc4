// Completes the types of the core for this API: its operations, and what an error tells about a call that had done a part of its work.

import type { operations, ResultsCursor } from './generated.ts'
import type { DogwatchError } from '#core/errors'
import type * as options from '#core/options'
import type * as operation from '#core/operation'

/** The name of an operation in the contract. */
export type OperationName = keyof operations
export type Operation = operation.Operation<OperationName>
export type ClientOptions = options.ClientOptions<OperationName>
export type LogEvent = options.LogEvent<OperationName>
export type PartialWorkError = Error & Pick<DogwatchError, 'resumeFrom'>

declare module '#core/errors' {
  interface DogwatchError {
    /** Set by `pages` and `results` only: everything before this was handed out. Go on from it, and nothing is lost. */
    readonly resumeFrom?: ResultsCursor
  }
}
