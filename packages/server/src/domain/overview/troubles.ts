// What is wrong now, in one order, with what belongs together as one. Pure.
import type { FailingChannel, FailingMonitor, OfflineMonitor, OpenIncident } from '../../store/incidents/open-now.ts'
import { groupAtOnce } from '../incidents/at-once.ts'
import type { Sight } from '../incidents/cause.ts'

/** An open incident, and which monitors see it now. */
export type IncidentNow = OpenIncident & { sight: Sight }

/** Something that needs a look, of whatever kind, since when. */
export type Trouble =
  | { kind: 'incident'; since: string; incident: IncidentNow }
  /** Incidents that began together. `isCut`: there may be more of them than were read. */
  | { kind: 'group'; since: string; incidents: IncidentNow[]; isCut: boolean }
  | { kind: 'monitor'; since: string; monitor: OfflineMonitor }
  /** With the incidents of checks that fail from there alone, of those that were read. */
  | { kind: 'failing'; since: string; monitor: FailingMonitor; incidents: IncidentNow[] }
  | { kind: 'channel'; since: string; channel: FailingChannel }

interface Found {
  /** Newest first. */
  incidents: readonly IncidentNow[]
  /** How many are open. */
  open: number
  monitors: readonly OfflineMonitor[]
  failing: readonly FailingMonitor[]
  channels: readonly FailingChannel[]
}

/** An incident of a failing monitor may have begun so long before that was noticed. */
const BEFORE_MS = 900_000

/** Newest first. */
export function troublesOf({ incidents, open, monitors, failing, channels }: Found): Trouble[] {
  const suspected = failing.map((monitor) => ({
    kind: 'failing' as const,
    since: monitor.since,
    monitor,
    incidents: incidents.filter((incident) => isOf(monitor, incident)),
  }))
  const told = new Set(suspected.flatMap((one) => one.incidents))
  const groups = groupAtOnce(incidents.filter((incident) => !told.has(incident)))
  const last = incidents.at(-1)
  const troubles: Trouble[] = [
    ...groups.map((group): Trouble => {
      const [incident] = group as [IncidentNow, ...IncidentNow[]]
      const since = incident.began_at
      if (group.length === 1) return { kind: 'incident', since, incident }
      return { kind: 'group', since, incidents: group, isCut: open > incidents.length && group.at(-1) === last }
    }),
    ...monitors.map((monitor) => ({ kind: 'monitor' as const, since: monitor.since, monitor })),
    ...suspected,
    ...channels.map((channel) => ({ kind: 'channel' as const, since: channel.since, channel })),
  ]
  return troubles.toSorted((a, b) => (a.since < b.since ? 1 : -1))
}

/** Nobody else sees it fail, and it began with the others. */
function isOf({ id, name, since }: FailingMonitor, { sight: { failing }, began_at }: IncidentNow): boolean {
  const [only, ...rest] = failing
  const shown = name.trim() === '' ? id : name
  return only === shown && rest.length === 0 && Date.parse(began_at) >= Date.parse(since) - BEFORE_MS
}
