// Reads what the weekly report of an organisation says. Each number comes from the same function as on the pages.
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Database } from '@dogwatch/store/database'
import { listHeartbeatNames } from '@dogwatch/store/heartbeats/heartbeats'
import { type HistorySpan, listSketchedDays, readFolding, type SketchedRow } from '@dogwatch/store/results/history'
import { listCertificates } from '@dogwatch/store/results/to-judge'
import { listShownIncidents, type ShownIncident } from '@dogwatch/store/status-pages'
import { startOfPeriod } from '../checks/chart-span.ts'
import { daysLeft } from '../checks/degraded.ts'
import { horizonOf } from '../checks/health.ts'
import { type CheckAtAGlance, readOverview } from '../checks/overview.ts'
import type { Deps } from '../deps.ts'
import { averageLatency } from '../results/latency.ts'
import { type Percentiles, percentilesOf } from '../results/percentiles.ts'
import type { PublicIncident } from '../status-page/status.ts'

export interface WeeklyReport {
  from: Date
  until: Date
  /** Checks as the list of checks shows them, in its order. */
  checks: readonly CheckAtAGlance[]
  /** Incidents of checks, newest first. */
  incidents: readonly PublicIncident[]
  /** Incidents of heartbeats, newest first. */
  heartbeat_incidents: readonly PublicIncident[]
  heartbeats: number
  /** Checks, slowest first, with the mean latency of their successful runs, and with its percentiles if they are known. */
  slowest: readonly { name: string; latency_ms: number; percentiles: Percentiles | undefined }[]
  /** Certificates that expire soon, the first one first. `days_left` is less than 0 after the expiry. */
  certificates: readonly { name: string; cert_expires_at: string; days_left: number }[]
}

/** Number of days left below which certificates are due. */
export const CERTIFICATE_DAYS = 30
const MOST_INCIDENTS = 1000
const WEEK_MS = 7 * 86_400_000

export async function readWeeklyReport(deps: Deps, org_id: number): Promise<WeeklyReport> {
  const { database, clock } = deps
  const until = clock.now()
  const from = startOfPeriod('week', until)
  const [{ checks }, heartbeats] = await Promise.all([
    readOverview(deps, org_id),
    listHeartbeatNames(database.machines, org_id),
  ])
  const check_ids = checks.map(({ check_id }) => check_id)
  const heartbeat_ids = heartbeats.map(({ heartbeat_id }) => heartbeat_id)
  const span = { from: fromDate(from), until: fromDate(until) }
  const [incidents, days, certificates] = await Promise.all([
    listShownIncidents(database.machines, org_id, { check_ids, heartbeat_ids }, span, MOST_INCIDENTS),
    readDays(database, { org_id, check_ids, from: span.from, until: fromDate(new Date(from.getTime() + WEEK_MS)) }),
    readCertificates(deps, checks, from),
  ])
  const nameOfCheck = new Map(checks.map(({ check_id, name }) => [check_id, name]))
  const nameOfHeartbeat = new Map(heartbeats.map(({ heartbeat_id, name }) => [heartbeat_id, name]))
  const daysOf = Map.groupBy(days, ({ check_id }) => check_id)
  const named = ({ check_id, heartbeat_id, ...bounds }: ShownIncident) => ({
    ...bounds,
    name: nameOfCheck.get(check_id ?? NaN) ?? nameOfHeartbeat.get(heartbeat_id ?? NaN) ?? '',
  })
  return {
    from,
    until,
    checks,
    incidents: incidents.filter(({ check_id }) => check_id !== null).map(named),
    heartbeat_incidents: incidents.filter(({ check_id }) => check_id === null).map(named),
    heartbeats: heartbeats.length,
    slowest: checks
      .flatMap(({ check_id, name }) => {
        const its = daysOf.get(check_id) ?? []
        const latency_ms = averageLatency(its)
        return latency_ms === undefined ? [] : [{ name, latency_ms, percentiles: percentilesOf(its) }]
      })
      .toSorted((a, b) => b.latency_ms - a.latency_ms),
    certificates,
  }
}

async function readDays(database: Database, span: HistorySpan): Promise<SketchedRow[]> {
  return listSketchedDays(database, span, await readFolding(database, span))
}

/** Reads the certificates in the newest results of the checks that run. */
async function readCertificates({ database, clock }: Deps, checks: readonly CheckAtAGlance[], from: Date) {
  const now = clock.now()
  const since = fromDate(from)
  const running = checks.filter(({ enabled }) => enabled)
  const spans = running.map(({ org_id, check_id }) => ({ org_id, check_id, since, before: horizonOf(now), limit: 1 }))
  const names = new Map(checks.map(({ check_id, name }) => [check_id, name]))
  return (await listCertificates(database.machines, spans, since))
    .map(({ check_id, cert_expires_at }) => ({
      name: names.get(check_id) ?? '',
      cert_expires_at,
      days_left: daysLeft({ at: fromDate(now), cert_expires_at }),
    }))
    .filter(({ days_left }) => days_left < CERTIFICATE_DAYS)
    .toSorted((a, b) => Date.parse(a.cert_expires_at) - Date.parse(b.cert_expires_at))
}
