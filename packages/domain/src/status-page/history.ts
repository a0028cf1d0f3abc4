// Computes the past of a status page: how each check and heartbeat did on each day. It is the same for all visitors.
import { Pace } from '@dogwatch/runtime/pace'
import type { Database } from '@dogwatch/store/database'
import { listDays, readFolding } from '@dogwatch/store/results/history'
import type { CheckDay, HeartbeatDay, PageHistory } from '@dogwatch/store/status-histories'
import {
  type HeartbeatDay as HeartbeatDayRow,
  listHeartbeatDays,
  type ShownCheck,
  type ShownHeartbeat,
} from '@dogwatch/store/status-pages'
import { countSteps, readPastFacts } from '../checks/counted-steps.ts'
import { divide, measure } from '../results/division.ts'
import { stepsOfRows } from '../results/excluded.ts'
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
  const check_ids = shown.map(({ check_id }) => check_id)
  const { from, until } = days
  const folding = await readFolding(database, { org_id, check_ids, from, until })
  const span = { from: new Date(from), until: now, now }
  const [rows, past] = await Promise.all([
    listDays(database, { org_id, check_ids, from, until }, folding),
    // Maintenance that was not announced is not for visitors to know, and excuses nothing here.
    readPastFacts(database, org_id, check_ids, span, { db: database.machines, only: 'public' }),
  ])
  const steps = { from: Date.parse(from), until: now.getTime(), now: now.getTime(), step_ms: DAY_MS }
  const rowsOf = Map.groupBy(rows, ({ check_id }) => check_id)
  return countSteps(
    database,
    org_id,
    shown,
    { ...past, folding },
    { stepsOf: ({ check_id }) => [stepsOfRows(steps, rowsOf.get(check_id) ?? [])], steps_each: STEPS_EACH },
    ({ check, facts, counted: [counted = []] }): PageHistory['checks'][number] => {
      const { unknown_sec, maintenance_sec } = divide(facts, counted)
      return {
        id: check.check_id,
        unknown_sec: Math.round(unknown_sec),
        maintenance_sec: Math.round(maintenance_sec),
        days: measure(facts, counted).map(({ runs, failures, watch }): CheckDay => {
          return runs === 0 ? null : [runs, failures, Math.round(watch.watched_sec)]
        }),
      }
    },
  )
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
