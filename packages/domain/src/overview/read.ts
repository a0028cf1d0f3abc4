// Reads the first page of the console: whether something is wrong, what, since when, and who was notified.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { listActiveMonitors } from '@dogwatch/store/checks/check-health'
import { type FailingCheck, listFailingChecks } from '@dogwatch/store/checks/failing'
import type { Database } from '@dogwatch/store/database'
import { countOpenIncidents } from '@dogwatch/store/incidents/incident-list'
import {
  findFirstWatched,
  type IncidentChange,
  listIncidentChanges,
  listIncidentSpans,
  listNewestDeeds,
  listOwnOutages,
  listUnwatchedSpans,
  type RecentAuditEntry,
} from '@dogwatch/store/incidents/last-day'
import {
  type FailingChannel,
  type FailingMonitor,
  listFailingChannels,
  listFailingMonitors,
  listOfflineMonitors,
  listOpenIncidents,
  type OfflineMonitor,
  type ToldChannel,
} from '@dogwatch/store/incidents/open-now'
import {
  type Doubtful,
  listDegraded,
  listUnmonitored,
  readStateCounts,
  type StateCounts,
} from '@dogwatch/store/incidents/state-counts'
import { type LatestResult, listLatestResults } from '@dogwatch/store/results/to-judge'
import { viewOf } from '../checks/event-data.ts'
import { horizonOf } from '../checks/health.ts'
import { redactResultsOfChecks } from '../checks/redact.ts'
import type { Deps } from '../deps.ts'
import { sightOf } from '../incidents/cause.ts'
import { withErrors } from '../incidents/errors.ts'
import { boundsOf, QUARTER_SEC, QUARTERS, type Strip, stripOf } from './strip.ts'
import { type IncidentNow, type Trouble, troublesOf } from './troubles.ts'

export type {
  Doubtful,
  FailingChannel,
  FailingMonitor,
  IncidentChange,
  IncidentNow,
  OfflineMonitor,
  RecentAuditEntry,
  StateCounts,
  ToldChannel,
  Trouble,
}

/** Change that happened by itself, or that an actor made. */
export type Change =
  | { kind: 'incident'; at: string; incident: IncidentChange }
  | { kind: 'deed'; at: string; deed: RecentAuditEntry }

export interface Overview {
  /** Problems, newest first. */
  troubles: Trouble[]
  /** Number of open incidents. It can be larger than the number of listed ones. */
  open: number
  /** Checks that became unmonitored last, a few of them. */
  unmonitored: Doubtful[]
  degraded: Doubtful[]
  /** Checks whose newest result failed, but that are not down yet. */
  failing: FailingCheck[]
  counts: StateCounts
  strip: Strip
  /** Recent changes, newest first. */
  lately: Change[]
}

export const INCIDENTS_SHOWN = 25
const MONITORS_SHOWN = 25
const DOUBTFUL_SHOWN = 5
const DEEDS_SHOWN = 15
/** Maximum number of changes to read. The page shows changes that came together as one. */
const CHANGES_READ = 60
const DAY_MS = 86_400_000
/** Maximum number of results to read for each monitor of a check. `RESULTS_MOST`: for all its monitors together. */
const RESULTS_EACH = 3
const RESULTS_MOST = 60

/** Areas of the audit log for members who may not read all of it: changes of things that they see and change themselves. */
const AREAS_OF_MEMBERS = ['check', 'heartbeat', 'monitor', 'channel', 'route', 'maintenance', 'incident']

/**
 * Reads the first page with a fixed number of statements, which read only the newest result of each check, and a few more of
 * checks that are down. `readsAudit`: the viewer may read the whole audit log.
 */
