// Limits rates for all processes together, through the database. Each process remembers refusals, so that they are quick, and
// counts on its own if the database does not respond.
import { hashToken } from '../../runtime/tokens.ts'
import { spend as spendInStore } from '../../store/processes/rate-limits.ts'
import type { Deps } from '../deps.ts'
import { isStorable } from '../text.ts'
import { spendOne } from './gcra.ts'

export interface Limit {
  /** Name that distinguishes it from other limits on the same subject. */
  name: string
  per_sec: number
  burst: number
  /** Whether it limits guesses at a secret. Then nothing passes that the database has not counted. */
  isStrict?: boolean
}

export type Verdict = { kind: 'pass' } | { kind: 'wait'; seconds: number }

const MOST_REMEMBERED = 10_000
const LONGEST_SUBJECT = 100
const QUIET_MS = 10_000
/** Time that a request waits for a slow store, and pause of all requests to it after that. */
const DEADLINE_MS = 500
const PAUSE_MS = 1000
/** Time that a limit on guesses waits for the store, and time after which the client may retry if there is no response. */
const STRICT_DEADLINE_MS = 5000
const STRICT_WAIT_SEC = 5

/**
 * Takes requests from a subject's bucket, or says how long to wait. If the store is slow or unreachable, the process counts its
 * own requests and logs that, so that a limiter never takes the service down. A strict limit refuses then.
 */
export class RateLimiter {
  readonly #deps: Pick<Deps, 'database' | 'clock' | 'log'>
  readonly #onRefusal: (limit: string) => void
  /** Time (monotonic ms) until which the store refuses each subject. A local refusal never lets more through. */
  readonly #refusedUntil = new Map<string, number>()
  /**
   * Time (monotonic ms) at which each subject's bucket is full again. It counts only the requests that this process let through.
   */
  readonly #fullAt = new Map<string, number>()
  #nextComplaintMs = 0
  #storeRestsUntil = 0

  /** Reports the name of the limit to `onRefusal`. */
  constructor(deps: Pick<Deps, 'database' | 'clock' | 'log'>, onRefusal: (limit: string) => void = () => {}) {
    this.#deps = deps
    this.#onRefusal = onRefusal
  }

  /** Takes one request from the bucket. `count`: the number of requests that it counts as, at most the burst. */
  async spend(limit: Limit, subject: string, count = 1): Promise<Verdict> {
    const verdict = await this.#judge(limit, subject, count)
    if (verdict.kind === 'wait') this.#onRefusal(limit.name)
    return verdict
  }

  async #judge(limit: Limit, subject: string, count: number): Promise<Verdict> {
    const key = `${limit.name}:${keyOf(subject)}`
    const now = this.#deps.clock.monotonicMs()
    const until = this.#refusedUntil.get(key)
    if (until !== undefined && until > now) return { kind: 'wait', seconds: (until - now) / 1000 }
    if (until !== undefined) this.#refusedUntil.delete(key)
    if (now < this.#storeRestsUntil && !limit.isStrict) return this.#judgeAlone(limit, key, count)
    const question: Question = { isOver: false }
    try {
      return await before(limit.isStrict ? STRICT_DEADLINE_MS : DEADLINE_MS, this.#ask(limit, key, count, question))
    } catch (error) {
      question.isOver = true
      this.#complain(error)
      return limit.isStrict ? { kind: 'wait', seconds: STRICT_WAIT_SEC } : this.#judgeAlone(limit, key, count)
    }
  }

  /**
   * Decides by the count of all processes together. A refusal that comes too late for its request still applies to the next ones.
   */
  async #ask(limit: Limit, key: string, count: number, question: Question): Promise<Verdict> {
    const asked_at = this.#deps.clock.monotonicMs()
    const { allowed, wait_sec } = await spendInStore(this.#deps.database, key, 1 / limit.per_sec, limit.burst, count)
    if (!allowed) {
      const seconds = Math.max(wait_sec, 0.001)
      // Counted from the time of the query, because its response can take long: a refusal that is too short would refuse no one.
      // If there is no room for many requests, there can be some for one.
      if (count === 1) remember(this.#refusedUntil, key, asked_at + seconds * 1000)
      return { kind: 'wait', seconds }
    }
    // A request that was decided without this response has been counted already.
    if (question.isOver) return { kind: 'pass' }
    remember(this.#fullAt, key, Math.max(this.#fullAt.get(key) ?? 0, asked_at) + (count * 1000) / limit.per_sec)
    return { kind: 'pass' }
  }

  /** Decides by the count of this process alone. */
  #judgeAlone(limit: Limit, key: string, count: number): Verdict {
    const now = this.#deps.clock.monotonicMs()
    const spent = spendOne(limit, this.#fullAt.get(key) ?? now, now, count)
    if (!spent.isAllowed) return { kind: 'wait', seconds: spent.wait_ms / 1000 }
    remember(this.#fullAt, key, spent.full_at)
    return { kind: 'pass' }
  }

  #complain(error: unknown): void {
    const now = this.#deps.clock.monotonicMs()
    this.#storeRestsUntil = now + PAUSE_MS
    if (now < this.#nextComplaintMs) return
    this.#nextComplaintMs = now + QUIET_MS
    this.#deps.log.error(
      { err: error },
      'rate limits are slow or unavailable: each process counts on its own, and sign-ins are refused',
    )
  }
}

interface Question {
  /** Whether the request was already decided without this response. */
  isOver: boolean
}

/** Sets the time of a key. Drops the key that was set longest ago if there are too many. */
function remember(times: Map<string, number>, key: string, at: number): void {
  times.delete(key)
  times.set(key, at)
  if (times.size <= MOST_REMEMBERED) return
  const [oldest] = times.keys()
  if (oldest !== undefined) times.delete(oldest)
}

/** Returns the key of a subject. Hashes one that is too long or not storable, because a typed subject must count all the same. */
function keyOf(subject: string): string {
  return isStorable(subject) && subject.length <= LONGEST_SUBJECT ? subject : hashToken(subject).toString('hex')
}

/** Returns the response, or throws if it does not come in time. */
async function before<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
    // An error after the deadline does not matter.
    answer.catch(() => {})
  }
}
