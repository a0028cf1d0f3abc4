// Who may export, and when: organisations take turns, and each has a bounded share of the places.
import { DomainError } from '../../domain/errors.ts'
import { FairQueue } from '../fair-queue.ts'
import { HttpError, OVERLOADED } from '../errors.ts'

export interface ExportBounds {
  /** Exports under way, and those of one organisation. */
  most: number
  most_of_org: number
  /** Exports that wait for a place, and those of one organisation. */
  waiting: number
  waiting_of_org: number
  /** How long an export waits for a place. */
  wait_ms: number
  /** A client that does not take what it asked for within this time loses its place when another waits for one. */
  patience_ms: number
  /** Pages that are read from the database at once, and those of one organisation. */
  reads: number
  reads_of_org: number
}

/** Scaled by the pool size: reads beyond half of it would keep other requests from their connections. */
export function exportBoundsFor(pool_size: number): ExportBounds {
  return {
    most: 4 * pool_size,
    most_of_org: 2,
    waiting: 8 * pool_size,
    waiting_of_org: 2,
    wait_ms: 15_000,
    patience_ms: 20_000,
    reads: Math.max(2, Math.ceil(pool_size / 2)),
    reads_of_org: Math.max(1, Math.floor(pool_size / 4)),
  }
}

/** A token has an export a minute: whoever comes back after that is not refused for its rate. */
const RETRY_SEC = 60
/** How often clients that take nothing are looked for while an export waits. */
const LOOK_MS = 1000

/** The place of one export. */
export interface ExportPlace {
  /** Reads from the database when it is the organisation's turn. */
  read<T>(work: () => Promise<T>): Promise<T>
  /** Says that a piece is handed to the client, and that the client took it. */
  hand(): void
  taken(): void
  /** Says how to end the export when its place is taken away. */
  onCut(cut: () => void): void
  /** Gives the place back; the second time nothing happens. */
  leave(): void
}

interface Waiter {
  org_id: number
  enter(): void
}

interface Held {
  org_id: number
  handed_at: number | undefined
  cut: () => void
}

export class ExportQueue {
  readonly #bounds: ExportBounds
  readonly #reads: FairQueue
  readonly #held = new Set<Held>()
  readonly #heldOf = new Map<number, number>()
  /** By organisation, in the order of their turns. */
  readonly #waiting = new Map<number, Waiter[]>()
  #waitingCount = 0

  constructor(bounds: ExportBounds) {
    this.#bounds = bounds
    this.#reads = new FairQueue({ at_once: bounds.reads, of_client: bounds.reads_of_org })
  }

  /** How many exports are under way, and how many wait. */
  state(): { running: number; waiting: number } {
    return { running: this.#held.size, waiting: this.#waitingCount }
  }

  /**
   * Takes a place for an export of this organisation, in its turn. Refuses with 429 when the organisation has its share of those that
   * wait, and with 503 when too many wait or the wait is too long. `signal`: the client went away.
   */
  async enter(org_id: number, signal?: AbortSignal): Promise<ExportPlace> {
    if (this.#hasPlaceFor(org_id)) return this.#take(org_id)
    const line = this.#waiting.get(org_id) ?? []
    if (line.length >= this.#bounds.waiting_of_org) {
      throw new DomainError('limited', 'too many exports of this organisation are waiting, try again later', RETRY_SEC)
    }
    if (this.#waitingCount >= this.#bounds.waiting) throw busy()
    return this.#wait(org_id, line, signal)
  }

  #wait(org_id: number, line: Waiter[], signal: AbortSignal | undefined): Promise<ExportPlace> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        org_id,
        enter: () => {
          end()
          resolve(this.#take(org_id))
        },
      }
      const giveUp = (error: Error): void => {
        end()
        this.#forget(waiter)
        reject(error)
      }
      const left = (): void => giveUp(new HttpError(503, OVERLOADED))
      const over = setTimeout(() => giveUp(busy()), this.#bounds.wait_ms)
      const look = setInterval(() => this.#cutOne(), Math.min(LOOK_MS, this.#bounds.patience_ms))
      over.unref()
      look.unref()
      const end = (): void => {
        clearTimeout(over)
        clearInterval(look)
        signal?.removeEventListener('abort', left)
      }
      this.#waiting.set(org_id, [...line, waiter])
      this.#waitingCount++
      if (signal?.aborted) left()
      else signal?.addEventListener('abort', left)
    })
  }

  #hasPlaceFor(org_id: number): boolean {
    return this.#held.size < this.#bounds.most && (this.#heldOf.get(org_id) ?? 0) < this.#bounds.most_of_org
  }

  #take(org_id: number): ExportPlace {
    const held: Held = { org_id, handed_at: undefined, cut: () => {} }
    this.#held.add(held)
    this.#count(org_id, 1)
    const key = String(org_id)
    return {
      read: (work) => this.#reads.run({ network: key, client: key }, work),
      hand: () => (held.handed_at = performance.now()),
      taken: () => (held.handed_at = undefined),
      onCut: (cut) => (held.cut = cut),
      leave: () => {
        if (!this.#held.delete(held)) return
        this.#count(org_id, -1)
        this.#letIn()
      },
    }
  }

  /** Lets in the first organisation whose turn it is; it goes to the end of the line. */
  #letIn(): void {
    for (const [org_id, [first]] of this.#waiting) {
      if (!this.#hasPlaceFor(org_id) || !first) continue
      this.#forget(first)
      const rest = this.#waiting.get(org_id)
      if (rest) {
        this.#waiting.delete(org_id)
        this.#waiting.set(org_id, rest)
      }
      first.enter()
      return
    }
  }

  #forget(waiter: Waiter): void {
    const line = this.#waiting.get(waiter.org_id) ?? []
    const rest = line.filter((one) => one !== waiter)
    if (rest.length < line.length) this.#waitingCount--
    if (rest.length > 0) this.#waiting.set(waiter.org_id, rest)
    else this.#waiting.delete(waiter.org_id)
  }

  /** Ends the export whose client has taken nothing for longest, if that is too long and somebody could use its place. */
  #cutOne(): void {
    const before = performance.now() - this.#bounds.patience_ms
    const useful = [...this.#held].filter((held) => this.#isWanted(held))
    const [slowest] = useful
      .filter(({ handed_at }) => handed_at !== undefined && handed_at <= before)
      .sort((a, b) => (a.handed_at ?? 0) - (b.handed_at ?? 0))
    slowest?.cut()
  }

  /** Whether an export that waits could begin if this one ended. */
  #isWanted({ org_id }: Held): boolean {
    if (this.#waiting.has(org_id)) return true
    if (this.#held.size < this.#bounds.most) return false
    return [...this.#waiting.keys()].some((other) => (this.#heldOf.get(other) ?? 0) < this.#bounds.most_of_org)
  }

  #count(org_id: number, by: number): void {
    const held = (this.#heldOf.get(org_id) ?? 0) + by
    if (held > 0) this.#heldOf.set(org_id, held)
    else this.#heldOf.delete(org_id)
  }
}

function busy(): HttpError {
  return new HttpError(503, OVERLOADED, { 'Retry-After': String(RETRY_SEC) })
}
