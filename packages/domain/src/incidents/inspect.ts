// Reads everything that is known of one incident: its evidence, its alerts, its notes, and the incidents that began with it.
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { CheckKey } from '@dogwatch/store/check-keys'
import { listActiveMonitors } from '@dogwatch/store/checks/check-health'
import type { Database } from '@dogwatch/store/database'
import {
  type DeedRow,
  type DegradedSpan,
  findFailingPing,
  findIncident,
  type IncidentRow,
  listDeedsTo,
  listDegradedIn,
  listMonitorNames,
  listToldEvents,
  listWaiting,
  type ToldEvent,
  type WaitingAlert,
} from '@dogwatch/store/incidents/incident'
import {
  type EarlierIncident,
  listEarlier,
  listNeighbours,
  type Neighbour,
  type ToldCause,
} from '@dogwatch/store/incidents/incident-list'
import { findPostmortem, listNotes, type NoteRow, type PostmortemRow } from '@dogwatch/store/incidents/notes'
import type { WholeResult } from '@dogwatch/store/results/failures'
import { findFailure } from '@dogwatch/store/results/failures'
import { listLatestResults, listResultsAfter, type ResultToJudge } from '@dogwatch/store/results/to-judge'
import { listMutes, type MuteRow } from '@dogwatch/store/routing/mutes'
import { kindOfError, viewOf } from '../checks/event-data.ts'
import { horizonOf } from '../checks/health.ts'
import { failuresNeeded, gapMs } from '../checks/places.ts'
import { redactResultsOfChecks } from '../checks/redact.ts'
import type { Deps } from '../deps.ts'
import { isStorable } from '../text.ts'
import { NO_CAUSE, readCauses } from './errors.ts'
import { noSuchIncident } from './notes.ts'

export type { EarlierIncident, IncidentRow, Neighbour, NoteRow, PostmortemRow, ToldEvent, WaitingAlert, WholeResult }

/** Results of one monitor until the check counted as down. */
export interface Witness {
  monitor_id: string
  name: string
  /** Time of the monitor's first failure in a row, or null if its last result was a success. */
  failed_at: string | null
  /** Number of the monitor's failures in a row. */
  failures: number
  /** Time of the monitor's last result. */
  last_at: string
}

/** Results of one monitor, when the check went down and now. */
export interface MonitorSight {
  monitor_id: string
  name: string
  /** Last results of the monitor until the check counted as down. Absent if there were none lately. */
  then: Omit<Witness, 'monitor_id' | 'name'> | undefined
  /** Newest result of the monitor. Absent if there is none lately, or the incident has ended. */
  now: { failing: boolean; ran_at: string } | undefined
}

/** Incidents that began together, and the monitor that saw them. */
export interface NeighbourGroup {
  /** Monitor that saw the incidents. Null for heartbeats, and for checks whose first failure is no longer stored. */
  monitor: { id: string; name: string } | null
  neighbours: Neighbour[]
}

export interface IncidentInDetail {
  incident: IncidentRow
  /** Result that began the incident. Absent for a heartbeat, and if the result is no longer stored. */
  failure: WholeResult | undefined
  /** Whether the definition is private, so that the server knows only the kind of failure. */
  isPrivate: boolean
  /** Ping of the job that reported its failure. */
  ping: { exit_code: number | null; body: string | null } | undefined
  /** Monitors that ran the check until it counted as down. Monitors that failed first come first. */
  witnesses: Witness[]
  /** All monitors that have the check or saw it go down, witnesses first, then the others by name. */
  sights: MonitorSight[]
  /** Error of the newest failure, while the incident lasts. */
  newest_error: string | undefined
  told: ToldEvent[]
  waiting: WaitingAlert[]
  mute: MuteRow | undefined
  deeds: DeedRow[]
  degraded: DegradedSpan[]
  notes: NoteRow[]
  postmortem: PostmortemRow | undefined
  /** Groups of the incidents that began with this one, largest first. */
  groups: NeighbourGroup[]
  /** Whether more incidents began with this one than were read. */
  hasMoreNeighbours: boolean
  earlier: (EarlierIncident & ToldCause)[]
  hasMoreEarlier: boolean
}

/** Maximum time between the beginnings of two incidents that count as begun together. */
export const NEAR_SEC = 60
const MOST_NEIGHBOURS = 200
const EARLIER_SHOWN = 5
const MOST_EVENTS = 60
/** Maximum number of results to read to find out which monitors agreed. */
const MOST_RESULTS = 500
/** Number of newest results to read for each monitor. `MOST_NEWEST`: for all monitors together. */
const NEWEST_EACH = 3
const MOST_NEWEST = 60
const DAY_MS = 86_400_000
/** Length of the time before an incident that is searched for slow results. */
const SLOW_BEFORE_MS = 3_600_000

