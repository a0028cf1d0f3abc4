// Decides whether another attempt follows a failed one, and how long to wait first. Pure.

/** Wait before another attempt. */
export interface Wait {
  wait_ms: number
  because: 'retry_after' | 'backoff'
}

export interface RetryRules {
  /** Whether carrying out the operation twice has the same effect as carrying it out once. */
  repeatable: boolean
  /** Maximum number of attempts after the first one. */
  retries: number
  /** Maximum `Retry-After` to wait for, in milliseconds. */
  patience: number
}

const BACKOFF_FIRST_MS = 500
const BACKOFF_MAX_MS = 8000

/**
 * Returns the wait after attempt number `attempt` (from 1), or undefined if it was the last one. An absent `status` means no
 * response, which counts as a failure of the server. `random` returns a number from 0 up to 1.
 */
export function nextWait(
  attempt: number,
  status = 500,
  retryAfter: number | undefined,
  { repeatable, retries, patience }: RetryRules,
  random: () => number,
): Wait | undefined {
  // These two statuses mean that the server did nothing, so even an operation that is not repeatable can be retried.
  const refused = status === 429 || (status === 503 && retryAfter !== undefined)
  const failed = status === 408 || status >= 500
  if (attempt > retries || !(refused || (repeatable && failed))) return undefined
  if (retryAfter === undefined) {
    const longest = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (attempt - 1))
    return { wait_ms: Math.round(longest * (0.5 + random() / 2)), because: 'backoff' }
  }
  const asked = retryAfter * 1000
  if (asked > patience) return undefined
  // Every refused client gets the same `Retry-After`. Up to a tenth of it is added, so that not all clients return at once.
  return { wait_ms: Math.round(asked * (1 + random() / 10)), because: 'retry_after' }
}

/**
 * Returns the seconds in a `Retry-After` header, or undefined if there is none that can be read. Compares a date with the
 * response's own `Date`, because the caller's clock may be wrong.
 */
export function retryAfterSeconds(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after') ?? ''
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value)
  const until = httpDate(value)
  if (Number.isNaN(until)) return undefined
  return Math.max(0, Math.ceil((until - (httpDate(headers.get('date') ?? '') || now)) / 1000))
}

/** Returns the milliseconds since the Unix epoch, or NaN. One of the forms of such a date omits GMT. */
function httpDate(value: string): number {
  return Date.parse(/^[a-z]/i.test(value) ? value.replace(/( GMT)?$/, ' GMT') : '')
}
