// Declares the options of a client and of one call, and their defaults.

/** A bearer token, or a function that returns it before each attempt. Surrounding white space is trimmed. */
export type Token = string | (() => string | Promise<string>)

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Options of a single call. Omitted ones are taken from the client. */
export interface CallOptions {
  /** Signal whose abort ends the call at once, including waits. The call then rejects with the signal's own reason. */
  signal?: AbortSignal | undefined
  /**
   * Maximum time without progress in an attempt, in milliseconds: for connecting, for headers, or between two pieces of the body.
   * A slow response that keeps moving is not cut off. `Infinity` disables it. Default: 30,000.
   */
  timeout?: number | undefined
  /** Maximum number of attempts after the first one. Default: 2. */
  retries?: number | undefined
  /**
   * Maximum `Retry-After` to wait for, in milliseconds. If the server asks for more, the call fails at once with an `ApiError`
   * that has `retryAfter`. Default: 60,000.
   */
  patience?: number | undefined
}

/** Options of a client, which apply to all its calls. */
export interface ClientOptions<Name extends string> extends CallOptions {
  /** URL of the server, for example `http://127.0.0.1:8080`. The client adds the path of its API. */
  baseUrl: string
  /** Credential that every call sends. */
  token: Token
  /** Replacement for the global `fetch`, for proxies and tests. */
  fetch?: Fetch | undefined
  /** Value of `User-Agent`, where the platform lets a program set it (browsers do not). */
  userAgent?: string | undefined
  /** Receives every attempt, response, failure and wait, without secrets. Errors that it throws are ignored. */
  log?: ((event: LogEvent<Name>) => void) | undefined
  /** Replacement for time and chance, for tests. Timeouts always use real timers. */
  clock?: Partial<Clock> | undefined
}

/** Functions for time and random numbers. */
export interface Clock {
  /** Returns the milliseconds since the Unix epoch. */
  now(): number
  /** Resolves after `ms` milliseconds, or rejects when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** Returns a random number from 0 up to 1. */
  random(): number
}

/** An event in a call. `attempt` counts from 1. */
export type LogEvent<Name extends string> =
  /** The client is about to send a request. */
  | { type: 'attempt'; operation: Name; attempt: number }
  /** A response came, with any status. */
  | {
      type: 'answer'
      operation: Name
      attempt: number
      status: number
      duration_ms: number
      request_id?: string
    }
  /** An attempt ended without a usable response. */
  | { type: 'failure'; operation: Name; attempt: number; error: string; duration_ms: number }
  /** Another attempt follows after this wait. */
  | {
      type: 'wait'
      operation: Name
      attempt: number
      wait_ms: number
      because: 'retry_after' | 'backoff'
    }

/** Limits of a call, with all defaults filled in. */
export interface Limits {
  timeout: number
  retries: number
  patience: number
}

const DEFAULT_LIMITS: Limits = { timeout: 30_000, retries: 2, patience: 60_000 }

/** Returns the limits in `options`, with defaults from `base`. Throws a RangeError for an invalid value. */
export function limitsOf(options: CallOptions, base = DEFAULT_LIMITS): Limits {
  const { timeout = base.timeout, retries = base.retries, patience = base.patience } = options
  if (!(timeout > 0)) throw new RangeError('timeout must be more than 0')
  if (!Number.isInteger(retries) || retries < 0) throw new RangeError('retries must be 0 or more')
  if (!(patience >= 0)) throw new RangeError('patience must be 0 or more')
  return { timeout, retries, patience }
}

/**
 * Returns the URL of an API: its prefix below `baseUrl`. The messages do not repeat the URL, because it might contain a password.
 */
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
