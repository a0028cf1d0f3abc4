// Starts each check in its slots: one heap, one timer, never two runs of one check at once, and no start that is too
// late.
import { DueHeap } from './due-heap.ts'
import { Pacer } from './pacer.ts'
import { nextSlot, type Slot, type Turn } from '@dogwatch/monitor-sdk/agent'

/** What costs a start: a TLS handshake or none. */
export type Cost = 'tls' | 'plain'

export interface Planned {
  guid: string
  turn: Turn
  cost: Cost
  /** How long a run lasts at most. Absent: nobody knows, so none is made between the slots. */
  lasts_ms?: number
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
  onRetry?: () => void
  /** A retry that was planned is not made: the failure before it counts. */
  onNoRetry?: (guid: string) => void
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
/** What may follow a run that failed: a look at whether this machine is offline. */
const AFTER_RUN_MS = 2000

interface Entry extends Planned {
  slot: Slot
  /** The number of the last slot that was run or skipped. */
  last: number | undefined
}

/** A run between the slots: an earlier one failed. */
interface Retry {
  guid: string
  isRetry: true
}

/** What waits for its start. */
interface Start {
  entry: Entry
  isRetry: boolean
}

export class Schedule {
  readonly #options: ScheduleOptions
  readonly #entries = new Map<string, Entry>()
  readonly #retries = new Map<string, Retry>()
  readonly #due = new DueHeap<Entry | Retry>()
  readonly #running = new Set<string>()
  readonly #pacers = { tls: new Pacer(STARTS_PER_SEC.tls), plain: new Pacer(STARTS_PER_SEC.plain) }
  readonly #waiting: Record<Cost, Start[]> = { tls: [], plain: [] }
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
      if (held && isSamePlan(held, planned)) continue
      this.#enter(planned, now, held && lastSlot(held, planned.turn))
    }
    for (const guid of gone) {
      this.#entries.delete(guid)
      this.#giveUp(guid)
    }
    this.#arm()
  }

  /** The time was corrected: every check waits for its next slot by the new time. */
  timeWasSet(): void {
    const now = this.#options.now()
    for (const entry of [...this.#entries.values()]) this.#enter(entry, now, entry.last)
    this.#giveUpAll()
    this.#arm()
  }

  /** Starts nothing more. */
  stop(): void {
    this.#stopped = true
    this.#cancelTimer?.()
    this.#giveUpAll()
  }

  /**
   * Runs a check once more after this time. False, and nothing is planned, when that run could last until the next slot: a
   * slot is never missed for a retry.
   */
  retry(guid: string, after_ms: number): boolean {
    const entry = this.#entries.get(guid)
    const at = this.#options.now() + after_ms
    if (this.#stopped || !entry || !fitsIn(entry, at)) return false
    const retry: Retry = { guid, isRetry: true }
    this.#retries.set(guid, retry)
    this.#due.push(at, retry)
    this.#arm()
    return true
  }

  /**
   * Runs a check now, out of turn. When it is being run or about to be, that run is the one: it is never run twice at once. It takes
   * the place of a retry that waits. False when the check is not in the schedule, or there is too much to do.
   */
  runNow(guid: string): boolean {
    if (this.#stopped || !this.#entries.has(guid)) return false
    if (this.#running.has(guid)) return true
    if (this.#isFull) return false
    this.#retries.delete(guid)
    this.#running.add(guid)
    void this.#options.run(guid, true).finally(() => this.#running.delete(guid))
    return true
  }

  get #isFull(): boolean {
    return this.#running.size >= (this.#options.in_flight_max ?? IN_FLIGHT_MAX)
  }

  #enter(planned: Planned, now: number, last: number | undefined): void {
    const entry = { ...planned, slot: nextSlot(planned.turn, now, last), last }
    this.#due.push(entry.slot.at, entry)
    // Heap entries of replaced checks are skipped when they come up.
    this.#entries.set(planned.guid, entry)
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
      const due = this.#due.pop()
      if (due && 'isRetry' in due) this.#retryNow(due, now)
      else if (due && this.#entries.get(due.guid) === due) this.#comeUp(due, now)
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
      this.#waiting[entry.cost].push({ entry, isRetry: false })
    }
    this.#enter(entry, now, entry.slot.number)
  }

  /** The time of a retry has come, unless it was given up or an asked run has taken its place. */
  #retryNow(retry: Retry, now: number): void {
    const { guid } = retry
    if (this.#retries.get(guid) !== retry) return
    const entry = this.#entries.get(guid)
    if (!entry || this.#isFull || this.#running.has(guid) || !fitsIn(entry, now)) return this.#giveUp(guid)
    this.#running.add(guid)
    this.#waiting[entry.cost].push({ entry, isRetry: true })
  }

  #giveUp(guid: string): void {
    if (this.#retries.delete(guid)) this.#options.onNoRetry?.(guid)
  }

  #giveUpAll(): void {
    for (const guid of [...this.#retries.keys()]) this.#giveUp(guid)
  }

  #whySkip(entry: Entry, now: number): Skipped | undefined {
    if (now - entry.slot.at > lateMax(entry.turn)) return 'late'
    if (this.#running.has(entry.guid)) return 'running'
    return this.#isFull ? 'full' : undefined
  }

  #startWaiting(cost: Cost, now: number): void {
    const waiting = this.#waiting[cost]
    let started = 0
    for (const start of waiting) {
      const why = this.#whyDrop(start, now)
      if (why === undefined && this.#pacers[cost].take(now) > 0) break
      started += 1
      if (why === undefined) this.#start(start, now)
      else this.#drop(start, why)
    }
    waiting.splice(0, started)
  }

  /** A check may be taken away, and its time run out, while it waits for its start. */
  #whyDrop({ entry, isRetry }: Start, now: number): 'late' | 'gone' | undefined {
    const current = this.#entries.get(entry.guid)
    if (!current) return 'gone'
    if (isRetry) return this.#retries.has(entry.guid) && fitsIn(current, now) ? undefined : 'late'
    return now - entry.slot.at > lateMax(entry.turn) ? 'late' : undefined
  }

  #drop({ entry, isRetry }: Start, why: 'late' | 'gone'): void {
    this.#running.delete(entry.guid)
    if (isRetry) this.#giveUp(entry.guid)
    else if (why === 'late') this.#options.onSkip?.(why)
  }

  #start({ entry, isRetry }: Start, now: number): void {
    const { guid, slot } = entry
    this.#retries.delete(guid)
    if (isRetry) this.#options.onRetry?.()
    else this.#options.onStart?.(now - slot.at)
    void this.#options.run(guid).finally(() => this.#running.delete(guid))
  }
}

/** Whether a run that begins then is over before the next slot. */
function fitsIn({ slot, lasts_ms }: Entry, at: number): boolean {
  return lasts_ms !== undefined && at + lasts_ms + AFTER_RUN_MS <= slot.at
}

function lateMax({ interval_ms }: Turn): number {
  return Math.min(LATE_MAX_MS, Math.max(interval_ms / 20, Math.min(LATE_MIN_MS, interval_ms / 2)))
}

function isSamePlan(a: Planned, b: Planned): boolean {
  return isSameTurn(a.turn, b.turn) && a.cost === b.cost && a.lasts_ms === b.lasts_ms
}

function isSameTurn(a: Turn, b: Turn): boolean {
  return a.interval_ms === b.interval_ms && a.count === b.count && a.rank === b.rank
}

/** The last slot that was run or let pass, if the new turn counts the same slots. */
function lastSlot({ turn, last }: Entry, { interval_ms }: Turn): number | undefined {
  return turn.interval_ms === interval_ms ? last : undefined
}
