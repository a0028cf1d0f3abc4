// Converts incidents to their shapes in the configuration API.
import type { components } from '@dogwatch/contract/config'
import { causeOf, heldWords, verdictWords } from '@dogwatch/domain/incidents/cause'
import type { IncidentInDetail, NoteRow, WholeResult, Witness } from '@dogwatch/domain/incidents/inspect'
import type { ListedIncident } from '@dogwatch/domain/incidents/list'
import { firstCause } from '@dogwatch/domain/incidents/markdown'
import { type TimelineEntry, timelineOf } from '@dogwatch/domain/incidents/timeline'
import type { MuteRow } from '@dogwatch/domain/mutes/mute'

type Schemas = components['schemas']

export function toIncident(incident: ListedIncident): Schemas['Incident'] {
  const { incident_id, kind, guid, name, began_at, ended_at, end_reason } = incident
  const { verdict, held_by, acknowledged_at, acknowledged_by } = incident
  const why = verdictWords(verdict, began_at)
  return {
    id: incident_id,
    kind,
    guid,
    name,
    began_at,
    ...(ended_at !== null && { ended_at, ...(end_reason !== null && { end_reason }) }),
    cause: causeOf(incident),
    ...(why !== '' && { verdict: why }),
    ...(held_by !== null && ended_at === null && { held: heldWords(held_by) }),
    ...(acknowledged_at !== null && acknowledged_by !== null && { acknowledged_at, acknowledged_by }),
  }
}

export function toIncidentInDetail(view: IncidentInDetail): Schemas['IncidentInDetail'] {
  const { incident, isPrivate, failure, ping, witnesses, mute, notes, postmortem, groups } = view
  const neighbours = groups.flatMap((group) => group.neighbours)
  return {
    ...toIncident({ ...incident, ...firstCause(view) }),
    ...(incident.tags.length > 0 && { tags: [...incident.tags] }),
    ...(isPrivate && { private_definition: true }),
    ...(failure && { failure: toFailure(failure) }),
    ...(ping && { ping: toPing(ping) }),
    ...(witnesses.length > 0 && { monitors: witnesses.map(toWitness) }),
    ...(mute && toMute(mute)),
    timeline: timelineOf(view).map(toEntry),
    ...(notes.length > 0 && { notes: notes.map(toNote) }),
    ...(postmortem && { postmortem: toPostmortem(postmortem) }),
    ...(neighbours.length > 0 && { neighbours: neighbours.map(toNeighbour) }),
  }
}

export function toMute({ muted_until, muted_by, until_resolved }: MuteRow): Schemas['Mute'] {
  return { muted_until, muted_by, ...(until_resolved && { until_resolved }) }
}

export function toNote({ note_id, created_at, author, body, edited_at }: NoteRow): Schemas['IncidentNote'] {
  return { id: note_id, created_at, author, note: body, ...(edited_at !== null && { edited_at }) }
}

function toFailure(failure: WholeResult): Schemas['IncidentFailure'] {
  const { ran_at, monitor_id, monitor_name, latency_ms, http_status, error, response_sample } = failure
  return {
    ran_at,
    monitor_id,
    ...(monitor_name !== '' && { monitor_name }),
    latency_ms,
    ...(http_status !== 0 && { http_status }),
    ...(error !== null && { error }),
    ...(response_sample !== null && { response_sample }),
  }
}

function toPing({ exit_code, body }: NonNullable<IncidentInDetail['ping']>): Schemas['IncidentPing'] {
  return { ...(exit_code !== null && { exit_code }), ...(body !== null && body !== '' && { body }) }
}

function toWitness({ monitor_id, name, failed_at, failures, last_at }: Witness): Schemas['IncidentMonitor'] {
  return {
    id: monitor_id,
    ...(name !== '' && { name }),
    ...(failed_at !== null && { failing_since: failed_at }),
    ...(failures > 0 && { failures }),
    last_at,
  }
}

function toEntry({ at, tone, title, lines, isPlanned, note }: TimelineEntry): Schemas['IncidentEntry'] {
  const told = note ? [...lines, note.body] : [...lines]
  return { at, kind: tone, title, ...(told.length > 0 && { lines: told }), ...(isPlanned && { planned: true }) }
}

export function toPostmortem(postmortem: NonNullable<IncidentInDetail['postmortem']>): Schemas['IncidentPostmortem'] {
  const { body, edited_at, edited_by } = postmortem
  return { text: body, edited_at, edited_by }
}

type Neighbour = IncidentInDetail['groups'][number]['neighbours'][number]

function toNeighbour({ incident_id, kind, guid, name, began_at, ended_at }: Neighbour): Schemas['IncidentNeighbour'] {
  return { id: incident_id, kind, guid, name, began_at, ...(ended_at !== null && { ended_at }) }
}
