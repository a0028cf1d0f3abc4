// Decides, without doing anything, whether a failed attempt is followed by another one and how long to wait first.

/** The wait before another attempt. */
export interface Wait {
  wait_ms: number
  because: 'retry_after' | 'backoff'
}

export interface RetryRules {
  /** Doing it twice is the same as doing it once. */
  repeatable: boolean
  /** How many attempts may follow the first. */
  retries: number
  /** The longest `Retry-After` that is waited for, in milliseconds. */
  patience: number
}

const BACKOFF_FIRST_MS = 500
const BACKOFF_MAX_MS = 8000

/**
 * The wait after attempt number `attempt` (from 1), or undefined when it was the last one. Without a `status` no answer
 * came, which is taken for a failure of the server. `random` gives a number from 0 up to 1.
 */
export function nextWait(
  attempt: number,
  status = 500,
  retryAfter: number | undefined,
  { repeatable, retries, patience }: RetryRules,
  random: () => number,
): Wait | undefined {
  // These two say that nothing was done, so even what must not be done twice may be asked again.
  const refused = status === 429 || (status === 503 && retryAfter !== undefined)
  const failed = status === 408 || status >= 500
  if (attempt > retries || !(refused || (repeatable && failed))) return undefined
  if (retryAfter === undefined) {
    const longest = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (attempt - 1))
    return { wait_ms: Math.round(longest * (0.5 + random() / 2)), because: 'backoff' }
  }
  const asked = retryAfter * 1000
  if (asked > patience) return undefined
  // Everyone who was turned away was told the same time: a tenth of it spreads their return.
  return { wait_ms: Math.round(asked * (1 + random() / 10)), because: 'retry_after' }
}

/**
 * The seconds that a `Retry-After` header asks for, or undefined when there is none that can be read. A date is
 * measured against the answer's own `Date`, because the caller's clock may be wrong.
 */
export function retryAfterSeconds(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after') ?? ''
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value)
  const until = httpDate(value)
  if (Number.isNaN(until)) return undefined
  return Math.max(0, Math.ceil((until - (httpDate(headers.get('date') ?? '') || now)) / 1000))
}

/** Milliseconds since the Unix epoch, or NaN. One of the forms of such a date leaves out that it is GMT. */
function httpDate(value: string): number {
  return Date.parse(/^[a-z]/i.test(value) ? value.replace(/( GMT)?$/, ' GMT') : '')
}
