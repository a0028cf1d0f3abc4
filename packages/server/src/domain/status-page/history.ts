// Computes the past of a status page: how each check and heartbeat did on each day. It is the same for all visitors.
import { batchesOf, Pace } from '../../runtime/pace.ts'
import { listSchedules, type SchedulesRow } from '../../store/checks/schedules.ts'
import type { Database } from '../../store/database.ts'
import { type Folding, type HistoryRow, listDays, readFolding } from '../../store/results/history.ts'
import type { CheckDay, HeartbeatDay, PageHistory } from '../../store/status-histories.ts'
import {
  type HeartbeatDay as HeartbeatDayRow,
  listHeartbeatDays,
  type ShownCheck,
  type ShownHeartbeat,
} from '../../store/status-pages.ts'
import { type Maintenance, readMaintenance } from '../maintenance/times.ts'
import { divide, type Facts, measure } from '../results/division.ts'
import { type CountsOfCheck, type Step, stepsBetween, withExcluded } from '../results/excluded.ts'
import { timetableOf } from '../results/watched.ts'
import { DAY_MS, type Days, daysUntil } from './days.ts'

/** Checks and heartbeats that a page shows. */
export interface PageSubjects {
  checks: readonly ShownCheck[]
  heartbeats: readonly ShownHeartbeat[]
}

/** Cost of a check, in steps of {@link Pace}. */
const STEPS_EACH = 300

/** Computes the days of everything that a page shows. */
export async function computeHistory(
  database: Database,
  org_id: number,
  { checks, heartbeats }: PageSubjects,
  now: Date,
): Promise<PageHistory> {
  const days = daysUntil(now)
  const [ofChecks, ofHeartbeats] = await Promise.all([
    computeChecks(database, org_id, checks, { days, now }),
    computeHeartbeats(database, org_id, heartbeats, days),
  ])
  return { first_day: days.names[0] ?? '', checks: ofChecks, heartbeats: ofHeartbeats }
}

async function computeChecks(
  database: Database,
  org_id: number,
  shown: readonly ShownCheck[],
  { days, now }: { days: Days; now: Date },
): Promise<PageHistory['checks']> {
  if (shown.length === 0) return []
  const { machines } = database
  const check_ids = shown.map(({ check_id }) => check_id)
  const { from, until } = days
  const folding = await readFolding(database, { org_id, check_ids, from, until })
  const [rows, schedules, maintenance] = await Promise.all([
    listDays(database, { org_id, check_ids, from, until }, folding),
    listSchedules(database, org_id, from, check_ids),
    // Maintenance that was not announced is not for visitors to know, and excuses nothing here.
    readMaintenance(machines, org_id, { from: new Date(from), until: now }, 'public'),
  ])
  const read = {
    days: days.names,
    now,
    folding,
    maintenance,
    schedulesOf: new Map(schedules.map((one) => [one.check_id, one.schedules])),
    rowsOf: Map.groupBy(rows, ({ check_id }) => check_id),
  }
  const computed: CheckHistory[] = []
  for (const some of batchesOf(shown, AT_ONCE)) computed.push(...(await computeSome(database, org_id, some, read)))
  return computed
}

type CheckHistory = PageHistory['checks'][number]

interface ReadOfDays {
  days: readonly string[]
  now: Date
  folding: Folding
  maintenance: Maintenance
  schedulesOf: ReadonlyMap<number, SchedulesRow['schedules']>
  rowsOf: ReadonlyMap<number, readonly HistoryRow[]>
}

/** Number of checks whose times of maintenance are in memory together. */
const AT_ONCE = 50

async function computeSome(
  database: Database,
  org_id: number,
  shown: readonly ShownCheck[],
  { days, now, folding, maintenance, schedulesOf, rowsOf }: ReadOfDays,
): Promise<CheckHistory[]> {
  const pace = new Pace()
  const [all, counts]: [Facts[], CountsOfCheck[]] = [[], []]
  for (const { check_id, guid, tags, ...check } of shown) {
    const times = await maintenance.timesOf({ kind: 'check', guid, tags })
    const timetable = timetableOf(schedulesOf.get(check_id), check)
    all.push({ timetable, maintenance: times, exists_from: Date.parse(check.created_at) })
    counts.push({ check_id, maintenance: times, stretches: stretchesOf(rowsOf.get(check_id) ?? [], days, now) })
    await pace.spend(STEPS_EACH)
  }
  const counted = await withExcluded(database, org_id, counts, folding, pace)
  return pace.map(
    shown,
    ({ check_id }, index): CheckHistory => {
      const [facts, its] = [all[index] as Facts, counted[index] ?? []]
      const { unknown_sec, maintenance_sec } = divide(facts, its)
      return {
        id: check_id,
        unknown_sec: Math.round(unknown_sec),
        maintenance_sec: Math.round(maintenance_sec),
        days: measure(facts, its).map(({ runs, failures, watch }): CheckDay => {
          return runs === 0 ? null : [runs, failures, Math.round(watch.watched_sec)]
        }),
      }
    },
    () => STEPS_EACH,
  )
}

function stretchesOf(rows: readonly HistoryRow[], [first = '']: readonly string[], now: Date): Step[] {
  const rowOf = new Map(rows.map((row) => [Date.parse(row.at), row]))
  const span = { from: Date.parse(first), until: now.getTime(), now: now.getTime(), step_ms: DAY_MS }
  return stepsBetween(span, (at) => rowOf.get(at))
}

async function computeHeartbeats(
  { machines }: Database,
  org_id: number,
  shown: readonly ShownHeartbeat[],
  days: Days,
): Promise<PageHistory['heartbeats']> {
  if (shown.length === 0) return []
  const ids = shown.map(({ heartbeat_id }) => heartbeat_id)
  const heard = await listHeartbeatDays(machines, org_id, ids, { from: days.from, until: days.now })
  const heardOf = Map.groupBy(heard, ({ heartbeat_id }) => heartbeat_id)
  return new Pace().map(
    shown,
    (one) => ({ id: one.heartbeat_id, days: daysOfHeartbeat(one, heardOf.get(one.heartbeat_id) ?? [], days) }),
    () => STEPS_EACH,
  )
}

/**
 * Returns the days of a heartbeat. A day without a ping and without downtime says nothing, because the heartbeat might have been
 * paused.
 */
function daysOfHeartbeat(
  { created_at }: ShownHeartbeat,
  rows: readonly HeartbeatDayRow[],
  { names, now }: Days,
): HeartbeatDay[] {
  const rowOf = new Map(rows.map((row) => [row.day, row]))
  return names.map((day) => {
    const row = rowOf.get(day)
    if (!row) return null
    const begin = Math.max(Date.parse(day), Date.parse(created_at))
    const end = Math.min(Date.parse(day) + DAY_MS, Date.parse(now))
    const watched_sec = Math.max(1, Math.round((end - begin) / 1000))
    return [watched_sec, Math.min(watched_sec, Math.ceil(row.down_sec))]
  })
}
