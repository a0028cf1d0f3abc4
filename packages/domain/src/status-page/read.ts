// Reads the public status page, which shows what an organisation chose, under the names it chose.
import { Pace } from '@dogwatch/runtime/pace'
import type { Db } from '@dogwatch/store/database'
import type { CheckDay, HeartbeatDay, PageHistory } from '@dogwatch/store/status-histories'
import {
  findShownStatusPage,
  listShownChecks,
  listShownHeartbeats,
  listShownIncidents,
  type ShownCheck,
  type ShownHeartbeat,
} from '@dogwatch/store/status-pages'
import { type CheckWithLatest, readCheckStates } from '../checks/overview.ts'
import { stateWithResult } from '../checks/state.ts'
import type { Deps } from '../deps.ts'
import { unjudgedSince } from '../heartbeats/heartbeat.ts'
import { planOf } from '../organisations/plans.ts'
import { DAY_MS, type Days, daysUntil } from './days.ts'
import { inMaintenance, type Member, readPlanned } from './maintenance.ts'
import { readHistory } from './prepare.ts'
import {
  headlineOf,
  NONE,
  type PublicDay,
  type PublicEntry,
  type PublicState,
  type PublicStatus,
  type Share,
  sumShares,
} from './status.ts'

const MOST_INCIDENTS = 200
const SLUG = /^[a-z0-9][a-z0-9-]{1,38}[a-z0-9]$/

type PositionedEntry = PublicEntry & { position: number }

/** Whether a text could be the address of a page at all. */
export function looksLikeSlug(text: string): boolean {
  return SLUG.test(text)
}

/** Cost of an entry, in steps of {@link Pace}. */
const STEPS_EACH = 100

/**
 * Reads the page as visitors see it: its present states, incidents and maintenance, and its prepared days. Returns undefined if
 * there is no such page, its organisation does not publish it, or its plan has none.
 */
export async function readPublicStatus(
  deps: Pick<Deps, 'database' | 'clock' | 'log'>,
  slug: string,
): Promise<PublicStatus | undefined> {
  const { database, clock } = deps
  const { machines } = database
  const found = looksLikeSlug(slug) ? await findShownStatusPage(machines, slug) : undefined
  if (!found || !planOf(found).allows_status_page) return undefined
  const { org_id, title, description } = found
  const [checks, heartbeats] = await Promise.all([
    listShownChecks(machines, org_id),
    listShownHeartbeats(machines, org_id),
  ])
  const { history, computed_at: history_at } = await readHistory(deps, org_id, { checks, heartbeats })
  const now = clock.now()
  const days = daysUntil(now)
  const members = [
    ...checks.map((one): Member => ({ ...one, kind: 'check' })),
    ...heartbeats.map((one): Member => ({ ...one, kind: 'heartbeat' })),
  ]
  const check_ids = checks.map(({ check_id }) => check_id)
  const [states, incidents, planned] = await Promise.all([
    readCheckStates(database, org_id, now, check_ids),
    incidentsOf(machines, org_id, checks, heartbeats, days),
    readPlanned(machines, org_id, members, now),
  ])
  const pace = new Pace()
  const ofChecks = await checkEntries(checks, states, history, days, pace)
  const ofHeartbeats = await heartbeatEntries(heartbeats, history, days, pace)
  const entries = [...ofChecks, ...ofHeartbeats]
    .toSorted((a, b) => a.position - b.position)
    .map(({ position, ...entry }) => (planned.positions.has(position) ? inMaintenance(entry) : entry))
  const { maintenance } = planned
  const headline = headlineOf(entries)
  return { title, description, computed_at: days.now, history_at, headline, entries, incidents, maintenance }
}

