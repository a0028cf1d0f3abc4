// Decides when to retry while the server refuses the API key, when to enroll again, and when the refusal is final. Pure except
// for `waitRefused`.
import { Fatal, wordsOf } from '../process/fatal.ts'

/**
 * Time that the server must refuse the key before the agent enrolls again with its token, in milliseconds. A server that is being
 * restored refuses every key for a while.
 */
export const RECLAIM_AFTER_MS = 2 * 60_000
/** Time after which a key that was refused at every attempt counts as revoked, in milliseconds. */
export const REVOKED_AFTER_MS = 24 * 3_600_000
const WAIT_FIRST_MS = 2000
const WAIT_MAX_MS = 5 * 60_000
/**
 * Maximum time between two refusals that counts as refused, in milliseconds. A machine that slept overnight has not retried all
 * night.
 */
const COUNTED_MAX_MS = 2 * WAIT_MAX_MS
/** Interval at which the refusal is logged once the wait no longer grows, in milliseconds. */
const TELL_MS = 3_600_000

export interface Refusal {
  /** Time since the first refusal of the key, in milliseconds. */
  for_ms: number
  /** Wait until the next attempt, in milliseconds. */
  wait_ms: number
  /** Whether to log the refusal now. */
  isTold: boolean
  /** Whether to enroll again with a token. */
  isReclaimDue: boolean
  /** Whether the key counts as revoked. */
  isForGood: boolean
}

export class KeyRefusal {
  readonly #wait_max_ms: number
  readonly #reclaim_after_ms: number
  #since: number | undefined
  #last: number | undefined
  #confirmed_ms = 0
  #wait_ms = 0
  #toldAt = 0

  constructor(wait_max_ms = WAIT_MAX_MS, reclaim_after_ms = RECLAIM_AFTER_MS) {
    this.#wait_max_ms = wait_max_ms
    this.#reclaim_after_ms = reclaim_after_ms
  }

  get isOn(): boolean {
    return this.#since !== undefined
  }

  /** Returns the milliseconds since the first refusal, or 0 while the server accepts the key. */
  lasting(now: number): number {
    return this.#since === undefined ? 0 : now - this.#since
  }

  /** Records that the server itself refused the key. */
  refused(now: number): Refusal {
    this.#since ??= now
    this.#confirmed_ms += Math.min(COUNTED_MAX_MS, now - (this.#last ?? now))
    this.#last = now
    const before = this.#wait_ms
    this.#wait_ms = Math.min(this.#wait_max_ms, before === 0 ? WAIT_FIRST_MS : 2 * before)
    const isTold = this.#wait_ms > before || now - this.#toldAt >= TELL_MS
    if (isTold) this.#toldAt = now
    const isForGood = this.#confirmed_ms >= REVOKED_AFTER_MS
    const for_ms = this.lasting(now)
    const isReclaimDue = for_ms >= this.#reclaim_after_ms
    return { for_ms, wait_ms: this.#wait_ms, isTold, isReclaimDue, isForGood }
  }

  /** Records an attempt that failed for another reason. The time until a refusal is final begins again. */
  interrupted(): void {
    this.#confirmed_ms = 0
    this.#last = undefined
  }

  /** Records that the server accepts the key. */
  over(): void {
    this.interrupted()
    this.#since = undefined
    this.#wait_ms = 0
  }
}

export interface KeyRefusalOptions {
  enrollment: { takeBack: () => Promise<unknown> }
  /** Signal that aborts when the agent ends. */
  signal: AbortSignal
  mono: () => number
  random: () => number
  tell: (event: { event: 'key_refused'; refused_sec: number; wait_ms: number; not_taken_back?: string }) => void
}

/**
 * Returns the wait until the next attempt, in milliseconds. Throws the error that ends the agent once the refusal is final. That
 * takes a day, because a server that is being restored refuses keys, too.
 */
export async function waitRefused(
  key: KeyRefusal,
  { enrollment, signal, mono, random, tell }: KeyRefusalOptions,
): Promise<number> {
  const { for_ms, wait_ms, isTold, isReclaimDue, isForGood } = key.refused(mono())
  const reclaiming = isReclaimDue ? await reclaim(enrollment, { isForGood, signal }) : undefined
  if (reclaiming?.isBack) return 0
  const why = reclaiming?.why === undefined ? {} : { not_taken_back: reclaiming.why }
  if (isTold) tell({ event: 'key_refused', refused_sec: Math.round(for_ms / 1000), wait_ms, ...why })
  // Spreads the attempts, because thousands of agents may have been refused at the same moment.
  return wait_ms * (0.75 + random() / 4)
}

async function reclaim(
  enrollment: KeyRefusalOptions['enrollment'],
  { isForGood, signal }: { isForGood: boolean; signal: AbortSignal },
): Promise<{ isBack: boolean; why?: string }> {
  try {
    await enrollment.takeBack()
    return { isBack: true }
  } catch (error) {
    if (signal.aborted || (isForGood && error instanceof Fatal)) throw error
    return { isBack: false, why: wordsOf(error) }
  }
}
