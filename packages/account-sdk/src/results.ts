// Declares the options for reading results, and the pages of results.

import type { CallOptions } from '#core/options'
import type { CheckArrivalsPage, CheckResultsPage, ResultsCursor } from './generated.ts'

/** Position to begin at, and options of each request: `{ ...cursor, signal }`. */
export interface ResultsOptions extends CallOptions {
  /** `after` of a cursor. Without `after_monitor`, it is the time to begin at, inclusive. Default: the first result. */
  after?: string | undefined
  /** `after_monitor` of the same cursor. */
  after_monitor?: string | undefined
}

/** A page that has results, and therefore the position of the next page. */
export type ResultsPage = CheckResultsPage & { next: ResultsCursor }

/** Position to begin at, polling interval, and options of each request. */
export interface FollowOptions extends CallOptions {
  /** The `cursor` of the last page that you have processed. Absent for a new reader. */
  cursor?: string | undefined
  /** Time to begin at for a new reader, inclusive. Default: the first result. Ignored with `cursor`. */
  after?: string | undefined
  /** Wait before the next request when nothing has arrived, in milliseconds. Default: 10,000. */
  pollMs?: number | undefined
}

/**
 * A page of arrived results, and the cursor to continue from after processing them. A result arrives about 30 s after its run, or
 * as soon as the server stores it if that is later.
 */
export type ArrivalsPage = CheckArrivalsPage
