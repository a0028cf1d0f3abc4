// The rule that decides whether a check is down: a pure function of its stored results, whatever order they arrived in.
import { fromDate } from '../../runtime/timestamps.ts'
import { type DownSpan, type JudgedResult, PlaceJudge, type Places, type Rules } from './places.ts'

export type { DownSpan, JudgedResult, Places, Rules } from './places.ts'

/** The recorded state of a check. */
export interface Health {
  /** When the first failure of the open incident ran; null while the check is not down. */
  down_since: string | null
  /** When its last closed incident ended: no other begins before that. */
  last_ended_at: string | null
}

/** What the incidents of a check record, for rules that wait for several monitors or successes. */
export interface Before {
  /** When the oldest of the results ran that it was not judged by yet; undefined when there is none. */
  from: string | undefined
  /** Its incidents since the oldest of the given results, oldest first. */
  recorded: readonly Pick<Recorded, 'began_at' | 'ended_at'>[]
  /** The open incident was judged by other rules than those of now. */
  hasOtherRules: boolean
  /** When the monitors that count last changed. Verdicts from before that do not count. */
  quorum_since?: string | null
}

export type HealthChange =
  | { kind: 'none' }
  | { kind: 'down'; since: string; failures: number; turned_at: string; places?: Places }
  /** `threshold`: no success came, but the check now needs more failures in a row, or more places, than there are. */
  | { kind: 'up'; ended_at: string; reason: 'recovered' | 'threshold' }

export interface Judgement {
  change: HealthChange
  /** Everything that the results show, oldest first. */
  spans: DownSpan[]
  /** Older results could change the times and counts of the change, but not its kind unless `isUnsure`. */
  wantsOlder: boolean
  /** Older results could decide otherwise. */
  isUnsure?: boolean
}

/** Pages show no result that claims to have run later than this. */
const SHOWN_AHEAD_MS = 600_000
/** The clocks of servers may differ by this much. */
const JUDGED_AHEAD_MS = 10_000
const LEAST_GAP_MS = 300_000
const NOTHING: Before = { from: undefined, recorded: [], hasOtherRules: false }
const GAP_ROUNDS = 3

/**
 * The longest time without results between two failures in a row: three rounds of the check's monitors, at least five
 * minutes. Up to then a monitor may simply have missed turns; after that the check was unmonitored.
 */
export function gapMs({ interval_sec, monitors }: { interval_sec: number; monitors: number }): number {
  return Math.max(LEAST_GAP_MS, GAP_ROUNDS * interval_sec * Math.max(monitors, 1) * 1000)
}

