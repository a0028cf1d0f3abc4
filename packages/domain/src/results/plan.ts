// Plans a batch: decides which results to store, which hours to mark, and which checks to judge.
import { withSixDigits } from '@dogwatch/runtime/timestamps'
import type { AssignedBatch, AssignedCheck } from '@dogwatch/store/results/assigned'
import type { BatchCheck, TimedColumns } from '@dogwatch/store/results/results'
import type { MarkedHour } from '@dogwatch/store/results/sealing/marks'
import type { RowToStore } from '@dogwatch/store/results/write-results'
import { hourOf } from './history.ts'

const DAY_MS = 86_400_000

/** A result of a check that is assigned to the sender. */
export interface PlannedResult extends RowToStore {
  check: AssignedCheck
}

/** Results of a batch to store, hours to mark, and checks to judge. */
export interface BatchPlan {
  batch: AssignedBatch
  /** Results of assigned checks in the order of their keys, so that two batches that share results wait for each other. */
  results: readonly PlannedResult[]
  /** The results without those that repeat a key. */
  rows: readonly PlannedResult[]
  /** Hours to fold again, in the order of their keys. */
  marks: readonly MarkedHour[]
  decided: ReadonlySet<AssignedCheck>
}

/** Circumstances of a batch that its plan depends on. */
interface BatchFacts {
  /** Whether some of its results ran a while ago. */
  wasDelayed: boolean
  /** Time before which results are of hours that ended long ago. */
  late_until: string
}

export function planOf(columns: TimedColumns, batch: AssignedBatch, { wasDelayed, late_until }: BatchFacts): BatchPlan {
  const results = assignedResults(columns, batch)
  // A clock that is behind may not see hours that are being closed as late.
  const marked_until = late_until < batch.closing ? batch.closing : late_until
  return {
    batch,
    results,
    rows: withoutRepeats(results),
    marks: hoursBefore(results, marked_until),
    decided: decidedBy(columns, results, batch, wasDelayed),
  }
}

function assignedResults(columns: TimedColumns, { checks }: AssignedBatch): PlannedResult[] {
  const checkOf = new Map(checks.map((check) => [check.guid, check]))
  const planned: PlannedResult[] = []
  for (const [place, guid] of columns.check_guid.entries()) {
    const check = checkOf.get(guid)
    if (!check) continue
    const { org_id, check_id, result_detail_max_chars: most } = check
    planned.push({
      check,
      org_id,
      check_id,
      ran_at: columns.ran_at[place] ?? '',
      place,
      error: cutTo(columns.error[place] ?? '', most) || null,
      response_sample: cutTo(columns.response_sample[place] ?? '', most) || null,
    })
  }
  return planned.sort(byKey)
}

function byKey(a: PlannedResult, b: PlannedResult): number {
  return a.org_id - b.org_id || a.check_id - b.check_id || (a.ran_at < b.ran_at ? -1 : a.ran_at > b.ran_at ? 1 : 0)
}

/** Truncates a text to `most` code points. */
function cutTo(text: string, most: number): string {
  return text.length <= most ? text : Array.from(text).slice(0, most).join('')
}

/** Returns the hours of the results before an instant, each once. */
function hoursBefore(planned: readonly PlannedResult[], until: string): MarkedHour[] {
  const late = planned.filter(({ ran_at }) => ran_at < until)
  const hours = late.map(({ org_id, check_id, ran_at }) => ({ org_id, check_id, hour: hourOf(ran_at) }))
  return [...new Map(hours.map((one) => [`${one.check_id} ${one.hour}`, one])).values()]
}

/** Removes results that repeat a key, except the first one. */
function withoutRepeats(planned: readonly PlannedResult[]): readonly PlannedResult[] {
  const isRepeat = (one: PlannedResult, index: number): boolean => {
    const before = planned[index - 1]
    return before !== undefined && byKey(before, one) === 0
  }
  return planned.some(isRepeat) ? planned.filter((one, index) => !isRepeat(one, index)) : planned
}

/**
 * Returns the checks to judge after storing: those with a failure or a late result, those that are down, and those that can
 * become degraded or stop being so. Returns all checks of a delayed batch.
 */
function decidedBy(
  columns: TimedColumns,
  planned: readonly PlannedResult[],
  { announced }: AssignedBatch,
  wasDelayed: boolean,
): ReadonlySet<AssignedCheck> {
  const decided = new Set<AssignedCheck>()
  for (const one of planned) {
    const isDecided =
      wasDelayed ||
      one.check.is_down ||
      !columns.success[one.place] ||
      one.ran_at < announced ||
      mayDegrade(columns, one)
    if (isDecided) decided.add(one.check)
  }
  return decided
}

/**
 * Summarises the results of a batch by check, for judging. `late`: results that are noted as late. `isOld`: whether the state of
 * the checks was read long before.
 */
export function touchedBy(
  columns: TimedColumns,
  planned: readonly PlannedResult[],
  late: readonly { check_id: number; ran_at: string }[],
  { isOld = true } = {},
): BatchCheck[] {
  const lateOf = Map.groupBy(late, ({ check_id }) => check_id)
  return [...Map.groupBy(planned, ({ check }) => check)].map(([{ org_id, check_id, ...rules }, own]): BatchCheck => {
    const all_succeeded = own.every(({ place }) => columns.success[place] === true)
    const times = own.map(({ place, ran_at }) => columns.effective_at[place] ?? ran_at)
    return {
      org_id,
      check_id,
      accepted: own.length,
      all_succeeded,
      is_rated: rules.degraded_over_ms > 0 || rules.cert_warn_days > 0,
      may_degrade: own.some((one) => mayDegrade(columns, one)),
      oldest_at: times.reduce((least, at) => (at < least ? at : least)),
      late: [...new Set((lateOf.get(check_id) ?? []).map(({ ran_at }) => ran_at))],
      is_down: isOld ? undefined : all_succeeded && rules.is_down,
    }
  })
}

/**
 * Whether a result can start or end the degradation of its check. The statement in store/results/results.ts has the same rule.
 */
function mayDegrade(columns: TimedColumns, { check, place, ran_at }: PlannedResult): boolean {
  const { degraded_over_ms, cert_warn_days, is_slow, open_certificate } = check
  if (degraded_over_ms === 0 && cert_warn_days === 0) return false
  const [latency_ms, ends_at] = [columns.latency_ms[place] ?? 0, columns.cert_expires_at[place] ?? null]
  if (degraded_over_ms > 0 && columns.success[place] && latency_ms > degraded_over_ms !== is_slow) return true
  if (cert_warn_days === 0 || ends_at === null) return false
  if (Date.parse(ends_at) >= Date.parse(ran_at) + cert_warn_days * DAY_MS) return open_certificate !== null
  const isKnown =
    open_certificate?.warn_days === cert_warn_days && open_certificate.cert_expires_at === withSixDigits(ends_at)
  return !isKnown
}
