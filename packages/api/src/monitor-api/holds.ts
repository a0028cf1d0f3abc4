// Holds requests of agents until their monitor has something to sync: a run that a user requested, or a change of its
// checks or turns. A hold uses no database connection. A monitor has at most one, and organisations share the slots
// fairly.
import type { Caller } from '@dogwatch/domain/monitors/monitor'
import { Slots, type Visit } from '../slots.ts'

/** Maximum duration of a hold in seconds. Proxies close silent connections, some of them after 30 s. */
export const HOLD_SEC = 25
/** Number of slots for each database connection. Holds need only memory, and a larger installation has more of both. */
const PLACES = 64

export function placesToHold(pool_size: number): number {
  return PLACES * pool_size
}

/**
 * Lifetime of news for a monitor's next request, in milliseconds. An agent sends the next one within two seconds after a response,
 * or later if it is busy.
 */
const BETWEEN_MS = 10_000
/** Maximum number of monitors whose news is kept. */
const MOST_NEWS = 4096

/** Returns the owner of a monitor's holds: its organisation. Each monitor of the shared fleet is an owner of its own. */
export function ownerOf({ id, org_id }: Pick<Caller, 'id' | 'org_id'>): string {
  return org_id === null ? `fleet ${id}` : `org ${org_id}`
}

interface HeldRequest extends Visit {
  finish(isNews: boolean): void
}

export class Holds {
  readonly #most: number
  readonly #held = new Map<string, HeldRequest>()
  readonly #slots = new Slots()
  /** Times of news for monitors without a hold, the oldest first. */
  readonly #news = new Map<string, number>()
  readonly #now: () => number
  #isOver = false

  /** Creates the holds. `now` returns the milliseconds of a clock that never goes back. */
  constructor(most = placesToHold(8), now: () => number = () => performance.now()) {
    this.#most = most
    this.#now = now
  }

  /** Number of held requests. */
  get size(): number {
    return this.#held.size
  }

  /**
   * Resolves with true when there is something to sync, and with false when the time is over, the client disconnects, or another
   * request of the monitor replaces this one. Returns undefined if no slot is free.
   */
  wait(caller: Pick<Caller, 'id' | 'org_id'>, ms: number, closed: AbortSignal): Promise<boolean> | undefined {
    const { id } = caller
    const owner = ownerOf(caller)
    if (this.#isOver || closed.aborted) return undefined
    this.#held.get(id)?.finish(false)
    if (this.#takeNews(id)) return Promise.resolve(true)
    if (this.#slots.size >= this.#most && !this.#makeRoomFor(owner)) return undefined
    return new Promise((resolve) => {
      const finish = (isNews: boolean): void => {
        clearTimeout(timer)
        closed.removeEventListener('abort', leave)
        this.#slots.delete(held)
        if (this.#held.get(id) === held) this.#held.delete(id)
        resolve(isNews)
      }
      const held: HeldRequest = {
        began: this.#now(),
        holders: [],
        owner: () => owner,
        isAwaited: () => true,
        cut: () => finish(false),
        finish,
      }
      const leave = (): void => finish(false)
      const timer = setTimeout(leave, ms)
      closed.addEventListener('abort', leave)
      this.#held.set(id, held)
      this.#slots.add(held)
    })
  }

  /**
   * Ends the oldest hold of the owner with the most holds, if that owner has at least two more than the given one. Returns whether
   * it did.
   */
  #makeRoomFor(newcomer: string): boolean {
    return this.#slots.cutGreediest(Infinity, (byOwner) => (byOwner.get(newcomer)?.length ?? 0) + 1)
  }

  /** Ends the hold of a monitor like {@link answer}. If there is none, keeps the news for the monitor's next request. */
  ring(monitor_id: string): void {
    if (this.answer(monitor_id)) return
    this.#news.delete(monitor_id)
    this.#news.set(monitor_id, this.#now())
    const [oldest] = this.#news.keys()
    if (this.#news.size > MOST_NEWS && oldest !== undefined) this.#news.delete(oldest)
  }

  /**
   * Ends the hold of a monitor, because there is something to sync. Returns false if the monitor has no hold in this process.
   */
  answer(monitor_id: string): boolean {
    const held = this.#held.get(monitor_id)
    held?.finish(true)
    return held !== undefined
  }

  #takeNews(monitor_id: string): boolean {
    const at = this.#news.get(monitor_id)
    this.#news.delete(monitor_id)
    return at !== undefined && this.#now() - at <= BETWEEN_MS
  }

  /** Ends all holds, and accepts no further ones. */
  end(): void {
    this.#isOver = true
    for (const { finish } of [...this.#held.values()]) finish(false)
  }
}
