// Decides whether a check is down: which of its stored results count, and what they change, in whatever order they arrived.
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { CheckCase } from '@dogwatch/store/checks/check-health'
import type { PastIncident } from '@dogwatch/store/checks/incidents'
import { type DownSpan, type JudgedResult, PlaceJudge, type Places, type Rules, rowMs } from './places.ts'
import { withinQuorum } from './quorum.ts'

/** Recorded state of a check. */
export interface Health {
  /** Time of the first failure of the open incident. Null while the check is not down. */
  down_since: string | null
  /** End of its last closed incident. No other incident begins before that. */
  last_ended_at: string | null
}

/** Earlier verdicts on a check, for rules that wait for several monitors or successes. */
export interface Before {
  /** Time of the oldest result that no judgement has used yet. Undefined if there is none. */
  from: string | undefined
  /** Incidents of the check that are open or ended since shortly before the oldest of the given results, oldest first. */
  recorded: readonly Pick<PastIncident, 'began_at' | 'ended_at'>[]
  /** Whether the open incident was judged by other rules than the current ones. */
  hasOtherRules: boolean
  /** Time at which the monitors that count last changed. Verdicts from before that do not count. */
  quorum_since?: string | null
}

export type HealthChange =
  | { kind: 'none' }
  | { kind: 'down'; since: string; failures: number; turned_at: string; places?: Places }
  /** `threshold`: no success came, but the check now needs more failures in a row, or more places, than there are. */
  | { kind: 'up'; ended_at: string; reason: 'recovered' | 'threshold' }

export interface Judgement {
  change: HealthChange
  /** Spans of being down in the results, oldest first. */
  spans: DownSpan[]
  /** Whether older results could change the times and counts of the change, but not its kind unless `isUnsure`. */
  wantsOlder: boolean
  /** Whether older results could decide otherwise. */
  isUnsure?: boolean
}

/** Maximum lead over now of a result that pages show, in milliseconds. */
const SHOWN_AHEAD_MS = 600_000
/** Maximum difference between the clocks of servers, in milliseconds. */
const JUDGED_AHEAD_MS = 10_000
const NOTHING: Before = { from: undefined, recorded: [], hasOtherRules: false }

/** Fields of a check that decide which of its results count. */
type CountingFields = Pick<
  CheckCase,
  'down_since' | 'down_places' | 'down_majority' | 'online' | 'quorum_left' | 'unable'
>

/** Returns the results that count for a verdict now. `late`: monitors that are catching up, if the check waits for them. */
export function countingResults<One extends JudgedResult>(
  check: CountingFields,
  results: readonly One[],
  late: ReadonlySet<string>,
): readonly One[] {
  const able = withoutUnable(results, check.unable)
  return withoutLate(check, withinQuorum(check, able), late)
}

/**
 * Returns the results without those of late monitors that contradict the recorded state, because a monitor that is catching up
 * proves nothing. Results of other monitors count as always.
 */
function withoutLate<One extends JudgedResult>(
  { down_since }: Pick<Health, 'down_since'>,
  results: readonly One[],
  late: ReadonlySet<string>,
): One[] {
  return results.filter(({ monitor_id, success }) => !late.has(monitor_id) || success !== (down_since !== null))
}

/**
 * Returns the results without the failures of monitors that lacked an ability by then, because these say nothing about the target.
 * `unable`: these monitors, and when their abilities changed last.
 */
function withoutUnable<One extends JudgedResult & { at: string }>(
  results: readonly One[],
  unable: Readonly<Record<string, string>>,
): readonly One[] {
  if (Object.keys(unable).length === 0) return results
  return results.filter(({ monitor_id, success, at }) => success || at < (unable[monitor_id] ?? '9'))
}

/**
 * Judges a check by its results, newest first by (at, monitor_id), and none from before a break. It is down from `threshold`
 * failures in a row until the next success. Give at least the newest `threshold` results, or all there are (`isWhole`).
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
  // If the incident begins in the future, the server recorded it while its clock was ahead. Which results ran before the incident is
  // unknown then, so nothing changes.
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
  return { change: upAt(ended_at, now), spans, wantsOlder: isSinceBefore && !isWhole }
}

/** Returns the change that a check comes up at `ended_at` or, if no success shows it, now. */
function upAt(ended_at: string | undefined, now: Date): HealthChange {
  return ended_at === undefined
    ? { kind: 'up', ended_at: fromDate(now), reason: 'threshold' }
    : { kind: 'up', ended_at, reason: 'recovered' }
}

function downBy(
  { began_at, failures, turned_at, places }: DownSpan,
  last_ended_at: string | null,
  until: string,
): HealthChange {
  const since = later(began_at, last_ended_at !== null && last_ended_at <= until ? last_ended_at : null)
  return { kind: 'down', since, failures, turned_at, ...(places && { places }) }
}

interface JudgingContext {
  now: Date
  until: string
  isWhole: boolean
  before: Before
}

/**
 * Judges a check whose rules wait for several monitors or successes. Such a check keeps its state until there is evidence, so its
 * incidents matter: they say how it was before the given results.
 */
