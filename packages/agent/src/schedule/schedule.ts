// Starts each check in its slots, with one heap and one timer. Never runs a check twice at once, and never starts too late.
import type { Check } from '@dogwatch/monitor-sdk'
import { nextSlot, type Slot, type Turn } from '@dogwatch/monitor-sdk/agent'
import { DueHeap } from './due-heap.ts'
import { isRunForEdit } from './edits.ts'
import { Pacer } from './pacer.ts'

/** Cost of starting a run: with a TLS handshake or without. */
export type Cost = 'tls' | 'plain'

export interface PlannedCheck {
  guid: string
  turn: Turn
  cost: Cost
  /** Maximum duration of a run, in milliseconds. Absent if unknown; then no run is made between the slots. */
  lasts_ms?: number
  /** Definition to run. If absent, edits are not noticed. */
  check?: Check
}

/** Reason for a skipped slot. */
export type SkipReason = 'running' | 'late' | 'full'

export interface ScheduleOptions {
  /** Returns the server time, in milliseconds. It can jump forward or back. */
  now: () => number
  /** Calls `fire` once after `ms` milliseconds, and returns a function that cancels it. */
  timer: (fire: () => void, ms: number) => () => void
  /** Runs a check to its end. Does not reject. */
  run: (guid: string, isAsked?: boolean) => Promise<void>
  onStart?: (late_ms: number) => void
  onSkip?: (why: SkipReason) => void
  onRetry?: () => void
  /** Runs when a scheduled retry is cancelled, so that the previous failure counts. */
  onNoRetry?: (guid: string) => void
  in_flight_max?: number
}

export const STARTS_PER_SEC = { tls: 250, plain: 500 } as const satisfies Record<Cost, number>
const IN_FLIGHT_MAX = 2000
/**
 * Minimum and maximum of the delay after which a run no longer starts, in milliseconds. In between, the delay is a twentieth of
 * the interval, and never more than half of it.
 */
const LATE_MIN_MS = 1000
const LATE_MAX_MS = 5000
/** Maximum delay of a run whose slot became this monitor's when the turns changed, in milliseconds. */
const TAKEN_LATE_MS = 5000
/**
 * Time before a change of turns, in milliseconds. If a slot began in this time, its result may be missing, because its monitor
 * left.
 */
const BEFORE_CHANGE_MS = 2000
/**
 * Maximum wait until the schedule looks for due runs again, in milliseconds, because the server time may have been set forward.
 */
const LOOK_AGAIN_MS = 1000
/** Time to reserve after a failed run, in milliseconds, for a test whether this machine is offline. */
const AFTER_RUN_MS = 2000

interface Entry extends PlannedCheck {
  slot: Slot
  /** Maximum delay of a run in this slot, in milliseconds. */
  late_max_ms: number
  /** Number of the last slot that was run or skipped. */
  last: number | undefined
}

/** A run between the slots: a retry, or a run of an edited definition. */
interface Extra {
  guid: string
  why: 'retry' | 'edit'
}

/** A run that waits for its start. */
interface Start {
  entry: Entry
  /** Run between the slots. Absent for the run of a slot. */
  extra?: Extra
}

export class Schedule {
  readonly #options: ScheduleOptions
  readonly #entries = new Map<string, Entry>()
  readonly #extras = new Map<string, Extra>()
  readonly #due = new DueHeap<Entry | Extra>()
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

