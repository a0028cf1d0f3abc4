// Splits results into requests that the server takes: at most 500 results and at most 1 MiB of JSON each.

import type { Result } from './generated.ts'

export const BATCH_MAX_RESULTS = 500
export const BATCH_MAX_BYTES = 1024 * 1024

/** What a request has besides its results. */
export const ENVELOPE = '{"results":[]}'
export const PARTIAL_ENVELOPE = '{"results":[],"partial":true}'
const encoder = new TextEncoder()

/**
 * Returns the bytes of each result as JSON in UTF-8.
 *
 * @throws TypeError naming the index of one that cannot be written as JSON.
 */
export function measure(results: readonly Result[]): number[] {
  return results.map(sizeOf)
}

/** Returns an error that names the index of a result which fits in no request, or undefined. */
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
  // What cannot be written is undefined, whatever its declaration says.
  let text: unknown
  try {
    text = JSON.stringify(result)
  } catch (cause) {
    throw new TypeError(`results[${index}] cannot be written as JSON`, { cause })
  }
  if (typeof text !== 'string') throw new TypeError(`results[${index}] cannot be written as JSON`)
  return encoder.encode(text).length
}

/** Where the batch that begins at `start` ends (exclusive), with at most `maxResults` in it. */
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

/** `text` as gzip. */
export async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