export async function inspectIncident(deps: Deps, org_id: number, incident_id: string): Promise<IncidentInDetail> {
  const { people } = deps.database
  const incident = isStorable(incident_id) ? await findIncident(people, org_id, incident_id) : undefined
  if (!incident) throw noSuchIncident()
  const { kind, id, began_at, ended_at } = incident
  const now = fromDate(deps.clock.now())
  const lasting = { from: began_at, until: ended_at ?? now }
  const around = { from: shifted(began_at, -NEAR_SEC * 1000), until: shifted(began_at, NEAR_SEC * 1000) }
  const [evidence, told, waiting, mutes, deeds, degraded, notes, postmortem, neighbours, earlier] = await Promise.all([
    readEvidence(deps, incident),
    listToldEvents(people, incident, MOST_EVENTS),
    ended_at === null ? listWaiting(people, incident) : [],
    listMutes(people, org_id, [`${kind}:${id}`], now),
    listDeedsTo(people, org_id, incident, lasting),
    kind === 'check'
      ? listDegradedIn(people, { org_id, check_id: id }, { ...lasting, from: shifted(began_at, -SLOW_BEFORE_MS) })
      : [],
    listNotes(people, incident),
    findPostmortem(people, incident),
    listNeighbours(people, org_id, { incident_id, ...around, limit: MOST_NEIGHBOURS + 1 }),
    listEarlier(people, incident, began_at, EARLIER_SHOWN + 1),
  ])
  const shown = earlier.slice(0, EARLIER_SHOWN)
  const causes = await readCauses(
    deps,
    org_id,
    shown.map((one) => ({ ...one, kind })),
  )
  return {
    incident,
    isPrivate: incident.url === '',
    ...evidence,
    told,
    waiting,
    mute: mutes[0],
    deeds,
    degraded,
    notes,
    postmortem,
    groups: groupNeighbours(neighbours.slice(0, MOST_NEIGHBOURS)),
    hasMoreNeighbours: neighbours.length > MOST_NEIGHBOURS,
    earlier: shown.map((one) => ({ ...one, ...(causes.get(one.incident_id) ?? NO_CAUSE) })),
    hasMoreEarlier: earlier.length > EARLIER_SHOWN,
  }
}

type Evidence = Pick<IncidentInDetail, 'failure' | 'ping' | 'witnesses' | 'sights' | 'newest_error'>

async function readEvidence({ database, clock }: Deps, incident: IncidentRow): Promise<Evidence> {
  const { people } = database
  const { org_id, kind, id, began_at } = incident
  if (kind === 'heartbeat') {
    const ping = await findFailingPing(people, { org_id, heartbeat_id: id }, began_at)
    return { failure: undefined, ping, witnesses: [], sights: [], newest_error: undefined }
  }
  const key: CheckKey = { org_id, check_id: id }
  const span = spanOfEvidence(incident)
  const results = await listResultsAfter(people, key, { at: span.from, monitor_id: '' }, span.until, MOST_RESULTS)
  const seen = witnessesOf(results, began_at)
  const [first] = seen
  const at = first?.failed_at ?? began_at
  const earlier_from = shifted(
    span.from,
    -gapMs({ interval_sec: incident.interval_sec ?? 60, monitors: incident.monitors }),
  )
  const [failure, names, before, current] = await Promise.all([
    findFailure(
      people,
      { ...key, result_detail_max_chars: incident.result_detail_max_chars ?? 0 },
      at,
      first?.monitor_id,
    ),
    listMonitorNames(
      people,
      seen.map(({ monitor_id }) => monitor_id),
    ),
    listResultsAfter(people, key, { at: earlier_from, monitor_id: '' }, span.from, MOST_RESULTS),
    readNow(database, key, incident, clock.now()),
  ])
  const [quoted] = failure ? await redactResultsOfChecks(people, [{ ...failure, ...key }]) : []
  const witnesses = seen.map((one) => ({ ...one, name: names.get(one.monitor_id) ?? '' }))
  return {
    failure: quoted && (incident.url === '' ? withoutQuotes(quoted) : quoted),
    ping: undefined,
    witnesses,
    ...sightsOf(witnesses, witnessesOf(before, began_at), current),
  }
}