export async function readOverview(
  deps: Deps,
  org_id: number,
  { readsAudit }: { readsAudit: boolean },
): Promise<Overview> {
  const { people } = deps.database
  const date = deps.clock.now()
  const now = fromDate(date)
  const areas = readsAudit ? undefined : AREAS_OF_MEMBERS
  const [incidents, open, monitors, failing, channels, unmonitored, degraded, counts, strip, changes, deeds, unsure] =
    await Promise.all([
      readOpenIncidents(deps.database, org_id, date),
      countOpenIncidents(people, org_id),
      listOfflineMonitors(people, org_id, MONITORS_SHOWN),
      listFailingMonitors(people, org_id, MONITORS_SHOWN),
      listFailingChannels(people, org_id, fromDate(new Date(date.getTime() - DAY_MS))),
      listUnmonitored(people, org_id, DOUBTFUL_SHOWN),
      listDegraded(people, org_id, DOUBTFUL_SHOWN),
      readStateCounts(deps.database, org_id, now),
      readStrip(deps, org_id),
      listIncidentChanges(people, org_id, { now, limit: CHANGES_READ }),
      listNewestDeeds(people, org_id, { areas, limit: DEEDS_SHOWN }),
      listFailingChecks(deps.database, org_id, horizonOf(date)),
    ])
  const lately: Change[] = [
    ...changes.map((incident) => ({ kind: 'incident' as const, at: incident.at, incident })),
    ...deeds.map((deed) => ({ kind: 'deed' as const, at: deed.created_at, deed })),
  ]
  return {
    troubles: troublesOf({ incidents, open, monitors, failing, channels }),
    open,
    unmonitored,
    degraded,
    failing: unsure.slice(0, DOUBTFUL_SHOWN),
    counts: { ...counts, checks: withFailing(counts.checks, unsure.length) },
    strip,
    lately: lately.toSorted((a, b) => (a.at < b.at ? 1 : -1)).slice(0, CHANGES_READ),
  }
}

/** Subtracts failing checks from those that are up. */
function withFailing(checks: StateCounts['checks'], failing: number): StateCounts['checks'] {
  return failing === 0 ? checks : { ...checks, up: Math.max(0, (checks.up ?? 0) - failing), failing }
}

async function readOpenIncidents(database: Database, org_id: number, now: Date): Promise<IncidentNow[]> {
  const { people } = database
  const incidents = await listOpenIncidents(people, org_id, { now: fromDate(now), limit: INCIDENTS_SHOWN })
  const keys = incidents.flatMap(({ kind, id }) => (kind === 'check' ? [{ org_id, check_id: id }] : []))
  if (keys.length === 0) return incidents.map((incident) => ({ ...incident, sight: { failing: [], fine: [] } }))
  const monitors = Map.groupBy(await listActiveMonitors(people, keys), ({ check_id }) => check_id)
  const limits = keys.map(({ check_id }) =>
    Math.min(RESULTS_MOST, RESULTS_EACH * Math.max(1, monitors.get(check_id)?.length ?? 0)),
  )
  const since = fromDate(new Date(now.getTime() - DAY_MS))
  const found: LatestResult[] = await listLatestResults(people, keys, { until: horizonOf(now), since, limits })
  const latest = await redactResultsOfChecks(people, found)
  const results = Map.groupBy(latest, ({ check_id }) => check_id)
  const seen = incidents.map((incident) => {
    const { kind, id, url } = incident
    if (kind !== 'check') return { ...incident, sight: { failing: [], fine: [] } }
    const view = viewOf({ url: url ?? '' }, results.get(id) ?? [], monitors.get(id) ?? [])
    // The current error says more than the error in the alert.
    const failing = view.filter((one) => one.failing && one.error !== undefined)
    const newest = failing.toSorted((a, b) => (a.ran_at < b.ran_at ? 1 : -1))[0]
    const error = newest?.error ?? incident.error
    return { ...incident, error, sight: sightOf(view) }
  })
  return withErrors({ database }, org_id, seen)
}

/** Reads the quarters of an hour of the last 24 hours. */
async function readStrip({ database, clock }: Deps, org_id: number): Promise<Strip> {
  const now = clock.now()
  const { from } = boundsOf(now)
  const steps = { from: fromDate(from), until: fromDate(now), step_sec: QUARTER_SEC, count: QUARTERS }
  const [since, incidents, unmonitored, outages] = await Promise.all([
    findFirstWatched(database.people, org_id),
    listIncidentSpans(database.people, org_id, steps),
    listUnwatchedSpans(database.people, org_id, steps),
    listOwnOutages(database.people, steps),
  ])
  return stripOf(from, since, { incidents, unmonitored, outages })
}
