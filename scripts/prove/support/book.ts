// What the clients of a proof report: which results were acknowledged, which attempts failed and how, and which calls
// failed although the SDK had retried.
import { ApiError, type LogEvent, type Result } from '../../../packages/monitor-sdk/dist/index.js'

/** An attempt that failed. The SDK may have retried it successfully. */
export interface Failure {
  /** When that was known, in milliseconds since the Unix epoch. */
  at: number
  operation: string
  /** `503 with Retry-After`, `no answer: other side closed`. */
  kind: string
  lasted_ms: number
}

/** A call that failed to its caller. */
export interface FailedCall {
  at: number
  operation: string
  kind: string
}

const WITH_RETRY_AFTER = ' with Retry-After'

export class Book {
  /** By `keyOf`. */
  readonly acknowledged = new Set<string>()
  readonly made = new Set<string>()
  readonly failures: Failure[] = []
  readonly failedCalls: FailedCall[] = []
  /** What nobody may see. */
  readonly faults: string[] = []
  /** When each agent was answered a sync, in milliseconds since the Unix epoch. */
  readonly syncs = new Map<string, number[]>()
  /** When an upload was acknowledged. */
  readonly acknowledgedAt: number[] = []
  attempts = 0
  longest_ms = 0
  readonly #withRetryAfter = new Set<string>()

  /** Receives what the SDK logs. */
  readonly hear = (event: LogEvent): void => {
    if (event.type === 'attempt') this.attempts += 1
    if (event.type === 'answer' || event.type === 'failure')
      this.longest_ms = Math.max(this.longest_ms, event.duration_ms)
    if (event.type === 'failure') this.#fail(event, `no answer: ${withoutPlaces(event.error)}`)
    else if (event.type === 'answer' && event.status >= 400) this.#fail(event, this.#kindOf(event))
  }

  /** Sees what the SDK does not log: whether a refusal says when to come again. */
  readonly see = (response: Response): void => {
    const request_id = response.headers.get('x-request-id')
    if (request_id && response.headers.has('retry-after')) this.#withRetryAfter.add(request_id)
  }

  failCall(operation: string, error: unknown): void {
    const said = error instanceof ApiError ? `${error.status} ${error.message}` : String(error)
    this.failedCalls.push({ at: Date.now(), operation, kind: withoutPlaces(said) })
  }

  /** A call without the SDK. */
  failPlainly(operation: string, response: Response | undefined, duration_ms: number): void {
    const status = response && `${response.status}${response.headers.has('retry-after') ? WITH_RETRY_AFTER : ''}`
    this.#fail({ operation, duration_ms }, status ?? 'no answer')
  }

  #fail({ operation, duration_ms }: { operation: string; duration_ms: number }, kind: string): void {
    this.failures.push({ at: Date.now(), operation, kind, lasted_ms: duration_ms })
  }

  /** A proxy that answers by itself sends no request id. */
  #kindOf({ status, request_id }: { status: number; request_id?: string }): string {
    if (request_id === undefined) return `${status} of the proxy`
    return this.#withRetryAfter.has(request_id) ? `${status}${WITH_RETRY_AFTER}` : String(status)
  }
}

/** Identifies a result: no two that are made have the same. */
export function keyOf({
  check_guid,
  monitor_id,
  ran_at,
}: Pick<Result, 'check_guid' | 'monitor_id' | 'ran_at'>): string {
  return `${check_guid} ${monitor_id} ${Date.parse(ran_at)}`
}

function withoutPlaces(text: string): string {
  return text.replace(/\s+\d+\.\d+\.\d+\.\d+:\d+/g, '').replace(/^TypeError: /, '')
}
