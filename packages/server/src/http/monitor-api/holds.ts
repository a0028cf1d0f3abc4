// Requests of agents that are held until a person asks their monitor for a run. Holding one takes no connection to the
// database, and a monitor holds one at a time. Organisations share the places: whatever has none is answered at once,
// and its agent hears of runs at its next sync.
import type { Caller } from '../../domain/monitors/monitor.ts'
import { ownerOf } from './uploads.ts'

/** For how many seconds at most. Proxies cut connections over which nothing passes, some after 30 s. */
export const HOLD_SEC = 25
/** Held for each connection to the database: what is held costs memory, which grows with the size of an installation as the pool does. */
const PLACES = 64

export function placesToHold(pool_size: number): number {
  return PLACES * pool_size
}

interface Held {
  owner: string
  finish: (isNews: boolean) => void
}

export class Holds {
  readonly #most: number
  /** By monitor, the oldest first. */
  readonly #held = new Map<string, Held>()
  readonly #heldOf = new Map<string, number>()
  #isOver = false

  constructor(most = placesToHold(8)) {
    this.#most = most
  }

  /** How many are held. */
  get size(): number {
    return this.#held.size
  }

  /**
   * True as soon as the monitor is rung for; false when the time is over, its client is gone, or another request takes its place.
   * Undefined: there is no place for it.
   */
  wait(caller: Pick<Caller, 'id' | 'org_id'>, ms: number, closed: AbortSignal): Promise<boolean> | undefined {
    const { id } = caller
    const owner = ownerOf(caller)
    if (this.#isOver || closed.aborted) return undefined
    this.#held.get(id)?.finish(false)
    if (this.#held.size >= this.#most && !this.#makeRoomFor(owner)) return undefined
    return new Promise((resolve) => {
      const finish = (isNews: boolean): void => {
        clearTimeout(timer)
        closed.removeEventListener('abort', leave)
        if (this.#held.get(id) === held) {
          this.#held.delete(id)
          this.#count(owner, -1)
        }
        resolve(isNews)
      }
      const held = { owner, finish }
      const leave = (): void => finish(false)
      const timer = setTimeout(leave, ms)
      closed.addEventListener('abort', leave)
      this.#held.set(id, held)
      this.#count(owner, 1)
    })
  }

  /** Answers the oldest request of the owner with most of them, if that is at least two more than the newcomer has. */
  #makeRoomFor(newcomer: string): boolean {
    let [greediest, most] = ['', (this.#heldOf.get(newcomer) ?? 0) + 1]
    for (const [owner, count] of this.#heldOf) if (count > most) [greediest, most] = [owner, count]
    for (const { owner, finish } of this.#held.values()) {
      if (owner !== greediest) continue
      finish(false)
      return true
    }
    return false
  }

  /** Somebody asked this monitor for a run. */
  ring(monitor_id: string): void {
    this.#held.get(monitor_id)?.finish(true)
  }

  /** Ends all of them; from now on none is held. */
  end(): void {
    this.#isOver = true
    for (const { finish } of [...this.#held.values()]) finish(false)
  }

  #count(owner: string, by: number): void {
    const count = (this.#heldOf.get(owner) ?? 0) + by
    if (count > 0) this.#heldOf.set(owner, count)
    else this.#heldOf.delete(owner)
  }
}
