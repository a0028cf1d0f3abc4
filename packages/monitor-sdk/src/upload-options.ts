// What callers can set for an upload.

import type { CallOptions } from './options.ts'
import type { Uploaded } from './partial-work.ts'

export interface UploadOptions extends CallOptions {
  /**
   * Called after each batch with the size of that batch and how many of it were taken. The batches come in the order
   * of the results, so a caller can drop `submitted` results from the head of its buffer. A promise is waited for; what
   * it throws ends the upload.
   */
  onBatch?: ((batch: Uploaded) => void | Promise<void>) | undefined
  /** Send batches above 4 KiB as gzip, where the platform can. True by default. */
  compress?: boolean | undefined
}
