// Uploads any number of results, batch after batch. Loaded on demand.

import { BATCH_MAX_RESULTS, batchEnd, ENVELOPE, gzip, measure, PARTIAL_ENVELOPE, tooLarge } from './batches.ts'
import type { Connection } from './core/connection.ts'
import type { ApiError, ConnectionError } from './core/errors.ts'
import type { Sending } from './core/transport.ts'
import type { UploadCounts } from './core-types.ts'
import { isFromServer } from './from-server.ts'
import type { paths, Result, ResultsResponse } from './generated.ts'
import type { UploadOptions } from './upload-options.ts'

/** Minimum length of a body to compress, in characters. Smaller ones fit in a few packets uncompressed. */
const COMPRESS_MIN_CHARS = 4096

/** Number of consecutive refusals after which the upload fails, because so many results cannot all be at fault. */
const REFUSED_IN_A_ROW = 20

/**
 * Sends `all` in order. Its error has the number of confirmed results. `Unusable` is an argument, because an import of the errors
 * would be one more file for every page that bundles the client.
 */
export async function uploadAll(
  http: Connection<paths>['http'],
  strictly: Connection<paths>['strictly'],
  all: readonly Result[],
  options: UploadOptions,
  Unusable: typeof ConnectionError,
): Promise<UploadCounts> {
  const { onBatch, onAgain, onRefused, compress = true, ...call } = options
  call.signal?.throwIfAborted()
  const envelope = onAgain ? PARTIAL_ENVELOPE : ENVELOPE
  const sizes = measure(all)
  const impossible = sizes.map((_, index) => tooLarge(sizes, index, envelope))
  if (!onRefused) for (const error of impossible) if (error) throw error
  let submitted = 0
  let accepted = 0
  let refusedInARow = 0
  let maxResults = BATCH_MAX_RESULTS
  /** Maximum size of a batch while searching for a refused result. */
  let searched = BATCH_MAX_RESULTS
  while (submitted < all.length) {
    const tooMuch = impossible[submitted]
    const end = batchEnd(sizes, submitted, { maxResults: Math.min(maxResults, searched), envelope })
    const batch = all.slice(submitted, tooMuch ? submitted + 1 : end)
    let answer: ResultsResponse
    try {
      if (tooMuch) throw tooMuch
      answer = await uploadBatch(batch, compress, { ...call, doneBefore: { uploaded: { submitted, accepted } } })
    } catch (error) {
      // Reads the status without `instanceof`, because this file does not import the errors.
      const { status } = error as Partial<ApiError>
      if (status === 413 && batch.length > 1) maxResults = Math.floor(batch.length / 2)
      else if (!onRefused || (error !== tooMuch && !isRefusal(error))) throw error
      else if (batch.length > 1) searched = Math.floor(batch.length / 2)
      else await setAside(error as ApiError | RangeError)
      continue
    }
    refusedInARow = 0
    // `accepted` must be between 0 and the size of the batch, and `again` must name only results of the batch.
    const wanted = onAgain ? new Set(answer.again) : new Set()
    const again = batch.filter((_, index) => wanted.has(index))
    if (answer.accepted < 0 || answer.accepted + wanted.size > batch.length || again.length < wanted.size) {
      const words = `the response says that ${answer.accepted} of ${batch.length} results were accepted${wanted.size > 0 ? ` and asks for ${wanted.size} again` : ''}`
      const error = new Unusable(words, { method: 'POST', path: '/results' })
      throw Object.assign(error, { uploaded: { submitted, accepted } })
    }
    submitted += batch.length
    accepted += answer.accepted
    if (again.length > 0) await onAgain?.(again)
    await onBatch?.({ submitted: batch.length, accepted: answer.accepted })
  }
  return { submitted, accepted }

  /** Passes the result at `submitted` to the caller as refused. Throws if too many results before it were refused, too. */
  async function setAside(why: ApiError | RangeError): Promise<void> {
    if (refusedInARow === REFUSED_IN_A_ROW) throw why
    refusedInARow += 1
    maxResults = searched = BATCH_MAX_RESULTS
    await onRefused?.(all[submitted] as Result, why)
    submitted += 1
    await onBatch?.({ submitted: 1, accepted: 0 })
  }

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

/** Whether the error is a refusal from the server itself, and not from a proxy. */
function isRefusal(error: unknown): boolean {
  const { status, headers, requestId } = error as Partial<ApiError>
  return (status === 400 || status === 413) && headers !== undefined && isFromServer({ headers, requestId })
}
