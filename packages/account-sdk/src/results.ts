// What callers say about the results that they want, and the pages that they get.

import type { CheckArrivalsPage, CheckResultsPage, ResultsCursor } from './generated.ts'
import type { CallOptions } from '#core/options'

/** Where to begin, and how each of the requests is made: `{ ...cursor, signal }`. */
export interface ResultsOptions extends CallOptions {
  /** `after` of a cursor. Alone it is an instant to begin at, inclusive. Left out: from the first result. */
  after?: string | undefined
  /** `after_monitor` of the same cursor. */
  after_monitor?: string | undefined
}

/** A page that has results, and so says where the next one begins. */
export type ResultsPage = CheckResultsPage & { next: ResultsCursor }

/** Where to begin, how often to ask, and how each of the requests is made. */
export interface FollowOptions extends CallOptions {
  /** The `cursor` of the last page that you have dealt with. Left out: a new reader. */
  cursor?: string | undefined
  /** For a new reader: an instant to begin at, inclusive. Left out: from the first result. Ignored with `cursor`. */
  after?: string | undefined
  /** Milliseconds to wait before asking again when nothing has arrived. 10,000 by default. */
  pollMs?: number | undefined
}

/** Results that have arrived, and the cursor to go on from once they are dealt with. */
export type ArrivalsPage = CheckArrivalsPage
