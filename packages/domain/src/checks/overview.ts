// Reads the overview of an organisation's checks: the state and recent history of each.
import { Pace } from '@dogwatch/runtime/pace'
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { CheckKey } from '@dogwatch/store/check-keys'
import { listOverview, type OverviewRow } from '@dogwatch/store/checks/check-overview'
import type { Database, Db } from '@dogwatch/store/database'
import type { NewestRun } from '@dogwatch/store/results/newest-of-checks'
import { type LatestResult, listLatestResults } from '@dogwatch/store/results/to-judge'
import type { Deps } from '../deps.ts'
import { horizonOf } from './health.ts'
import { type RecentRuns, readRecentRuns } from './recent-runs.ts'
import { type ShownState, type StateSince, stateWithResult } from './state.ts'

export type CheckWithLatest = Omit<OverviewRow, 'newest'> & { latest: NewestRun | undefined }

export type CheckAtAGlance = CheckWithLatest & RecentRuns & StateSince

const DAY_MS = 86_400_000
/** Length of the time range that is searched for the newest results first, in milliseconds. Only few checks run less often. */
const LOOK_BACK_MS = 2 * DAY_MS

/** Order of the states: down first, then unmonitored, failing and degraded. */
const ORDER: readonly ShownState[] = ['down', 'unmonitored', 'failing', 'degraded', 'unknown', 'up', 'paused']
const collator = new Intl.Collator('en')

/** Cost of a check, in steps of {@link Pace}. */
const STEPS_EACH = 200

export async function readOverview({ database, clock }: Deps, org_id: number): Promise<{ checks: CheckAtAGlance[] }> {
  const now = clock.now()
  const rows = await readCheckStates(database, org_id, now)
  const recentOf = await readRecentRuns(database, org_id, now, rows)
  const glance = (row: (typeof rows)[number]): CheckAtAGlance[] => {
    const recent = recentOf.get(row.check_id)
    return recent ? [{ ...row, ...stateWithResult(row), ...recent }] : []
  }
  const checks = await new Pace().map(rows, glance, () => STEPS_EACH)
  return { checks: checks.flat().toSorted(byUrgency) }
}

/** Reads the state of an organisation's checks, or of some of them, with the newest result of each. */
export async function readCheckStates(
  database: Database,
  org_id: number,
  now: Date,
  check_ids?: readonly number[],
): Promise<CheckWithLatest[]> {
  if (check_ids?.length === 0) return []
  const rows = await listOverview(database, org_id, horizonOf(now), check_ids)
  const older = await newestResults(
    database.people,
    rows.filter(({ newest }) => newest === null),
    now,
  )
  return rows.map(({ newest, ...row }) => ({ ...row, latest: newest ?? older.get(row.check_id) }))
}

/** Finds the newest result of each check. Omits checks without any. */
export async function newestResults(db: Db, keys: readonly CheckKey[], now: Date): Promise<Map<number, LatestResult>> {
  if (keys.length === 0) return new Map()
  const until = horizonOf(now)
  const find = (some: readonly CheckKey[], since: string) =>
    listLatestResults(db, some, { until, since, limits: some.map(() => 1) })
  const recent = await find(keys, fromDate(new Date(now.getTime() - LOOK_BACK_MS)))
  const found = new Map(recent.map((result) => [result.check_id, result]))
  const rest = keys.filter(({ check_id }) => !found.has(check_id))
  if (rest.length === 0) return found
  for (const result of await find(rest, '-infinity')) found.set(result.check_id, result)
  return found
}

interface RankedCheck {
  check_id: number
  name: string
  state: ShownState
}

/** Compares two checks by state, the worst first, and then by name. */
export function byUrgency(a: RankedCheck, b: RankedCheck): number {
  return ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || byName(a, b)
}

export function byName(a: Omit<RankedCheck, 'state'>, b: Omit<RankedCheck, 'state'>): number {
  return collator.compare(a.name, b.name) || a.check_id - b.check_id
}
