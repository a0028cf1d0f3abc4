// Queues exports: organisations take turns, and each gets a limited share of the slots.
import { DomainError } from '../../domain/errors.ts'
import { FairQueue } from '../fair-queue.ts'
import { HttpError, OVERLOADED } from '../errors.ts'

export interface ExportBounds {
  /** Maximum number of exports in progress, in all and for one organisation. */
  most: number
  most_of_org: number
  /** Maximum number of exports that wait for a slot, in all and for one organisation. */
  waiting: number
  waiting_of_org: number
  /** Maximum time that an export waits for a slot. */
  wait_ms: number
  /** Time without reading after which a client loses its slot if another export needs one. */
  patience_ms: number
  /**
   * Minimum pace of a client that keeps its slot: bytes a second of the uncompressed document, over this much of the client's own
   * time.
   */
  pace: { bytes_per_sec: number; over_ms: number }
  /** Maximum number of pages that are read from the database at once, in all and for one organisation. */
  reads: number
  reads_of_org: number
}

/** Returns the limits for a pool size. Reads beyond half of the pool would keep other requests from their connections. */
export function exportBoundsFor(pool_size: number): ExportBounds {
  return {
    most: 4 * pool_size,
    most_of_org: 2,
    waiting: 8 * pool_size,
    waiting_of_org: 2,
    wait_ms: 15_000,
    patience_ms: 20_000,
    pace: { bytes_per_sec: 32 * 1024, over_ms: 30_000 },
    reads: Math.max(2, Math.ceil(pool_size / 2)),
    reads_of_org: Math.max(1, Math.floor(pool_size / 4)),
  }
}

/** Retry time in seconds. A token has one export a minute, so the rate limit does not refuse a retry after that. */
const RETRY_SEC = 60
/** Interval between two searches for stalled clients while an export waits. */
const LOOK_MS = 1000

/** The slot of one export. */
export interface ExportPlace {
  /** Reads from the database when it is the organisation's turn. */
  read<T>(work: () => Promise<T>): Promise<T>
  /** Reports that a piece of this size was handed to the client. `taken` reports that the client has read it. */
  hand(bytes: number): void
  taken(): void
  /** Sets the function that ends the export if it loses its slot. */
  onCut(cut: () => void): void
  /** Frees the slot. Further calls do nothing. */
  leave(): void
}

interface Waiter {
  org_id: number
  enter(): void
}

interface RunningExport {
  org_id: number
  reading: ReadingSpeed
  cut: () => void
}

/** Reading speed of a client. The measurement excludes the time that the client waits for us. */
class ReadingSpeed {
  readonly #bounds: Pick<ExportBounds, 'patience_ms' | 'pace'>
  readonly #now: () => number
  #handed_at: number | undefined
  #handed = 0
  /** Time since the window began, in milliseconds. */
  #took_ms = 0
  #bytes = 0
  /** Whether the client was too slow in the last window. */
  #isSlow = false

  constructor(bounds: Pick<ExportBounds, 'patience_ms' | 'pace'>, now: () => number) {
    this.#bounds = bounds
    this.#now = now
  }

  hand(bytes: number): void {
    this.#handed_at = this.#now()
    this.#handed = bytes
  }

  taken(): void {
    this.#took_ms += this.waited_ms
    this.#bytes += this.#handed
    this.#handed_at = undefined
    if (this.#took_ms < this.#bounds.pace.over_ms) return
    this.#isSlow = this.#isBelowPace(this.#took_ms)
    this.#took_ms = 0
    this.#bytes = 0
  }

  /** Returns the milliseconds since the client got the last piece, or 0 if it has read it. */
  get waited_ms(): number {
    return this.#handed_at === undefined ? 0 : this.#now() - this.#handed_at
  }

  /** Whether the export can lose its slot to another. */
  get isTooSlow(): boolean {
    const { patience_ms, pace } = this.#bounds
    const took_ms = this.#took_ms + this.waited_ms
    return this.#isSlow || this.waited_ms >= patience_ms || (took_ms >= pace.over_ms && this.#isBelowPace(took_ms))
  }

  #isBelowPace(took_ms: number): boolean {
    return this.#bytes < (this.#bounds.pace.bytes_per_sec * took_ms) / 1000
  }
}

export class ExportQueue {
  readonly #bounds: ExportBounds
  readonly #reads: FairQueue
  readonly #held = new Set<RunningExport>()
  readonly #heldOf = new Map<number, number>()
  /** Waiting exports by organisation, in the order of their turns. */
  readonly #waiting = new Map<number, Waiter[]>()
  #waitingCount = 0
  readonly #now: () => number

  /** Creates the queue. `now` returns the milliseconds of a clock that only goes forward. */
  constructor(bounds: ExportBounds, now = () => performance.now()) {
    this.#bounds = bounds
    this.#now = now
    this.#reads = new FairQueue({ at_once: bounds.reads, of_client: bounds.reads_of_org })
  }

  /** Returns the number of exports in progress and of those that wait. */
  state(): { running: number; waiting: number } {
    return { running: this.#held.size, waiting: this.#waitingCount }
  }

  /**
   * Waits for a slot for an export of this organisation. Refuses with 429 if too many of its exports wait already, and with 503
   * if too many wait in all or the wait takes too long. `signal` aborts when the client disconnects.
   */
  async enter(org_id: number, signal?: AbortSignal): Promise<ExportPlace> {
    if (this.#hasPlaceFor(org_id)) return this.#take(org_id)
    const line = this.#waiting.get(org_id) ?? []
    if (line.length >= this.#bounds.waiting_of_org) {
      throw new DomainError(
        'limited',
        'this organisation already has too many exports waiting; try again later',
        RETRY_SEC,
      )
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
      else {
        signal?.addEventListener('abort', left)
        this.#cutOne()
      }
    })
  }

  #hasPlaceFor(org_id: number): boolean {
    return this.#held.size < this.#bounds.most && (this.#heldOf.get(org_id) ?? 0) < this.#bounds.most_of_org
  }

  #take(org_id: number): ExportPlace {
    const reading = new ReadingSpeed(this.#bounds, this.#now)
    const held: RunningExport = { org_id, reading, cut: () => {} }
    this.#held.add(held)
    this.#count(org_id, 1)
    const key = String(org_id)
    return {
      read: (work) => this.#reads.run({ network: key, client: key }, work),
      hand: (bytes) => reading.hand(bytes),
      taken: () => reading.taken(),
      onCut: (cut) => (held.cut = cut),
      leave: () => {
        if (!this.#held.delete(held)) return
        this.#count(org_id, -1)
        this.#letIn()
      },
    }
  }

  /** Starts an export of the organisation whose turn it is, and moves the organisation to the end of the line. */
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

  /**
   * Ends an export whose client reads too slowly, if another could use its slot. Begins with the one that has waited for its
   * client longest.
   */
  #cutOne(): void {
    const [slowest] = [...this.#held]
      .filter((held) => held.reading.isTooSlow && this.#isWanted(held))
      .sort((a, b) => b.reading.waited_ms - a.reading.waited_ms)
    slowest?.cut()
  }

  /** Whether a waiting export could start if this one ended. */
  #isWanted({ org_id }: RunningExport): boolean {
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
