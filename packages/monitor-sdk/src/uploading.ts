// Uploads any number of results, batch after batch. Loaded when asked.

import { BATCH_MAX_RESULTS, batchEnd, ENVELOPE, gzip, measure, PARTIAL_ENVELOPE, tooLarge } from './batches.ts'
import type { Connection } from './core/connection.ts'
import type { ApiError, ConnectionError } from './core/errors.ts'
import { isFromServer } from './from-server.ts'
import type { paths, Result, ResultsResponse } from './generated.ts'
import type { Uploaded } from './core-types.ts'
import type { Sending } from './core/transport.ts'
import type { UploadOptions } from './upload-options.ts'

/** Smaller bodies fit in a few packets as they are. */
const COMPRESS_MIN_CHARS = 4096

/** After this many refused results in a row the results are not to blame. */
const REFUSED_IN_A_ROW = 20

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
  /** How many are sent at a time to find a result that is refused. */
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
      // Not asked with instanceof, for the same reason.
      const { status } = error as Partial<ApiError>
      if (status === 413 && batch.length > 1) maxResults = Math.floor(batch.length / 2)
      else if (!onRefused || (error !== tooMuch && !isRefusal(error))) throw error
      else if (batch.length > 1) searched = Math.floor(batch.length / 2)
      else await setAside(error as ApiError | RangeError)
      continue
    }
    refusedInARow = 0
    // Whoever read these results has not taken fewer than none, or more than there are, and wants none again that are not there.
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

  /** Gives the next result to the caller; fails when too many before it were refused as well. */
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

/** Whether the server itself says that it will not take what was sent. */
function isRefusal(error: unknown): boolean {
  const { status, headers, requestId } = error as Partial<ApiError>
  return (status === 400 || status === 413) && headers !== undefined && isFromServer({ headers, requestId })
}
