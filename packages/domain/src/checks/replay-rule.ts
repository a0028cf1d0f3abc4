// Replays the alerts that people would have received about a check under given rules: a fold over its results, oldest first. It
// uses the rules that judge checks as their results arrive, and keeps none of the results. Reminders are counted, not created one
// by one, because there can be one a second for a month.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { nextReminder } from '../events/remind.ts'
import { type AlertCounts, type ReplayedRouting, RoutedAlerts } from '../routing/replayed.ts'
import { afterChange, type Changes, mayBeRetracted, NO_CHANGES, settlesAt } from './flapping.ts'
import { type JudgedResult, PlaceJudge, type Rules } from './places.ts'

export interface AlertRules {
  rules: Rules
  resend_interval_sec: number
  alert_every_change: boolean
  /** Time without results after which the check is not monitored, in milliseconds. */
  patience_ms: number
}

export type ToldType = 'check.down' | 'check.up' | 'check.reminder' | 'check.flapping' | 'check.settled'

/** An alert that people would have received. */
export interface ReplayedAlert {
  at: string
  type: ToldType
}

/** Alerts of one type, `every_ms` apart. The last one was at `at`. */
interface Run extends ReplayedAlert {
  times: number
  every_ms: number
}

/** Number of newest alerts to keep. */
const NEWEST = 50
const MINUTE_MS = 60_000

export class AlertReplay {
  readonly #judge: PlaceJudge
  readonly #given: AlertRules
  /** Start of the alerts that count. */
  readonly #from: string
  /** First millisecond that is not before `#from`. */
  readonly #from_ms: number
  readonly #counts = new Map<ToldType, number>()
  #runs: Run[] = []
  #changes: Changes = NO_CHANGES
  /** Time of the last alert about the open incident. */
  #told_at = ''
  #last_ms = -Infinity
  /** Time of the first result after a while without monitoring, in milliseconds. */
  #waited_ms = -Infinity
  readonly #routed: RoutedAlerts | undefined

  /** `routing`: applies routes and holds to the alerts as well. */
  constructor(given: AlertRules, from = '', routing?: ReplayedRouting) {
    this.#given = given
    this.#routed = routing && new RoutedAlerts(routing, from === '' ? -Infinity : firstMs(from))
    this.#from = from
    this.#from_ms = from === '' ? -Infinity : firstMs(from)
    this.#judge = new PlaceJudge(given.rules)
    this.#judge.begin(null)
  }

