// What callers can set, for a client and for one call, and what holds when they do not.

/** A bearer token, or a function that is asked for it before each attempt. White space around it is cut. */
export type Token = string | (() => string | Promise<string>)

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** What a single call can set; what it leaves out is taken from the client. */
export interface CallOptions {
  /** Aborting it ends the call at once, waits included. The call then rejects with the signal's own reason. */
  signal?: AbortSignal | undefined
  /**
   * Milliseconds without progress after which an attempt fails: connecting, waiting for headers, or between two pieces
   * of the body. A slow answer that keeps moving is not cut. `Infinity` switches it off. 30,000 by default.
   */
  timeout?: number | undefined
  /** How many attempts may follow the first one, 0 or more. 2 by default. */
  retries?: number | undefined
  /**
   * The longest `Retry-After`, in milliseconds, that is waited for. When the server asks for more, the call fails at
   * once with an `ApiError` that has `retryAfter`. 60,000 by default.
   */
  patience?: number | undefined
}

/** What a client can be told once, for all its calls. */
export interface ClientOptions<Name extends string> extends CallOptions {
  /** Where the server is, for example `http://127.0.0.1:8080`. The client adds the path of its API. */
  baseUrl: string
  /** The credential that every call carries. */
  token: Token
  /** Used in place of the global `fetch`, for proxies and tests. */
  fetch?: Fetch | undefined
  /** Sent as `User-Agent` where the platform lets a program set it (browsers do not). */
  userAgent?: string | undefined
  /** Hears of every attempt, answer, failure and wait. It is told no secret, and what it throws is ignored. */
  log?: ((event: LogEvent<Name>) => void) | undefined
  /** Time and chance, for tests. Timeouts always run on real timers. */
  clock?: Partial<Clock> | undefined
}

/** What the client knows of time and chance. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Resolves after so many milliseconds, or rejects when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** A number from 0 up to 1. */
  random(): number
}

/** One thing that happened in a call. `attempt` counts from 1. */
export type LogEvent<Name extends string> =
  /** A request is about to be sent. */
  | { type: 'attempt'; operation: Name; attempt: number }
  /** An answer came, of whatever status. */
  | {
      type: 'answer'
      operation: Name
      attempt: number
      status: number
      duration_ms: number
      request_id?: string
    }
  /** No usable answer came. */
  | { type: 'failure'; operation: Name; attempt: number; error: string; duration_ms: number }
  /** Another attempt follows after this wait. */
  | {
      type: 'wait'
      operation: Name
      attempt: number
      wait_ms: number
      because: 'retry_after' | 'backoff'
    }

/** The options of a call with nothing left open. */
export interface Limits {
  timeout: number
  retries: number
  patience: number
}

const DEFAULT_LIMITS: Limits = { timeout: 30_000, retries: 2, patience: 60_000 }

/** `options` over `base`. Throws a RangeError for a value that makes no sense. */
export function limitsOf(options: CallOptions, base = DEFAULT_LIMITS): Limits {
  const { timeout = base.timeout, retries = base.retries, patience = base.patience } = options
  if (!(timeout > 0)) throw new RangeError('timeout must be more than 0')
  if (!Number.isInteger(retries) || retries < 0) throw new RangeError('retries must be 0 or more')
  if (!(patience >= 0)) throw new RangeError('patience must be 0 or more')
  return { timeout, retries, patience }
}

/** Returns where an API is: its prefix below `baseUrl`. The messages do not repeat the URL, because it might contain a password. */
export function checkedApiUrl(baseUrl: string, prefix: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl).href : ''
  if (!/^https?:\/\/[^/@]+\/[^?#]*$/.test(url)) {
    throw new TypeError('baseUrl must be an http(s) URL without user, query or fragment')
  }
  const base = url.replace(/(?<!\/)\/+$/, '')
  if (base.endsWith(prefix)) throw new TypeError(`baseUrl must not include ${prefix}`)
  return base + prefix
}

/** Returns the User-Agent header, or undefined where programs cannot set one. */
export function checkedUserAgent(userAgent: string | undefined, byDefault: string): string | undefined {
  if (userAgent === undefined) {
    const inBrowser = 'document' in globalThis || 'importScripts' in globalThis
    return inBrowser ? undefined : byDefault
  }
  if (!/^[\x20-\x7e]+$/.test(userAgent)) throw new TypeError('userAgent must be one ASCII line')
  return userAgent
}
