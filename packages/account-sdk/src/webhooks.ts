// Defines the entry point `@dogwatch/account-sdk/webhooks`: verifies that a webhook comes from Dogwatch, and returns its event.

import type { EventData, EventType } from './webhook-events.gen.ts'

export type {
  ChannelTestData,
  CheckData,
  CheckSubject,
  CoverageData,
  EventData,
  EventType,
  HeartbeatData,
  MonitorData,
  MonitorView,
  Timestamp,
} from './webhook-events.gen.ts'

/** An event of the type `T`. */
export interface EventOf<T extends EventType> {
  type: T
  /** Time of the event, in UTC. */
  timestamp: string
  data: EventData[T]
}

/** An event of any type that this version knows. `type` decides the type of `data`. */
export type WebhookEvent = { [T in EventType]: EventOf<T> }[EventType]

/** Headers of a request of `fetch` or `node:http`, or a plain object. The case of names is ignored. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export interface WebhookRequest {
  headers: WebhookHeaders
  /** The body exactly as it arrived. JSON that was parsed and serialised again has another signature. */
  body: string | Uint8Array
}

export interface VerifyOptions {
  /** The secret of the channel. While you change it, pass both the old and the new one. */
  secret: string | readonly string[]
  /** Maximum difference between `webhook-timestamp` and this machine's clock, in seconds. Default: 300. */
  toleranceSec?: number | undefined
  /** Returns the time in milliseconds since the Unix epoch. For tests. */
  now?: (() => number) | undefined
}

/** A verified webhook. */
export interface VerifiedWebhook {
  /** Identifies the delivery. It is the same for every attempt, so drop an id that you have already handled. */
  id: string
  event: WebhookEvent
}

export type WebhookErrorCode = 'missing_header' | 'bad_timestamp' | 'too_old' | 'too_new' | 'bad_signature' | 'bad_body'

/** Error for a request that does not come from Dogwatch, or is too old. Respond with 400 or 401, and do not act on it. */
export class WebhookError extends Error {
  override readonly name: string = 'WebhookError'
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

const ENCODED = 'whsec_'
const TOLERANCE_SEC = 300
/**
 * Maximum number of signatures to test. Each test costs a pass over the body, and anyone can send thousands of signatures. One
 * for each secret in use is enough.
 */
const MOST_SIGNATURES = 10

/**
 * Verifies a webhook by the Standard Webhooks rules, and returns its event. Ignore a `type` that you do not handle. Rejects with
 * a {@link WebhookError}, or with a TypeError or RangeError for an invalid option.
 */
export async function verifyWebhook(request: WebhookRequest, options: VerifyOptions): Promise<VerifiedWebhook> {
  const { secret, toleranceSec = TOLERANCE_SEC, now = Date.now } = options
  if (!(toleranceSec >= 0)) throw new RangeError('toleranceSec must be 0 or more')
  const keys = (typeof secret === 'string' ? [secret] : secret).map(keyOf)
  if (keys.length === 0) throw new TypeError('secret must not be empty')

  const id = headerOf(request.headers, 'webhook-id')
  const timestamp = headerOf(request.headers, 'webhook-timestamp')
  const signatures = headerOf(request.headers, 'webhook-signature')
  requireRecent(timestamp, toleranceSec, now())
  const body = typeof request.body === 'string' ? new TextEncoder().encode(request.body) : request.body
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body)
  if (!(await isSigned(signed, signatures, keys))) {
    throw new WebhookError('bad_signature', 'no signature in webhook-signature matches the secret')
  }
  return { id, event: parsed(body) }
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  if (!secret.startsWith(ENCODED)) {
    // Anyone could sign with an empty key.
    if (secret === '') throw new TypeError('secret must not be empty')
    return new TextEncoder().encode(secret)
  }
  const key = fromBase64(secret.slice(ENCODED.length))
  if (!key || key.length === 0) throw new TypeError(`secret must be base64 after the prefix ${ENCODED}`)
  return key
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : plainHeader(headers, name)
  if (value === null || value === '') throw new WebhookError('missing_header', `the request has no header ${name}`)
  return value
}

function plainHeader(headers: Exclude<WebhookHeaders, Headers>, name: string): string | null {
  const [, value = null] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? []
  return value === null || typeof value === 'string' ? value : value.join(', ')
}

function requireRecent(timestamp: string, toleranceSec: number, nowMs: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookError('bad_timestamp', 'webhook-timestamp must be whole seconds since the Unix epoch')
  }
  const ageSec = Math.floor(nowMs / 1000) - Number(timestamp)
  if (ageSec > toleranceSec)
    throw new WebhookError(
      'too_old',
      `webhook-timestamp is ${ageSec} s in the past; at most ${toleranceSec} s are allowed`,
    )
  if (ageSec < -toleranceSec)
    throw new WebhookError(
      'too_new',
      `webhook-timestamp is ${-ageSec} s in the future; at most ${toleranceSec} s are allowed`,
    )
}

/** Tests the signatures in the header, separated by spaces. Only the first ten of version v1 count. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
  keys: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const candidates = signatures
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .slice(0, MOST_SIGNATURES)
    .flatMap((one) => fromBase64(one.slice(3)) ?? [])
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['verify'])
    for (const signature of candidates) {
      if (await crypto.subtle.verify(hmac, key, signature, signed)) return true
    }
  }
  return false
}

function parsed(body: Uint8Array): WebhookEvent {
  try {
    const event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as WebhookEvent | null
    if (typeof event?.type === 'string' && typeof event.data === 'object') return event
  } catch {
    // A body that cannot be read is refused below.
  }
  throw new WebhookError('bad_body', 'the body is signed but is not a valid event')
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
