// What callers can set for an upload.

import type { ApiError } from './core/errors.ts'
import type { CallOptions } from './core/options.ts'
import type { Result } from './generated.ts'
import type { Uploaded } from './core-types.ts'

export interface UploadOptions extends CallOptions {
  /**
   * Called after each batch with the size of that batch and how many of it were taken. The batches come in the order
   * of the results, so a caller can drop `submitted` results from the head of its buffer. A promise is waited for; what
   * it throws ends the upload.
   */
  onBatch?: ((batch: Uploaded) => void | Promise<void>) | undefined
  /**
   * Called with the results of a batch that the server could not store for now, before `onBatch`: upload them again later. A server
   * may be unable to store the results of some checks for a while. Without this callback it refuses the whole batch then, with a 503.
   * A promise is waited for; what it throws ends the upload.
   */
  onAgain?: ((results: Result[]) => void | Promise<void>) | undefined
  /**
   * Called with a single result that the server refuses (400, 413) or that is too large for any request, before `onBatch`: keep it
   * aside and do not upload it soon again. The others go on. Without this callback such a result ends the upload. Twenty
   * refusals in a row end it as well, because the results are not to blame then. A promise is waited for.
   */
  onRefused?: ((result: Result, why: ApiError | RangeError) => void | Promise<void>) | undefined
  /** Send batches above 4 KiB as gzip, where the platform can. True by default. */
  compress?: boolean | undefined
}
