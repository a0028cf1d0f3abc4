// Reads the list of an organisation's checks: searched, filtered and sorted, a page at a time.
import { SCHEME_NAMES } from '@dogwatch/check-rules/schemes'
import { readTarget } from '@dogwatch/check-rules/target'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { listRunBy } from '@dogwatch/store/checks/bulk'
import { listFailingChecks } from '@dogwatch/store/checks/failing'
import { type ListState, listStates } from '@dogwatch/store/checks/list-states'
import type { Database } from '@dogwatch/store/database'
import { type HistoryRow, listHours, readFolding } from '@dogwatch/store/results/history'
import type { Deps } from '../deps.ts'
import { readUnderMaintenance } from '../maintenance/under.ts'
import { averageLatency } from '../results/latency.ts'
import { isStorable } from '../text.ts'
import { startOfPeriod } from './chart-span.ts'
import { horizonOf } from './health.ts'
import { byName, byUrgency, type CheckWithLatest, readCheckStates } from './overview.ts'
import { type RecentRuns, readRecentRuns } from './recent-runs.ts'
import { type ShownSince, shownStateOf, stateWithoutResult, stateWithResult } from './state.ts'

/** States to filter by. A check can be under maintenance in addition to any other state. */
export const LISTED_STATES = [
  'down',
  'unmonitored',
  'failing',
  'degraded',
  'unknown',
  'up',
  'paused',
  'maintenance',
] as const
export type ListedState = (typeof LISTED_STATES)[number]

export const KINDS = [...SCHEME_NAMES, 'private'] as const
/** Kind of target. `private`: only the agents have the definition. */
export type Kind = (typeof KINDS)[number]

export const SORTS = ['problems', 'name', 'latency', 'change'] as const
export type Sort = (typeof SORTS)[number]

export interface Filter {
  /** Text that must occur in the name, target or a tag of a listed check. */
  search: string
  /** States to include. An empty list includes every state. */
  states: readonly ListedState[]
  tag: string
  kind: Kind | undefined
  /** Id of a monitor that runs the check. Empty for any monitor. */
  monitor: string
}

export const NO_FILTER: Filter = { search: '', states: [], tag: '', kind: undefined, monitor: '' }

export interface ListedCheck extends ShownSince, Pick<ListState, 'check_id' | 'guid' | 'name' | 'url'> {
  tags: readonly string[]
  in_maintenance: boolean
  /** Whether the newest result of the check failed, or the last two results of one of its monitors. */
  is_failing: boolean
  /** The check with its newest result. Present only if the order of the list or the state of the check depends on that result. */
  looked: CheckWithLatest | undefined
  /** Number of the check's enabled monitors (`of`), and how many of these can run the check (`monitors`). */
  able: { of: number; monitors: number }
  /** Average latency of the check's successes in the last 24 hours, if the list is sorted by it. Undefined if there were none. */
  average_ms: number | undefined
}

/** A check as its row in the list shows it. */
export type ListedRow = CheckWithLatest &
  ShownSince &
  Pick<ListedCheck, 'in_maintenance' | 'average_ms' | 'able'> &
  Target

interface Target {
  /** Target without its scheme and its secrets, such as `shop.example/cart`. Empty for a private definition. */
  target: string
  kind: Kind
}

export interface CheckList {
  /** Checks that match, in order. */
  checks: ListedCheck[]
  /** All checks of the organisation. */
  all: ListedCheck[]
  /** Number of checks in each state that match the rest of the filter. */
  counts: Readonly<Record<ListedState, number>>
  /** Tags of all checks. */
  tags: string[]
}

/**
 * Reads all checks of an organisation with their states, and those that match a filter. Omits the time since which a check is up,
 * because that costs a query for each check: `readRows` reads it for the rows of a page.
 */
export async function readList(deps: Deps, org_id: number, filter: Filter, sort: Sort): Promise<CheckList> {
  const { database, clock } = deps
  const now = clock.now()
  const [states, runs, isUnder, failing] = await Promise.all([
    listStates(database, org_id, fromDate(now)),
    readRunBy(deps, org_id, filter.monitor),
    readUnderMaintenance(database.people, org_id, now),
    listFailingChecks(database, org_id, horizonOf(now)),
  ])
  const failed = new Set(failing.map(({ check_id }) => check_id))
  const needsAll = sort === 'change'
  const doubtful = states.filter(({ needs_result }) => needsAll || needs_result).map(({ check_id }) => check_id)
  const looked = await readCheckStates(database, org_id, now, doubtful.length === states.length ? undefined : doubtful)
  const averages = sort === 'latency' ? await readAverages(database, org_id, states, now) : undefined
  const seen = new Map(looked.map((row) => [row.check_id, row]))
  const all = states.map((row): ListedCheck => {
    const { check_id, guid, name, url } = row
    const tags = row.tags ?? []
    const its = seen.get(check_id)
    const is_failing = failed.has(check_id)
    return {
      ...{ check_id, guid, name, url, tags },
      ...shownStateOf(its ? stateWithResult(its) : stateWithoutResult(row), is_failing),
      in_maintenance: isUnder({ kind: 'check', guid, tags }),
      is_failing,
      able: { of: row.monitors + row.unable, monitors: row.monitors },
      looked: its,
      average_ms: averages?.get(check_id),
    }
  })
  const found = all.filter((check) => matches(check, filter) && (runs === undefined || runs.has(check.check_id)))
  return {
    checks: found
      .filter((check) => filter.states.length === 0 || filter.states.some((state) => isIn(check, state)))
      .toSorted(ORDERS[sort]),
    all,
    counts: countStates(found),
    tags: [...new Set(all.flatMap(({ tags }) => tags))].toSorted(),
  }
}

