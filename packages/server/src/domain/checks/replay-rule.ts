// What people would have been told of a check by given rules: a fold over its results, oldest first. It is made of the rules
// that judge checks as their results arrive, and keeps nothing of the results.
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

export class AlertReplay {
  readonly #judge: PlaceJudge
  readonly #given: AlertRules
  #told: Told[] = []
  #changes: Changes = NO_CHANGES
  /** When people were last told of the open incident. */
  #told_at = ''
  #last_ms = -Infinity
  /** When the first result came after nobody had looked for a while. */
  #waited_ms = -Infinity

  constructor(given: AlertRules) {
    this.#given = given
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

  /** What was told since the last call. */
  drain(): Told[] {
    const told = this.#told
    this.#told = []
    return told
  }

  #change(at: string): void {
    const isDown = this.#judge.isDown
    if (isDown) this.#told_at = at
    const [changes, telling] = this.#given.alert_every_change
      ? ([NO_CHANGES, 'change'] as const)
      : afterChange(this.#changes, at, isDown)
    this.#changes = changes
    if (telling === 'flapping') this.#told.push({ at, type: 'check.flapping' })
    if (telling === 'change') this.#told.push({ at, type: isDown ? 'check.down' : 'check.up' })
  }

  /** Everything that happens by itself until an instant. Nothing does while the check is not monitored. */
  #pass(until: string): void {
    const settles_ms = settlesAt(this.#changes)
    if (settles_ms !== null && this.#isDue(settles_ms, until)) {
      const at = this.#whenSeen(settles_ms)
      this.#changes = NO_CHANGES
      this.#told.push({ at, type: 'check.settled' })
      if (this.#judge.isDown) this.#told.push({ at, type: 'check.down' })
      this.#told_at = at
    }
    while (this.#judge.isDown && this.#changes.flapping_since === null) {
      const { resend_interval_sec } = this.#given
      const next = nextReminder({ told_at: this.#told_at, reminders: 0, resend_interval_sec }, new Date(0))
      if (next.kind !== 'wait' || !this.#isDue(Date.parse(next.until), until)) return
      const at = this.#whenSeen(Date.parse(next.until))
      this.#told.push({ at, type: 'check.reminder' })
      this.#told_at = at
    }
  }

  #isDue(due_ms: number, until: string): boolean {
    return due_ms <= Date.parse(until) && due_ms <= this.#last_ms + this.#given.patience_ms
  }

  /** What fell due while nobody looked happens with the next result. */
  #whenSeen(due_ms: number): string {
    return fromDate(new Date(Math.max(due_ms, this.#waited_ms)))
  }
}
