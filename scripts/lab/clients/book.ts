// Records what the clients of a proof experience, and when: acknowledged results and failed attempts. Also records what the proof
// did at that time.
import { ApiError, type LogEvent } from '../../../packages/monitor-sdk/dist/index.js'
import { countBy, tally } from '../proof.ts'

/** An attempt that failed. The SDK may have repeated the request successfully. */
export interface Failure {
  /** Time in milliseconds since the Unix epoch. */
  at: number
  operation: string
  /** Kind of the failure, such as `503 with Retry-After` or `no response: other side closed`. */
  kind: string
}

export const POLITE = '503 with Retry-After'

export class Book {
  /** Keys of the results that the server acknowledged. */
  readonly acknowledged = new Set<string>()
  readonly made = new Set<string>()
  readonly failures: Failure[] = []
  /** Calls of the SDK that failed after all attempts. */
  readonly failedCalls: Failure[] = []
  readonly faults: string[] = []
  readonly acknowledgedAt: number[] = []
  attempts = 0
  longest_ms = 0
  readonly #withRetryAfter = new Set<string>()

  /** Receives the events that the SDK logs. */
  readonly log = (event: LogEvent): void => {
    if (event.type === 'attempt') this.attempts += 1
    if (event.type === 'answer' || event.type === 'failure') {
      this.longest_ms = Math.max(this.longest_ms, event.duration_ms)
    }
    if (event.type === 'failure') this.fail(event.operation, `no response: ${withoutAddresses(event.error)}`)
    else if (event.type === 'answer' && event.status >= 400) this.fail(event.operation, this.#kindOf(event))
  }

  /** Notes whether a refusal has a Retry-After header, which the SDK does not log. */
  readonly see = (response: Response): void => {
    const request_id = response.headers.get('x-request-id')
    if (request_id && response.headers.has('retry-after')) this.#withRetryAfter.add(request_id)
  }

  fail(operation: string, kind: string): void {
    this.failures.push({ at: Date.now(), operation, kind })
  }

  failCall(operation: string, error: unknown): void {
    const said = error instanceof ApiError ? `${error.status} ${error.message}` : String(error)
    this.failedCalls.push({ at: Date.now(), operation, kind: withoutAddresses(said) })
  }

  /** Records the failure of a request that was not sent by the SDK. */
  failPlainly(operation: string, response: Response | undefined): void {
    const polite = response?.headers.has('retry-after') ? ' with Retry-After' : ''
    this.fail(operation, response ? `${response.status}${polite}` : 'no response')
  }

  /** Returns the kind of a refusal. A refusal without a request id is the proxy's own. */
  #kindOf({ status, request_id }: { status: number; request_id?: string }): string {
    if (request_id === undefined) return `${status} of the proxy`
    return this.#withRetryAfter.has(request_id) ? `${status} with Retry-After` : String(status)
  }
}

function withoutAddresses(text: string): string {
  return text.replace(/\s+\d+\.\d+\.\d+\.\d+:\d+/g, '').replace(/^TypeError: /, '')
}

/** Formats failures like `2 upload: 503, 1 sync: 502`. */
export function tallyFailures(failures: readonly Failure[]): string {
  return tally(countBy(failures, ({ operation, kind }) => `${operation}: ${kind}`))
}

export interface Phase<Kind extends string> {
  kind: Kind
  what: string
  from: number
  to: number
}

/** Records the phases of a proof with their times. */
export class Timeline<Kind extends string> {
  readonly phases: Phase<Kind>[] = []

  async during(kind: Kind, what: string, work: () => Promise<unknown>): Promise<void> {
    const from = Date.now()
    await work()
    this.phases.push({ kind, what, from, to: Date.now() })
    process.stderr.write(`${what}: ${((Date.now() - from) / 1000).toFixed(1)} s\n`)
  }

  phaseOf({ at }: { at: number }): Phase<Kind> | undefined {
    return this.phases.find(({ from, to }) => at >= from && at <= to)
  }

  /** Returns those of the things that happened during phases of this kind. */
  of<Thing extends { at: number }>(kind: Kind, things: readonly Thing[]): Thing[] {
    return things.filter((thing) => this.phaseOf(thing)?.kind === kind)
  }
}
