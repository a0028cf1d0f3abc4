// Distinguishes a refusal of the server from that of a proxy, a firewall or a captive portal before it.

import type { ApiError } from './core/errors.ts'

/**
 * Whether the server itself sent this refusal: it is `text/plain` and has a request id. Any other refusal says something about
 * the path to the server, and nothing about the key, the monitor or the results.
 */
export function isFromServer({ headers, requestId }: Pick<ApiError, 'headers' | 'requestId'>): boolean {
  return requestId !== undefined && /^text\/plain\b/i.test(headers.get('content-type') ?? '')
}
