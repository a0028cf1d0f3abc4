// Holds the rule for down and up: a fold over the results of a check in the order of (at, monitor_id). Verdicts and replays use it,
// whether failures count together or by monitor.

import type { CheckCase } from '@dogwatch/store/checks/check-health'

export interface JudgedResult {
  /** Time of the run by the server's clock. UTC with six digits, so that it sorts as text. */
  at: string
  monitor_id: string
  success: boolean
}

export interface Rules {
  /** Number of failures in a row that take the check down, at least one. With `places`, they must be of one monitor. */
  threshold: number
  /**
   * Maximum time without results within a row, in milliseconds, because no one knows what happened in a longer time. A monitor
   * whose latest result is older has no fresh result.
   */
  gap_ms: number
  /** Absent if the failures of all monitors together decide, and one success ends them. */
  confirm?: Confirm
}

export interface Confirm {
  /** Number of successes in a row that bring the check up, at least one. */
  successes: number
  /** Number of monitors with a fresh result that must fail. Undefined if all monitors together are one place. */
  places: number | 'majority' | undefined
  /** Number of monitors that count. */
  monitors: number
  interval_ms: number
  /** Length of a round, which gives each monitor one turn, in milliseconds. */
  round_ms: number
}

/** A span of being down: at least the needed number of failures in a row, up to the success that ended them. */
export interface DownSpan {
  began_at: string
  /** Null while nothing has ended it. */
  ended_at: string | null
  failures: number
  /** Whether it begins with the oldest of the given results. Earlier results do not count, or were not given. */
  isFirst: boolean
  /** Whether it may have begun before the oldest of the given results. */
  isCut: boolean
  /** Time of the result that took the check down. */
  turned_at: string
  /** Number of monitors that failed then, and number of monitors with a fresh result. */
  places?: Places
}

export interface Places {
  failing: number
  of: number
}

/** Latest results of one monitor. Without `places`, of all monitors together. */
interface Streak {
  last_ms: number
  /** Number of equal results in a row. */
  row: number
  success: boolean
  /** First result of the row. */
  first: JudgedResult | undefined
  /** Undefined while there are neither enough failures nor enough successes in a row. */
  state: 'failing' | 'clear' | undefined
  /** First of the failures that made it fail. */
  since: JudgedResult | undefined
  /** Whether results from before the given ones may be part of the row, or may have made the state. */
  isCut: boolean
}

const LEAST_GAP_MS = 300_000
const GAP_ROUNDS = 3

/**
 * Returns the longest time without results between two failures in a row, in milliseconds: three rounds of the check's monitors,
 * at least five minutes. Within it, a monitor may only have missed turns. After it, the check was unmonitored.
 */
export function gapMs({ interval_sec, monitors }: { interval_sec: number; monitors: number }): number {
  return Math.max(LEAST_GAP_MS, GAP_ROUNDS * interval_sec * Math.max(monitors, 1) * 1000)
}

/** Returns the number of failures in a row that a failure threshold (`down_interval_sec`) means. */
export function failuresNeeded(threshold: number): number {
  return Math.max(threshold, 1)
}

/** Returns how many monitors must fail: a number or `'majority'`. Returns undefined if failures of all monitors count together. */
export function placesOf({ down_places, down_majority }: PlaceFields): Confirm['places'] {
  if (down_majority) return 'majority'
  return down_places > 0 ? down_places : undefined
}

type PlaceFields = Pick<CheckCase, 'down_places' | 'down_majority'>
type RuleFields = Pick<CheckCase, 'threshold' | 'interval_sec' | 'monitors' | 'up_successes'> & PlaceFields

