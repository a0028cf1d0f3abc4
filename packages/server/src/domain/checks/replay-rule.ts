// What people would have been told of a check by given rules: a fold over its results, oldest first. It is made of the rules
// that judge checks as their results arrive, and keeps nothing of the results. Reminders are counted, not made one by one: there may
// be one a second for a month.
import { fromDate } from '../../runtime/timestamps.ts'
import { nextReminder } from '../events/remind.ts'
import { afterChange, type Changes, NO_CHANGES, settlesAt } from './flapping.ts'
import { type JudgedResult, PlaceJudge, type Rules } from './places.ts'

export interface AlertRules {
  rules: Rules
  resend_interval_sec: number
  alert_every_change: boolean
  /** Without results for longer than this the check is not monitored. */
  patience_ms: number
}

export type ToldType = 'check.down' | 'check.up' | 'check.reminder' | 'check.flapping' | 'check.settled'

/** One alert that people would have received. */
export interface Told {
  at: string
  type: ToldType
}

/** Alerts of one type, `every_ms` apart, the last of them at an instant. */
interface Run extends Told {
  times: number
  every_ms: number
}

/** How many of the newest alerts are kept. */
const NEWEST = 50

export class AlertReplay {
  readonly #judge: PlaceJudge
  readonly #given: AlertRules
  /** What was told before is not counted. */
  readonly #from: string
  /** The first millisecond that is not before. */
  readonly #from_ms: number
  readonly #counts = new Map<ToldType, number>()
  #runs: Run[] = []
  #changes: Changes = NO_CHANGES
  /** When people were last told of the open incident. */
  #told_at = ''
  #last_ms = -Infinity
  /** When the first result came after nobody had looked for a while. */
  #waited_ms = -Infinity

  constructor(given: AlertRules, from = '') {
    this.#given = given
    this.#from = from
    this.#from_ms = from === '' ? -Infinity : firstMs(from)
    this.#judge = new PlaceJudge(given.rules)
    this.#judge.begin(null)
  }

  take(result: JudgedResult): void {
    this.#pass(result.at)
    const wasDown = this.#judge.isDown
    this.#judge.take(result)
    this.#judge.drain()
    const at_ms = Date.parse(result.at)
    if (at_ms - this.#last_ms > this.#given.patience_ms) this.#waited_ms = at_ms
    this.#last_ms = at_ms
    if (this.#judge.isDown !== wasDown) this.#change(result.at)
    // What waited for somebody to look at the check again.
    this.#pass(result.at)
  }

  /** Time goes on without results. */
  finish(until: string): void {
    this.#pass(until)
  }

  /** How many alerts of each type were told. */
  get counts(): ReadonlyMap<ToldType, number> {
    return this.#counts
  }

  /** The newest alerts, oldest first. */
  get newest(): Told[] {
    return this.#runs.flatMap(listed).slice(-NEWEST)
  }

  #tell(type: ToldType, at: string): void {
    if (at >= this.#from) this.#keep({ type, at, times: 1, every_ms: 0 })
  }

  #keep(run: Run): void {
    this.#counts.set(run.type, (this.#counts.get(run.type) ?? 0) + run.times)
    this.#runs.push(run)
    if (this.#runs.length > NEWEST) this.#runs.shift()
  }

  #change(at: string): void {
    const isDown = this.#judge.isDown
    if (isDown) this.#told_at = at
    const [changes, telling] = this.#given.alert_every_change
      ? ([NO_CHANGES, 'change'] as const)
      : afterChange(this.#changes, at, isDown)
    this.#changes = changes
    if (telling === 'flapping') this.#tell('check.flapping', at)
    if (telling === 'change') this.#tell(isDown ? 'check.down' : 'check.up', at)
  }

  /** Everything that happens by itself until an instant. Nothing does while the check is not monitored. */
  #pass(until: string): void {
    const settles_ms = settlesAt(this.#changes)
    if (settles_ms !== null && this.#isDue(settles_ms, until)) {
      const at = this.#whenSeen(settles_ms)
      this.#changes = NO_CHANGES
      this.#tell('check.settled', at)
      if (this.#judge.isDown) this.#tell('check.down', at)
      this.#told_at = at
    }
    if (this.#judge.isDown && this.#changes.flapping_since === null) this.#remind(until)
  }

  /** The first reminder may have waited for somebody to look; the others follow it an interval apart. */
  #remind(until: string): void {
    const { resend_interval_sec } = this.#given
    const next = nextReminder({ told_at: this.#told_at, reminders: 0, resend_interval_sec }, new Date(0))
    if (next.kind !== 'wait' || !this.#isDue(Date.parse(next.until), until)) return
    const every_ms = resend_interval_sec * 1000
    const first_ms = Date.parse(this.#whenSeen(Date.parse(next.until)))
    const others = Math.max(0, Math.floor((this.#reach(until) - first_ms) / every_ms))
    const last_ms = first_ms + others * every_ms
    const at = fromDate(new Date(last_ms))
    this.#told_at = at
    const times = Math.min(others, Math.floor((last_ms - this.#from_ms) / every_ms)) + 1
    if (times > 0) this.#keep({ type: 'check.reminder', at, times, every_ms })
  }

  #isDue(due_ms: number, until: string): boolean {
    return due_ms <= this.#reach(until)
  }

  /** Until when anything happens by itself. */
  #reach(until: string): number {
    return Math.min(Date.parse(until), this.#last_ms + this.#given.patience_ms)
  }

  /** What fell due while nobody looked happens with the next result. */
  #whenSeen(due_ms: number): string {
    return fromDate(new Date(Math.max(due_ms, this.#waited_ms)))
  }
}

function firstMs(from: string): number {
  const ms = Date.parse(from)
  return fromDate(new Date(ms)) < from ? ms + 1 : ms
}

function listed({ type, at, times, every_ms }: Run): Told[] {
  const shown = Math.min(times, NEWEST)
  return Array.from({ length: shown }, (_, n) => {
    const before = shown - 1 - n
    return { at: before === 0 ? at : fromDate(new Date(Date.parse(at) - before * every_ms)), type }
  })
}
