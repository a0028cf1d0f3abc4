// Declares the parts of an export.

import type { AccountExport, Result } from './generated.ts'

/** Everything in an export except the results. Fields that this version does not know are included. */
export type ExportHeader = Omit<AccountExport, 'results'>

/** One result of an export, with its check. */
export interface ExportedResult {
  guid: string
  result: Result
}

/** An export whose results are read one by one. */
export interface ExportedResults {
  /** Everything in the export before the results. */
  readonly header: ExportHeader
  /**
   * The results by check, oldest first. Read them to the end, leave the loop early, or call `return()`. The connection stays open
   * until then.
   */
  readonly results: AsyncIterableIterator<ExportedResult>
}

/** An export as bytes. */
export interface ExportStream {
  /** The bytes of the export. Read the stream to its end or cancel it. The connection stays open until then. */
  readonly stream: ReadableStream<Uint8Array>
  /** The file name that the server suggests, without any folder. */
  readonly filename: string | undefined
}
