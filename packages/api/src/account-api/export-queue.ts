// Queues exports: organisations take turns, and each gets a limited share of the slots.

import { DomainError } from '@dogwatch/domain/errors'
import { FairQueue, type Origin, QueueFault } from '@dogwatch/runtime/fair-queue'
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
  /** Time in milliseconds without reading after which a client loses its slot if another export needs one. */
  patience_ms: number
  /**
   * Minimum reading speed of a client that keeps its slot, in bytes a second of the uncompressed document. Measured over
   * `over_ms`, without times when the client waits for the server.
   */
  pace: { bytes_per_sec: number; over_ms: number }
  /** Maximum number of pages to read from the database at once, in all and for one organisation. */
  reads: number
  reads_of_org: number
}

/** Returns the limits for a pool size. Reads use about half of the pool, because other requests also need connections. */
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

/**
 * Retry time of refused exports, in seconds. The rate limit allows a token one export a minute, so it does not refuse the retry.
 */
const RETRY_SEC = 60
/** Interval between two searches for stalled clients while an export waits. */
const LOOK_MS = 1000

/** Slot of one export. */
export interface ExportPlace {
  /** Reads from the database when it is the turn of the export's organisation. */
  read<T>(work: () => Promise<T>): Promise<T>
  /** Reports that a piece of this size was passed to the client. `taken` reports that the client has read it. */
  hand(bytes: number): void
  taken(): void
  /** Sets the function that ends the export. The queue calls it if the export loses its slot. */
  onCut(cut: () => void): void
  /** Frees the slot. Further calls do nothing. */
  leave(): void
}

interface RunningExport {
  origin: Origin
  reading: ReadingSpeed
  cut: () => void
}

/** Reading speed of a client. The measurement excludes times when the client waits for the server. */
class ReadingSpeed {
  readonly #bounds: Pick<ExportBounds, 'patience_ms' | 'pace'>
  readonly #now: () => number
  #handed_at: number | undefined
  #handed = 0
  /** Time since the present measurement began, in milliseconds. */
  #took_ms = 0
  #bytes = 0
  /** Whether the client was too slow in the last measurement. */
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

  /** Returns the milliseconds since the client got the last piece, or 0 if the client has read it. */
  get waited_ms(): number {
    return this.#handed_at === undefined ? 0 : this.#now() - this.#handed_at
  }

  /** Whether the export can lose its slot to another export, because its client is too slow. */
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
  readonly #slots: FairQueue
  readonly #reads: FairQueue
  readonly #running = new Set<RunningExport>()
  readonly #now: () => number

  /** Creates the queue. `now` returns the milliseconds of a clock that never goes back. */
  constructor(bounds: ExportBounds, now = () => performance.now()) {
    const { most: at_once, most_of_org: of_client, waiting, waiting_of_org: waiting_of_client } = bounds
    this.#bounds = bounds
    this.#now = now
    this.#slots = new FairQueue({ at_once, of_client, waiting, waiting_of_client })
    this.#reads = new FairQueue({ at_once: bounds.reads, of_client: bounds.reads_of_org })
  }

  /** Returns the number of exports in progress and of those that wait. */
  state(): { running: number; waiting: number } {
    return this.#slots.state()
  }

  /**
   * Waits for a slot for an export. Refuses with 429 if too many exports of the organisation are waiting, and with 503 if too many
   * are waiting in all or the wait takes too long. `signal` aborts when the client disconnects.
   */
  async enter(org_id: number, signal?: AbortSignal): Promise<ExportPlace> {
    const origin = { client: String(org_id) }
    const { wait_ms, patience_ms } = this.#bounds
    const entering = this.#slots.enter(origin, { wait_ms, given_up: signal })
    this.#cutOne()
    const look = setInterval(() => this.#cutOne(), Math.min(LOOK_MS, patience_ms)).unref()
    try {
      return this.#open(origin, await entering)
    } catch (error) {
      throw error instanceof QueueFault ? refusalOf(error) : error
    } finally {
      clearInterval(look)
    }
  }

  #open(origin: Origin, leave: () => void): ExportPlace {
    const reading = new ReadingSpeed(this.#bounds, this.#now)
    const running: RunningExport = { origin, reading, cut: () => {} }
    this.#running.add(running)
    return {
      read: (work) => this.#reads.run(origin, work),
      hand: (bytes) => reading.hand(bytes),
      taken: () => reading.taken(),
      onCut: (cut) => (running.cut = cut),
      leave: () => {
        this.#running.delete(running)
        leave()
      },
    }
  }

  /**
   * Ends an export whose client reads too slowly, if another export could use its slot. Chooses the client that has not read for
   * longest.
   */
  #cutOne(): void {
    const [slowest] = [...this.#running]
      .filter(({ reading, origin }) => reading.isTooSlow && this.#slots.isWanted(origin))
      .sort((a, b) => b.reading.waited_ms - a.reading.waited_ms)
    slowest?.cut()
  }
}

function refusalOf(fault: QueueFault): Error {
  if (fault.reason === 'given up') return fault
  const line = 'this organisation already has too many exports waiting; try again later'
  if (fault.reason === 'excess') return new DomainError('limited', line, RETRY_SEC)
  return new HttpError(503, OVERLOADED, { 'Retry-After': String(RETRY_SEC) })
}
