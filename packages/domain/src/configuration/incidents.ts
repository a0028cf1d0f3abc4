// Changes incidents for the configuration API, each by its id, whether of a check or a heartbeat.
import { findIncident, type IncidentRow } from '@dogwatch/store/incidents/incident'
import { findNote, findPostmortem, listNotes, type NoteRow } from '@dogwatch/store/incidents/notes'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { acknowledge, takeBack } from '../incidents/acknowledge.ts'
import { type IncidentFilter, type ListedIncident, readListedIncident } from '../incidents/list.ts'
import {
  addNote,
  changePostmortem,
  editNote,
  noSuchIncident,
  noSuchNote,
  type PostmortemRow,
  removeNote,
} from '../incidents/notes.ts'
import { isStorable } from '../text.ts'
import { resolveReferences } from './keys.ts'
import { numberOf, requireVersion, versionFrom } from './kind.ts'
import { together } from './together.ts'

/** Acknowledges an open incident, or withdraws the acknowledgement. Refuses an incident that has ended. */
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

/** Returns the notes on an incident, oldest first. */
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

export async function readNote(
  deps: Pick<Deps, 'database'>,
  org_id: number,
  incident_id: string,
  note: string,
): Promise<NoteRow> {
  await requireIncident(deps, org_id, incident_id)
  const found = await findNote(deps.database.people, { org_id, incident_id }, numberOf(note))
  if (!found) throw noSuchNote()
  return found
}

/** Changes a note, if the maker of the token wrote it. `expected`: version that the caller knows, or undefined to accept any. */
export async function rewriteNote(
  deps: Deps,
  { org_id, actor }: Editor,
  { incident, note }: { incident: string; note: string },
  { text, expected }: { text: string; expected: string | undefined },
): Promise<NoteRow> {
  const requires = (stored: NoteRow) => requireVersion(versionOfNote(stored), expected)
  return editNote(deps, { org_id, incident_id: incident, note_id: numberOf(note) }, { text, requires }, actor)
}

export async function deleteNote(
  deps: Deps,
  { org_id, actor }: Editor,
  { incident, note }: { incident: string; note: string },
  expected: string | undefined,
): Promise<number> {
  const note_id = numberOf(note)
  const requires = (stored: NoteRow) => requireVersion(versionOfNote(stored), expected)
  await removeNote(deps, { org_id, incident_id: incident, note_id }, actor, requires)
  return note_id
}

export function versionOfNote({ note_id, body, edited_at }: NoteRow): string {
  return versionFrom([note_id, body, edited_at])
}

/** Returns the postmortem of an incident. Throws DomainError if it has none. */
export async function readPostmortem(
  deps: Pick<Deps, 'database'>,
  org_id: number,
  incident_id: string,
): Promise<PostmortemRow> {
  await requireIncident(deps, org_id, incident_id)
  const found = await findPostmortem(deps.database.people, { org_id, incident_id })
  if (!found) throw noPostmortem()
  return found
}

export async function writePostmortem(
  deps: Deps,
  { org_id, actor }: Editor,
  incident_id: string,
  { text, expected }: { text: string; expected: string | undefined },
): Promise<PostmortemRow> {
  const requires = (stored: PostmortemRow | undefined) => {
    if (text.trim() === '')
      throw new FieldError('invalid', 'text', 'must not be blank; to remove the postmortem, send a DELETE request')
    requireVersion(stored ? versionOfPostmortem(stored) : '', expected)
  }
  const saved = await changePostmortem(deps, { org_id, incident_id }, { text, requires }, actor)
  if (!saved) throw noPostmortem()
  return saved
}

export async function deletePostmortem(
  deps: Deps,
  { org_id, actor }: Editor,
  incident_id: string,
  expected: string | undefined,
): Promise<void> {
  const requires = (stored: PostmortemRow | undefined) => {
    if (!stored) throw noPostmortem()
    requireVersion(versionOfPostmortem(stored), expected)
  }
  await changePostmortem(deps, { org_id, incident_id }, { text: '', requires }, actor)
}

export function versionOfPostmortem({ body, edited_at }: PostmortemRow): string {
  return versionFrom([body, edited_at])
}

function noPostmortem(): DomainError {
  return new DomainError('missing', 'the incident has no postmortem')
}

/** Resolves the `check` or `heartbeat` of a filter, which is a guid or `key:NAME`. */
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

/** Finds an incident. Throws DomainError if the organisation does not have it. */
export async function requireIncident(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  incident_id: string,
): Promise<IncidentRow> {
  const found = isStorable(incident_id) ? await findIncident(database.people, org_id, incident_id) : undefined
  if (!found) throw noSuchIncident()
  return found
}