/** How a check is judged, from its fields. */
export function rulesOf(check: {
  threshold: number
  interval_sec: number
  monitors: number
  down_places: number
  down_majority: boolean
  up_successes: number
  /** The monitors that count. Default: all of them. */
  counted?: number
}): Rules {
  const { threshold, interval_sec, monitors, down_places, down_majority, up_successes, counted = monitors } = check
  const rules = { threshold, gap_ms: gapMs(check) }
  const places = down_majority ? 'majority' : down_places > 0 ? down_places : undefined
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

/** Differs between rules that may judge the same results differently. */
export function nameOfRules({ threshold, confirm }: Rules): string {
  const { places = 0, successes = 1 } = confirm ?? {}
  return `${Math.max(threshold, 1)}/${places}/${successes}`
}

/** How many of the newest results nearly always decide. */
export function wantedResults({ threshold, gap_ms, confirm }: Rules): number {
  if (!confirm) return threshold
  const row = Math.max(threshold, confirm.successes)
  const quiet_ms = 2 * (gap_ms + confirm.round_ms)
  return Math.ceil(quiet_ms / Math.max(confirm.interval_ms, 1)) + (row + 1) * confirm.monitors
}

/**
 * How long before a recorded change the results began to show it: changes are recorded from the first of the results
 * in a row that made them.
 */
export function rowMs({ threshold, gap_ms, confirm }: Rules): number {
  return (Math.max(threshold, confirm?.successes ?? 1, 1) - 1) * gap_ms
}

/**
 * Judges a check by its results: newest first in the order of (at, monitor_id), and none from before a break. It is
 * down when `threshold` or more failures follow each other, until the next success. Give at least the newest
 * `threshold` results, or all there are. `isWhole`: these are all there are.
 */
export function judge(
  health: Health,
  results: readonly JudgedResult[],
  rules: Rules,
  now: Date,
  isWhole = false,
  before: Before = NOTHING,
): Judgement {
  const oldest = results.at(-1)
  // Results may have been deleted by retention. Then nothing is known, and nothing changes.
  if (!oldest) return { change: { kind: 'none' }, spans: [], wantsOlder: false }
  const { down_since, last_ended_at } = health
  // The incident was recorded while the clock was ahead. What ran before and after it cannot be told apart.
  const until = judgedUntil(now)
  if (down_since !== null && down_since > until) return { change: { kind: 'none' }, spans: [], wantsOlder: false }
  if (rules.confirm) return judgeConfirmed(health, results, rules, { now, until, isWhole, before })
  // The failures that took it down are older, or were deleted: the remaining ones count for less.
  const isSinceBefore = down_since !== null && oldest.at > down_since
  const spans = downSpansIn(results, rules, isSinceBefore ? down_since : null, isWhole)
  const last = spans.at(-1)
  const isDown = last?.ended_at === null
  if (isDown === (down_since !== null)) return { change: { kind: 'none' }, spans, wantsOlder: false }
  if (down_since === null && last) {
    return { change: downBy(last, last_ended_at, until), spans, wantsOlder: last.isCut }
  }
  const ended_at = endAfter(down_since ?? '', results, spans)
  const change: HealthChange =
    ended_at === undefined
      ? { kind: 'up', ended_at: fromDate(now), reason: 'threshold' }
      : { kind: 'up', ended_at, reason: 'recovered' }
  return { change, spans, wantsOlder: isSinceBefore && !isWhole }
}

function downBy(
  { began_at, failures, turned_at, places }: DownSpan,
  last_ended_at: string | null,
  until: string,
): HealthChange {
  const since = later(began_at, last_ended_at !== null && last_ended_at <= until ? last_ended_at : null)
  return { kind: 'down', since, failures, turned_at, ...(places && { places }) }
}

interface Confirmed {
  now: Date
  until: string
  isWhole: boolean
  before: Before
}

/**
 * The same for rules that wait for several monitors or successes. Such a check stays as it is until there is evidence,
 * so it matters how it was before the given results: its incidents say that.
 */
function judgeConfirmed(
  { down_since, last_ended_at }: Health,
  results: readonly JudgedResult[],
  rules: Rules,
  { now, until, isWhole, before }: Confirmed,
): Judgement {
  const { fold, isUnsure, isOther } = foldOf(results, rules, isWhole, before)
  const { isDown } = fold
  const last = fold.spans.at(-1)
  if (isOther && before.quorum_since != null) {
    const change = changeOfOthers({ down_since, last_ended_at }, results, last, {
      now,
      until,
      since: before.quorum_since,
    })
    return { change, spans: [], wantsOlder: isUnsure, isUnsure }
  }
  const { spans } = fold
  const wantsOlder = isUnsure
  if (isDown && down_since === null && last) {
    return { change: downBy(last, last_ended_at, until), spans, wantsOlder: isUnsure || last.isCut, isUnsure }
  }
  // Under other rules than those that took it down, what is known of before does not count.
  const own = before.hasOtherRules ? [] : spans
  if (isDown || down_since === null) return { change: { kind: 'none' }, spans: own, wantsOlder, isUnsure }
  return { change: upBy(down_since, results, own, before.hasOtherRules, now), spans: own, wantsOlder, isUnsure }
}

/** Judges a check whose monitors have changed: the past would look different, so it is neither corrected nor alerted. */
function changeOfOthers(
  { down_since, last_ended_at }: Health,
  results: readonly JudgedResult[],
  last: DownSpan | undefined,
  { now, until, since }: { now: Date; until: string; since: string },
): HealthChange {
  const isDown = last?.ended_at === null
  if (isDown === (down_since !== null)) return { kind: 'none' }
  if (down_since === null)
    return last ? downBy({ ...last, began_at: later(last.began_at, since) }, last_ended_at, until) : { kind: 'none' }
  const success = results.find((result) => result.success && result.at > down_since)
  return success
    ? { kind: 'up', ended_at: success.at, reason: 'recovered' }
    : { kind: 'up', ended_at: fromDate(now), reason: 'threshold' }
}

function upBy(
  down_since: string,
  results: readonly JudgedResult[],
  spans: readonly DownSpan[],
  hasOtherRules: boolean,
  now: Date,
): HealthChange {
  const own = spans.find(
    ({ began_at, ended_at }) => ended_at !== null && (ended_at > down_since || began_at >= down_since),
  )
  if (own?.ended_at) return { kind: 'up', ended_at: own.ended_at, reason: 'recovered' }
  if (hasOtherRules) return { kind: 'up', ended_at: fromDate(now), reason: 'threshold' }
  // Results that came late show that too few monitors were failing. They end nothing before there is a newer success.
  const success = results.find((result) => result.success && result.at > down_since)
  return success ? { kind: 'up', ended_at: success.at, reason: 'recovered' } : { kind: 'none' }
}

function foldOf(
  results: readonly JudgedResult[],
  rules: Rules,
  isWhole: boolean,
  { from, recorded, hasOtherRules, quorum_since }: Before,
): { fold: PlaceJudge; isUnsure: boolean; isOther: boolean } {
  const [oldest, newest] = [results.at(-1)?.at ?? '', results[0]?.at ?? '']
  const fold = new PlaceJudge(rules, isWhole ? undefined : oldest)
  const begin_at = isWhole ? oldest : beginAt(oldest, rules, recorded)
  // Without new results it is judged once more by the latest ones.
  const from_at = from ?? fromDate(new Date(Date.parse(newest) - rules.gap_ms))
  let isUnsure = !isWhole && begin_at > from_at
  const inOrder = results.toReversed()
  for (const result of inOrder) if (result.at < begin_at) fold.take(result)
  isUnsure ||= fold.isUnsure
  const open = recorded.find((one) => one.began_at < begin_at && (one.ended_at === null || one.ended_at >= begin_at))
  const closed = recorded.findLast((one) => one.ended_at !== null && one.ended_at < begin_at)
  const isOther = quorum_since != null && begin_at < quorum_since
  fold.begin(hasOtherRules || isOther ? null : (open?.began_at ?? null), closed?.ended_at ?? null)
  for (const result of inOrder) if (result.at >= begin_at) fold.take(result)
  return { fold, isUnsure, isOther }
}

/**
 * From when on results can be judged: by then it is known which monitors have fresh results, and no change was recorded
 * of which the results began to show before.
 */
function beginAt(oldest: string, rules: Rules, recorded: Before['recorded']): string {
  const row_ms = rowMs(rules)
  const round_ms = rules.confirm?.round_ms ?? 0
  let begin_ms = Date.parse(oldest) + rules.gap_ms + round_ms
  for (const { began_at, ended_at } of recorded) {
    for (const at of [began_at, ended_at]) {
      const at_ms = at === null ? NaN : Date.parse(at)
      if (at_ms <= begin_ms && at_ms > begin_ms - row_ms) begin_ms = at_ms + row_ms + 1
    }
  }
  return fromDate(new Date(begin_ms))
}

/** All spans of being down in the results, which are newest first. `down_since`: the check was down already, since then. */
export function downSpansIn(
  results: readonly JudgedResult[],
  { threshold, gap_ms }: Rules,
  down_since: string | null,
  isWhole = false,
): DownSpan[] {
  const needed = Math.max(threshold, 1)
  const spans: DownSpan[] = []
  let current: DownSpan | undefined =
    down_since === null
      ? undefined
      : {
          began_at: down_since,
          ended_at: null,
          failures: needed,
          isFirst: true,
          isCut: true,
          turned_at: down_since,
        }
  // Once the check is down, only a success ends the span, however long that takes.
  let isDown = current !== undefined
  if (current) spans.push(current)
  let before: JudgedResult | undefined
  for (const result of results.toReversed()) {
    const isAfterGap = before !== undefined && Date.parse(result.at) - Date.parse(before.at) > gap_ms
    if (isAfterGap && !isDown) current = undefined
    if (result.success) {
      if (isDown && current) current.ended_at = result.at
      current = undefined
      isDown = false
    } else {
      const isFirst = before === undefined
      current ??= {
        began_at: result.at,
        ended_at: null,
        failures: 0,
        isFirst,
        isCut: isFirst && !isWhole,
        turned_at: result.at,
      }
      current.failures++
      if (!isDown && current.failures >= needed) {
        current.turned_at = result.at
        spans.push(current)
        isDown = true
      }
    }
    before = result
  }
  return spans
}

/** When the span that took the check down ended; undefined when no success came since. */
function endAfter(
  down_since: string,
  results: readonly JudgedResult[],
  spans: readonly DownSpan[],
): string | undefined {
  const own = spans.find(({ ended_at }) => ended_at !== null && ended_at > down_since)
  return own?.ended_at ?? results.findLast(({ at, success }) => success && at > down_since)?.at
}

/**
 * While a monitor is catching up, its results prove nothing: those that contradict the recorded state are left out.
 * What other monitors see live counts as always.
 */
export function withoutLate<One extends JudgedResult>(
  { down_since }: Pick<Health, 'down_since'>,
  results: readonly One[],
  late: ReadonlySet<string>,
): One[] {
  return results.filter(({ monitor_id, success }) => !late.has(monitor_id) || success !== (down_since !== null))
}

/** An incident as recorded. */
export interface Recorded {
  incident_id: string
  began_at: string
  ended_at: string | null
  end_reason: string | null
}

export interface Correction {
  /** Spans of being down that nobody saw while they lasted: recorded without an alert. */
  missed: { began_at: string; ended_at: string }[]
  /** Recorded incidents that were a little longer or shorter, as late results show. */
  moved: { incident_id: string; began_at: string; ended_at: string | null }[]
}

/**
 * Compares recorded incidents with what the results show since `from`. `recorded`: the incidents that are open or end
 * at `from` or later, oldest first, as they are when the present change is written. Incidents of one check never
 * overlap: a correction that would make them overlap is not made.
 */
export function correct(spans: readonly DownSpan[], recorded: readonly Recorded[], from: string): Correction {
  const correction: Correction = { missed: [], moved: [] }
  const taken = new Set<string>()
  const begins = new Set(spans.map(({ began_at }) => began_at))
  for (const span of spans) {
    if (span.ended_at !== null && span.ended_at < from) continue
    const touching = recorded.filter((one) => belongs(one, span, begins))
    const [own] = touching
    if (!own) {
      if (span.ended_at !== null && !span.isCut) {
        correction.missed.push({ began_at: span.began_at, ended_at: span.ended_at })
      }
      continue
    }
    const isMovable = touching.length === 1 && (own.ended_at === null || own.end_reason === 'recovered')
    if (!isMovable) continue
    // An open incident belongs to the last span; a span before that is recorded separately.
    const isEarlierPart = own.ended_at === null && span.ended_at !== null
    if (taken.has(own.incident_id) || isEarlierPart) {
      if (span.ended_at !== null) {
        const began_at = span.isFirst && own.began_at < span.began_at ? own.began_at : span.began_at
        correction.missed.push({ began_at, ended_at: span.ended_at })
      }
      continue
    }
    if (own.ended_at !== null && span.ended_at === null) continue
    taken.add(own.incident_id)
    // An incident that began before a break and continued keeps its beginning.
    const began_at = span.isFirst && own.began_at < span.began_at ? own.began_at : span.began_at
    if (began_at !== own.began_at || span.ended_at !== own.ended_at) {
      correction.moved.push({ incident_id: own.incident_id, began_at, ended_at: span.ended_at })
    }
  }
  return isWithoutOverlap(recorded, correction) ? correction : { missed: [], moved: [] }
}

type Between = Pick<Recorded, 'began_at' | 'ended_at'>

/** Whether a recorded incident belongs to a span: its first failure does, though a success of the same instant may end the span. */
function belongs(recorded: Between, span: Between, begins: ReadonlySet<string>): boolean {
  const { began_at } = recorded
  const isShared = beginsBefore(span, recorded) && beginsBefore(recorded, span)
  return isShared || began_at === span.began_at || (began_at === span.ended_at && !begins.has(began_at))
}

function beginsBefore(one: Between, { ended_at }: Between): boolean {
  return ended_at === null || one.began_at < ended_at
}

function isWithoutOverlap(recorded: readonly Recorded[], { missed, moved }: Correction): boolean {
  const after = new Map(moved.map((one) => [one.incident_id, one]))
  const all = [...recorded.map((one) => after.get(one.incident_id) ?? one), ...missed]
  // If two incidents begin together, the one without length comes first.
  all.sort((a, b) => (a.began_at < b.began_at || (a.began_at === b.began_at && a.ended_at === a.began_at) ? -1 : 1))
  return all.every((one, index) => {
    const next = all[index + 1]
    return !next || (one.ended_at !== null && one.ended_at <= next.began_at)
  })
}

function later(one: string, other: string | null): string {
  return other !== null && other > one ? other : one
}

/** Results up to this time are shown. */
export function horizonOf(now: Date): string {
  return fromDate(new Date(now.getTime() + SHOWN_AHEAD_MS))
}

/**
 * Results up to this time are judged. No result runs later by our clocks: one that claims to counts from when it
 * arrived.
 */
export function judgedUntil(now: Date): string {
  return fromDate(new Date(now.getTime() + JUDGED_AHEAD_MS))
}
