// Carries the database's time on with this process's monotonic clock, so that nothing depends on the wall clock of a
// machine. If the wall clock and the database disagree, one of them is wrong, and this process alone cannot know which.
import { bootMs, type Clock, MOST_SKEW_MS } from './clock.ts'
import { Standstill } from './standstill.ts'
import { describeTally, isWorthTelling, type Tally, Witnesses } from './witnesses.ts'

/** Difference between this machine's clock and the database's, in milliseconds, beyond which the log reports it. */
export const TOLD_SKEW_MS = 1_000
/** Minimum time in milliseconds that the database's clock must run steadily after a jump before this process trusts it. */
export const BELIEVED_AFTER_MS = 600_000
/**
 * Rate of small corrections, as a share of the elapsed time. During a correction, the clock runs a tenth faster or slower, and
 * never goes back.
 */
const SLEW = 0.1
const SAMPLES = 8
/** Maximum drift between two good clocks, as a share of the time. */
const DRIFT = 0.001
/**
 * Minimum change of the measured sleep, in milliseconds. Sleep is measured in hundredths of a second, so smaller changes are
 * noise.
 */
const ASLEEP_MS = 100

/** The machine's own clocks, in milliseconds. */
export interface Sources {
  wallMs(): number
  monotonicMs(): number
  /** Returns milliseconds like the monotonic clock, but also counts sleep of the machine. */
  bootMs(): number
}

const MACHINE: Sources = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  bootMs,
}

/**
 * One response of the database with its time. `sent_ms` and `received_ms` are times of the query and the response by the monotonic
 * clock.
 */
export interface Sample {
  sent_ms: number
  received_ms: number
  database_ms: number
}

/** State of the clock, with reasons in words for an operator. */
export interface ClockState {
  /** This machine's clock minus the database's, in milliseconds. */
  skew_ms: number
  /** Size of a jump of the database's clock that is not trusted yet, in milliseconds. Undefined if there is none. */
  jump_ms: number | undefined
  /** Reason for not trusting the time. Undefined while it is trusted. */
  doubt: string | undefined
  /**
   * Text for the log about a difference of more than a second between this machine's clock and the database's. The time can still
   * be trusted.
   */
  note: string | undefined
  /**
   * Text for the log about clocks of other processes and monitors that disagree with the database's. The time can still be
   * trusted.
   */
  others: string | undefined
  tally: Tally
}

/** Report of a process about its clocks, for the other processes. */
export interface ClockReport {
  /** Time that the process carries, in milliseconds. */
  carried_ms: number
  /** Clock of the process's machine minus the carried time, in milliseconds. */
  skew_ms: number
  /** Time since the carried time last changed by a jump, in milliseconds. */
  steady_ms: number
  isInDoubt: boolean
}

/** Bounds of the difference between the database's time and the monotonic clock, by one response. */
interface OffsetBounds {
  least: number
  most: number
  at_ms: number
}

interface Jump {
  bounds: OffsetBounds
  since_ms: number
}

export class DatabaseClock implements Clock {
  readonly #sources: Sources
  #samples: OffsetBounds[] = []
  /** Difference between carried time and monotonic clock at a moment. After that, it approaches `#target_ms`. */
  #base = { at_ms: 0, offset_ms: 0 }
  #target_ms = 0
  #asleep_ms: number
  #jump: Jump | undefined
  /** Whether the wall clock and the database's clock ever differed, so that they cannot be one clock. */
  #areTwo = false
  /** Time at which the database's clock last agreed with the carried time, in monotonic milliseconds. */
  #agreed_ms = 0
  /** Time of the last trusted jump, or of the first response, in monotonic milliseconds. */
  #begun_ms = 0
  readonly #standstill: Standstill
  readonly witnesses: Witnesses

  constructor(sources: Sources = MACHINE, witnesses = new Witnesses()) {
    this.#sources = sources
    this.witnesses = witnesses
    this.#asleep_ms = this.#readAsleep()
    this.#standstill = new Standstill(sources.bootMs())
  }

