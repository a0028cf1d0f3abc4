// What members write about an incident: notes, which have an author and a time, and one postmortem, which all of them edit.
import type { Transaction } from 'kysely'
import { fromDate } from '../../runtime/timestamps.ts'
import { lockSubject } from '../../store/alerting/events.ts'
import { findIncident, type IncidentRow } from '../../store/incidents/incident.ts'
import {
  countNotes,
  deleteNote,
  deletePostmortem,
  findPostmortem,
  insertNote,
  type NoteRow,
  putPostmortem,
} from '../../store/incidents/notes.ts'
import type { Tables } from '../../store/tables.ts'
import { type Actor, nameWithToken, recordDeed } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { isStorable, requireLines } from '../text.ts'

const MOST_NOTES = 200
export const NOTE_CHARS = 2_000
export const POSTMORTEM_CHARS = 20_000

export interface WhichIncident {
  org_id: number
  incident_id: string
}

/** Adds a note of that member, and returns it. */
export async function addNote(deps: Deps, which: WhichIncident, text: string, by: Actor): Promise<NoteRow> {
  const body = noteIn(text)
  if (body === '') throw new DomainError('invalid', 'the note must not be blank')
  return changeWritten(deps, which, (trx, { name }) => storeNote(trx, deps, { ...which, name, body }, by))
}

/** The note as it is stored; empty when nothing was written. */
export function noteIn(text: string): string {
  return requireLines('the note', text.replaceAll('\r\n', '\n').trim(), NOTE_CHARS)
}

/** `name`: of what the incident is about. Call it with nothing locked behind the incident. */
export async function storeNote(
  trx: Transaction<Tables>,
  deps: Deps,
  { org_id, incident_id, name, body }: WhichIncident & { name: string; body: string },
  by: Actor,
): Promise<NoteRow> {
  const which = { org_id, incident_id }
  await lockNotes(trx, which)
  if ((await countNotes(trx, which)) >= MOST_NOTES) {
    throw new DomainError('invalid', `an incident can have at most ${MOST_NOTES} notes`)
  }
  const note = { created_at: fromDate(deps.clock.now()), author_id: by.person_id, author: nameWithToken(by), body }
  const note_id = await insertNote(trx, { ...which, ...note })
  await recordDeed(trx, deps, by, { org_id, action: 'incident.note', subject: name })
  return { note_id, ...note }
}

/** The incident's own row is left alone: whoever judges the check must not wait for people. */
async function lockNotes(trx: Transaction<Tables>, { org_id, incident_id }: WhichIncident): Promise<void> {
  await lockSubject(trx, org_id, `notes:${incident_id}`)
}

/** Deletes a note of their own. */
export async function removeNote(deps: Deps, which: WhichIncident, note_id: number, by: Actor): Promise<void> {
  await changeWritten(deps, which, async (trx, { name }) => {
    const isGone = await deleteNote(trx, which, { note_id, author_id: by.person_id })
    if (!isGone) throw new DomainError('missing', 'no such note of yours')
    await recordDeed(trx, deps, by, { org_id: which.org_id, action: 'incident.delete_note', subject: name })
  })
}

/**
 * Replaces the postmortem; an empty text removes it. `seen`: when the version was saved that the author changed, empty for none. Refused
 * when somebody saved another one since.
 */
export async function savePostmortem(
  deps: Deps,
  which: WhichIncident,
  { text, seen }: { text: string; seen: string },
  by: Actor,
): Promise<void> {
  await changeWritten(deps, which, async (trx, { name }) => {
    const body = requireLines('the postmortem', text.replaceAll('\r\n', '\n').trim(), POSTMORTEM_CHARS)
    const stored = await findPostmortem(trx, which)
    if ((stored?.edited_at ?? '') !== seen) {
      throw new DomainError(
        'conflict',
        `the postmortem was changed meanwhile by ${stored?.edited_by ?? 'somebody who removed it'}`,
      )
    }
    if (body === (stored?.body ?? '')) return
    if (body === '') await deletePostmortem(trx, which)
    else await putPostmortem(trx, { ...which, body, edited_at: fromDate(deps.clock.now()), edited_by: by.email })
    await recordDeed(trx, deps, by, { org_id: which.org_id, action: 'incident.postmortem', subject: name })
  })
}

async function changeWritten<Result>(
  deps: Deps,
  { org_id, incident_id }: WhichIncident,
  change: (trx: Transaction<Tables>, incident: IncidentRow) => Promise<Result>,
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
