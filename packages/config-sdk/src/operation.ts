// What a call needs to know about its operation.

import type { operations } from './generated.ts'
import type { Watch } from './stopping.ts'

/** The name of an operation in the contract. */
export type OperationName = keyof operations

export interface Operation {
  readonly name: OperationName
  /** Doing it twice is the same as doing it once. */
  readonly repeatable: boolean
  /** True for a parsed success that holds what callers rely on. Further fields do not matter. */
  readonly isAnswer: (answer: unknown) => boolean
}

/**
 * Returns the body of a success as a stream that is watched while it is read, and lets go of the watch when it ends.
 * `lost` says what a reader is to be told about a cause: the reason of an abort, or an error whose line begins with
 * `saying`. Throws when the body is not what was asked for.
 */
export type HandOut = (
  response: Response,
  watched: Watch,
  lost: (cause: unknown, saying: string) => unknown,
) => ReadableStream<Uint8Array>

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
