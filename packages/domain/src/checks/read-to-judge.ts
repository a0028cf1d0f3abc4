// Reads the results that decide whether checks are down. Each statement opens as few partitions as it can, because planning it
// for a week of them takes longer than reading what it finds.

import { fromDate } from '@dogwatch/runtime/timestamps'
import type { CheckKey } from '@dogwatch/store/check-keys'
import type { CheckCase } from '@dogwatch/store/checks/check-health'
import type { Trx } from '@dogwatch/store/database'
import {
  type LatestResult,
  listLatestToJudge,
  listResultsToJudge,
  type ResultStorage,
  type ResultToJudge,
  type Span,
} from '@dogwatch/store/results/to-judge'
import { judgedUntil } from './health.ts'
import { EVER, isPutOff, RECENT_MS } from './judging.ts'
import { rulesOf, wantedResults } from './places.ts'
import { rulesNow } from './quorum.ts'
import { redactResultsOfChecks } from './redact.ts'

/** Maximum number of late results to search for spans of being down that no one saw. */
export const LONGEST_LATE = 10_000
/** Number of further results to read, because those of a monitor that is catching up may not count. */
const BESIDE_LATE = 500
/**
 * Maximum number of new results to read together with older ones. Each costs a page of the table, and agents upload one or two of
 * a check.
 */
const NEW_AT_MOST = 5
/** Factor for the time that runs may take beyond their intervals, because agents wait and upload late. */
const SLACK = 2
const SLACK_MS = 600_000

type ResultsOfChecks = Map<number, ResultToJudge[]>

/** Whether to keep waiting for late results that may decide. */
export function waitsForLate({ late_since, late_monitors }: CheckCase, now: Date): boolean {
  return isPutOff(late_since, late_monitors.length > 0, now)
}

export interface ReadContext {
  until: string
  now: Date
  stored: ResultStorage
}

interface Recent {
  /** New results. If there are too many to read, only the newest of them count. */
  results: ResultsOfChecks
  /** Older results, if the same query read them, and the time since which it read them. Usually, no other query is needed. */
  before: { since: string; results: ResultsOfChecks } | undefined
}

/** Reads the new results, and nearly always the older ones in the same statement. */
export async function readRecent(
  trx: Trx,
  cases: readonly CheckCase[],
  fromOf: ReadonlyMap<number, string | undefined>,
  { until, now, stored }: ReadContext,
): Promise<Recent> {
  const spans = cases.flatMap((one): Span[] => {
    const from = fromOf.get(one.check_id)
    if (from === undefined) return []
    const since = one.judged_from !== null && one.judged_from > from ? one.judged_from : from
    return [{ org_id: one.org_id, check_id: one.check_id, since, before: until, limit: LONGEST_LATE }]
  })
  const oldest = spans.reduce((least, { since }) => (since < least ? since : least), until)
  const wanted = cases.map((one) => ({ ...one, limit: leastOf(one, now) }))
  const near = nearOf(wanted, now)
  if (oldest >= near) {
    const reach = wanted.map(({ org_id, check_id, judged_from, limit }): Span => {
      return { org_id, check_id, since: judged_from ?? EVER, before: until, limit: limit + NEW_AT_MOST }
    })
    const found = byCheck(await listResultsToJudge(trx, reach, near, stored))
    const sinceOf = new Map(spans.map(({ check_id, since }) => [check_id, since]))
    const isNew = ({ check_id, at }: ResultToJudge): boolean => at >= (sinceOf.get(check_id) ?? until)
    const results = new Map([...found].map(([check_id, own]) => [check_id, own.filter(isNew)]))
    const before = new Map(
      wanted.map(({ check_id, limit }) => {
        const older = (found.get(check_id) ?? []).filter((one) => !isNew(one))
        return [check_id, older.slice(0, limit)]
      }),
    )
    const isAll = [...results.values()].every((own) => own.length <= NEW_AT_MOST)
    if (isAll) return { results, before: { since: near, results: before } }
  }
  return { results: byCheck(await listResultsToJudge(trx, spans, oldest, stored)), before: undefined }
}

