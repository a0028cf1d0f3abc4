// The public status page, built from what an org chose to show, under the names it chose.
import { fromDate } from '../../runtime/timestamps.ts'
import type { Database, Db } from '../../store/database.ts'
import { type HistoryRow, listDays, readFolding } from '../../store/results/history.ts'
import type { Span } from '../../store/maintenance/spans.ts'
import { listSchedules } from '../../store/checks/schedules.ts'
import {
  findShownStatusPage,
  type HeartbeatDay,
  listHeartbeatDays,
  listShownChecks,
  listShownHeartbeats,
  listShownIncidents,
  type ShownCheck,
  type ShownHeartbeat,
} from '../../store/status-pages.ts'
import { readCheckStates } from '../checks/overview.ts'
import { type CheckState, stateOf } from '../checks/state.ts'
import type { Deps } from '../deps.ts'
import { unjudgedSince } from '../heartbeats/heartbeat.ts'
import { planOf } from '../organisations/plans.ts'
import { maintenanceOf, readMaintenance } from '../maintenance/times.ts'
import { divide, type Facts, measure, type Stretch } from '../results/division.ts'
import { withExcluded } from '../results/excluded.ts'
import { schedulesOf } from '../results/watched.ts'
import {
  headlineOf,
  NONE,
  type PublicDay,
  type PublicEntry,
  type PublicState,
  type PublicStatus,
  sumShares,
} from './status.ts'
import { inMaintenance, type Member, readPlanned } from './maintenance.ts'

const DAYS_SHOWN = 90
const MOST_INCIDENTS = 200
const DAY_MS = 86_400_000
const SLUG = /^[a-z0-9][a-z0-9-]{1,38}[a-z0-9]$/

const STATES: Readonly<Record<CheckState, PublicState>> = {
  up: 'up',
  down: 'down',
  degraded: 'degraded',
  paused: 'paused',
  unmonitored: 'unmonitored',
  unknown: 'unknown',
}

/** The days that a page shows: `2026-11-20`, oldest first, and the instants between which they lie. */
interface Days {
  names: readonly string[]
  from: string
  /** The end of today. */
  until: string
  now: string
}

type Placed = PublicEntry & { position: number }

/** Whether a text could be the address of a page at all. */
export function looksLikeSlug(text: string): boolean {
  return SLUG.test(text)
}

/** Undefined when there is no such page, its org does not publish it, or its plan has none. */
export async function readPublicStatus(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  slug: string,
): Promise<PublicStatus | undefined> {
  const { machines } = database
  const found = looksLikeSlug(slug) ? await findShownStatusPage(machines, slug) : undefined
  if (!found || !planOf(found).allows_status_page) return undefined
  const { org_id, title, description } = found
  const now = clock.now()
  const days = daysUntil(now)
  const [checks, heartbeats] = await Promise.all([
    listShownChecks(machines, org_id),
    listShownHeartbeats(machines, org_id),
  ])
  // Maintenance that nobody announced is not for visitors to know, and excuses nothing here.
  const past = await readMaintenance(machines, org_id, { from: new Date(days.from), until: now }, 'public')
  const [ofChecks, ofHeartbeats, incidents] = await Promise.all([
    checkEntries(database, org_id, checks, { days, past, now }),
    heartbeatEntries(machines, org_id, heartbeats, days),
    incidentsOf(machines, org_id, checks, heartbeats, days),
  ])
  const members = [
    ...checks.map((one): Member => ({ ...one, kind: 'check' })),
    ...heartbeats.map((one): Member => ({ ...one, kind: 'heartbeat' })),
  ]
  const planned = await readPlanned(machines, org_id, members, now)
  const entries = [...ofChecks, ...ofHeartbeats]
    .toSorted((a, b) => a.position - b.position)
    .map(({ position, ...entry }) => (planned.positions.has(position) ? inMaintenance(entry) : entry))
  const { maintenance } = planned
  return { title, description, computed_at: days.now, headline: headlineOf(entries), entries, incidents, maintenance }
}