function judgeConfirmed(
  { down_since, last_ended_at }: Health,
  results: readonly JudgedResult[],
  rules: Rules,
  { now, until, isWhole, before }: JudgingContext,
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
  if (isDown && down_since === null && last) {
    return { change: downBy(last, last_ended_at, until), spans, wantsOlder: isUnsure || last.isCut, isUnsure }
  }
  // If other rules took it down, what is known from before does not count.
  const own = before.hasOtherRules ? [] : spans
  if (isDown || down_since === null) return { change: { kind: 'none' }, spans: own, wantsOlder: isUnsure, isUnsure }
  return {
    change: upBy(down_since, results, own, before.hasOtherRules, now),
    spans: own,
    wantsOlder: isUnsure,
    isUnsure,
  }
}

/** Judges a check whose monitors have changed. Its past would look different, so there are no corrections or alerts about it. */
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
  return upAt(results.find((result) => result.success && result.at > down_since)?.at, now)
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
  if (own?.ended_at) return upAt(own.ended_at, now)
  if (hasOtherRules) return upAt(undefined, now)
  // Results that came late show that too few monitors were failing. They end nothing before there is a newer success.
  const success = results.find((result) => result.success && result.at > down_since)
  return success ? upAt(success.at, now) : { kind: 'none' }
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
 * Returns the start of the results that can be judged. By then, the monitors with fresh results are known, and no row of results
 * that made a recorded change is still incomplete.
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

/**
 * Returns all spans of being down in the results, which are newest first. `down_since`: start of the span that is already open
 * before them.
 */
export function downSpansIn(
  results: readonly JudgedResult[],
  rules: Rules,
  down_since: string | null,
  isWhole = false,
): DownSpan[] {
  const fold = new PlaceJudge(rules, isWhole ? undefined : results.at(-1)?.at)
  fold.begin(down_since)
  for (const result of results.toReversed()) fold.take(result)
  return fold.spans
}

/** Returns the end of the span that took the check down. Returns undefined if no success came since. */
function endAfter(
  down_since: string,
  results: readonly JudgedResult[],
  spans: readonly DownSpan[],
): string | undefined {
  const own = spans.find(({ ended_at }) => ended_at !== null && ended_at > down_since)
  return own?.ended_at ?? results.findLast(({ at, success }) => success && at > down_since)?.at
}

export interface Correction {
  /** Spans of being down that no one saw while they lasted. They are recorded without an alert. */
  missed: { began_at: string; ended_at: string }[]
  /** Recorded incidents that were a little longer or shorter, as late results show. */
  moved: { incident_id: string; began_at: string; ended_at: string | null }[]
}

/**
 * Compares recorded incidents with the spans since `from`. `recorded`: incidents that are open or end at `from` or later, oldest
 * first, after the current change. Corrects nothing if incidents of the check would overlap.
 */
export function correct(spans: readonly DownSpan[], recorded: readonly PastIncident[], from: string): Correction {
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
    // An incident that began before a break and continued keeps its beginning.
    const began_at = span.isFirst && own.began_at < span.began_at ? own.began_at : span.began_at
    const isMovable = touching.length === 1 && (own.ended_at === null || own.end_reason === 'recovered')
    if (!isMovable) continue
    // An open incident belongs to the last span; a span before that is recorded separately.
    const isEarlierPart = own.ended_at === null && span.ended_at !== null
    if (taken.has(own.incident_id) || isEarlierPart) {
      if (span.ended_at !== null) correction.missed.push({ began_at, ended_at: span.ended_at })
      continue
    }
    if (own.ended_at !== null && span.ended_at === null) continue
    taken.add(own.incident_id)
    if (began_at !== own.began_at || span.ended_at !== own.ended_at) {
      correction.moved.push({ incident_id: own.incident_id, began_at, ended_at: span.ended_at })
    }
  }
  return isWithoutOverlap(recorded, correction) ? correction : { missed: [], moved: [] }
}

/** Whether recorded incidents may differ from the results. They nearly never do, which saves the query. */
export function mayCorrect({ spans, change }: Judgement, down_since: string | null, from: string): boolean {
  const began_at = change.kind === 'down' ? change.since : down_since
  return spans.some(({ ended_at, began_at: began, isFirst }) =>
    ended_at === null ? !isFirst && began !== began_at : ended_at >= from,
  )
}

/** Returns the start of the results that no judgement has used yet: the earlier of the new and the postponed ones. */
export function oldestNew(from: string | undefined, late_from: string | null): string | undefined {
  if (from === undefined || late_from === null) return from ?? late_from ?? undefined
  return late_from < from ? late_from : from
}

type Between = Pick<PastIncident, 'began_at' | 'ended_at'>

/**
 * Whether a recorded incident belongs to a span. Its first failure belongs to the span even if a success of the same instant ends
 * the span.
 */
function belongs(recorded: Between, span: Between, begins: ReadonlySet<string>): boolean {
  const { began_at } = recorded
  const isShared = beginsBefore(span, recorded) && beginsBefore(recorded, span)
  return isShared || began_at === span.began_at || (began_at === span.ended_at && !begins.has(began_at))
}

function beginsBefore(one: Between, { ended_at }: Between): boolean {
  return ended_at === null || one.began_at < ended_at
}

function isWithoutOverlap(recorded: readonly PastIncident[], { missed, moved }: Correction): boolean {
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

/** Returns the time until which results are shown. */
export function horizonOf(now: Date): string {
  return fromDate(new Date(now.getTime() + SHOWN_AHEAD_MS))
}

/**
 * Returns the time until which results are judged. By our clocks, no result runs later, because one that claims to counts from
 * its arrival.
 */
export function judgedUntil(now: Date): string {
  return fromDate(new Date(now.getTime() + JUDGED_AHEAD_MS))
}
