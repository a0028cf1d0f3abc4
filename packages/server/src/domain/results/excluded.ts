// The results that ran during maintenance, so that they can be left out of an uptime.
import { fromDate } from '../../runtime/timestamps.ts'
import type { Database } from '../../store/database.ts'
import type { Folding } from '../../store/results/history.ts'
import { listRunsWithin, type Stretch } from '../../store/results/runs-within.ts'
import { type Counted, within } from './division.ts'
import { type Runs, sumRuns } from './uptime.ts'
import { type Interval, lengthOf } from './watched.ts'

/** Counts of consecutive stretches of a check, before it is known what of them ran during maintenance. */
export interface CountsOfCheck {
  check_id: number
  /** Sorted and disjoint. */
  maintenance: readonly Interval[]
  stretches: readonly (Interval & Runs)[]
}

const HOUR_MS = 3_600_000
const NONE: Runs = { runs: 0, failures: 0 }

/** The same stretches, each with what ran during maintenance; in one statement, and in none without maintenance. */
export async function withExcluded(
  database: Database,
  org_id: number,
  given: readonly CountsOfCheck[],
  folding: Folding,
): Promise<Counted[][]> {
  const wanted: Stretch[] = []
  const plans = given.map(({ check_id, maintenance, stretches }) =>
    stretches.map((stretch) => {
      const covered = stretch.runs === 0 ? [] : within(maintenance, stretch.from, stretch.until)
      // All of it is maintenance: what ran in it is known.
      if (lengthOf(covered) >= stretch.until - stretch.from) return { stretch, all: true, first: 0, count: 0 }
      const parts = covered.flatMap((one) => split(check_id, one, folding))
      const first = wanted.length
      wanted.push(...parts)
      return { stretch, all: false, first, count: parts.length }
    }),
  )
  const counted = await listRunsWithin(database, org_id, wanted)
  return plans.map((plan) =>
    plan.map(({ stretch: { from, until, runs, failures }, all, first, count }) => {
      const excluded = all ? { runs, failures } : count === 0 ? NONE : sumRuns(counted.slice(first, first + count))
      return { from, until, runs, failures, excluded: atMost(excluded, { runs, failures }) }
    }),
  )
}

/** Results that arrived between the two statements are in the later one alone. */
function atMost({ runs, failures }: Runs, all: Runs): Runs {
  const passed = Math.min(runs - failures, all.runs - all.failures)
  const failed = Math.min(failures, all.failures)
  return { runs: passed + failed, failures: failed }
}

/** Whole hours that are folded, and what lies before and after them. */
function split(check_id: number, { from, until }: Interval, { hours_until, marked }: Folding): Stretch[] {
  const folded_until = hours_until === '-infinity' ? -Infinity : Date.parse(hours_until)
  const begin = Math.ceil(from / HOUR_MS) * HOUR_MS
  const end = Math.min(Math.floor(until / HOUR_MS) * HOUR_MS, folded_until)
  const isMarked = marked.some((one) => {
    const hour = Date.parse(one.hour)
    return one.check_id === check_id && hour >= begin && hour < end
  })
  const stretch = (since: number, till: number, is_folded: boolean): Stretch[] =>
    till > since ? [{ check_id, from: wire(since), until: wire(till), is_folded }] : []
  if (isMarked || end <= begin) return stretch(from, until, false)
  return [...stretch(from, begin, false), ...stretch(begin, end, true), ...stretch(end, until, false)]
}

function wire(ms: number): string {
  return fromDate(new Date(ms))
}