async function checkEntries(
  shown: readonly ShownCheck[],
  states: readonly CheckWithLatest[],
  { checks, first_day }: PageHistory,
  days: Days,
  pace: Pace,
): Promise<PositionedEntry[]> {
  const rowOf = new Map(states.map((row) => [row.check_id, row]))
  const historyOf = new Map(checks.map((one) => [one.id, one]))
  const placed = await pace.map(
    shown,
    ({ position, public_name, check_id }): PositionedEntry[] => {
      const row = rowOf.get(check_id)
      // The check was deleted in the meantime.
      if (!row) return []
      const told = stateWithResult(row)
      // Visitors feel that a system is slow. That its certificate expires soon is for those who run it.
      const state = told.state === 'degraded' && row.slow_since === null ? 'up' : told.state
      const its = historyOf.get(check_id)
      return [
        entryOf({
          position,
          name: public_name,
          state,
          since: state === 'down' ? told.since : null,
          unmonitored_since: state === 'paused' ? null : row.unmonitored_since,
          unknown_sec: its?.unknown_sec ?? 0,
          maintenance_sec: its?.maintenance_sec ?? 0,
          days: daysOf(its?.days ?? [], first_day, days, row.judged_by_server ? shareOfTime : shareOfCheck),
        }),
      ]
    },
    () => STEPS_EACH,
  )
  return placed.flat()
}

async function heartbeatEntries(
  shown: readonly ShownHeartbeat[],
  { heartbeats, first_day }: PageHistory,
  days: Days,
  pace: Pace,
): Promise<PositionedEntry[]> {
  const historyOf = new Map(heartbeats.map((one) => [one.id, one]))
  return pace.map(
    shown,
    (heartbeat): PositionedEntry => {
      const { position, public_name: name, heartbeat_id, down_since } = heartbeat
      const its = daysOf(historyOf.get(heartbeat_id)?.days ?? [], first_day, days, shareOfTime)
      const unmonitored_since = heartbeat.is_paused ? null : unjudgedSince(heartbeat, new Date(days.now))
      const state = unmonitored_since === null ? stateOfHeartbeat(heartbeat) : 'unmonitored'
      const since = state === 'down' ? down_since : null
      return entryOf({ position, name, state, since, unmonitored_since, unknown_sec: 0, maintenance_sec: 0, days: its })
    },
    () => STEPS_EACH,
  )
}

/** Returns the days of the page. A day that has begun since the history was computed has no data yet. */
function daysOf<Day>(
  known: readonly (Day | null)[],
  first_day: string,
  { names, from }: Days,
  shareOf: (day: Day) => Share,
): PublicDay[] {
  const shift = Math.round((Date.parse(from) - Date.parse(first_day)) / DAY_MS)
  return names.map((day, n) => {
    const its = known[n + shift] ?? null
    return { day, share: its === null ? NONE : shareOf(its) }
  })
}

function shareOfCheck([runs, failures, watched_sec]: NonNullable<CheckDay>): Share {
  return { kind: 'runs', runs, failures, watched_sec }
}

/** Returns the share of a heartbeat, or of a check that the server judges. It counts seconds instead of runs. */
function shareOfTime([watched_sec, down_sec]: NonNullable<CheckDay | HeartbeatDay>): Share {
  return { kind: 'time', watched_sec, down_sec }
}

function stateOfHeartbeat({ is_paused, state }: ShownHeartbeat): PublicState {
  if (is_paused) return 'paused'
  return state === 'new' ? 'unknown' : state
}

function entryOf(entry: Omit<PositionedEntry, 'share'>): PositionedEntry {
  return { ...entry, share: sumShares(entry.days.map(({ share }) => share)) }
}

async function incidentsOf(
  db: Db,
  org_id: number,
  checks: readonly ShownCheck[],
  heartbeats: readonly ShownHeartbeat[],
  { from, now }: Days,
): Promise<PublicStatus['incidents']> {
  const nameOf = new Map<string, string>([
    ...checks.map(({ check_id, public_name }) => [`check ${check_id}`, public_name] as const),
    ...heartbeats.map(({ heartbeat_id, public_name }) => [`heartbeat ${heartbeat_id}`, public_name] as const),
  ])
  const shown = {
    check_ids: checks.map(({ check_id }) => check_id),
    heartbeat_ids: heartbeats.map(({ heartbeat_id }) => heartbeat_id),
  }
  const rows = await listShownIncidents(db, org_id, shown, { from, until: now }, MOST_INCIDENTS)
  return rows.map(({ check_id, heartbeat_id, began_at, ended_at }) => ({
    name: nameOf.get(check_id === null ? `heartbeat ${heartbeat_id}` : `check ${check_id}`) ?? '',
    began_at,
    ended_at,
  }))
}
