// The list of an org's checks: searched, filtered and sorted, a page at a time.
import { readTarget, type Scheme } from '@dogwatch/check-rules/target'
import { type FilterRow, listToFilter } from '../../store/checks/bulk.ts'
import type { Deps } from '../deps.ts'
import { readUnderMaintenance } from '../maintenance/under.ts'
import { isStorable } from '../text.ts'
import {
  byUrgency,
  type CheckWithLatest,
  firstHour,
  readCheckStates,
  readRecentRuns,
  type WatchedRuns,
} from './overview.ts'
import { stateOf, type StateSince } from './state.ts'

/** A check may be under maintenance beside any other state. */
export const LISTED_STATES = ['down', 'unmonitored', 'degraded', 'unknown', 'up', 'paused', 'maintenance'] as const
export type ListedState = (typeof LISTED_STATES)[number]

export const KINDS = ['http', 'https', 'tcp', 'tls', 'private'] as const
/** `private`: what it watches is defined at its monitors. */
export type Kind = (typeof KINDS)[number]

export const SORTS = ['problems', 'name', 'latency', 'change'] as const
export type Sort = (typeof SORTS)[number]

export interface Filter {
  /** Part of a name, target or tag. */
  search: string
  /** Empty: every state. */
  states: readonly ListedState[]
  tag: string
  kind: Kind | undefined
  /** The id of a monitor that runs it. */
  monitor: string
}

export const NO_FILTER: Filter = { search: '', states: [], tag: '', kind: undefined, monitor: '' }

export interface Listed extends CheckWithLatest, StateSince {
  /** `shop.example/cart`; empty for a private definition. */
  target: string
  kind: Kind
  tags: readonly string[]
  in_maintenance: boolean
}

export interface CheckList {
  /** Those that match, in order. */
  checks: Listed[]
  /** All checks of the org. */
  all: Listed[]
  /** How many match the filter but for its states, by state. */
  counts: Readonly<Record<ListedState, number>>
  /** The tags of all checks. */
  tags: string[]
}

/** All checks of an org with their states, and those that match a filter. What a page shows besides is read by `readHistories`. */
export async function readList(deps: Deps, org_id: number, filter: Filter, sort: Sort): Promise<CheckList> {
  const { database, clock } = deps
  const now = clock.now()
  const monitor = filter.monitor === '' || !isStorable(filter.monitor) ? undefined : filter.monitor
  const [states, rows, ran, isUnder] = await Promise.all([
    readCheckStates(database, org_id, now),
    listToFilter(database.people, org_id, undefined),
    monitor === undefined ? undefined : listToFilter(database.people, org_id, monitor),
    readUnderMaintenance(database.people, org_id, now),
  ])
  const facts = new Map(rows.map((row) => [row.check_id, row]))
  const all = states.map((row): Listed => {
    const { url = '', tags = [] } = facts.get(row.check_id) ?? {}
    const state = stateOf({ ...row, seen_at: row.latest?.at ?? null })
    const in_maintenance = isUnder({ kind: 'check', guid: row.guid, tags })
    return { ...row, ...state, ...targetOf(url), tags, in_maintenance }
  })
  const runs = ran && new Set(ran.map(({ check_id }) => check_id))
  const found = all.filter((check) => matches(check, filter) && (runs === undefined || runs.has(check.check_id)))
  return {
    checks: found
      .filter((check) => filter.states.length === 0 || filter.states.some((state) => isIn(check, state)))
      .toSorted(ORDERS[sort]),
    all,
    counts: countStates(found),
    tags: [...new Set(rows.flatMap((row: FilterRow) => row.tags))].toSorted(),
  }
}

/** The recent history of some checks, and when the first of its hours begins. */
export async function readHistories(
  { database, clock }: Deps,
  org_id: number,
  check_ids: readonly number[],
): Promise<{ historyOf: (check: Listed) => WatchedRuns; from: Date }> {
  const now = clock.now()
  return { historyOf: await readRecentRuns(database, org_id, now, check_ids), from: firstHour(now) }
}

export interface TagGroup {
  /** Undefined: those without a tag. */
  tag: string | undefined
  checks: Listed[]
}

/** The checks of each tag, in the order in which they were; one with several tags is in several groups. */
export function groupByTag(checks: readonly Listed[], tag: string): TagGroup[] {
  const tags = tag === '' ? [...new Set(checks.flatMap((check) => check.tags))].toSorted() : [tag]
  const groups = tags.map(
    (name): TagGroup => ({ tag: name, checks: checks.filter((check) => check.tags.includes(name)) }),
  )
  const rest = checks.filter((check) => check.tags.length === 0)
  return rest.length === 0 ? groups : [...groups, { tag: undefined, checks: rest }]
}

export function isIn(check: Listed, state: ListedState): boolean {
  return state === 'maintenance' ? check.in_maintenance : check.state === state
}

function matches(check: Listed, { search, tag, kind }: Filter): boolean {
  if (kind !== undefined && check.kind !== kind) return false
  if (tag !== '' && !check.tags.includes(tag)) return false
  const words = search.trim().toLowerCase()
  if (words === '') return true
  return [check.name.toLowerCase(), check.target.toLowerCase(), ...check.tags].some((text) => text.includes(words))
}

function countStates(checks: readonly Listed[]): Record<ListedState, number> {
  const count = (state: ListedState) => checks.filter((check) => isIn(check, state)).length
  return Object.fromEntries(LISTED_STATES.map((state) => [state, count(state)])) as Record<ListedState, number>
}

function targetOf(url: string): { target: string; kind: Kind } {
  if (url === '') return { target: '', kind: 'private' }
  const read = readTarget(url)
  if ('fault' in read) return { target: '', kind: 'private' }
  return { target: hostAndPath(read.scheme, read.url, read.port), kind: read.scheme }
}

/** Without credentials, and without the query: both may be secrets. */
function hostAndPath(scheme: Scheme, url: URL, port: number): string {
  if (scheme === 'tcp' || scheme === 'tls') return `${url.hostname}:${port}`
  return `${url.host}${url.pathname === '/' ? '' : url.pathname}`
}

const collator = new Intl.Collator('en')
const byName = (a: Listed, b: Listed) => collator.compare(a.name, b.name) || a.check_id - b.check_id

/** What was never measured, or never changed, comes last. */
const ORDERS: Readonly<Record<Sort, (a: Listed, b: Listed) => number>> = {
  problems: byUrgency,
  name: byName,
  latency: (a, b) => latencyOf(b) - latencyOf(a) || byName(a, b),
  change: (a, b) => (b.since ?? '').localeCompare(a.since ?? '') || byName(a, b),
}

/** The slowest first; one that failed has no latency to compare. */
function latencyOf({ latest }: Listed): number {
  return latest?.success ? latest.latency_ms : -1
}
