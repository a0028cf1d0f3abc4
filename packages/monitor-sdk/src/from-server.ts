// Tells a refusal of the server from that of a proxy, a firewall or a captive portal on the way to it.

import type { ApiError } from './core/errors.ts'

/**
 * Whether the server itself gave this answer: it says `text/plain` and has a request id. Any other refusal says something
 * about the way to the server, and nothing about the key, the monitor or the results.
 */
export function isFromServer({ headers, requestId }: Pick<ApiError, 'headers' | 'requestId'>): boolean {
  return requestId !== undefined && /^text\/plain\b/i.test(headers.get('content-type') ?? '')
}
