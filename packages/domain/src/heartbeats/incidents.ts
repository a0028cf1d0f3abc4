// Records that heartbeats went down or came up: incidents and events, in the transaction that caused it.
import { newGuid } from '@dogwatch/runtime/ids'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { findHeartbeatIncident, insertIncidents, updateIncidentsEnded } from '@dogwatch/store/checks/incidents'
import type { Trx } from '@dogwatch/store/database'
import type { HeartbeatCase } from '@dogwatch/store/heartbeats/heartbeats'
import { acknowledgementOf } from '../checks/event-data.ts'
import type { Deps } from '../deps.ts'
import { raise } from '../events/raise.ts'
import { heartbeatData, heartbeatSubject } from './event-data.ts'
import type { HeartbeatChange } from './heartbeat.ts'

type Down = Extract<HeartbeatChange, { kind: 'down' }>
type Up = Extract<HeartbeatChange, { kind: 'up' }>

/** Opens an incident for each heartbeat and raises the events. */
export async function openIncidents(
  trx: Trx,
  deps: Pick<Deps, 'clock' | 'random'>,
  fallen: readonly (HeartbeatCase & { change: Down })[],
): Promise<void> {
  const told_at = fromDate(deps.clock.now())
  const cases = fallen.map((one) => ({ ...one, incident_id: newGuid(deps.random) }))
  const incidents = cases.map(({ org_id, heartbeat_id, incident_id, change }) => ({
    org_id,
    heartbeat_id,
    incident_id,
    began_at: change.since,
    told_at,
  }))
  await insertIncidents(trx, incidents)
  const events = cases.map((one) => eventOf('heartbeat.down', one, one.change))
  await raise(trx, deps, events)
}

/** Ends the incident of a heartbeat and raises the event. */
export async function endIncident(
  trx: Trx,
  deps: Pick<Deps, 'clock' | 'random'>,
  one: HeartbeatCase & { change: Up },
): Promise<void> {
  // Reads the incident after the heartbeat was locked: a value that was read together with the heartbeat may be older than the
  // lock.
  const incident = await findHeartbeatIncident(trx, one)
  // Without an incident, no one was notified that the heartbeat is down.
  if (!incident) return
  const { org_id, change } = one
  const { incident_id } = incident
  await updateIncidentsEnded(trx, [{ org_id, incident_id, ended_at: change.ended_at, end_reason: 'recovered' }])
  const event = eventOf('heartbeat.up', { ...one, incident_id }, one.change)
  await raise(trx, deps, [{ ...event, data: { ...event.data, ...acknowledgementOf(incident) } }])
}

function eventOf(
  type: 'heartbeat.down' | 'heartbeat.up',
  one: HeartbeatCase & { incident_id: string },
  change: Down | Up,
) {
  const { org_id, incident_id } = one
  return { org_id, type, subject: heartbeatSubject(one), incident_id, data: { ...heartbeatData(one, change) } }
}
