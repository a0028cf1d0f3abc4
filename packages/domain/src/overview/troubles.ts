// Lists what is wrong now in one order, and groups what belongs together. Pure.
import type { FailingChannel, FailingMonitor, OfflineMonitor, OpenIncident } from '@dogwatch/store/incidents/open-now'
import { groupAtOnce } from '../incidents/at-once.ts'
import type { Sight } from '../incidents/cause.ts'

/** Open incident, and the present view of its monitors. */
export type IncidentNow = OpenIncident & { sight: Sight }

/** Problem of any kind that needs a look. */
export type Trouble =
  | { kind: 'incident'; since: string; incident: IncidentNow }
  /** Incidents that began together. `isCut`: there can be more of them than were read. */
  | { kind: 'group'; since: string; incidents: IncidentNow[]; isCut: boolean }
  | { kind: 'monitor'; since: string; monitor: OfflineMonitor }
  /** Failing monitor, with those of the read incidents whose checks fail only there. */
  | { kind: 'failing'; since: string; monitor: FailingMonitor; incidents: IncidentNow[] }
  | { kind: 'channel'; since: string; channel: FailingChannel }

interface TroubleSources {
  /** Open incidents, newest first. */
  incidents: readonly IncidentNow[]
  /** Number of open incidents. */
  open: number
  monitors: readonly OfflineMonitor[]
  failing: readonly FailingMonitor[]
  channels: readonly FailingChannel[]
}

/** Maximum time from the beginning of an incident until its monitor was noticed as failing. */
const BEFORE_MS = 900_000

/** Returns the problems, newest first. */
export function troublesOf({ incidents, open, monitors, failing, channels }: TroubleSources): Trouble[] {
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

/** Whether only this monitor sees the incident, and the incident began with the other incidents of the monitor. */
function isOf({ id, name, since }: FailingMonitor, { sight: { failing }, began_at }: IncidentNow): boolean {
  const [only, ...rest] = failing
  const shown = name.trim() === '' ? id : name
  return only === shown && rest.length === 0 && Date.parse(began_at) >= Date.parse(since) - BEFORE_MS
}