async function checkEntries(
  database: Database,
  org_id: number,
  shown: readonly ShownCheck[],
  { days, past, now }: { days: Days; past: readonly Span[]; now: Date },
): Promise<Placed[]> {
  if (shown.length === 0) return []
  const check_ids = shown.map(({ check_id }) => check_id)
  const { from, until } = days
  const folding = await readFolding(database, { org_id, check_ids, from, until })
  const [rows, history, schedules] = await Promise.all([
    readCheckStates(database, org_id, now),
    listDays(database, { org_id, check_ids, from, until }, folding),
    listSchedules(database, org_id, from, check_ids),
  ])
  const schedulesOfCheck = Map.groupBy(schedules, ({ check_id }) => check_id)
  const rowOf = new Map(rows.map((row) => [row.check_id, row]))
  const historyOf = Map.groupBy(history, ({ check_id }) => check_id)
  const times = shown.map((one) => maintenanceOf(past, { kind: 'check', guid: one.guid, tags: one.tags }))
  const counts = shown.map(({ check_id }, index) => ({
    check_id,
    maintenance: times[index] ?? [],
    stretches: stretchesOf(historyOf.get(check_id) ?? [], days.names, now),
  }))
  const counted = await withExcluded(database, org_id, counts, folding)
  return shown.flatMap(({ position, public_name, check_id }, index): Placed[] => {
    const row = rowOf.get(check_id)
    // Deleted in the meantime.
    if (!row) return []
    const told = stateOf({ ...row, seen_at: row.latest?.at ?? null })
    const facts: Facts = {
      schedules: schedulesOf(schedulesOfCheck.get(check_id) ?? [], row),
      maintenance: times[index] ?? [],
      exists_from: Date.parse(row.created_at),
    }
    const its = counted[index] ?? []
    const { unknown_sec, maintenance_sec } = divide(facts, its)
    const measured = measure(facts, its)
    // Visitors feel that a system is slow. That its certificate ends soon is for those who run it.
    const state = told.state === 'degraded' && row.slow_since === null ? 'up' : STATES[told.state]
    return [
      entryOf({
        position,
        name: public_name,
        state,
        since: state === 'down' ? told.since : null,
        unmonitored_since: state === 'paused' ? null : row.unmonitored_since,
        unknown_sec: Math.round(unknown_sec),
        maintenance_sec: Math.round(maintenance_sec),
        days: days.names.map((day, place) => dayOf(day, measured[place])),
      }),
    ]
  })
}

function stretchesOf(rows: readonly HistoryRow[], names: readonly string[], now: Date) {
  const rowOf = new Map(rows.map((row) => [row.at.slice(0, 10), row]))
  return names.map((day) => {
    const from = Date.parse(day)
    const { runs = 0, failures = 0 } = rowOf.get(day) ?? {}
    return { from, until: Math.min(from + DAY_MS, now.getTime()), runs, failures }
  })
}

function dayOf(day: string, stretch: Stretch | undefined): PublicDay {
  if (!stretch || stretch.runs === 0) return { day, share: NONE }
  const { runs, failures, watch } = stretch
  return { day, share: { kind: 'runs', runs, failures, watched_sec: Math.round(watch.watched_sec) } }
}

async function heartbeatEntries(
  db: Db,
  org_id: number,
  shown: readonly ShownHeartbeat[],
  days: Days,
): Promise<Placed[]> {
  if (shown.length === 0) return []
  const ids = shown.map(({ heartbeat_id }) => heartbeat_id)
  const heard = await listHeartbeatDays(db, org_id, ids, { from: days.from, until: days.now })
  const heardOf = Map.groupBy(heard, ({ heartbeat_id }) => heartbeat_id)
  return shown.map((heartbeat): Placed => {
    const { position, public_name: name, heartbeat_id, down_since } = heartbeat
    const its = daysOfHeartbeat(heartbeat, heardOf.get(heartbeat_id) ?? [], days)
    const unmonitored_since = heartbeat.is_paused ? null : unjudgedSince(heartbeat, new Date(days.now))
    const state = unmonitored_since === null ? stateOfHeartbeat(heartbeat) : 'unmonitored'
    const since = state === 'down' ? down_since : null
    return entryOf({ position, name, state, since, unmonitored_since, unknown_sec: 0, maintenance_sec: 0, days: its })
  })
}

/** A day without a ping and without downtime says nothing: nobody knows whether the heartbeat was paused. */
function daysOfHeartbeat(
  { created_at }: ShownHeartbeat,
  rows: readonly HeartbeatDay[],
  { names, now }: Days,
): PublicEntry['days'] {
  const rowOf = new Map(rows.map((row) => [row.day, row]))
  return names.map((day) => {
    const row = rowOf.get(day)
    if (!row) return { day, share: NONE }
    const begin = Math.max(Date.parse(day), Date.parse(created_at))
    const end = Math.min(Date.parse(day) + DAY_MS, Date.parse(now))
    const watched_sec = Math.max(1, Math.round((end - begin) / 1000))
    return { day, share: { kind: 'time', watched_sec, down_sec: Math.min(watched_sec, Math.ceil(row.down_sec)) } }
  })
}

function stateOfHeartbeat({ is_paused, state }: ShownHeartbeat): PublicState {
  if (is_paused) return 'paused'
  return state === 'new' ? 'unknown' : state
}

function entryOf(entry: Omit<Placed, 'share'>): Placed {
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

function daysUntil(now: Date): Days {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  const first = today - (DAYS_SHOWN - 1) * DAY_MS
  const names = Array.from({ length: DAYS_SHOWN }, (_, index) =>
    new Date(first + index * DAY_MS).toISOString().slice(0, 10),
  )
  return { names, from: fromDate(new Date(first)), until: fromDate(new Date(today + DAY_MS)), now: fromDate(now) }
}
