// Acknowledges an incident, or takes the acknowledgement back.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { lockChannels } from '@dogwatch/store/alerting/events'
import { lockOpenIncident, type OpenIncident, updateAcknowledged } from '@dogwatch/store/checks/acknowledgements'
import { lockChecksToJudge } from '@dogwatch/store/checks/check-health'
import { findCheck } from '@dogwatch/store/checks/checks'
import type { Trx } from '@dogwatch/store/database'
import { findOwnHeartbeatPlace, lockHeartbeatCase } from '@dogwatch/store/heartbeats/heartbeats'
import { type Actor, type ChannelActor, nameWithToken, recordAuditEntry } from '../audit/record.ts'
import { checkSubject, subjectOf } from '../checks/event-data.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import type { AcknowledgedData } from '../events/event.ts'
import { type EventToRaise, raise } from '../events/raise.ts'
import { heartbeatAbout, heartbeatSubject } from '../heartbeats/event-data.ts'
import { resumeEscalation, stopEscalation } from '../routing/release.ts'
import { isStorable } from '../text.ts'
import { noteIn, storeNote } from './notes.ts'

/** Incident of a check or heartbeat. */
export interface IncidentOf {
  org_id: number
  kind: 'check' | 'heartbeat'
  guid: string
  /** Id of the incident that the person saw. Default: the open one. */
  incident_id?: string | undefined
}

/** Note that a member adds with the acknowledgement. */
export interface WithNote {
  text: string
  author: Actor
}

/**
 * Acknowledges the open incident: stops reminders and escalation, and notifies once every channel that received its alerts. If it
 * was acknowledged before, only adds the note and returns false.
 */
export async function acknowledge(
  deps: Deps,
  what: IncidentOf,
  by: Actor | ChannelActor,
  note?: WithNote,
): Promise<boolean> {
  const body = noteIn(note?.text ?? '')
  return deps.database.people.transaction().execute(async (trx) => {
    const held = await lockIncident(trx, what)
    const { org_id } = what
    const { incident_id, began_at, org_name } = held.incident
    if (note && body !== '') {
      await storeNote(trx, deps, { org_id, incident_id, name: held.name, body }, note.author)
    }
    if (held.incident.acknowledged_at !== null) return false
    const given = { acknowledged_at: fromDate(deps.clock.now()), acknowledged_by: nameWithToken(by) }
    await updateAcknowledged(trx, { org_id, incident_id }, given)
    await lockChannels(trx, org_id)
    await stopEscalation(trx, org_id, incident_id)
    const data: Omit<AcknowledgedData, 'check' | 'heartbeat'> = {
      org: { name: org_name },
      state: 'down',
      incident_id,
      since: began_at,
      ...given,
      ...(body !== '' && { note: body }),
    }
    await raise(trx, deps, [{ org_id, incident_id, ...held.event, data: { ...data, ...held.event.data } }])
    await recordAuditEntry(trx, deps, by, { org_id, action: `${what.kind}.acknowledge`, subject: held.name })
    return true
  })
}

/**
 * Takes back the acknowledgement of the open incident. Reminders begin again, and escalation continues at the step that it would
 * have reached by now. Returns false if the incident was not acknowledged.
 */
export async function takeBack(deps: Deps, what: IncidentOf, by: Actor): Promise<boolean> {
  return deps.database.people.transaction().execute(async (trx) => {
    const held = await lockIncident(trx, what)
    if (held.incident.acknowledged_at === null) return false
    const { org_id } = what
    const { incident_id, began_at } = held.incident
    await updateAcknowledged(trx, { org_id, incident_id }, { acknowledged_at: null, acknowledged_by: null })
    await resumeEscalation(trx, deps, { org_id, incident_id, began_at })
    await recordAuditEntry(trx, deps, by, { org_id, action: `${what.kind}.unacknowledge`, subject: held.name })
    return true
  })
}

interface LockedIncident {
  incident: OpenIncident
  name: string
  event: Pick<EventToRaise, 'type' | 'subject' | 'check_id' | 'data'>
}

/** Locks the check or heartbeat first and then its incident, in the same order as the code that judges. */
async function lockIncident(trx: Trx, what: IncidentOf): Promise<LockedIncident> {
  const found = isStorable(what.guid) ? await (what.kind === 'check' ? ofCheck : ofHeartbeat)(trx, what) : undefined
  if (!found) throw new DomainError('missing', `no ${what.kind} with that guid`)
  const { id, ...rest } = found
  const incident = await lockOpenIncident(trx, { org_id: what.org_id, kind: what.kind, id })
  if (!incident) throw new DomainError('conflict', `the ${what.kind} is no longer down`)
  if (what.incident_id !== undefined && what.incident_id !== incident.incident_id) {
    throw new DomainError('conflict', 'this incident has ended; acknowledge the new incident instead')
  }
  return { ...rest, incident }
}

type LockedSubject = Omit<LockedIncident, 'incident'> & { id: number }

async function ofCheck(trx: Trx, { org_id, guid }: IncidentOf): Promise<LockedSubject | undefined> {
  const check = await findCheck(trx, org_id, guid)
  if (!check) return undefined
  const { check_id, name } = check
  await lockChecksToJudge(trx, [{ org_id, check_id }])
  const event = { type: 'check.acknowledged', subject: subjectOf(check), check_id } as const
  return { id: check_id, name, event: { ...event, data: { check: checkSubject(check) } } }
}

async function ofHeartbeat(trx: Trx, { org_id, guid }: IncidentOf): Promise<LockedSubject | undefined> {
  const place = await findOwnHeartbeatPlace(trx, { org_id, guid })
  const held = place && (await lockHeartbeatCase(trx, place))
  if (!held) return undefined
  const { heartbeat_id, name } = held
  const event = { type: 'heartbeat.acknowledged', subject: heartbeatSubject(held) } as const
  return { id: heartbeat_id, name, event: { ...event, data: { heartbeat: heartbeatAbout(held) } } }
}
