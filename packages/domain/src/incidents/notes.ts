// Stores what members write about an incident: notes, which have an author and a time, and one postmortem, which all of them
// edit.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { lockSubject } from '@dogwatch/store/alerting/events'
import type { Db, Trx } from '@dogwatch/store/database'
import { findIncident, type IncidentRow } from '@dogwatch/store/incidents/incident'
import {
  countNotes,
  countWrittenBytes,
  deleteNote,
  deletePostmortem,
  findNote,
  findPostmortem,
  insertNote,
  type NoteRow,
  type PostmortemRow,
  putPostmortem,
  updateNote,
} from '@dogwatch/store/incidents/notes'
import { type Actor, nameWithToken, recordAuditEntry } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { isStorable, requireLines } from '../text.ts'

export type { PostmortemRow }

const MOST_NOTES = 200
export const NOTE_CHARS = 2_000
export const POSTMORTEM_CHARS = 20_000
/** Maximum size of all notes and postmortems of an organisation: some 8,000 notes of full length. */
const MOST_BYTES = 64 * 1024 * 1024

/** Refusal of a note for an incident that has the maximum number of notes. */
export class TooManyNotes extends DomainError {
  constructor() {
    super('invalid', `an incident can have at most ${MOST_NOTES} notes`)
  }
}

export interface WhichIncident {
  org_id: number
  incident_id: string
}

/** Adds a note of a member, and returns it. */
export async function addNote(deps: Deps, which: WhichIncident, text: string, by: Actor): Promise<NoteRow> {
  const body = noteIn(text)
  if (body === '') throw new DomainError('invalid', 'the note must not be blank')
  return changeWritten(deps, which, (trx, { name }) => storeNote(trx, deps, { ...which, name, body }, by))
}

/** Returns the note in its stored form. It is empty if the text is blank. */
export function noteIn(text: string): string {
  return requireLines('the note', text.replaceAll('\r\n', '\n').trim(), NOTE_CHARS)
}

/**
 * Stores a note. `name`: name of the check or heartbeat. The caller must not hold a lock that comes after the lock of the
 * incident in the order of locks.
 */
export async function storeNote(
  trx: Trx,
  deps: Deps,
  { org_id, incident_id, name, body }: WhichIncident & { name: string; body: string },
  by: Actor,
): Promise<NoteRow> {
  const which = { org_id, incident_id }
  await lockNotes(trx, which)
  if ((await countNotes(trx, which)) >= MOST_NOTES) {
    throw new TooManyNotes()
  }
  await requireRoom(trx, org_id, body)
  const note = { created_at: fromDate(deps.clock.now()), author_id: by.person_id, author: nameWithToken(by), body }
  const note_id = await insertNote(trx, { ...which, ...note })
  await recordAuditEntry(trx, deps, by, { org_id, action: 'incident.note', subject: name })
  return { note_id, ...note, edited_at: null }
}

/** Locks the notes instead of the incident's own row, so that judging the check does not wait for people. */
async function lockNotes(trx: Trx, { org_id, incident_id }: WhichIncident): Promise<void> {
  await lockSubject(trx, org_id, `notes:${incident_id}`)
}

/** A single note on an incident. */
export interface WhichNote extends WhichIncident {
  note_id: number
}

/** Function that throws if a change is not meant for the stored version. */
type Requires<Written> = (stored: Written) => void

/** Refuses a text that would make the notes and postmortems of the organisation too large. */
async function requireRoom(trx: Trx, org_id: number, body: string): Promise<void> {
  if ((await countWrittenBytes(trx, org_id)) + Buffer.byteLength(body) <= MOST_BYTES) return
  throw new DomainError(
    'invalid',
    `the notes and postmortems of an organisation are limited to ${MOST_BYTES / 1024 / 1024} MiB in total; delete notes or postmortems first`,
  )
}

