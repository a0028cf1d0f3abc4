// Limits all rates, for all processes together, through the database. Each process remembers refusals, so that they are quick,
// and counts on its own if the database does not respond.
import { hashToken } from '@dogwatch/runtime/tokens'
import { deleteFullBuckets, spend as spendInStore } from '@dogwatch/store/processes/rate-limits'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { isStorable } from '../text.ts'
import type { ClientAddress } from './address.ts'
import { spendOne } from './gcra.ts'

export interface Limit {
  /** Name that distinguishes the limit from other limits on the same subject. */
  name: string
  per_sec: number
  burst: number
  /** Whether the limit is on guesses at a secret. Such a limit lets through only what the database has counted. */
  isStrict?: boolean
  /** Whether each process counts on its own, because a query would cost more than the request. */
  isLocal?: boolean
}

export type SpendVerdict = { kind: 'pass' } | { kind: 'wait'; seconds: number }

/** Line of a refusal, unless the caller has one of its own. */
export const TOO_OFTEN = 'rate limit exceeded'

const MOST_REMEMBERED = 20_000
const LONGEST_SUBJECT = 100
const QUIET_MS = 10_000
/**
 * Time that a request waits for the database, in milliseconds. After that, requests without a strict limit do not wait for it
 * during the same time.
 */
const DEADLINE_MS = 500
const PAUSE_MS = 1000
/**
 * Time that a limit on guesses waits for the database, in milliseconds. `STRICT_WAIT_SEC`: time after which the client may retry
 * if the database did not respond.
 */
const STRICT_DEADLINE_MS = 5000
const STRICT_WAIT_SEC = 5
/**
 * Number of refusals in a row after which a subject counts as a flood. `FORGOTTEN_MS`: maximum time between two of these
 * refusals.
 */
const PATIENCE = 20
const FORGOTTEN_MS = 10_000

/** Last refusal of a subject. */
interface RefusalRecord {
  /** Time (monotonic ms) until which the subject is refused. */
  until: number
  /** Whether the database refused the subject. Until the time in `until`, the process then refuses it without a query. */
  isByStore: boolean
  at: number
  /** Number of refusals in a row. */
  times: number
}

interface RateLimiterOptions {
  /** Called with the name of a limit that refuses a request. */
  onRefusal?: (limit: string) => void
  /** Time that a request without a strict limit waits for the database, in milliseconds. Default: 500. */
  wait_ms?: number | undefined
}

/**
 * Takes requests from a subject's bucket, or says how long to wait. If the database is slow or unreachable, the process counts
 * its own requests and logs that, so that a limiter never takes the service down. Strict limits refuse instead.
 */
export class RateLimiter {
  readonly #deps: Pick<Deps, 'database' | 'clock' | 'log'>
  readonly #onRefusal: (limit: string) => void
  readonly #wait_ms: number
  readonly #refused = new Map<string, RefusalRecord>()
  /** Time (monotonic ms) at which each subject's bucket is full again, by the requests that this process let through. */
  readonly #fullAt = new Map<string, number>()
  #nextComplaintMs = 0
  #storeRestsUntil = 0

  constructor(deps: Pick<Deps, 'database' | 'clock' | 'log'>, options: RateLimiterOptions = {}) {
    const { onRefusal = () => {}, wait_ms = DEADLINE_MS } = options
    this.#deps = deps
    this.#onRefusal = onRefusal
    this.#wait_ms = wait_ms
  }

  /** Takes one request from the bucket. `count`: the number of requests that it counts as, at most the burst. */
  async spend(limit: Limit, subject: string, count = 1): Promise<SpendVerdict> {
    const verdict = await this.#judge(limit, subject, count)
    if (verdict.kind === 'wait') this.#onRefusal(limit.name)
    return verdict
  }

  /** Takes requests like {@link spend}. Throws DomainError with the line if the bucket does not allow them. */
  async require(limit: Limit, subject: string, line = TOO_OFTEN, count = 1): Promise<void> {
    const verdict = await this.spend(limit, subject, count)
    if (verdict.kind === 'wait') throw new DomainError('limited', line, Math.max(1, Math.ceil(verdict.seconds)))
  }

  /**
   * Takes a request like {@link require}, for a client address. Its network has `factor` times the limit, because one client can
   * own a whole /48 of IPv6, and many clients can share one.
   */
  async requireFrom(limit: Limit, { address, network }: ClientAddress, factor: number, line?: string): Promise<void> {
    await this.require(limit, address, line)
    if (network === address) return
    const { name, per_sec, burst } = limit
    const ofNetwork = { ...limit, name: nameOfNetwork(name), per_sec: factor * per_sec, burst: factor * burst }
    await this.require(ofNetwork, network, line)
  }

