// Starts each check in its slots: one heap, one timer, never two runs of one check at once, and no start that is too
// late.
import { DueHeap } from './due-heap.ts'
import { Pacer } from './pacer.ts'
import { nextSlot, type Slot, type Turn } from './rotation.ts'

/** What costs a start: a TLS handshake or none. */
export type Cost = 'tls' | 'plain'

export interface Planned {
  guid: string
  turn: Turn
  cost: Cost
}

/** Why a slot was skipped. */
export type Skipped = 'running' | 'late' | 'full'

export interface ScheduleOptions {
  /** Server time in milliseconds; it may be set back or forward. */
  now: () => number
  /** Calls `fire` once after `ms` milliseconds, and returns what calls it off. */
  timer: (fire: () => void, ms: number) => () => void
  /** Runs a check to its end. It does not reject. */
  run: (guid: string, isAsked?: boolean) => Promise<void>
  onStart?: (late_ms: number) => void
  onSkip?: (why: Skipped) => void
  in_flight_max?: number
}

export const STARTS_PER_SEC = { tls: 250, plain: 500 } as const satisfies Record<Cost, number>
const IN_FLIGHT_MAX = 2000
/**
 * A start that is later than a twentieth of the interval (between these limits), or than half of it, would break the
 * rhythm of the slots. When there is more to do than time, starts become as late as this allows, and the same number is
 * skipped whatever the limit; a higher limit lets a machine that stood still for a moment catch up.
 */
const LATE_MIN_MS = 1000
const LATE_MAX_MS = 5000
/** The timer checks again after this long even when nothing is due: the server's time may have been set forward. */
const LOOK_AGAIN_MS = 1000

interface Entry extends Planned {
  slot: Slot
  /** The number of the last slot that was run or skipped. */
  last: number | undefined
}

export class Schedule {
  readonly #options: ScheduleOptions
  readonly #entries = new Map<string, Entry>()
  readonly #due = new DueHeap<Entry>()
  readonly #running = new Set<string>()
  readonly #pacers = { tls: new Pacer(STARTS_PER_SEC.tls), plain: new Pacer(STARTS_PER_SEC.plain) }
  readonly #waiting: Record<Cost, Entry[]> = { tls: [], plain: [] }
  #cancelTimer: (() => void) | undefined
  #stopped = false

  constructor(options: ScheduleOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#entries.size
  }

  get inFlight(): number {
    return this.#running.size
  }

  /** From now on exactly these checks are run. One whose turn is as it was keeps its place. */
  plan(checks: Iterable<Planned>): void {
    const now = this.#options.now()
    const gone = new Set(this.#entries.keys())
    for (const planned of checks) {
      gone.delete(planned.guid)
      const held = this.#entries.get(planned.guid)
      if (held && held.cost === planned.cost && isSameTurn(held.turn, planned.turn)) continue
      this.#enter(planned, now, held && lastSlot(held, planned.turn))
    }
    for (const guid of gone) this.#entries.delete(guid)
    this.#arm()
  }

  /** The time was corrected: every check waits for its next slot by the new time. */
  timeWasSet(): void {
    const now = this.#options.now()
    for (const entry of [...this.#entries.values()]) this.#enter(entry, now, entry.last)
    this.#arm()
  }

  /** Starts nothing more. */
  stop(): void {
    this.#stopped = true
    this.#cancelTimer?.()
  }

  /**
   * Runs a check now, out of turn. When it is being run or about to be, that run is the one: it is never run twice at once. False
   * when it is not in the schedule, or there is too much to do.
   */
  runNow(guid: string): boolean {
    if (this.#stopped || !this.#entries.has(guid)) return false
    if (this.#running.has(guid)) return true
    if (this.#isFull) return false
    this.#running.add(guid)
    void this.#options.run(guid, true).finally(() => this.#running.delete(guid))
    return true
  }

  get #isFull(): boolean {
    return this.#running.size >= (this.#options.in_flight_max ?? IN_FLIGHT_MAX)
  }

  #enter({ guid, turn, cost }: Planned, now: number, last: number | undefined): void {
    const entry = { guid, turn, cost, slot: nextSlot(turn, now, last), last }
    this.#due.push(entry.slot.at, entry)
    // Heap entries of replaced checks are skipped when they come up.
    this.#entries.set(guid, entry)
  }

  #arm(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    const wait = Math.min(this.#untilDue(), this.#untilPaced())
    if (this.#stopped || wait === Number.POSITIVE_INFINITY) return
    this.#cancelTimer = this.#options.timer(() => this.#tick(), Math.min(LOOK_AGAIN_MS, Math.max(0, wait)))
  }

  #untilDue(): number {
    const at = this.#due.firstAt()
    return at === undefined ? Number.POSITIVE_INFINITY : at - this.#options.now()
  }

  #untilPaced(): number {
    return this.#waiting.tls.length + this.#waiting.plain.length > 0 ? 1 : Number.POSITIVE_INFINITY
  }

  #tick(): void {
    const now = this.#options.now()
    for (let at = this.#due.firstAt(); at !== undefined && at <= now; at = this.#due.firstAt()) {
      const entry = this.#due.pop()
      if (entry && this.#entries.get(entry.guid) === entry) this.#comeUp(entry, now)
    }
    this.#startWaiting('tls', now)
    this.#startWaiting('plain', now)
    this.#arm()
  }

  /** The slot of `entry` has begun: it runs as soon as there is room, or is skipped, and its next one is planned. */
  #comeUp(entry: Entry, now: number): void {
    const why = this.#whySkip(entry, now)
    if (why) this.#options.onSkip?.(why)
    else {
      this.#running.add(entry.guid)
      this.#waiting[entry.cost].push(entry)
    }
    this.#enter(entry, now, entry.slot.number)
  }

  #whySkip(entry: Entry, now: number): Skipped | undefined {
    if (now - entry.slot.at > lateMax(entry.turn)) return 'late'
    if (this.#running.has(entry.guid)) return 'running'
    return this.#isFull ? 'full' : undefined
  }

  #startWaiting(cost: Cost, now: number): void {
    const waiting = this.#waiting[cost]
    let started = 0
    for (const entry of waiting) {
      const why = this.#whyDrop(entry, now)
      if (why === undefined && this.#pacers[cost].take(now) > 0) break
      started += 1
      if (why === undefined) this.#start(entry, now)
      else {
        this.#running.delete(entry.guid)
        if (why === 'late') this.#options.onSkip?.(why)
      }
    }
    waiting.splice(0, started)
  }

  /** A check may be taken away, and its time run out, while it waits for its start. */
  #whyDrop(entry: Entry, now: number): 'late' | 'gone' | undefined {
    if (!this.#entries.has(entry.guid)) return 'gone'
    return now - entry.slot.at > lateMax(entry.turn) ? 'late' : undefined
  }

  #start(entry: Entry, now: number): void {
    this.#options.onStart?.(now - entry.slot.at)
    void this.#options.run(entry.guid).finally(() => this.#running.delete(entry.guid))
  }
}

function lateMax({ interval_ms }: Turn): number {
  return Math.min(LATE_MAX_MS, Math.max(interval_ms / 20, Math.min(LATE_MIN_MS, interval_ms / 2)))
}

function isSameTurn(a: Turn, b: Turn): boolean {
  return a.interval_ms === b.interval_ms && a.count === b.count && a.rank === b.rank
}

/** The last slot that was run or let pass, if the new turn counts the same slots. */
function lastSlot({ turn, last }: Entry, { interval_ms }: Turn): number | undefined {
  return turn.interval_ms === interval_ms ? last : undefined
}
