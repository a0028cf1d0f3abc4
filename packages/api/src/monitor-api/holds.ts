// Holds requests of agents until their monitor has something to sync: a run that a user requested, or a change of its
// checks or their turns. A hold uses no connection to the database, and a monitor has one hold at a time. Organisations
// share the slots: a request without one gets its response at once, and its agent learns of news at its next sync.
import type { Caller } from '@dogwatch/domain/monitors/monitor'
import { Slots, type Visit } from '../slots.ts'

/** Maximum duration of a hold in seconds. Proxies cut silent connections, some after 30 s. */
export const HOLD_SEC = 25
/** Slots for each connection to the database. Holds cost memory, which grows with an installation like the pool. */
const PLACES = 64

export function placesToHold(pool_size: number): number {
  return PLACES * pool_size
}

/**
 * Lifetime of kept news in milliseconds, for the next request. An agent waits again within two seconds after each response, or
 * later if it has little time.
 */
const BETWEEN_MS = 10_000
/** Maximum number of monitors with kept news. */
const MOST_NEWS = 4096

/** Returns the organisation of a monitor. Each monitor of the shared fleet takes turns by itself. */
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
  /** Time of the news for each monitor that does not wait here, the oldest first. */
  readonly #news = new Map<string, number>()
  readonly #now: () => number
  #isOver = false

  /** Creates the holds. `now` returns the milliseconds of a clock that only goes forward. */
  constructor(most = placesToHold(8), now: () => number = () => performance.now()) {
    this.#most = most
    this.#now = now
  }

  /** Number of held requests. */
  get size(): number {
    return this.#held.size
  }

  /**
   * Resolves with true when the monitor has news, and with false when the time is over, its client has disconnected, or another
   * request replaces it. Returns undefined if no slot is free.
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

  /** Ends the oldest hold of the owner with the most, if that is at least two more than the newcomer has. */
  #makeRoomFor(newcomer: string): boolean {
    return this.#slots.cutGreediest(Infinity, (byOwner) => (byOwner.get(newcomer)?.length ?? 0) + 1)
  }

  /** Answers like {@link answer}, but keeps the news for the next request of the monitor if there is none now. */
  ring(monitor_id: string): void {
    if (this.answer(monitor_id)) return
    this.#news.delete(monitor_id)
    this.#news.set(monitor_id, this.#now())
    const [oldest] = this.#news.keys()
    if (this.#news.size > MOST_NEWS && oldest !== undefined) this.#news.delete(oldest)
  }

  /** Answers the held request of a monitor that has something to sync. Returns false if it has none here. */
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