  /** Runs exactly these checks from now on. A check with an unchanged turn keeps its slots, and an edited check runs at once. */
  plan(checks: Iterable<PlannedCheck>): void {
    const now = this.#options.now()
    const gone = new Set(this.#entries.keys())
    for (const planned of checks) {
      gone.delete(planned.guid)
      const held = this.#entries.get(planned.guid)
      if (!held || !isSamePlan(held, planned)) this.#takeOver(planned, now, held)
      if (!held || !planned.check) continue
      const { check } = held
      this.#define(planned.guid, planned.check)
      if (check && isRunForEdit(check, planned.check, planned.turn)) this.#runSoon(planned.guid, now)
    }
    for (const guid of gone) {
      this.#entries.delete(guid)
      this.#giveUp(guid)
    }
    this.#arm()
  }

  /** Reschedules every check after a correction of the time. */
  timeWasSet(): void {
    const now = this.#options.now()
    for (const entry of [...this.#entries.values()]) this.#enter(entry, now, entry.last)
    this.#giveUpAll()
    this.#arm()
  }

  /** Starts no more runs from now on. */
  stop(): void {
    this.#stopped = true
    this.#cancelTimer?.()
    this.#giveUpAll()
  }

  /**
   * Schedules a retry of a check after this time. Returns false if the retry could last until the next slot, because the run of a
   * slot has precedence.
   */
  retry(guid: string, after_ms: number): boolean {
    const entry = this.#entries.get(guid)
    const at = this.#options.now() + after_ms
    if (this.#stopped || !entry || !fitsIn(entry, at)) return false
    // A retry must not replace the run of an edited definition, because the failure was one of the earlier definition.
    if (this.#extras.get(guid)?.why === 'edit') return false
    this.#add({ guid, why: 'retry' }, at)
    this.#arm()
    return true
  }

  /**
   * Runs a check now, in place of a waiting retry. A run in progress or about to start counts, too. Returns false if the check is
   * not in the schedule, or too many runs are in progress.
   */
  runNow(guid: string): boolean {
    if (this.#stopped || !this.#entries.has(guid)) return false
    if (this.#running.has(guid)) return true
    if (this.#isFull) return false
    this.#extras.delete(guid)
    this.#running.add(guid)
    void this.#options.run(guid, true).finally(() => this.#running.delete(guid))
    return true
  }

  get #isFull(): boolean {
    return this.#running.size >= (this.#options.in_flight_max ?? IN_FLIGHT_MAX)
  }

  /**
   * Adds a check with a new turn. If the change gave this monitor a slot that has just begun, runs it late, because the other
   * monitor may have left.
   */
  #takeOver(planned: PlannedCheck, now: number, held: Entry | undefined): void {
    const last = held && lastSlot(held, planned.turn)
    this.#enter(planned, now, last, slotTakenOver(planned, now, held))
  }

  #enter(planned: PlannedCheck, now: number, last: number | undefined, taken?: Slot): void {
    const { turn } = planned
    const late_max_ms = taken ? TAKEN_LATE_MS + lateMax(turn) : lateMax(turn)
    const entry = { ...planned, slot: taken ?? nextSlot(turn, now, last), late_max_ms, last }
    this.#due.push(entry.slot.at, entry)
    // Heap entries of replaced checks are skipped when they are due.
    this.#entries.set(planned.guid, entry)
  }

  /** Sets the definition of an entry that keeps its position in the heap. */
  #define(guid: string, check: Check): void {
    const entry = this.#entries.get(guid)
    if (entry) entry.check = check
  }

  /** Schedules the run of an edited definition, in place of a retry of the earlier definition. */
  #runSoon(guid: string, at: number): void {
    this.#giveUp(guid)
    this.#add({ guid, why: 'edit' }, at)
  }

  #add(extra: Extra, at: number): void {
    this.#extras.set(extra.guid, extra)
    this.#due.push(at, extra)
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
      if (due && 'why' in due) this.#comeBetween(due, now)
      else if (due && this.#entries.get(due.guid) === due) this.#comeUp(due, now)
    }
    this.#startWaiting('tls', now)
    this.#startWaiting('plain', now)
    this.#arm()
  }

  /** Queues the run of a slot that has begun, or skips it, and schedules the next slot. */
  #comeUp(entry: Entry, now: number): void {
    const why = this.#whySkip(entry, now)
    if (why) this.#options.onSkip?.(why)
    else {
      this.#running.add(entry.guid)
      this.#waiting[entry.cost].push({ entry })
    }
    this.#enter(entry, now, entry.slot.number)
  }

  /** Queues a run between the slots, unless it was cancelled or replaced by a requested run. */
  #comeBetween(extra: Extra, now: number): void {
    const { guid, why } = extra
    if (this.#extras.get(guid) !== extra) return
    const entry = this.#entries.get(guid)
    if (!entry || this.#isFull || !fitsIn(entry, now)) return this.#giveUp(guid)
    if (this.#running.has(guid)) return why === 'edit' ? this.#add(extra, now + LOOK_AGAIN_MS) : this.#giveUp(guid)
    this.#running.add(guid)
    this.#waiting[entry.cost].push({ entry, extra })
  }

  #giveUp(guid: string): void {
    const extra = this.#extras.get(guid)
    this.#extras.delete(guid)
    if (extra?.why === 'retry') this.#options.onNoRetry?.(guid)
  }

  #giveUpAll(): void {
    for (const guid of [...this.#extras.keys()]) this.#giveUp(guid)
  }

  #whySkip(entry: Entry, now: number): SkipReason | undefined {
    if (now - entry.slot.at > entry.late_max_ms) return 'late'
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

  /** Returns why a run that waits for its start is dropped: the check is gone, or it would start too late. */
  #whyDrop({ entry, extra }: Start, now: number): 'late' | 'gone' | undefined {
    const current = this.#entries.get(entry.guid)
    if (!current) return 'gone'
    if (extra) return this.#extras.get(entry.guid) === extra && fitsIn(current, now) ? undefined : 'late'
    return now - entry.slot.at > entry.late_max_ms ? 'late' : undefined
  }

  #drop({ entry, extra }: Start, why: 'late' | 'gone'): void {
    this.#running.delete(entry.guid)
    if (extra === undefined) {
      if (why === 'late') this.#options.onSkip?.(why)
    } else if (this.#extras.get(entry.guid) === extra) this.#giveUp(entry.guid)
  }

  #start({ entry, extra }: Start, now: number): void {
    const { guid, slot } = entry
    this.#extras.delete(guid)
    if (extra?.why === 'retry') this.#options.onRetry?.()
    else if (!extra) this.#options.onStart?.(now - slot.at)
    void this.#options.run(guid).finally(() => this.#running.delete(guid))
  }
}

/** Whether a run that begins at `at` ends before the next slot. */
function fitsIn({ slot, lasts_ms }: Entry, at: number): boolean {
  return lasts_ms !== undefined && at + lasts_ms + AFTER_RUN_MS <= slot.at
}

/**
 * Returns the slot that has just begun and that a change of turns gave to this monitor. A slot that began well before the change
 * belongs to the earlier turns.
 */
function slotTakenOver({ turn, check }: PlannedCheck, now: number, held: Entry | undefined): Slot | undefined {
  const since = Date.parse(check?.updated_at ?? '') - BEFORE_CHANGE_MS
  const from = Math.max(since, now - Math.min(TAKEN_LATE_MS, turn.interval_ms / 2))
  const isOtherInterval = held !== undefined && held.turn.interval_ms !== turn.interval_ms
  // A check that this agent did not have before, and that did not change lately, shows that the agent has just started.
  const isOld = held === undefined && from > since
  if (Number.isNaN(from) || isOtherInterval || isOld) return undefined
  const slot = nextSlot(turn, from - 1, held?.last)
  return slot.at <= now ? slot : undefined
}

function lateMax({ interval_ms }: Turn): number {
  return Math.min(LATE_MAX_MS, Math.max(interval_ms / 20, Math.min(LATE_MIN_MS, interval_ms / 2)))
}

function isSamePlan(a: PlannedCheck, b: PlannedCheck): boolean {
  return isSameTurn(a.turn, b.turn) && a.cost === b.cost && a.lasts_ms === b.lasts_ms
}

function isSameTurn(a: Turn, b: Turn): boolean {
  return a.interval_ms === b.interval_ms && a.count === b.count && a.rank === b.rank
}

/** Returns the number of the last slot that was run or skipped, if the slots of the new turn have the same numbers. */
function lastSlot({ turn, last }: Entry, { interval_ms }: Turn): number | undefined {
  return turn.interval_ms === interval_ms ? last : undefined
}
