// Declares the options of an upload.

import type { ApiError } from './core/errors.ts'
import type { CallOptions } from './core/options.ts'
import type { Result } from './generated.ts'
import type { UploadCounts } from './core-types.ts'

export interface UploadOptions extends CallOptions {
  /**
   * Called after each batch with its size and the number of accepted results. Batches come in order, so you can drop `submitted`
   * results from the head of your buffer. A promise is awaited; an error ends the upload.
   */
  onBatch?: ((batch: UploadCounts) => void | Promise<void>) | undefined
  /**
   * Called before `onBatch` with results that the server could not store for now. Upload them again later. Without this callback,
   * the server refuses the whole batch with a 503. A promise is awaited; an error ends the upload.
   */
  onAgain?: ((results: Result[]) => void | Promise<void>) | undefined
  /**
   * Called before `onBatch` with a result that the server refuses (400, 413) or that is too large. Set it aside; the upload
   * continues, but ends after twenty refusals in a row. Absent if the first refusal must end it. A promise is awaited.
   */
  onRefused?: ((result: Result, why: ApiError | RangeError) => void | Promise<void>) | undefined
  /** Whether to compress batches above 4 KiB with gzip, where the platform can. Default: true. */
  compress?: boolean | undefined
}
