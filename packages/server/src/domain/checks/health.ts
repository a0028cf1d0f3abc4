// The rule that decides whether a check is down: a pure function of its stored results, whatever order they arrived in.
import { fromDate } from '../../runtime/timestamps.ts'

export interface JudgedResult {
  /** When it ran by the server's clock. UTC with six digits, so that it sorts as text. */
  at: string
  monitor_id: string
  success: boolean
}

/** The recorded state of a check. */
export interface Health {
  /** When the first failure of the open incident ran; null while the check is not down. */
  down_since: string | null
  /** When its last closed incident ended: no other begins before that. */
  last_ended_at: string | null
}

export interface Rules {
  /** Failures in a row that take it down. */
  threshold: number
  /**
   * Failures are not in a row when more time than this without any result lies between them: nobody knows what happened
   * meanwhile.
   */
  gap_ms: number
}

export type HealthChange =
  | { kind: 'none' }
  | { kind: 'down'; since: string; failures: number }
  /** `threshold`: no success came, but the check now needs more failures in a row than there are. */
  | { kind: 'up'; ended_at: string; reason: 'recovered' | 'threshold' }

/** At least the needed number of failures in a row, up to the success that ended them. */
export interface DownSpan {
  began_at: string
  /** Null while nothing has ended it. */
  ended_at: string | null
  failures: number
  /** It begins with the oldest of the given results: earlier ones do not count, or were not given. */
  isFirst: boolean
  /** It may have begun before the oldest of the given results. */
  isCut: boolean
}

export interface Judgement {
  change: HealthChange
  /** Everything that the results show, oldest first. */
  spans: DownSpan[]
  /** Older results could change the times and counts of the change, but never its kind. */
  wantsOlder: boolean
}

/** Pages show no result that claims to have run later than this. */
const SHOWN_AHEAD_MS = 600_000
/** The clocks of servers may differ by this much. */
const JUDGED_AHEAD_MS = 10_000
const LEAST_GAP_MS = 300_000
const GAP_ROUNDS = 3

/**
 * The longest time without results between two failures in a row: three rounds of the check's monitors, at least five
 * minutes. Up to then a monitor may simply have missed turns; after that the check was unmonitored.
 */
export function gapMs({ interval_sec, monitors }: { interval_sec: number; monitors: number }): number {
  return Math.max(LEAST_GAP_MS, GAP_ROUNDS * interval_sec * Math.max(monitors, 1) * 1000)
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
): Judgement {
  const oldest = results.at(-1)
  // Results may have been deleted by retention. Then nothing is known, and nothing changes.
  if (!oldest) return { change: { kind: 'none' }, spans: [], wantsOlder: false }
  const { down_since, last_ended_at } = health
  // The incident was recorded while the clock was ahead. What ran before and after it cannot be told apart.
  const until = judgedUntil(now)
  if (down_since !== null && down_since > until) return { change: { kind: 'none' }, spans: [], wantsOlder: false }
  // The failures that took it down are older, or were deleted: the remaining ones count for less.
  const isSinceBefore = down_since !== null && oldest.at > down_since
  const spans = downSpansIn(results, rules, isSinceBefore ? down_since : null, isWhole)
  const last = spans.at(-1)
  const isDown = last?.ended_at === null
  if (isDown === (down_since !== null)) return { change: { kind: 'none' }, spans, wantsOlder: false }
  if (down_since === null && last) {
    const change: HealthChange = {
      kind: 'down',
      since: later(last.began_at, last_ended_at !== null && last_ended_at <= until ? last_ended_at : null),
      failures: last.failures,
    }
    return { change, spans, wantsOlder: last.isCut }
  }
  const ended_at = endAfter(down_since ?? '', results, spans)
  const change: HealthChange =
    ended_at === undefined
      ? { kind: 'up', ended_at: fromDate(now), reason: 'threshold' }
      : { kind: 'up', ended_at, reason: 'recovered' }
  return { change, spans, wantsOlder: isSinceBefore && !isWhole }
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
      : { began_at: down_since, ended_at: null, failures: needed, isFirst: true, isCut: true }
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
      current ??= { began_at: result.at, ended_at: null, failures: 0, isFirst, isCut: isFirst && !isWhole }
      current.failures++
      if (!isDown && current.failures >= needed) {
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
  for (const span of spans) {
    if (span.ended_at !== null && span.ended_at < from) continue
    const touching = recorded.filter((one) => overlap(span, one))
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

function overlap(one: { began_at: string; ended_at: string | null }, other: typeof one): boolean {
  return (
    (other.ended_at === null || one.began_at < other.ended_at) &&
    (one.ended_at === null || other.began_at < one.ended_at)
  )
}

function isWithoutOverlap(recorded: readonly Recorded[], { missed, moved }: Correction): boolean {
  const after = new Map(moved.map((one) => [one.incident_id, one]))
  const all = [...recorded.map((one) => after.get(one.incident_id) ?? one), ...missed]
  all.sort((a, b) => (a.began_at < b.began_at ? -1 : 1))
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
