// Completes the types of the core for this API: its operations, and the details in an error of a call that had done part of its
// work.

import type { operations } from './generated.ts'
import type { DogwatchError } from '#core/errors'
import type * as options from '#core/options'
import type * as operation from '#core/operation'

/** Name of an operation in the contract. */
export type OperationName = keyof operations
export type Operation = operation.Operation<OperationName>
export type ClientOptions = options.ClientOptions<OperationName>
export type LogEvent = options.LogEvent<OperationName>
export type PartialWorkError = Error & Pick<DogwatchError, 'resumeFrom'>

declare module '#core/errors' {
  interface DogwatchError {
    /**
     * Cursor to send as `after` to continue without losing an item. Set by `pages` and `each` only. Everything before it was
     * already returned.
     */
    readonly resumeFrom?: string
  }
}
