// Counts the runs of many checks in steps of time, for summaries and status pages.
import { batchesOf, Pace } from '@dogwatch/runtime/pace'
import type { SchedulesRow } from '@dogwatch/store/checks/schedules'
import type { Database } from '@dogwatch/store/database'
import type { Folding } from '@dogwatch/store/results/history'
import type { Maintenance } from '../maintenance/times.ts'
import type { Facts, StretchCounts } from '../results/division.ts'
import { type CountsOfCheck, withExcluded } from '../results/excluded.ts'
import type { JudgedPast } from '../results/judged-past.ts'
import { timetableOf } from '../results/watched.ts'

/** Number of checks whose times of maintenance are in memory together. */
const AT_ONCE = 50

/** Stored history of some checks. */
export interface StoredHistory<Row> {
  rows: readonly Row[]
  schedules: readonly SchedulesRow[]
  maintenance: Maintenance
  folding: Folding
  past: JudgedPast
}

/**
 * Rules for counting. `stretchesOf` divides the history of a check, and `steps_each` is the cost of one check, for {@link Pace}.
 */
interface Counting<Row> {
  stretchesOf: (rows: readonly Row[]) => CountsOfCheck['stretches']
  steps_each: number
}

/** A check with the counts of its steps. */
export interface CountedCheck<Check, Row> {
  check: Check
  rows: readonly Row[]
  facts: Facts
  counted: readonly StretchCounts[]
}

type HistoryCheck = Parameters<typeof timetableOf>[1] & {
  check_id: number
  guid: string
  tags: readonly string[]
  created_at: string
}

/** Counts the runs in the steps of each check, and returns what `finish` makes of the counts. */
export async function countSteps<Check extends HistoryCheck, Row extends { check_id: number }, Result>(
  database: Database,
  org_id: number,
  checks: readonly Check[],
  { rows, schedules, maintenance, folding, past }: StoredHistory<Row>,
  { stretchesOf, steps_each }: Counting<Row>,
  finish: (counted: CountedCheck<Check, Row>) => Result,
): Promise<Result[]> {
  const rowsOf = Map.groupBy(rows, ({ check_id }) => check_id)
  const schedulesOf = new Map(schedules.map((one) => [one.check_id, one.schedules]))
  const results: Result[] = []
  for (const some of batchesOf(checks, AT_ONCE)) {
    const pace = new Pace()
    const counts: (CountsOfCheck & { facts: Facts })[] = []
    for (const check of some) {
      const { check_id, guid, tags, created_at } = check
      const times = await maintenance.timesOf({ kind: 'check', guid, tags })
      const timetable = timetableOf(schedulesOf.get(check_id), check)
      const facts = past.factsOf(check_id, { timetable, maintenance: times, exists_from: Date.parse(created_at) })
      const stretches = past.stepsOf(check_id, facts, stretchesOf(rowsOf.get(check_id) ?? []))
      counts.push({ check_id, maintenance: times, stretches, facts })
      await pace.spend(steps_each)
    }
    const counted = await withExcluded(database, org_id, counts, folding, pace)
    const finished = await pace.map(
      some,
      (check, index) => {
        const facts = counts[index]?.facts as Facts
        return finish({ check, rows: rowsOf.get(check.check_id) ?? [], facts, counted: counted[index] ?? [] })
      },
      () => steps_each,
    )
    results.push(...finished)
  }
  return results
}
