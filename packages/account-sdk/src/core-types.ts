// Completes the types in `core` for this API: the names of its operations, and the details in an error about the part of a call
// that succeeded.

import type { DogwatchError } from '#core/errors'
import type * as operation from '#core/operation'
import type * as options from '#core/options'
import type { operations, ResultsCursor } from './generated.ts'

/** Name of an operation in the contract. */
export type OperationName = keyof operations
export type Operation = operation.Operation<OperationName>
export type ClientOptions = options.ClientOptions<OperationName>
export type LogEvent = options.LogEvent<OperationName>
export type PartialWorkError = Error & Pick<DogwatchError, 'resumeFrom'>

declare module '#core/errors' {
  interface DogwatchError {
    /**
     * Cursor for a new call, so that no result is lost. Only `pages` and `results` set it. They had already returned everything
     * before this cursor.
     */
    readonly resumeFrom?: ResultsCursor
  }
}
