// Whether a check is down: a function of its results as they are stored, whatever the order they arrived in.
import { fromDate } from '../../runtime/timestamps.ts'

export interface JudgedResult {
  /** When it ran by the server's clock. Six digits, UTC: the order of the text is the order of time. */
  at: string
  monitor_id: string
  success: boolean
}

/** What is held of a check now. */
export interface Health {
  /** When the first failure of the open incident ran; null while the check is not down. */
  down_since: string | null
  /** When its last incident that is over ended: no other begins before. */
  last_ended_at: string | null
}

export interface Rules {
  /** Failures in a row that make it down. */
  threshold: number
  /** After a longer time without any result, nobody knows what happened meanwhile, and failures are in a row no more. */
  gap_ms: number
}

export type HealthChange =
  | { kind: 'none' }
  | { kind: 'down'; since: string; failures: number }
  /** `threshold`: no success came, but more failures are needed now than there are. */
  | { kind: 'up'; ended_at: string; reason: 'recovered' | 'threshold' }

/** Failures in a row, as many as it takes or more, up to the success that ended them. */
export interface Outage {
  began_at: string
  /** Null: nothing ended it yet. */
  ended_at: string | null
  failures: number
  /** It begins with the oldest result that was given: what went before does not count, or was not given. */
  isFirst: boolean
  /** It may have begun before the oldest result that was given. */
  isCut: boolean
}

export interface Judgement {
  change: HealthChange
  /** All that the results show, oldest first. */
  outages: Outage[]
  /** Older results could move the instants and counts of the change, never its kind. */
  wantsOlder: boolean
}

/** Pages show no result that claims to have run later than that. */
const SHOWN_AHEAD_MS = 600_000
/** Servers may differ by so much in what time it is. */
const JUDGED_AHEAD_MS = 10_000
const LEAST_GAP_MS = 300_000
const GAP_ROUNDS = 3

/**
 * How long no result may come between two failures in a row: three rounds of a check's monitors, five minutes at least. A
 * monitor may miss turns for that long before anybody worries; after more, the check was unmonitored.
 */
export function gapMs({ interval_sec, monitors }: { interval_sec: number; monitors: number }): number {
  return Math.max(LEAST_GAP_MS, GAP_ROUNDS * interval_sec * Math.max(monitors, 1) * 1000)
}

/**
 * Judges a check by its results, newest first in the order of (at, monitor_id), none of them from before a break: it is down
 * when `threshold` or more failures follow each other, until the next success. At least the `threshold` newest must be
 * given, or all there are. `isWhole`: they are all there are.
 */
export function judge(
  health: Health,
  results: readonly JudgedResult[],
  rules: Rules,
  now: Date,
  isWhole = false,
): Judgement {
  const oldest = results.at(-1)
  // Results may be gone when their time is over. Nothing is known then, and nothing changes.
  if (!oldest) return { change: { kind: 'none' }, outages: [], wantsOlder: false }
  const { down_since, last_ended_at } = health
  // Noted while the clock was ahead. What ran before and after that cannot be told apart.
  const until = judgedUntil(now)
  if (down_since !== null && down_since > until) return { change: { kind: 'none' }, outages: [], wantsOlder: false }
  // What it went down by lies further back, or is gone: what is left counts for less.
  const isSinceBefore = down_since !== null && oldest.at > down_since
  const outages = outagesIn(results, rules, isSinceBefore ? down_since : null, isWhole)
  const last = outages.at(-1)
  const isDown = last?.ended_at === null
  if (isDown === (down_since !== null)) return { change: { kind: 'none' }, outages, wantsOlder: false }
  if (down_since === null && last) {
    const change: HealthChange = {
      kind: 'down',
      since: later(last.began_at, last_ended_at !== null && last_ended_at <= until ? last_ended_at : null),
      failures: last.failures,
    }
    return { change, outages, wantsOlder: last.isCut }
  }
  const ended_at = endAfter(down_since ?? '', results, outages)
  const change: HealthChange =
    ended_at === undefined
      ? { kind: 'up', ended_at: fromDate(now), reason: 'threshold' }
      : { kind: 'up', ended_at, reason: 'recovered' }
  return { change, outages, wantsOlder: isSinceBefore && !isWhole }
}

