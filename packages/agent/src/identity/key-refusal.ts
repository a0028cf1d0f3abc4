// How long the server has refused the API key, when to retry, and when the refusal is final: pure.
import { Fatal, wordsOf } from '../process/fatal.ts'

/**
 * A server that is being restored refuses every key for a while, so the monitor is enrolled again (with a token) only
 * after this.
 */
export const RECLAIM_AFTER_MS = 2 * 60_000
/** A key that was refused for this long, at every attempt, counts as revoked. */
export const REVOKED_AFTER_MS = 24 * 3_600_000
const WAIT_FIRST_MS = 2000
const WAIT_MAX_MS = 5 * 60_000
/** Time between two refusals counts only up to this: a machine that slept over night has not retried all night. */
const COUNTED_MAX_MS = 2 * WAIT_MAX_MS
/** How often it is logged once the wait no longer grows. */
const TELL_MS = 3_600_000

export interface Refusal {
  /** How long it has been refused. */
  for_ms: number
  /** After how long to ask again. */
  wait_ms: number
  /** Whether to tell a person now. */
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

  /** Milliseconds since it was first refused; 0 while it is not. */
  lasting(now: number): number {
    return this.#since === undefined ? 0 : now - this.#since
  }

  /** The server itself has refused the key. */
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

  /** An attempt had another outcome: the time until a refusal is final starts again. */
  interrupted(): void {
    this.#confirmed_ms = 0
    this.#last = undefined
  }

  /** The server accepts the key. */
  over(): void {
    this.interrupted()
    this.#since = undefined
    this.#wait_ms = 0
  }
}

export interface Refused {
  enrollment: { takeBack: () => Promise<unknown> }
  /** The agent is ending. */
  signal: AbortSignal
  mono: () => number
  random: () => number
  tell: (event: { event: 'key_refused'; refused_sec: number; wait_ms: number; not_taken_back?: string }) => void
}

/**
 * After how many milliseconds to ask again. A server that is being restored refuses the key, too, and takes it again in a
 * while. So the checks go on, results wait, and nothing is final before a day has passed. Throws what ends the agent.
 */
export async function waitRefused(
  key: KeyRefusal,
  { enrollment, signal, mono, random, tell }: Refused,
): Promise<number> {
  const { for_ms, wait_ms, isTold, isReclaimDue, isForGood } = key.refused(mono())
  const reclaiming = isReclaimDue ? await reclaim(enrollment, { isForGood, signal }) : undefined
  if (reclaiming?.isBack) return 0
  const why = reclaiming?.why === undefined ? {} : { not_taken_back: reclaiming.why }
  if (isTold) tell({ event: 'key_refused', refused_sec: Math.round(for_ms / 1000), wait_ms, ...why })
  // Thousands of agents may have been refused at the same moment.
  return wait_ms * (0.75 + random() / 4)
}

async function reclaim(
  enrollment: Refused['enrollment'],
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