/** Reads the ids of the checks that a monitor runs. Returns undefined if the filter contains no monitor. */
async function readRunBy({ database }: Deps, org_id: number, monitor: string): Promise<Set<number> | undefined> {
  if (monitor === '' || !isStorable(monitor)) return undefined
  return new Set(await listRunBy(database.people, org_id, monitor))
}

/** Reads what the rows of some checks show. Omits checks that were deleted in the meantime. */
export async function readRows(
  deps: Deps,
  org_id: number,
  checks: readonly ListedCheck[],
): Promise<Map<number, ListedRow>> {
  const { database, clock } = deps
  const others = checks.filter(({ looked }) => looked === undefined).map(({ check_id }) => check_id)
  const rows = await readCheckStates(database, org_id, clock.now(), others)
  const found = new Map(rows.map((row) => [row.check_id, row]))
  const filled = checks.flatMap(
    ({ check_id, looked, url, in_maintenance, is_failing, able, average_ms }): ListedRow[] => {
      const row = looked ?? found.get(check_id)
      if (row === undefined) return []
      const shown = shownStateOf(stateWithResult(row), is_failing)
      return [{ ...row, ...shown, ...targetOf(url), in_maintenance, able, average_ms }]
    },
  )
  return new Map(filled.map((row) => [row.check_id, row]))
}

/** Reads the recent history of some checks, and the start of its first hour. */
export async function readHistories(
  { database, clock }: Deps,
  org_id: number,
  checks: readonly ListedRow[],
): Promise<{ recentOf: ReadonlyMap<number, RecentRuns>; from: Date }> {
  const now = clock.now()
  return { recentOf: await readRecentRuns(database, org_id, now, checks), from: startOfPeriod('day', now) }
}

export interface TagGroup<Check> {
  /** Tag of the group. Undefined for the checks without a tag. */
  tag: string | undefined
  checks: Check[]
}

/** Groups checks by tag and keeps their order. A check with several tags is in several groups. */
export function groupByTag(checks: readonly ListedCheck[], tag: string): TagGroup<ListedCheck>[] {
  const tags = tag === '' ? [...new Set(checks.flatMap((check) => check.tags))].toSorted() : [tag]
  const groups = tags.map(
    (name): TagGroup<ListedCheck> => ({ tag: name, checks: checks.filter((check) => check.tags.includes(name)) }),
  )
  const rest = checks.filter((check) => check.tags.length === 0)
  return rest.length === 0 ? groups : [...groups, { tag: undefined, checks: rest }]
}

export function isIn(check: ListedCheck, state: ListedState): boolean {
  return state === 'maintenance' ? check.in_maintenance : check.state === state
}

function matches(check: ListedCheck, { search, tag, kind }: Filter): boolean {
  if (tag !== '' && !check.tags.includes(tag)) return false
  const words = search.trim().toLowerCase()
  // Without a filter, skips reading the targets, because reading a thousand of them takes as long as the rest of a list.
  if (kind === undefined && words === '') return true
  const its = targetOf(check.url)
  if (kind !== undefined && its.kind !== kind) return false
  return [check.name.toLowerCase(), its.target.toLowerCase(), ...check.tags].some((text) => text.includes(words))
}

function countStates(checks: readonly ListedCheck[]): Record<ListedState, number> {
  const count = (state: ListedState) => checks.filter((check) => isIn(check, state)).length
  return Object.fromEntries(LISTED_STATES.map((state) => [state, count(state)])) as Record<ListedState, number>
}

function targetOf(url: string): Target {
  const read = readTarget(url)
  return 'fault' in read ? { target: '', kind: 'private' } : { target: read.shown, kind: read.scheme }
}

/** Comparison for each sort order. Checks that were never measured, or never changed, come last. */
const ORDERS: Readonly<Record<Sort, (a: ListedCheck, b: ListedCheck) => number>> = {
  problems: byUrgency,
  name: byName,
  latency: (a, b) => latencyOf(b) - latencyOf(a) || byName(a, b),
  change: (a, b) => (b.since ?? '').localeCompare(a.since ?? '') || byName(a, b),
}

/** Returns the average latency of a check. Returns -1 if no monitor watches it or it had no success, so that it comes last. */
function latencyOf({ state, average_ms }: ListedCheck): number {
  return state === 'unmonitored' || state === 'paused' ? -1 : (average_ms ?? -1)
}

/** Reads the average latency of the successes of the last 24 hours, by check. */
async function readAverages(
  database: Database,
  org_id: number,
  checks: readonly Pick<ListState, 'check_id'>[],
  now: Date,
): Promise<Map<number, number | undefined>> {
  if (checks.length === 0) return new Map()
  const span = {
    org_id,
    check_ids: checks.map(({ check_id }) => check_id),
    from: fromDate(startOfPeriod('day', now)),
    until: horizonOf(now),
  }
  const rows: HistoryRow[] = await listHours(database, span, await readFolding(database, span))
  return new Map([...Map.groupBy(rows, ({ check_id }) => check_id)].map(([id, hours]) => [id, averageLatency(hours)]))
}