/** Changes a note of the actor, and returns its new version. */
export async function editNote(
  deps: Deps,
  { note_id, ...which }: WhichNote,
  { text, requires }: { text: string; requires: Requires<NoteRow> },
  by: Actor,
): Promise<NoteRow> {
  return changeWritten(deps, which, async (trx, { name }) => {
    const note = await requireOwnNote(trx, { note_id, ...which }, by)
    requires(note)
    const body = noteIn(text)
    if (body === '') throw new DomainError('invalid', 'the note must not be blank')
    if (body === note.body) return note
    const edited = { note_id, body, edited_at: fromDate(deps.clock.now()) }
    await requireRoom(trx, which.org_id, body)
    await updateNote(trx, which, edited)
    await recordAuditEntry(trx, deps, by, { org_id: which.org_id, action: 'incident.edit_note', subject: name })
    return { ...note, ...edited }
  })
}

/** Deletes a note of the actor. */
export async function removeNote(
  deps: Deps,
  { note_id, ...which }: WhichNote,
  by: Actor,
  requires: Requires<NoteRow> = () => {},
): Promise<void> {
  await changeWritten(deps, which, async (trx, { name }) => {
    requires(await requireOwnNote(trx, { note_id, ...which }, by))
    await deleteNote(trx, which, note_id)
    await recordAuditEntry(trx, deps, by, { org_id: which.org_id, action: 'incident.delete_note', subject: name })
  })
}

async function requireOwnNote(db: Db, { note_id, ...which }: WhichNote, by: Actor): Promise<NoteRow> {
  const note = await findNote(db, which, note_id)
  if (!note) throw noSuchNote()
  if (note.author_id !== by.person_id) throw new DomainError('forbidden', 'only the author of a note can change it')
  return note
}

/**
 * Replaces the postmortem, or deletes it if the text is empty. `seen`: time of the version that the author edited, empty for
 * none. Throws DomainError if the stored version is another one by now.
 */
export async function savePostmortem(
  deps: Deps,
  which: WhichIncident,
  { text, seen }: { text: string; seen: string },
  by: Actor,
): Promise<void> {
  const requires = (stored: PostmortemRow | undefined) => {
    if ((stored?.edited_at ?? '') === seen) return
    const what = stored ? `changed by ${stored.edited_by} while you were editing` : 'deleted while you were editing'
    throw new DomainError('conflict', `the postmortem was ${what}`)
  }
  await changePostmortem(deps, which, { text, requires }, by)
}

/**
 * Replaces or deletes the postmortem if `requires` accepts the stored version. Returns the new version, or undefined if there is
 * none.
 */
export async function changePostmortem(
  deps: Deps,
  which: WhichIncident,
  { text, requires }: { text: string; requires: Requires<PostmortemRow | undefined> },
  by: Actor,
): Promise<PostmortemRow | undefined> {
  return changeWritten(deps, which, async (trx, { name }) => {
    const body = requireLines('the postmortem', text.replaceAll('\r\n', '\n').trim(), POSTMORTEM_CHARS)
    const stored = await findPostmortem(trx, which)
    requires(stored)
    if (body === (stored?.body ?? '')) return stored
    if (body !== '') await requireRoom(trx, which.org_id, body)
    const saved = { body, edited_at: fromDate(deps.clock.now()), edited_by: nameWithToken(by) }
    await (body === '' ? deletePostmortem(trx, which) : putPostmortem(trx, { ...which, ...saved }))
    await recordAuditEntry(trx, deps, by, { org_id: which.org_id, action: 'incident.postmortem', subject: name })
    return body === '' ? undefined : saved
  })
}

async function changeWritten<Result>(
  deps: Deps,
  { org_id, incident_id }: WhichIncident,
  change: (trx: Trx, incident: IncidentRow) => Promise<Result>,
): Promise<Result> {
  return deps.database.people.transaction().execute(async (trx) => {
    const incident = isStorable(incident_id) ? await findIncident(trx, org_id, incident_id) : undefined
    if (!incident) throw noSuchIncident()
    await lockNotes(trx, { org_id, incident_id })
    return change(trx, incident)
  })
}

export function noSuchIncident(): DomainError {
  return new DomainError('missing', 'no incident with that id')
}

export function noSuchNote(): DomainError {
  return new DomainError('missing', 'no note with that id')
}
