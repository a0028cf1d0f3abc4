// Follows the results of a check without end. Loaded on demand.

import { isText } from '#core/operation'
import type { CheckArrivalsPage } from './generated.ts'
import type { ArrivalsPage, FollowOptions } from './results.ts'
import type { Unusable } from './unusable.ts'
import type { Via } from './via.ts'

const POLL_MS = 10_000
const BACKOFF_FIRST_MS = 1000
const BACKOFF_MAX_MS = 60_000

/** Yields every page that has results, until the caller stops. */
export async function* followArrivals(
  { http, strictly, signal, clock = {} }: Via,
  guid: string,
  options: FollowOptions,
  unusable: Unusable,
): AsyncGenerator<ArrivalsPage, never, undefined> {
  const { cursor, after, pollMs = POLL_MS, ...call } = options
  if (!(pollMs > 0)) throw new RangeError('pollMs must be more than 0')
  const { sleep = sleepFor, random = Math.random } = clock
  const signals = [signal, call.signal].filter((one) => one != null)
  const wait = (ms: number) => waitUnless(signals, (ended) => sleep(ms, ended))
  const ask = async (query: { cursor?: string; after?: string }): Promise<ArrivalsPage> => {
    const { data } = await http.GET('/checks/{guid}/arrivals', {
      params: { path: { guid }, query },
      fetch: strictly(call),
    })
    const page = data as CheckArrivalsPage
    const { results } = page
    // A server that repeats its cursor would return the same results for ever.
    if (Array.isArray(results) && isText(page.cursor) && (results.length === 0 || page.cursor !== query.cursor))
      return page
    throw unusable(`/checks/${encodeURIComponent(guid)}/arrivals`, 'the response does not match the contract')
  }

  let query: { cursor?: string; after?: string } = {
    ...(after === undefined ? {} : { after }),
    ...(cursor === undefined ? {} : { cursor }),
  }
  for (let failures = 0; ; ) {
    let page: ArrivalsPage
    try {
      page = await ask(query)
    } catch (error) {
      if (!passes(error)) throw error
      failures += 1
      const longest = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (failures - 1))
      await wait(Math.max((error.retryAfter ?? 0) * 1000, Math.round(longest * (0.5 + random() / 2))))
      continue
    }
    failures = 0
    query = { cursor: page.cursor }
    if (page.results.length === 0) await wait(pollMs)
    else yield page
  }
}

/**
 * Whether to try again after an error: after a refusal that may pass, or without a usable response. Other errors do not come from
 * the server.
 */
function passes(error: unknown): error is { retryAfter?: number } {
  const { request, status = 500 } = Object(error) as { request?: object; status?: number }
  return request !== undefined && (status === 408 || status === 429 || status >= 500)
}

/** Waits for `work`, or rejects as soon as one of `signals` aborts. Leaves no listener and no timer. */
function waitUnless(signals: readonly AbortSignal[], work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const ended = new AbortController()
  return new Promise<void>((resolve, reject) => {
    for (const signal of signals) {
      signal.throwIfAborted()
      signal.addEventListener('abort', () => reject(signal.reason), { signal: ended.signal })
    }
    work(ended.signal).then(resolve, reject)
  }).finally(() => ended.abort())
}

// Not shared with `sleep` of stopping.ts, because bundlers would put a shared function into a separate file that pages load
// before the first call.
function sleepFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.min(ms, 2 ** 31 - 1))
    signal.addEventListener('abort', () => clearTimeout(timer))
  })
}
