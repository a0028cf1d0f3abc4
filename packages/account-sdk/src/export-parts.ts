// What an export is taken apart into.

import type { AccountExport, Result } from './generated.ts'

/** Everything in an export but the results. Fields that this version does not know pass through. */
export type ExportHeader = Omit<AccountExport, 'results'>

/** One result of an export, with the check that it is for. */
export interface ExportedResult {
  guid: string
  result: Result
}

/** An export whose results are read one by one. */
export interface ExportedResults {
  /** What comes before the results, whole. */
  readonly header: ExportHeader
  /**
   * The results by check, oldest first. Read them to the end, or leave the loop early, or call `return()`: the
   * connection stays open until then.
   */
  readonly results: AsyncIterableIterator<ExportedResult>
}

/** An export as bytes. */
export interface ExportStream {
  /** Read it to its end or cancel it: the connection stays open until then. */
  readonly stream: ReadableStream<Uint8Array>
  /** The name that the server gives the file, without any folder. */
  readonly filename: string | undefined
}
