// Counts the runs of checks in steps of time, for histories, summaries and status pages.

import { batchesOf, Pace } from '@dogwatch/runtime/pace'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { listSchedules, type SchedulesRow } from '@dogwatch/store/checks/schedules'
import type { Database, Db } from '@dogwatch/store/database'
import type { Folding } from '@dogwatch/store/results/history'
import { type Maintenance, readMaintenance } from '../maintenance/times.ts'
import type { Facts, StretchCounts } from '../results/division.ts'
import { type CountsOfCheck, type Step, withExcluded } from '../results/excluded.ts'
import { type JudgedPast, readJudgedPast } from '../results/judged-past.ts'
import { timetableOf } from '../results/watched.ts'

/** Facts about the past of checks, other than their runs. */
export interface PastFacts {
  schedules: readonly SchedulesRow[]
  maintenance: Maintenance
  past: JudgedPast
}

/** Reads the facts about the past of checks. `db`: connections for the maintenance. `only`: omits maintenance that is not public. */
export async function readPastFacts(
  database: Database,
  org_id: number,
  check_ids: readonly number[],
  { from, until, now }: { from: Date; until: Date; now: Date },
  { db, only }: { db: Db; only?: 'public' },
): Promise<PastFacts> {
  const [schedules, maintenance, past] = await Promise.all([
    listSchedules(database, org_id, fromDate(from), check_ids),
    readMaintenance(db, org_id, { from, until }, only),
    readJudgedPast(database, org_id, check_ids, { from: fromDate(from), now }),
  ])
  return { schedules, maintenance, past }
}

/** Rules for counting. `stepsOf` divides the history of a check into lists of steps, such as its hours and its days. */
interface Counting<Check> {
  stepsOf: (check: Check) => readonly (readonly Step[])[]
  /** Cost of one check, in steps of {@link Pace}. */
  steps_each: number
  /** Number of checks whose steps are in memory together. Default: 50. */
  at_once?: number
}

/** A check with the counts of each of its lists of steps. */
export interface CountedCheck<Check> {
  check: Check
  facts: Facts
  counted: readonly (readonly StretchCounts[])[]
}

/** Fields of a check that determine its history. */
export type HistoryCheck = Parameters<typeof timetableOf>[1] & {
  check_id: number
  guid: string
  tags: readonly string[]
  created_at: string
}

/** Counts the runs in the steps of each check, and returns what `finish` makes of the counts. */
export async function countSteps<Check extends HistoryCheck, Result>(
  database: Database,
  org_id: number,
  checks: readonly Check[],
  { schedules, maintenance, past, folding }: PastFacts & { folding: Folding },
  { stepsOf, steps_each, at_once = 50 }: Counting<Check>,
  finish: (counted: CountedCheck<Check>) => Result,
): Promise<Result[]> {
  const schedulesOf = new Map(schedules.map((one) => [one.check_id, one.schedules]))
  const results: Result[] = []
  for (const some of batchesOf(checks, at_once)) {
    const pace = new Pace()
    const begun: { check: Check; facts: Facts; lists: number }[] = []
    const counts: CountsOfCheck[] = []
    for (const check of some) {
      const { check_id, guid, tags, created_at } = check
      const times = await maintenance.timesOf({ kind: 'check', guid, tags })
      const timetable = timetableOf(schedulesOf.get(check_id), check)
      const facts = past.factsOf(check_id, { timetable, maintenance: times, exists_from: Date.parse(created_at) })
      const lists = stepsOf(check)
      for (const steps of lists) {
        counts.push({ check_id, maintenance: times, stretches: past.stepsOf(check_id, facts, steps) })
      }
      begun.push({ check, facts, lists: lists.length })
      await pace.spend(steps_each)
    }
    const counted = await withExcluded(database, org_id, counts, folding, pace)
    for (const { check, facts, lists } of begun) {
      results.push(finish({ check, facts, counted: counted.splice(0, lists) }))
      await pace.spend(steps_each)
    }
  }
  return results
}