interface Older {
  results: ResultsOfChecks
  /** Checks without further stored results. */
  whole: Set<number>
}

/** Reads the results before the new ones: as many as decide, or more. */
export async function readOlder(
  trx: Trx,
  cases: readonly CheckCase[],
  recent: Recent,
  { until, now, stored, limit }: ReadContext & { limit: number },
): Promise<Older> {
  const spans = cases.flatMap((one): (Span & Pick<CheckCase, 'interval_sec'>)[] => {
    const newer = recent.results.get(one.check_id) ?? []
    if (newer.length === LONGEST_LATE) return []
    const before = newer.at(-1)?.at ?? until
    return [{ ...one, since: one.judged_from ?? EVER, before, limit: Math.max(leastOf(one, now), limit) }]
  })
  const confirmed = new Set(cases.filter((one) => rulesOf(one).confirm).map(({ check_id }) => check_id))
  // What was read with the new ones is not enough where more are wanted.
  const known = limit === 0 ? recent.before : undefined
  const found: ResultsOfChecks = new Map(known?.results)
  // There may be more, further back, and they may decide.
  const isUndecided = ({ check_id, limit: wanted }: Span): boolean => {
    const own = found.get(check_id) ?? []
    return own.length < wanted && (confirmed.has(check_id) || !own.some(({ success }) => success))
  }
  let undecided = known ? spans.filter(isUndecided) : spans
  let read = known?.since
  const further_back = [fromDate(new Date(now.getTime() - RECENT_MS)), EVER]
  for (const reach of known ? further_back : [nearOf(spans, now), ...further_back]) {
    const further = undecided.filter(({ since }) => read === undefined || since === EVER || since < read)
    for (const [check_id, own] of byCheck(await listResultsToJudge(trx, further, reach, stored)))
      found.set(check_id, own)
    if (reach !== EVER) undecided = undecided.filter(isUndecided)
    read = reach
  }
  const whole = undecided.filter(({ check_id, limit: wanted }) => (found.get(check_id) ?? []).length < wanted)
  return { results: found, whole: new Set(whole.map(({ check_id }) => check_id)) }
}

function leastOf(one: CheckCase, now: Date): number {
  return wantedResults(rulesNow(one, now)) + (waitsForLate(one, now) ? BESIDE_LATE : 0)
}

/**
 * Reads the newest results of checks for alerts, without the secrets of the checks. `limits`: number of results of each check.
 */
export async function readLatest(
  trx: Trx,
  cases: readonly CheckCase[],
  limits: readonly number[],
  now: Date,
): Promise<LatestResult[]> {
  const until = judgedUntil(now)
  const wanted = cases.map((one, place) => ({ ...one, limit: limits[place] ?? 0 }))
  const near = byCheck(await listLatestToJudge(trx, cases, { until, since: nearOf(wanted, now), limits }))
  const others = wanted.filter(({ check_id, limit }) => (near.get(check_id) ?? []).length < limit)
  const reach = { until, since: EVER, limits: others.map(({ limit }) => limit) }
  const further = byCheck(await listLatestToJudge(trx, others, reach))
  const latest = cases.flatMap(({ check_id }) => further.get(check_id) ?? near.get(check_id) ?? [])
  return redactResultsOfChecks(trx, latest)
}

/** Returns the time since which most checks have as many results as wanted. */
function nearOf(wanted: readonly { interval_sec: number; limit: number }[], now: Date): string {
  const longest_ms = wanted.reduce((most, one) => Math.max(most, one.limit * one.interval_sec * 1000), 0)
  return fromDate(new Date(now.getTime() - Math.min(SLACK * longest_ms + SLACK_MS, RECENT_MS)))
}

export function byCheck<Row extends CheckKey>(rows: readonly Row[]): Map<number, Row[]> {
  return Map.groupBy(rows, ({ check_id }) => check_id)
}