  // Arrow functions, because callers pass these functions on without the clock.
  readonly now = (): Date => {
    // Before the first response, there is only the wall clock.
    if (this.#samples.length === 0) return new Date(this.#sources.wallMs())
    const at_ms = this.#sources.monotonicMs()
    return new Date(at_ms + this.#offsetAt(at_ms))
  }

  readonly asTold = (): Date => new Date(this.now().getTime() + (this.#jumpMs() ?? 0))

  readonly monotonicMs = (): number => this.#sources.monotonicMs()

  readonly isTrusted = (): boolean => {
    return this.#samples.length > 0 && !this.#jump && Math.abs(this.#skewMs()) <= MOST_SKEW_MS
  }

  readonly heldMs = (): number => this.#standstill.heldMs(this.#sources.bootMs())

  readonly hear = (monitor_id: string, offset_ms: number, usual_ms: number): void => {
    this.witnesses.hear(monitor_id, { offset_ms, usual_ms, at_ms: this.#sources.monotonicMs() })
  }

  /** Returns the report for the other processes. Returns undefined before the first response. */
  report(): ClockReport | undefined {
    if (this.#samples.length === 0) return undefined
    const at_ms = this.#sources.monotonicMs()
    return {
      carried_ms: at_ms + this.#target_ms,
      skew_ms: this.#skewMs(),
      steady_ms: at_ms - this.#begun_ms,
      isInDoubt: !this.isTrusted(),
    }
  }

  /** Whether the database's clock has jumped and this process does not trust it yet. */
  get isParted(): boolean {
    return this.#jump !== undefined
  }

  /** Notices if the process stood still. The caller must call this function twice a second. */
  look(): void {
    this.#standstill.look(this.#sources.bootMs())
  }

  state(): ClockState {
    const skew_ms = this.#samples.length === 0 ? 0 : this.#skewMs()
    const jump_ms = this.#jumpMs()
    const tally = this.witnesses.tally(this.#sources.monotonicMs(), jump_ms ?? 0)
    const others = isWorthTelling(tally) ? describeTally(tally) : undefined
    const line = `this machine's clock is ${inWords(skew_ms)} the database clock`
    const note = Math.abs(skew_ms) > TOLD_SKEW_MS ? line : undefined
    if (this.#samples.length === 0) {
      return { skew_ms, jump_ms, doubt: 'the database clock has not been read yet', note, others, tally }
    }
    const apart = Math.abs(skew_ms) > MOST_SKEW_MS ? line : undefined
    const doubt = jump_ms === undefined ? apart : jumped(jump_ms, describeTally(tally))
    return { skew_ms, jump_ms, doubt, note, others, tally }
  }

  /** Processes a response of the database. */
  add(sample: Sample): void {
    this.#countSleep()
    const bounds: OffsetBounds = {
      least: sample.database_ms - sample.received_ms,
      most: sample.database_ms - sample.sent_ms,
      at_ms: sample.received_ms,
    }
    if (this.#samples.length === 0) this.#believe(bounds)
    else if (Math.abs(distance(this.#target_ms, bounds)) > MOST_SKEW_MS) this.#seeJump(bounds)
    else {
      this.#jump = undefined
      this.#join(bounds)
      this.#agree(bounds)
    }
    if (!this.#jump && Math.abs(this.#skewMs()) > MOST_SKEW_MS) this.#areTwo = true
  }

  /** Returns the size of a jump of the database's clock that is not trusted yet, or undefined if there is none. */
  #jumpMs(): number | undefined {
    return this.#jump && middleOf(this.#jump.bounds) - this.#target_ms
  }

  /** Returns the wall clock minus the carried time, at this moment. */
  #skewMs(): number {
    return this.#sources.wallMs() - this.#sources.monotonicMs() - this.#target_ms
  }

  #offsetAt(at_ms: number): number {
    const most = SLEW * Math.max(0, at_ms - this.#base.at_ms)
    return this.#base.offset_ms + clamp(this.#target_ms - this.#base.offset_ms, most)
  }

  /**
   * Adds a response that agrees with the carried time. Follows the response with the shortest round trip, because it is the most
   * precise.
   */
  #join(bounds: OffsetBounds): void {
    const fitting = this.#samples.filter((other) => fit(other, bounds))
    this.#samples = [bounds, ...fitting].slice(0, SAMPLES)
    const best = this.#samples.reduce((one, other) => (errorOf(other, bounds) < errorOf(one, bounds) ? other : one))
    this.#base = { at_ms: bounds.at_ms, offset_ms: this.#offsetAt(bounds.at_ms) }
    this.#target_ms = middleOf(best)
  }

  /** Trusts a response, even if the carried time jumps by that. */
  #believe(bounds: OffsetBounds): void {
    this.#jump = undefined
    this.#samples = [bounds]
    this.#target_ms = middleOf(bounds)
    this.#base = { at_ms: bounds.at_ms, offset_ms: this.#target_ms }
    this.#begun_ms = bounds.at_ms
    this.#agree(bounds)
  }

  #agree({ at_ms }: OffsetBounds): void {
    this.#agreed_ms = at_ms
    this.witnesses.agree()
  }

  /**
   * Handles a jump: someone set the database's clock, or this machine stood still. Trusts the new time if the wall clock agrees
   * and is known to be another clock, if other processes or monitors saw no jump, or if it has lasted for long.
   */
  #seeJump(bounds: OffsetBounds): void {
    const isSame = this.#jump && Math.abs(distance(middleOf(this.#jump.bounds), bounds)) <= TOLD_SKEW_MS
    const jump = this.#jump && isSame ? this.#jump : { bounds, since_ms: bounds.at_ms }
    this.#jump = jump
    jump.bounds = bounds
    const wall_offset = this.#sources.wallMs() - this.#sources.monotonicMs()
    const agrees = Math.abs(distance(wall_offset, bounds)) <= MOST_SKEW_MS
    if (!agrees) this.#areTwo = true
    const isLasting = bounds.at_ms - jump.since_ms >= BELIEVED_AFTER_MS
    const parting = { jump_ms: middleOf(bounds) - this.#target_ms, since_ms: bounds.at_ms - this.#agreed_ms }
    if ((agrees && this.#areTwo) || isLasting || this.witnesses.sayOursAlone(parting)) this.#believe(bounds)
  }

  /** Adds the machine's sleep to the carried time, because the monotonic clock stands still during sleep. */
  #countSleep(): void {
    const asleep_ms = this.#readAsleep()
    const passed = asleep_ms - this.#asleep_ms
    if (Math.abs(passed) < ASLEEP_MS) return
    this.#asleep_ms = asleep_ms
    this.#target_ms += passed
    this.#base.offset_ms += passed
    const shifted = ({ least, most, at_ms }: OffsetBounds) => ({ least: least + passed, most: most + passed, at_ms })
    this.#samples = this.#samples.map(shifted)
    if (this.#jump) this.#jump.bounds = shifted(this.#jump.bounds)
  }

  #readAsleep(): number {
    return this.#sources.bootMs() - this.#sources.monotonicMs()
  }
}

function middleOf({ least, most }: OffsetBounds): number {
  return (least + most) / 2
}

/** Returns how far an offset is outside of the bounds, or 0 if it is within them. */
function distance(offset_ms: number, { least, most }: OffsetBounds): number {
  if (offset_ms < least) return least - offset_ms
  return offset_ms > most ? most - offset_ms : 0
}

/** Whether two responses can come from one clock that was not set in between. */
function fit(older: OffsetBounds, newer: OffsetBounds): boolean {
  const drift = DRIFT * (newer.at_ms - older.at_ms)
  return older.least - drift <= newer.most && older.most + drift >= newer.least
}

function errorOf({ least, most, at_ms }: OffsetBounds, newest: OffsetBounds): number {
  return (most - least) / 2 + DRIFT * (newest.at_ms - at_ms)
}

function clamp(ms: number, most: number): number {
  return Math.min(most, Math.max(-most, ms))
}

function jumped(jump_ms: number, others: string | undefined): string {
  const [amount, way] = [lengthOf(jump_ms), jump_ms > 0 ? 'ahead' : 'back']
  return `the database clock jumped ${amount} ${way}${others === undefined ? '' : ` (${others})`}`
}

function inWords(skew_ms: number): string {
  return `${lengthOf(skew_ms)} ${skew_ms > 0 ? 'ahead of' : 'behind'}`
}

const UNITS = [
  ['days', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const

function lengthOf(ms: number): string {
  const length = Math.abs(ms)
  const [unit, size] = UNITS.find(([, least]) => length >= 2 * least) ?? ['s', 1000]
  return `${Math.round((length / size) * 10) / 10} ${unit}`
}
