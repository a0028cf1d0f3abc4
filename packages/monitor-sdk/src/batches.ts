// Splits results into requests that the server accepts: at most 500 results and at most 1 MiB of JSON each.

import type { Result } from './generated.ts'

export const BATCH_MAX_RESULTS = 500
export const BATCH_MAX_BYTES = 1024 * 1024

/** The JSON of a request without its results. */
export const ENVELOPE = '{"results":[]}'
export const PARTIAL_ENVELOPE = '{"results":[],"partial":true}'
const encoder = new TextEncoder()

/**
 * Returns the number of bytes of each result as JSON in UTF-8.
 *
 * @throws TypeError with the index of a result that cannot be written as JSON.
 */
export function measure(results: readonly Result[]): number[] {
  return results.map(sizeOf)
}

/** Returns an error with the index of a result that is too large for any request, or undefined. */
export function tooLarge(
  sizes: readonly number[],
  index: number,
  { length: envelope }: string,
): RangeError | undefined {
  const bytes = sizes[index] ?? 0
  if (bytes + envelope <= BATCH_MAX_BYTES) return undefined
  return new RangeError(
    `results[${index}] is ${bytes} bytes as JSON, but at most ${BATCH_MAX_BYTES - envelope} fit in one request`,
  )
}

function sizeOf(result: Result, index: number): number {
  // `JSON.stringify` returns undefined for a value that cannot be JSON, although its declared type is string.
  let text: unknown
  try {
    text = JSON.stringify(result)
  } catch (cause) {
    throw new TypeError(`results[${index}] cannot be written as JSON`, { cause })
  }
  if (typeof text !== 'string') throw new TypeError(`results[${index}] cannot be written as JSON`)
  return encoder.encode(text).length
}

/** Returns the end (exclusive) of the batch that begins at `start`, with at most `maxResults` results. */
export function batchEnd(
  sizes: readonly number[],
  start: number,
  { maxResults, envelope }: { maxResults: number; envelope: string },
): number {
  let end = start
  let bytes = envelope.length - 1
  while (end < sizes.length && end - start < maxResults) {
    bytes += (sizes[end] ?? 0) + 1
    if (bytes > BATCH_MAX_BYTES) break
    end += 1
  }
  return end
}

/** Compresses `text` with gzip. */
export async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
