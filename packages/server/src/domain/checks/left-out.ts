// What ran during maintenance of the last day and week: lists of checks and reports leave it out, as the page of a check does.
import { fromDate } from '../../runtime/timestamps.ts'
import { listScopeSubjects } from '../../store/checks/checks.ts'
import type { Database } from '../../store/database.ts'
import { readFolding } from '../../store/results/history.ts'
import type { Maintenance } from '../maintenance/times.ts'
import type { Cover } from '../results/cover.ts'
import { type CountsOfCheck, withExcluded } from '../results/excluded.ts'
import { type Runs, sumRuns } from '../results/uptime.ts'
import { horizonOf } from './health.ts'

export interface LeftOut {
  /** When the check was under maintenance. */
  maintenance: Cover
  /** What ran meanwhile in the last 24 hours, and in the week. */
  day: Runs
  week: Runs
}

interface Bounds {
  week_from: Date
  day_from: Date
  now: Date
}

/** For checks that were under maintenance; the others are left out. `counts`: all that ran, by check. */
export async function readLeftOut(
  database: Database,
  org_id: number,
  maintenance: Maintenance,
  counts: ReadonlyMap<number, { day: Runs; week: Runs }>,
  { week_from, day_from, now }: Bounds,
): Promise<ReadonlyMap<number, LeftOut>> {
  if (maintenance.isNone) return new Map()
  const subjects = await listScopeSubjects(database.people, org_id, [...counts.keys()])
  const covered: CountsOfCheck[] = []
  const [first, second, end] = [week_from.getTime(), day_from.getTime(), now.getTime()]
  for (const { check_id, guid, tags } of subjects) {
    const times = await maintenance.timesOf({ kind: 'check', guid, tags })
    const { day, week } = counts.get(check_id) ?? { day: NONE, week: NONE }
    if (times.size === 0) continue
    const before = { runs: week.runs - day.runs, failures: week.failures - day.failures }
    const stretches = [
      { from: first, until: second, ...before },
      { from: second, until: end, ...day },
    ]
    covered.push({ check_id, maintenance: times, stretches })
  }
  const check_ids = covered.map(({ check_id }) => check_id)
  const span = { org_id, check_ids, from: fromDate(week_from), until: horizonOf(now) }
  const counted =
    covered.length === 0 ? [] : await withExcluded(database, org_id, covered, await readFolding(database, span))
  return new Map(
    covered.map(({ check_id, maintenance: times }, index) => {
      const [before, day] = (counted[index] ?? []).map(({ excluded }) => excluded)
      return [check_id, { maintenance: times, day: day ?? NONE, week: sumRuns([before ?? NONE, day ?? NONE]) }]
    }),
  )
}

const NONE: Runs = { runs: 0, failures: 0 }