/** Returns the rules that judge a check, from its fields. `counted`: number of monitors that count. Default: all of them. */
export function rulesOf(check: RuleFields & { counted?: number }): Rules {
  const { threshold, interval_sec, monitors, up_successes, counted = monitors } = check
  const rules = { threshold: failuresNeeded(threshold), gap_ms: gapMs(check) }
  const places = placesOf(check)
  if (places === undefined && up_successes <= 1) return rules
  const successes = Math.max(up_successes, 1)
  return {
    ...rules,
    confirm: {
      ...{ successes, places, monitors: Math.max(counted, 1) },
      ...{ interval_ms: interval_sec * 1000, round_ms: interval_sec * 1000 * Math.max(monitors, 1) },
    },
  }
}

/** Returns a name that differs between rules that may judge the same results differently. */
export function nameOfRules({ threshold, confirm }: Rules): string {
  const { places = 0, successes = 1 } = confirm ?? {}
  return `${threshold}/${places}/${successes}`
}

/** Returns how many of the newest results nearly always decide. */
export function wantedResults({ threshold, gap_ms, confirm }: Rules): number {
  if (!confirm) return threshold
  const row = Math.max(threshold, confirm.successes)
  const quiet_ms = 2 * (gap_ms + confirm.round_ms)
  return Math.ceil(quiet_ms / Math.max(confirm.interval_ms, 1)) + (row + 1) * confirm.monitors
}

/**
 * Returns the maximum length of a row of results that makes a change, in milliseconds. A change is recorded at the first result
 * of its row.
 */
export function rowMs({ threshold, gap_ms, confirm }: Rules): number {
  return (Math.max(threshold, confirm?.successes ?? 1) - 1) * gap_ms
}

/** Returns how many of `of` monitors must fail. If more are needed than there are, all must fail. */
export function neededOf(places: Confirm['places'], of: number): number {
  if (places === 'majority') return Math.floor(of / 2) + 1
  return Math.min(Math.max(places ?? 1, 1), of)
}

/**
 * Judges one check, result by result, oldest first. A failure takes it down if enough of the monitors with a fresh result are
 * failing. Only a success brings it up, once fewer than enough are failing.
 */
export class PlaceJudge {
  readonly spans: DownSpan[] = []
  readonly #rules: Rules
  readonly #confirm: Confirm
  readonly #places = new Map<string, Streak>()
  /** Start of the given results. Undefined if there are no earlier ones. */
  readonly #begins_ms: number | undefined
  #first: JudgedResult | undefined
  #last_ms: number
  #heard_ms = -Infinity
  #isJudging = false
  #open: DownSpan | undefined
  #ended_at: string | null = null

  /** `begins_at`: time of the oldest of the given results, if there may be earlier ones. */
  constructor(rules: Rules, begins_at?: string) {
    this.#rules = rules
    this.#confirm = rules.confirm ?? { successes: 1, places: undefined, monitors: 1, interval_ms: 0, round_ms: 0 }
    this.#begins_ms = begins_at === undefined ? undefined : Date.parse(begins_at)
    this.#last_ms = this.#begins_ms ?? -Infinity
  }

  get isDown(): boolean {
    return this.#open !== undefined
  }

