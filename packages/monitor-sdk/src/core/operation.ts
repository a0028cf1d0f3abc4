// Declares how an SDK describes its API to the code that sends requests.

import type { Watch } from './stopping.ts'

/** Description of an API by its SDK. `Name` is the type of its operations' names. */
export interface Api<Name extends string> {
  /** Path prefix of every request, such as `/monitor-api/v1`. */
  readonly prefix: string
  /** Default `User-Agent`: the name of the package and its version. */
  readonly userAgent: string
  /** Returns the operation for a method and a path of the contract. Throws if there is none. */
  operationOf(method: string, path: string): Operation<Name>
}

export interface Operation<Name extends string> {
  /** Name of the operation in the contract. */
  readonly name: Name
  /** Whether carrying out the operation twice has the same effect as carrying it out once. */
  readonly repeatable: boolean
  /** Whether the parsed body of a success contains the fields that callers rely on. Other fields may be missing. */
  readonly isAnswer: (answer: unknown) => boolean
}

/**
 * Returns the body of a success as a stream, and releases `watched` at the end. `lost` makes the error for a reader: the reason
 * of an abort, or an error that begins with `saying`. Throws if the body has an unexpected type.
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