  take(result: JudgedResult): void {
    this.advance(result.at)
    const wasDown = this.#judge.isDown
    this.#judge.take(result)
    this.#judge.drain()
    const at_ms = Date.parse(result.at)
    if (at_ms - this.#last_ms > this.#given.patience_ms) this.#waited_ms = at_ms
    this.#last_ms = at_ms
    if (this.#judge.isDown !== wasDown) this.#change(result.at)
    // First raises the alerts that waited until the check was monitored again.
    this.advance(result.at)
  }

  /** Time since which the check is down. Null if it is up. */
  get down_since(): string | null {
    return this.#judge.isDown ? (this.#judge.spans.at(-1)?.began_at ?? null) : null
  }

  /** Alerts of each channel, if the replay includes routes. */
  get heard(): AlertCounts {
    return this.#routed?.heard ?? new Map<number, never>()
  }

  /** Number of alerts of each type. */
  get counts(): ReadonlyMap<ToldType, number> {
    return this.#counts
  }

  /** Newest alerts, oldest first. */
  get newest(): ReplayedAlert[] {
    return this.#runs.flatMap(listed).slice(-NEWEST)
  }

  #tell(types: readonly ToldType[], at: string, { flapping_since, changes }: Changes = NO_CHANGES): void {
    const flapping = flapping_since === null ? undefined : { since: flapping_since, changed_at: changes.at(-1) ?? at }
    this.#routed?.raise(types, new Date(at), flapping)
    if (at >= this.#from) for (const type of types) this.#keep({ type, at, times: 1, every_ms: 0 })
  }

  #keep(run: Run): void {
    this.#counts.set(run.type, (this.#counts.get(run.type) ?? 0) + run.times)
    this.#runs.push(run)
    if (this.#runs.length > NEWEST) this.#runs.shift()
  }

  #change(at: string): void {
    const isDown = this.#judge.isDown
    if (isDown) this.#told_at = at
    const before = this.#changes
    const [changes, telling] = this.#given.alert_every_change
      ? ([NO_CHANGES, 'change'] as const)
      : afterChange(this.#changes, { at, isDown, wasTold: this.#wasTold })
    this.#changes = changes
    if (isDown) this.#routed?.open(telling !== 'change')
    if (telling === 'flapping') this.#tell(['check.flapping'], at, changes)
    if (telling === 'retracted') this.#tell(['check.settled'], at, before)
    if (telling === 'change') this.#tell([isDown ? 'check.down' : 'check.up'], at)
    if (!isDown) this.#routed?.close()
  }

  /** Whether there was an alert about the open incident, or about flapping since it began. */
  get #wasTold(): boolean {
    if (!this.#routed) return true
    const { flapping_since } = this.#changes
    return flapping_since !== null && mayBeRetracted(this.#changes)
      ? this.#routed.isFlappingTold(flapping_since)
      : !this.#routed.isHeld
  }

  /**
   * Advances the replay to an instant without further results: carries out settling and reminders that fall due. Nothing falls
   * due while the check is not monitored.
   */
  advance(until: string): void {
    if (this.#routed) {
      this.#passRouted(this.#routed, until)
      return
    }
    if (this.#settles_ms(until) < Infinity) this.#settle()
    if (this.#reminds_ms(until) < Infinity) this.#remind(until)
  }

  /** Carries out what falls due one by one, because each alert through routes may change what comes next. */
  #passRouted(routed: RoutedAlerts, until: string): void {
    const until_ms = Date.parse(until)
    for (;;) {
      const [plan_ms, settles_ms] = [routed.nextDue_ms, this.#settles_ms(until)]
      const reminds_ms = routed.isHeld ? Infinity : this.#reminds_ms(until)
      const next_ms = Math.min(plan_ms, settles_ms, reminds_ms)
      if (next_ms > until_ms) return
      if (next_ms === plan_ms) {
        if (routed.release(new Date(next_ms))) this.#told_at = fromDate(new Date(next_ms))
      } else if (next_ms === settles_ms) this.#settle()
      else this.#remindRouted(routed, next_ms, until)
    }
  }

  /** Returns when the check settles, in milliseconds. Returns Infinity if it does not settle until then. */
  #settles_ms(until: string): number {
    const at_ms = settlesAt(this.#changes, this.#judge.isDown)
    return at_ms !== null && this.#isDue(at_ms, until) ? this.#seen_ms(at_ms) : Infinity
  }

  #settle(): void {
    const { isDown } = this.#judge
    const at = fromDate(new Date(this.#seen_ms(settlesAt(this.#changes, isDown) ?? 0)))
    const before = this.#changes
    this.#changes = NO_CHANGES
    this.#routed?.unhold()
    this.#told_at = at
    this.#tell(isDown ? ['check.settled', 'check.down'] : ['check.settled'], at, before)
  }

  /** Returns when the next reminder is due, in milliseconds. Returns Infinity if none is due until then. */
  #reminds_ms(until: string): number {
    if (!this.#judge.isDown || this.#changes.flapping_since !== null) return Infinity
    const { resend_interval_sec } = this.#given
    const next = nextReminder({ told_at: this.#told_at, reminders: 0, resend_interval_sec }, new Date(0))
    if (next.kind !== 'wait' || !this.#isDue(Date.parse(next.until), until)) return Infinity
    return this.#seen_ms(Date.parse(next.until))
  }

  /**
   * Records the reminders until an instant. The first may have waited for monitoring, and the others follow it an interval apart.
   */
  #remind(until: string): void {
    const first_ms = this.#reminds_ms(until)
    const others = Math.max(0, Math.floor((this.#reach(until) - first_ms) / this.#every_ms))
    this.#keepReminders(first_ms + others * this.#every_ms, others)
  }

  /**
   * Records the reminders of one minute together, because quiet hours begin and end with a minute and reminders can come more
   * often.
   */
  #remindRouted(routed: RoutedAlerts, first_ms: number, until: string): void {
    const isPutOff = routed.isPutOff(new Date(first_ms))
    const minute_ms = Math.floor(first_ms / MINUTE_MS) * MINUTE_MS + MINUTE_MS - 1
    const end_ms = Math.min(minute_ms, this.#reach(until), routed.nextDue_ms - 1)
    const others = Math.max(0, Math.floor((end_ms - first_ms) / this.#every_ms))
    const last_ms = first_ms + others * this.#every_ms
    if (isPutOff) this.#told_at = fromDate(new Date(last_ms))
    else routed.remind(new Date(first_ms), others + 1, this.#keepReminders(last_ms, others))
  }

  /** Records reminders, and returns how many of them count. */
  #keepReminders(last_ms: number, others: number): number {
    const at = fromDate(new Date(last_ms))
    this.#told_at = at
    const times = Math.max(0, Math.min(others, Math.floor((last_ms - this.#from_ms) / this.#every_ms)) + 1)
    if (times > 0) this.#keep({ type: 'check.reminder', at, times, every_ms: this.#every_ms })
    return times
  }

  get #every_ms(): number {
    return this.#given.resend_interval_sec * 1000
  }

  #isDue(due_ms: number, until: string): boolean {
    return due_ms <= this.#reach(until)
  }

  /**
   * Returns the time until which settling and reminders can fall due, in milliseconds: `until`, or earlier if the check is
   * unmonitored by then.
   */
  #reach(until: string): number {
    return Math.min(Date.parse(until), this.#last_ms + this.#given.patience_ms)
  }

  /**
   * Returns when settling or a reminder happens that was due at `due_ms`. If the check was not monitored then, it happens with
   * the next result.
   */
  #seen_ms(due_ms: number): number {
    return Math.max(due_ms, this.#waited_ms)
  }
}

function firstMs(from: string): number {
  const ms = Date.parse(from)
  return fromDate(new Date(ms)) < from ? ms + 1 : ms
}

function listed({ type, at, times, every_ms }: Run): ReplayedAlert[] {
  const shown = Math.min(times, NEWEST)
  return Array.from({ length: shown }, (_, n) => {
    const before = shown - 1 - n
    return { at: before === 0 ? at : fromDate(new Date(Date.parse(at) - before * every_ms)), type }
  })
}
