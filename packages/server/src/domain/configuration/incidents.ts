// Incidents as the configuration API changes them: each by its id, whatever it is about.
import { findIncident, type IncidentRow } from '../../store/incidents/incident.ts'
import type { Deps } from '../deps.ts'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import { acknowledge, takeBack } from '../incidents/acknowledge.ts'
import { type IncidentFilter, type ListedIncident, readListedIncident } from '../incidents/list.ts'
import { addNote, noSuchIncident } from '../incidents/notes.ts'
import { DomainError } from '../errors.ts'
import { mute, type MuteEnd, type MuteRow, unmute } from '../mutes/mute.ts'
import { listNotes, type NoteRow } from '../../store/incidents/notes.ts'
import { isStorable } from '../text.ts'
import { resolveReferences } from './keys.ts'
import { together } from './together.ts'

/** Acknowledges an open incident, or takes that back. Refuses one that has ended. */
export async function switchAcknowledged(
  deps: Deps,
  { org_id, actor }: Editor,
  incident_id: string,
  isOn: boolean,
): Promise<ListedIncident> {
  return together(deps, async (inner) => {
    const { kind, guid } = await requireIncident(inner, org_id, incident_id)
    await (isOn ? acknowledge : takeBack)(inner, { org_id, kind, guid, incident_id }, actor)
    return readListedIncident(inner, org_id, incident_id)
  })
}

/** Mutes what an incident is about. */
export async function muteIncident(
  deps: Deps,
  { org_id, actor }: Editor,
  incident_id: string,
  until: MuteEnd,
): Promise<MuteRow> {
  return together(deps, async (inner) => {
    const { kind, guid, ended_at } = await requireIncident(inner, org_id, incident_id)
    if (until === 'resolved' && ended_at !== null) throw new DomainError('conflict', 'this incident has ended')
    return mute(inner, { org_id, kind, guid }, until, actor)
  })
}

export async function unmuteIncident(deps: Deps, { org_id, actor }: Editor, incident_id: string): Promise<void> {
  await together(deps, async (inner) => {
    const { kind, guid } = await requireIncident(inner, org_id, incident_id)
    await unmute(inner, { org_id, kind, guid }, actor)
  })
}

/** The notes on an incident, oldest first. */
export async function readNotes(deps: Pick<Deps, 'database'>, org_id: number, incident_id: string): Promise<NoteRow[]> {
  await requireIncident(deps, org_id, incident_id)
  return listNotes(deps.database.people, { org_id, incident_id })
}

export async function writeNote(
  deps: Deps,
  { org_id, actor }: Editor,
  incident_id: string,
  text: string,
): Promise<NoteRow> {
  return addNote(deps, { org_id, incident_id }, text, actor)
}

/** What `check` or `heartbeat` of a filter names; `key:NAME` means the one with that key. */
export async function resolveSubject(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  { check, heartbeat }: { check?: string | undefined; heartbeat?: string | undefined },
): Promise<IncidentFilter['of']> {
  const kind = check !== undefined ? 'check' : 'heartbeat'
  const reference = check ?? heartbeat
  if (reference === undefined) return undefined
  const [guid = ''] = await resolveReferences(database.people, org_id, kind, [reference], () => kind)
  return { kind, guid }
}

async function requireIncident(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  incident_id: string,
): Promise<IncidentRow> {
  const found = isStorable(incident_id) ? await findIncident(database.people, org_id, incident_id) : undefined
  if (!found) throw noSuchIncident()
  return found
}
