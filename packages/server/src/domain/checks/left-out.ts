// What ran during maintenance of the last day and week: lists of checks and reports leave it out, as the page of a check does.
import { fromDate } from '../../runtime/timestamps.ts'
import { listScopeSubjects } from '../../store/checks/checks.ts'
import type { Database } from '../../store/database.ts'
import type { Span } from '../../store/maintenance/spans.ts'
import { readFolding } from '../../store/results/history.ts'
import { maintenanceOf } from '../maintenance/times.ts'
import { type CountsOfCheck, withExcluded } from '../results/excluded.ts'
import { type Runs, sumRuns } from '../results/uptime.ts'
import type { Interval } from '../results/watched.ts'
import { horizonOf } from './health.ts'

export interface LeftOut {
  /** When the check was under maintenance: sorted and disjoint. */
  maintenance: readonly Interval[]
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
  spans: readonly Span[],
  counts: ReadonlyMap<number, { day: Runs; week: Runs }>,
  { week_from, day_from, now }: Bounds,
): Promise<ReadonlyMap<number, LeftOut>> {
  if (spans.length === 0) return new Map()
  const subjects = await listScopeSubjects(database.people, org_id, [...counts.keys()])
  const covered = subjects.flatMap(({ check_id, guid, tags }): CountsOfCheck[] => {
    const maintenance = maintenanceOf(spans, { kind: 'check', guid, tags })
    const { day, week } = counts.get(check_id) ?? { day: NONE, week: NONE }
    if (maintenance.length === 0) return []
    const before = { runs: week.runs - day.runs, failures: week.failures - day.failures }
    const [first, second, end] = [week_from.getTime(), day_from.getTime(), now.getTime()]
    return [
      {
        check_id,
        maintenance,
        stretches: [
          { from: first, until: second, ...before },
          { from: second, until: end, ...day },
        ],
      },
    ]
  })
  const check_ids = covered.map(({ check_id }) => check_id)
  const span = { org_id, check_ids, from: fromDate(week_from), until: horizonOf(now) }
  const counted =
    covered.length === 0 ? [] : await withExcluded(database, org_id, covered, await readFolding(database, span))
  return new Map(
    covered.map(({ check_id, maintenance }, index) => {
      const [before, day] = (counted[index] ?? []).map(({ excluded }) => excluded)
      return [check_id, { maintenance, day: day ?? NONE, week: sumRuns([before ?? NONE, day ?? NONE]) }]
    }),
  )
}

const NONE: Runs = { runs: 0, failures: 0 }
