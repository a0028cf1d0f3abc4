// Decides, without doing anything, whether a failed attempt is followed by another one and how long to wait first.

/** How an attempt ended. Without a status no answer came. */
export interface Outcome {
  status: number | undefined
  retryAfter: number | undefined
}

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
  /** A number from 0 up to 1. */
  random: () => number
}

/** The wait after attempt number `attempt` (from 1), which ended with `outcome`. Undefined: it was the last one. */
export function nextWait(outcome: Outcome, attempt: number, rules: RetryRules): Wait | undefined {
  if (attempt > rules.retries || !mayRepeat(outcome, rules.repeatable)) return undefined
  if (outcome.retryAfter === undefined) return { wait_ms: backoff(attempt, rules.random), because: 'backoff' }
  const asked = outcome.retryAfter * 1000
  if (asked > rules.patience) return undefined
  // Everyone who was turned away was told the same time: a tenth of it spreads their return.
  return { wait_ms: Math.round(asked * (1 + rules.random() / 10)), because: 'retry_after' }
}

function mayRepeat({ status, retryAfter }: Outcome, repeatable: boolean): boolean {
  // These two say that nothing was done, so even what must not be done twice may be asked again.
  if (status === 429 || (status === 503 && retryAfter !== undefined)) return true
  return repeatable && (status === undefined || status === 408 || status >= 500)
}

const BACKOFF_FIRST_MS = 500
const BACKOFF_MAX_MS = 8000

function backoff(attempt: number, random: () => number): number {
  const full = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (attempt - 1))
  return Math.round(full * (0.5 + random() / 2))
}

/**
 * The seconds that a `Retry-After` header asks for, or undefined when there is none that can be read. A date is
 * measured against the answer's own `Date`, because the caller's clock may be wrong.
 */
export function retryAfterSeconds(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value)
  const until = httpDate(value)
  if (until === undefined) return undefined
  const from = httpDate(headers.get('date') ?? '') ?? now
  return Math.max(0, Math.ceil((until - from) / 1000))
}

function httpDate(value: string): number | undefined {
  if (!/^[A-Za-z]{3,9},? /.test(value)) return undefined
  const at = Date.parse(/ GMT$/.test(value) ? value : `${value} GMT`)
  return Number.isNaN(at) ? undefined : at
}