/** All outages that results, newest first, show. `down_since`: it was down already, since then. */
export function outagesIn(
  results: readonly JudgedResult[],
  { threshold, gap_ms }: Rules,
  down_since: string | null,
  isWhole = false,
): Outage[] {
  const needed = Math.max(threshold, 1)
  const outages: Outage[] = []
  let current: Outage | undefined =
    down_since === null
      ? undefined
      : { began_at: down_since, ended_at: null, failures: needed, isFirst: true, isCut: true }
  // It is as long as it takes once it is down: then only a success ends it, however long that takes to come.
  let isDown = current !== undefined
  if (current) outages.push(current)
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
        outages.push(current)
        isDown = true
      }
    }
    before = result
  }
  return outages
}

/** When the outage that it was down by ended; undefined: no success came since. */
function endAfter(
  down_since: string,
  results: readonly JudgedResult[],
  outages: readonly Outage[],
): string | undefined {
  const own = outages.find(({ ended_at }) => ended_at !== null && ended_at > down_since)
  return own?.ended_at ?? results.findLast(({ at, success }) => success && at > down_since)?.at
}

/**
 * What a monitor that is catching up says proves nothing before it has said all: of its results, those are left out that
 * speak against what is held. What others see live counts as ever.
 */
export function withoutLate<One extends JudgedResult>(
  { down_since }: Pick<Health, 'down_since'>,
  results: readonly One[],
  late: ReadonlySet<string>,
): One[] {
  return results.filter(({ monitor_id, success }) => !late.has(monitor_id) || success !== (down_since !== null))
}

/** An incident as it is recorded. */
export interface Recorded {
  incident_id: string
  began_at: string
  ended_at: string | null
  end_reason: string | null
}

export interface Correction {
  /** Outages that nobody saw while they lasted: recorded, and told to nobody. */
  missed: { began_at: string; ended_at: string }[]
  /** Recorded incidents that results which came later show to have been a little longer or shorter. */
  moved: { incident_id: string; began_at: string; ended_at: string | null }[]
}

/**
 * Holds what is recorded against what the results show since `from`. `recorded`: the incidents that end then or later or are
 * open, oldest first, as they are when the present change is written. Incidents of one check never overlap: where a
 * correction would make them, it is left.
 */
export function correct(outages: readonly Outage[], recorded: readonly Recorded[], from: string): Correction {
  const correction: Correction = { missed: [], moved: [] }
  const taken = new Set<string>()
  for (const outage of outages) {
    if (outage.ended_at !== null && outage.ended_at < from) continue
    const touching = recorded.filter((one) => overlap(outage, one))
    const [own] = touching
    if (!own) {
      if (outage.ended_at !== null && !outage.isCut) {
        correction.missed.push({ began_at: outage.began_at, ended_at: outage.ended_at })
      }
      continue
    }
    const isMovable = touching.length === 1 && (own.ended_at === null || own.end_reason === 'recovered')
    if (!isMovable) continue
    // One that is open yet belongs to the last outage; what went before it is recorded by itself.
    const isEarlierPart = own.ended_at === null && outage.ended_at !== null
    if (taken.has(own.incident_id) || isEarlierPart) {
      if (outage.ended_at !== null) {
        const began_at = outage.isFirst && own.began_at < outage.began_at ? own.began_at : outage.began_at
        correction.missed.push({ began_at, ended_at: outage.ended_at })
      }
      continue
    }
    if (own.ended_at !== null && outage.ended_at === null) continue
    taken.add(own.incident_id)
    // One that was down before a break, and stayed so, began when it did.
    const began_at = outage.isFirst && own.began_at < outage.began_at ? own.began_at : outage.began_at
    if (began_at !== own.began_at || outage.ended_at !== own.ended_at) {
      correction.moved.push({ incident_id: own.incident_id, began_at, ended_at: outage.ended_at })
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

/** Results up to then are shown. */
export function horizonOf(now: Date): string {
  return fromDate(new Date(now.getTime() + SHOWN_AHEAD_MS))
}

/** Results up to then are judged. None runs later by our clocks: what claims to counts from when it came. */
export function judgedUntil(now: Date): string {
  return fromDate(new Date(now.getTime() + JUDGED_AHEAD_MS))
}
