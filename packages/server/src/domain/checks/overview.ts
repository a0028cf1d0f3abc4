// An org's checks at a glance: how each stands, and how it went lately.
import { fromDate } from '../../runtime/timestamps.ts'
import { type CheckKey, type LatestResult, listLatestResults } from '../../store/check-health.ts'
import { listOverview, type OverviewRow } from '../../store/check-overview.ts'
import type { Db } from '../../store/database.ts'
import { listRecentRuns, readFolding, type RecentRuns } from '../../store/history.ts'
import type { Deps } from '../deps.ts'
import { type Runs, sumRuns } from '../results/uptime.ts'
import { horizonOf } from './health.ts'
import { type CheckState, stateOf } from './state.ts'

export interface CheckAtAGlance extends OverviewRow {
  state: CheckState
  since: string | null
  latest: LatestResult | undefined
  /** The last hours, oldest first; undefined where nothing ran. */
  hours: (Runs | undefined)[]
  day: Runs
  week: Runs
}

export interface Overview {
  checks: CheckAtAGlance[]
  /** When the first of the hours begins. */
  from: Date
}

export const HOURS_SHOWN = 24
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Newest results are looked for in here first: what lies before it concerns the few that run seldom. */
const LOOK_BACK_MS = 2 * DAY_MS

/** Down first, then what nobody sees, then by name. */
const ORDER: readonly CheckState[] = ['down', 'unmonitored', 'unknown', 'up', 'paused']

export async function readOverview({ database, clock }: Deps, org_id: number): Promise<Overview> {
  const { db } = database
  const now = clock.now()
  const from = new Date(floor(now, HOUR_MS) - (HOURS_SHOWN - 1) * HOUR_MS)
  const until = fromDate(new Date(floor(now, HOUR_MS) + HOUR_MS))
  const midnight = new Date(floor(now, DAY_MS))
  const week_from = fromDate(new Date(midnight.getTime() - 6 * DAY_MS))
  const [rows, folding] = await Promise.all([
    listOverview(db, org_id),
    readFolding(db, { org_id, from: week_from, until }),
  ])
  const [latest, recent] = await Promise.all([
    newestResults(db, rows, now),
    listRecentRuns(
      db,
      {
        org_id,
        check_ids: rows.map(({ check_id }) => check_id),
        hours: { from: fromDate(from), until },
        // Today is among the hours.
        days: { from: week_from, until: fromDate(midnight) },
      },
      folding,
    ),
  ])
  const recentOf = new Map(recent.map((row) => [row.check_id, row]))
  const today = (midnight.getTime() - from.getTime()) / HOUR_MS
  const checks = rows.map((row): CheckAtAGlance => {
    const newest = latest.get(row.check_id)
    const its = recentOf.get(row.check_id)
    const cells = inCells(its, from)
    const before = { runs: its?.days_runs ?? 0, failures: its?.days_failures ?? 0 }
    return {
      ...row,
      ...stateOf({ ...row, ran_at: newest?.ran_at ?? null }),
      latest: newest,
      hours: cells,
      day: sumRuns(cells.flatMap((cell) => cell ?? [])),
      week: sumRuns([before, ...cells.slice(today).flatMap((cell) => cell ?? [])]),
    }
  })
  return { checks: checks.toSorted(byUrgency), from }
}

/** The newest result of each check that has one. */
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

function inCells(hours: RecentRuns | undefined, from: Date): (Runs | undefined)[] {
  const cells: (Runs | undefined)[] = new Array<undefined>(HOURS_SHOWN).fill(undefined)
  for (const [index, at_sec] of (hours?.at_sec ?? []).entries()) {
    const cell = { runs: hours?.runs[index] ?? 0, failures: hours?.failures[index] ?? 0 }
    cells[(at_sec * 1000 - from.getTime()) / HOUR_MS] = cell
  }
  return cells
}

function byUrgency(a: CheckAtAGlance, b: CheckAtAGlance): number {
  return (
    ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || a.name.localeCompare(b.name, 'en') || a.check_id - b.check_id
  )
}

function floor(at: Date, unit_ms: number): number {
  return Math.floor(at.getTime() / unit_ms) * unit_ms
}