  /**
   * Starts to judge. Earlier results only show what each monitor sees. `down_since`: time since which the check is already down.
   */
  begin(down_since: string | null, ended_at: string | null = null): void {
    this.#isJudging = true
    this.#ended_at = ended_at
    if (down_since === null) return
    const failures = this.#rules.threshold
    this.#open = { began_at: down_since, ended_at: null, failures, isFirst: true, isCut: true, turned_at: down_since }
    this.spans.push(this.#open)
  }

  /** Whether earlier results could show some monitor in another state than it is in here. */
  get isUnsure(): boolean {
    return [...this.#places.values()].some(({ isCut, state }) => isCut && state === undefined)
  }

  take(result: JudgedResult): void {
    const { at, monitor_id, success } = result
    const { gap_ms } = this.#rules
    const at_ms = Date.parse(at)
    this.#first ??= result
    if (at_ms - this.#last_ms > gap_ms) this.#heard_ms = at_ms
    this.#last_ms = at_ms
    for (const [id, { last_ms }] of this.#places) if (at_ms - last_ms > gap_ms) this.#places.delete(id)
    const place = this.#placeOf(this.#confirm.places === undefined ? '' : monitor_id, at_ms)
    if (place.row === 0 || place.success !== success) Object.assign(place, { row: 0, success, first: result })
    place.row++
    place.last_ms = at_ms
    const hasTurned = this.#turn(place)
    if (!this.#isJudging) return
    if (success) this.#tryEnd(place, hasTurned, at)
    else this.#tryBegin(place, hasTurned, at)
  }

  /** Returns the spans that have ended, and forgets them, so that memory does not grow with the history. */
  drain(): DownSpan[] {
    const over = this.spans.filter(({ ended_at }) => ended_at !== null)
    this.spans.splice(0, over.length)
    return over
  }

  #placeOf(id: string, at_ms: number): Streak {
    const known = this.#places.get(id)
    if (known) return known
    const isCut = this.#begins_ms !== undefined && at_ms - this.#begins_ms <= this.#rules.gap_ms
    const place: Streak = {
      last_ms: at_ms,
      row: 0,
      success: true,
      first: undefined,
      state: undefined,
      since: undefined,
      isCut,
    }
    this.#places.set(id, place)
    return place
  }

  #turn(place: Streak): boolean {
    const state = place.success ? 'clear' : 'failing'
    const needed = place.success ? this.#confirm.successes : this.#rules.threshold
    if (place.row < needed || place.state === state) return false
    place.state = state
    if (place.success) place.isCut = false
    else place.since = place.first
    return true
  }

  /**
   * Returns the number of monitors that count. In the first round after a break or a gap, includes those that have not had their
   * turn.
   */
  #counted(at: string): number {
    if (this.#confirm.places === undefined) return 1
    const heard = this.#places.size
    const isFirstRound = Date.parse(at) - this.#heard_ms < this.#confirm.round_ms - this.#confirm.interval_ms / 2
    // Monitors that have not had their turn count in the way that changes nothing.
    return isFirstRound ? Math.max(heard, this.#confirm.monitors) : heard
  }

  #failing(): Streak[] {
    return [...this.#places.values()].filter(({ state }) => state === 'failing')
  }

  #tryBegin(place: Streak, hasTurned: boolean, at: string): void {
    if (this.#open) this.#open.failures++
    if (this.#open || place.state !== 'failing') return
    const failing = this.#failing().sort((a, b) => (beginOf(a) < beginOf(b) ? -1 : 1))
    const of = this.#counted(at)
    const needed = neededOf(this.#confirm.places, of)
    const last = failing[needed - 1]
    if (!last) return
    // Otherwise, too many other monitors saw it up until now.
    const since = hasTurned ? beginOf(last) : at
    this.#open = {
      began_at: this.#ended_at !== null && this.#ended_at > since ? this.#ended_at : since,
      ended_at: null,
      failures: failing.reduce((sum, { success, row }) => sum + (success ? 0 : row), 0),
      isFirst: hasTurned && last.since === this.#first,
      isCut: hasTurned && last.isCut,
      turned_at: at,
      ...(this.#confirm.places !== undefined && { places: { failing: failing.length, of } }),
    }
    this.spans.push(this.#open)
  }

  #tryEnd(place: Streak, hasTurned: boolean, at: string): void {
    if (!this.#open || place.state !== 'clear') return
    const failing = this.#failing().length
    // The success must clear a monitor, unless no monitor is failing any longer. So a monitor that goes silent changes nothing by
    // itself.
    if (!hasTurned && failing > 0) return
    const of = this.#counted(at)
    const unheard = of - this.#places.size
    if (failing + unheard >= neededOf(this.#confirm.places, of)) return
    const first = place.first?.at ?? at
    const ended_at = hasTurned && first > this.#open.began_at ? first : at
    this.#open.ended_at = ended_at
    this.#ended_at = ended_at
    this.#open = undefined
  }
}

/** Returns the time at which the failures of a failing monitor began. */
function beginOf({ since }: Streak): string {
  return since?.at ?? ''
}
