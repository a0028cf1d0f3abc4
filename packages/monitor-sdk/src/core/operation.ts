// Describes an API to the code that sends requests to it: each SDK describes its own.

import type { Watch } from './stopping.ts'

/** What an SDK tells about its API, whose operations have these names. */
export interface Api<Name extends string> {
  /** Path below which every request goes, such as `/monitor-api/v1`. */
  readonly prefix: string
  /** Default `User-Agent`: the name of the package and its version. */
  readonly userAgent: string
  /** Returns the operation behind a method and a path of the contract. Throws when there is none. */
  operationOf(method: string, path: string): Operation<Name>
}

export interface Operation<Name extends string> {
  /** The name in the contract. */
  readonly name: Name
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
