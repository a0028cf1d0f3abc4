// Shares the threads that look up names: a lookup whose name servers are silent blocks a thread for up to a minute, and cannot be
// stopped. Names that got a quick response the last time may use all threads, others only some of them, and names that hung the
// last time very few.

/** Starts a lookup, which calls `done` when it has ended. */
export type Start = (done: () => void) => void

interface QueuedLookup {
  name: string
  start: Start
  /** Whether an attempt still waits for the outcome of this lookup. */
  isWanted: () => boolean
  /** Called if no attempt waits for the lookup any longer when its turn comes. */
  onDropped: () => void
}

const HUNG_MS = 2000
const NAMES_MAX = 50_000

type Speed = 'quick' | 'new' | 'hung'

export class LookupQueue {
  readonly #limits: Readonly<Record<Speed, number>>
  readonly #mono: () => number
  readonly #known = new Map<string, Speed>()
  readonly #waiting: Record<Speed, QueuedLookup[]> = { quick: [], new: [], hung: [] }
  #inFlight: Record<Speed, number> = { quick: 0, new: 0, hung: 0 }

  /** @param threads maximum number of simultaneous lookups. */
  constructor(threads: number, mono: () => number = () => performance.now()) {
    this.#mono = mono
    this.#limits = {
      quick: Math.max(1, threads),
      new: Math.max(1, Math.floor((threads * 3) / 4)),
      hung: Math.max(1, Math.floor((threads * 3) / 8)),
    }
  }

  /** Starts the lookup at once, or in its turn if an attempt still waits for it then. */
  add(waiting: QueuedLookup): void {
    this.#waiting[this.#speedOf(waiting.name)].push(waiting)
    this.#startNext()
  }

  #startNext(): void {
    for (const speed of ['quick', 'new', 'hung'] as const) {
      while (this.#hasRoom(speed)) {
        const next = this.#waiting[speed].shift()
        if (!next) break
        if (next.isWanted()) this.#start(next, speed)
        else next.onDropped()
      }
    }
  }

  /**
   * Whether another lookup of this speed may start. The limit of a speed applies to the lookups of this and all slower speeds
   * together.
   */
  #hasRoom(speed: Speed): boolean {
    const { quick, new: fresh, hung } = this.#inFlight
    const { quick: all, new: most, hung: few } = this.#limits
    if (quick + fresh + hung >= all) return false
    if (speed !== 'quick' && fresh + hung >= most) return false
    return speed !== 'hung' || hung < few
  }

  #start({ name, start }: QueuedLookup, speed: Speed): void {
    this.#inFlight[speed] += 1
    const began = this.#mono()
    let isDone = false
    start(() => {
      if (isDone) return
      isDone = true
      this.#inFlight[speed] -= 1
      this.#remember(name, this.#mono() - began > HUNG_MS ? 'hung' : 'quick')
      this.#startNext()
    })
  }

  #speedOf(name: string): Speed {
    return this.#known.get(name) ?? 'new'
  }

  #remember(name: string, speed: Speed): void {
    this.#known.delete(name)
    this.#known.set(name, speed)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= NAMES_MAX) break
      this.#known.delete(oldest)
    }
  }
}