  /** Reserves the next turn of a subject in this process. Returns the milliseconds until then. */
  reserve(limit: Limit, subject: string): number {
    const key = keyOf(limit.name, subject)
    const now = this.#deps.clock.monotonicMs()
    const full_at = this.#fullAt.get(key) ?? now
    const spent = spendOne(limit, full_at, now)
    remember(this.#fullAt, key, spent.isAllowed ? spent.full_at : full_at + 1000 / limit.per_sec)
    return spent.isAllowed ? 0 : spent.wait_ms
  }

  /**
   * Returns the seconds that a flooding client still has to wait. Returns undefined if its requests are handled as usual. A flood
   * is a client that keeps sending requests although the limit refuses them again and again.
   */
  floodOf(limit: string, { address, network }: ClientAddress): number | undefined {
    const now = this.#deps.clock.monotonicMs()
    for (const key of [keyOf(limit, address), keyOf(nameOfNetwork(limit), network)]) {
      const refused = this.#refused.get(key)
      if (refused && refused.times >= PATIENCE && refused.until > now) return (refused.until - now) / 1000
    }
    return undefined
  }

  async #judge(limit: Limit, subject: string, count: number): Promise<SpendVerdict> {
    const key = keyOf(limit.name, subject)
    const now = this.#deps.clock.monotonicMs()
    const refused = this.#refused.get(key)
    if (refused?.isByStore && refused.until > now) return this.#refuse(key, refused.until, true)
    if (limit.isLocal || (now < this.#storeRestsUntil && !limit.isStrict)) return this.#judgeAlone(limit, key, count)
    const question: Question = { isOver: false }
    try {
      return await before(limit.isStrict ? STRICT_DEADLINE_MS : this.#wait_ms, this.#ask(limit, key, count, question))
    } catch (error) {
      question.isOver = true
      this.#complain(error)
      return limit.isStrict ? { kind: 'wait', seconds: STRICT_WAIT_SEC } : this.#judgeAlone(limit, key, count)
    }
  }

  /**
   * Decides by the count of all processes together. A refusal that comes too late for its request still applies to the next ones.
   */
  async #ask(limit: Limit, key: string, count: number, question: Question): Promise<SpendVerdict> {
    const asked_at = this.#deps.clock.monotonicMs()
    const { allowed, wait_sec } = await spendInStore(this.#deps.database, key, 1 / limit.per_sec, limit.burst, count)
    if (!allowed) {
      const seconds = Math.max(wait_sec, 0.001)
      // A bucket that does not allow many requests at once may still allow one.
      if (count > 1) return { kind: 'wait', seconds }
      // Counts the wait from the time of the query, because its response can take long, and the wait could be over by then.
      this.#refuse(key, asked_at + seconds * 1000, true)
      return { kind: 'wait', seconds }
    }
    // A request that was decided without this response has been counted already.
    if (question.isOver) return { kind: 'pass' }
    remember(this.#fullAt, key, Math.max(this.#fullAt.get(key) ?? 0, asked_at) + (count * 1000) / limit.per_sec)
    return { kind: 'pass' }
  }

  /** Decides by the count of this process alone. */
  #judgeAlone(limit: Limit, key: string, count: number): SpendVerdict {
    const now = this.#deps.clock.monotonicMs()
    const spent = spendOne(limit, this.#fullAt.get(key) ?? now, now, count)
    if (!spent.isAllowed && count > 1) return { kind: 'wait', seconds: spent.wait_ms / 1000 }
    if (!spent.isAllowed) return this.#refuse(key, now + spent.wait_ms, false)
    remember(this.#fullAt, key, spent.full_at)
    return { kind: 'pass' }
  }

  #refuse(key: string, until: number, isByStore: boolean): SpendVerdict {
    const now = this.#deps.clock.monotonicMs()
    const before = this.#refused.get(key)
    const times = before && now - before.at <= FORGOTTEN_MS ? before.times + 1 : 1
    remember(this.#refused, key, { until, isByStore, at: now, times })
    return { kind: 'wait', seconds: (until - now) / 1000 }
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

/** Sets what is known of a key. Drops the key that was set longest ago if there are too many. */
function remember<T>(known: Map<string, T>, key: string, value: T): void {
  known.delete(key)
  known.set(key, value)
  if (known.size <= MOST_REMEMBERED) return
  const [oldest] = known.keys()
  if (oldest !== undefined) known.delete(oldest)
}

/**
 * Returns the key of a bucket. Hashes a subject that is too long or not storable, because a subject that a person typed must
 * count all the same.
 */
function keyOf(limit: string, subject: string): string {
  const isShort = isStorable(subject) && subject.length <= LONGEST_SUBJECT
  return `${limit}:${isShort ? subject : hashToken(subject).toString('hex')}`
}

function nameOfNetwork(limit: string): string {
  return `${limit}-network`
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

/** Deletes the buckets that are full again. Returns their number. */
export async function forgetFullBuckets(deps: Pick<Deps, 'database'>): Promise<number> {
  return deleteFullBuckets(deps.database)
}
