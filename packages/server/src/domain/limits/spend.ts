// A rate limit that all instances share, with a quick no in front of it.
import { hashToken } from '../../runtime/tokens.ts'
import { spend as spendInStore } from '../../store/rate-limits.ts'
import type { Deps } from '../deps.ts'
import { isStorable } from '../text.ts'

export interface Limit {
  /** Told apart from other limits on the same subject. */
  name: string
  per_sec: number
  burst: number
}

export type Verdict = { kind: 'pass' } | { kind: 'wait'; seconds: number }

const MOST_REMEMBERED = 10_000
const LONGEST_SUBJECT = 100
const QUIET_MS = 10_000
/** What a limit may cost a request when the store is slow, and how long it is then left alone. */
const DEADLINE_MS = 500
const PAUSE_MS = 1000

/**
 * Takes one request out of a subject's bucket, or says how long to wait. When the store cannot be reached, requests pass
 * and the log says so: a limiter must not take the service down.
 */
export class RateLimiter {
  readonly #deps: Pick<Deps, 'database' | 'clock' | 'log'>
  readonly #onRefusal: (limit: string) => void
  /** Until when (monotonic ms) a subject is known to be refused. A local no never lets more through. */
  readonly #refusedUntil = new Map<string, number>()
  #nextComplaintMs = 0
  #storeRestsUntil = 0

  /** `onRefusal` is told the name of the limit. */
  constructor(deps: Pick<Deps, 'database' | 'clock' | 'log'>, onRefusal: (limit: string) => void = () => {}) {
    this.#deps = deps
    this.#onRefusal = onRefusal
  }

  async spend(limit: Limit, subject: string): Promise<Verdict> {
    const verdict = await this.#judge(limit, subject)
    if (verdict.kind === 'wait') this.#onRefusal(limit.name)
    return verdict
  }

  async #judge(limit: Limit, subject: string): Promise<Verdict> {
    const key = `${limit.name}:${keyOf(subject)}`
    const now = this.#deps.clock.monotonicMs()
    const until = this.#refusedUntil.get(key)
    if (until !== undefined && until > now) return { kind: 'wait', seconds: (until - now) / 1000 }
    if (until !== undefined) this.#refusedUntil.delete(key)
    if (now < this.#storeRestsUntil) return { kind: 'pass' }
    try {
      const spending = spendInStore(this.#deps.database, key, 1 / limit.per_sec, limit.burst)
      const { allowed, wait_sec } = await before(DEADLINE_MS, spending)
      if (allowed) return { kind: 'pass' }
      const seconds = Math.max(wait_sec, 0.001)
      this.#remember(key, this.#deps.clock.monotonicMs() + seconds * 1000)
      return { kind: 'wait', seconds }
    } catch (error) {
      this.#complain(error)
      return { kind: 'pass' }
    }
  }

  #remember(key: string, until: number): void {
    if (this.#refusedUntil.size >= MOST_REMEMBERED) {
      const [oldest] = this.#refusedUntil.keys()
      if (oldest !== undefined) this.#refusedUntil.delete(oldest)
    }
    this.#refusedUntil.set(key, until)
  }

  #complain(error: unknown): void {
    const now = this.#deps.clock.monotonicMs()
    this.#storeRestsUntil = now + PAUSE_MS
    if (now < this.#nextComplaintMs) return
    this.#nextComplaintMs = now + QUIET_MS
    this.#deps.log.error({ err: error }, 'rate limits cannot be read, so requests pass unlimited')
  }
}

/** What others typed may be long, or hold what the store cannot: it must not keep the limit from being counted. */
function keyOf(subject: string): string {
  return isStorable(subject) && subject.length <= LONGEST_SUBJECT ? subject : hashToken(subject).toString('hex')
}

/** The answer, or a failure when it does not come in time. */
async function before<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
    // What comes after the deadline concerns nobody.
    answer.catch(() => {})
  }
}
