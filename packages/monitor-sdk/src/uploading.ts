// Uploads any number of results, batch after batch. Loaded when asked.

import { BATCH_MAX_RESULTS, batchEnd, ENVELOPE, gzip, measure, PARTIAL_ENVELOPE } from './batches.ts'
import type { Connection } from './connection.ts'
import type { ApiError, ConnectionError } from './errors.ts'
import type { paths, Result, ResultsResponse } from './generated.ts'
import type { Uploaded } from './partial-work.ts'
import type { Sending } from './transport.ts'
import type { UploadOptions } from './upload-options.ts'

/** Smaller bodies fit in a few packets as they are. */
const COMPRESS_MIN_CHARS = 4096

/**
 * Sends `all` in order, and fails with what was confirmed before. `Unusable` is the class of the error for an answer that
 * cannot be: imported here, the errors would be a file of their own for every page that bundles the client.
 */
export async function uploadAll(
  http: Connection<paths>['http'],
  strictly: Connection<paths>['strictly'],
  all: readonly Result[],
  options: UploadOptions,
  Unusable: typeof ConnectionError,
): Promise<Uploaded> {
  const { onBatch, onAgain, compress = true, ...call } = options
  call.signal?.throwIfAborted()
  const envelope = onAgain ? PARTIAL_ENVELOPE : ENVELOPE
  const sizes = measure(all, envelope)
  let submitted = 0
  let accepted = 0
  let maxResults = BATCH_MAX_RESULTS
  while (submitted < all.length) {
    const batch = all.slice(submitted, batchEnd(sizes, submitted, { maxResults, envelope }))
    let answer: ResultsResponse
    try {
      answer = await uploadBatch(batch, compress, { ...call, doneBefore: { uploaded: { submitted, accepted } } })
    } catch (error) {
      // Not asked with instanceof, for the same reason.
      if ((error as Partial<ApiError> | undefined)?.status !== 413 || batch.length === 1) throw error
      maxResults = Math.floor(batch.length / 2)
      continue
    }
    // Whoever read these results has not taken fewer than none, or more than there are, and wants none again that are not there.
    const wanted = onAgain ? new Set(answer.again) : new Set()
    const again = batch.filter((_, index) => wanted.has(index))
    if (answer.accepted < 0 || answer.accepted + wanted.size > batch.length || again.length < wanted.size) {
      const words = `the answer says that ${answer.accepted} of ${batch.length} results were taken${wanted.size > 0 ? `, and ${wanted.size} are wanted again` : ''}`
      const error = new Unusable(words, { method: 'POST', path: '/results' })
      throw Object.assign(error, { uploaded: { submitted, accepted } })
    }
    submitted += batch.length
    accepted += answer.accepted
    if (again.length > 0) await onAgain?.(again)
    await onBatch?.({ submitted: batch.length, accepted: answer.accepted })
  }
  return { submitted, accepted }

  async function uploadBatch(batch: Result[], mayCompress: boolean, sending: Sending): Promise<ResultsResponse> {
    const text = JSON.stringify({ results: batch, ...(onAgain && { partial: true }) })
    const small = mayCompress && text.length >= COMPRESS_MIN_CHARS && 'CompressionStream' in globalThis
    const body = small ? await gzip(text) : text
    const { data } = await http.POST('/results', {
      body: { results: batch },
      bodySerializer: () => body,
      headers: small ? { 'content-encoding': 'gzip' } : {},
      fetch: strictly(sending),
    })
    return data as ResultsResponse
  }
}