type Now = Awaited<ReturnType<typeof readNow>>

/** Reads the monitors that have the check, and what they see while the incident lasts. */
async function readNow({ people }: Database, key: CheckKey, { url, ended_at }: IncidentRow, now: Date) {
  const monitors = await listActiveMonitors(people, [key])
  if (ended_at !== null) return { monitors, view: [] }
  const limits = [Math.min(MOST_NEWEST, NEWEST_EACH * Math.max(1, monitors.length))]
  const since = shifted(fromDate(now), -DAY_MS)
  const results = await listLatestResults(people, [key], { until: horizonOf(now), since, limits })
  const latest = await redactResultsOfChecks(people, results)
  return { monitors, view: viewOf({ url: url ?? '' }, latest, monitors) }
}

function sightsOf(
  witnesses: readonly Witness[],
  before: readonly Omit<Witness, 'name'>[],
  { monitors, view }: Now,
): Pick<IncidentInDetail, 'sights' | 'newest_error'> {
  const others = monitors
    .filter(({ id }) => !witnesses.some(({ monitor_id }) => monitor_id === id))
    .toSorted((a, b) => (`${a.name} ${a.id}` < `${b.name} ${b.id}` ? -1 : 1))
  const all = [
    ...witnesses.map(({ monitor_id, name, ...then }) => ({ monitor_id, name, then })),
    ...others.map(({ id, name }) => ({
      monitor_id: id,
      name,
      then: before.find(({ monitor_id }) => monitor_id === id),
    })),
  ]
  const failing = view.filter((one) => one.failing && one.error !== undefined)
  return {
    sights: all.map((one) => ({ ...one, now: view.find(({ id }) => id === one.monitor_id) })),
    newest_error: failing.toSorted((a, b) => (a.ran_at < b.ran_at ? 1 : -1))[0]?.error,
  }
}

/**
 * Returns the span of the results that took a check down. If several monitors had to agree, it begins before the incident: by the
 * maximum gap between failures, for each required failure in a row.
 */
function spanOfEvidence({ began_at, verdict, interval_sec, monitors, down_interval_sec }: IncidentRow): {
  from: string
  until: string
} {
  const until = verdict?.turned_at !== undefined && verdict.turned_at > began_at ? verdict.turned_at : began_at
  if (!verdict?.places) return { from: began_at, until }
  const rows = failuresNeeded(down_interval_sec ?? 0)
  const before_ms = Math.min(rows * gapMs({ interval_sec: interval_sec ?? 60, monitors }), 6 * 3_600_000)
  return { from: shifted(began_at, -before_ms), until }
}

/**
 * Returns the last results of each monitor, failing monitors first, in the order of their first failures. Expects the oldest
 * result first.
 */
export function witnessesOf(
  results: readonly Pick<ResultToJudge, 'at' | 'monitor_id' | 'success'>[],
  began_at: string,
): Omit<Witness, 'name'>[] {
  const seen = new Map<string, Omit<Witness, 'name'>>()
  for (const { at, monitor_id, success } of results) {
    const { failed_at = null, failures = 0 } = seen.get(monitor_id) ?? {}
    const row = success ? { failed_at: null, failures: 0 } : { failed_at: failed_at ?? at, failures: failures + 1 }
    seen.set(monitor_id, { monitor_id, ...row, last_at: at })
  }
  const order = ({ failed_at, monitor_id }: Omit<Witness, 'name'>) => `${failed_at ?? `~${began_at}`} ${monitor_id}`
  return [...seen.values()].toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
}

/** Removes everything that can quote the target, because only the kind of failure of a private definition may be shown. */
function withoutQuotes(failure: WholeResult): WholeResult {
  return { ...failure, error: kindOfError(failure.error) ?? null, response_sample: null }
}

/** Groups neighbouring incidents by monitor, the largest group first, and those without a monitor last. */
export function groupNeighbours(neighbours: readonly Neighbour[]): NeighbourGroup[] {
  const groups = [...Map.groupBy(neighbours, ({ monitor_id }) => monitor_id)].map(([id, some]) => ({
    monitor: id === null ? null : { id, name: some[0]?.monitor_name ?? '' },
    neighbours: some,
  }))
  return groups.toSorted(
    (a, b) => Number(a.monitor === null) - Number(b.monitor === null) || b.neighbours.length - a.neighbours.length,
  )
}

function shifted(timestamp: string, ms: number): string {
  return fromDate(new Date(Date.parse(timestamp) + ms))
}
