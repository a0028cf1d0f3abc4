// Stores what members wrote about incidents.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { wireTime } from '../wire-time.ts'

export interface IncidentKey {
  org_id: number
  incident_id: string
}

export interface NoteRow {
  note_id: number
  created_at: string
  author_id: number
  /** Email address of the author. */
  author: string
  body: string
  /** Time of the author's last change of the note. Null if there was none. */
  edited_at: string | null
}

/** Lists the notes of an incident, oldest first. */
export async function listNotes(db: Db, which: IncidentKey): Promise<NoteRow[]> {
  return notesOf(db, which).orderBy('note_id').execute()
}

export async function findNote(db: Db, which: IncidentKey, note_id: number): Promise<NoteRow | undefined> {
  return notesOf(db, which).where('note_id', '=', note_id).executeTakeFirst()
}

function notesOf(db: Db, { org_id, incident_id }: IncidentKey) {
  return db
    .selectFrom('incident_notes')
    .select((eb) => [
      'note_id',
      wireTime(eb.ref('created_at')).as('created_at'),
      'author_id',
      'author',
      'body',
      wireTime(eb.ref('edited_at')).as('edited_at'),
    ])
    .where('org_id', '=', org_id)
    .where('incident_id', '=', incident_id)
}

export async function updateNote(
  db: Db,
  { org_id, incident_id }: IncidentKey,
  { note_id, body, edited_at }: Pick<NoteRow, 'note_id' | 'body' | 'edited_at'>,
): Promise<void> {
  await db
    .updateTable('incident_notes')
    .set({ body, edited_at })
    .where('org_id', '=', org_id)
    .where('incident_id', '=', incident_id)
    .where('note_id', '=', note_id)
    .execute()
}

export async function countNotes(db: Db, { org_id, incident_id }: IncidentKey): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from incident_notes where org_id = ${org_id} and incident_id = ${incident_id}`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/**
 * Returns the total size in bytes of an org's notes and postmortems. Counts 200 bytes more for each, because its row takes space
 * as well.
 */
export async function countWrittenBytes(db: Db, org_id: number): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(octet_length(body) + 200), 0)::float8 as bytes from (
      select body from incident_notes where org_id = ${org_id}
      union all select body from postmortems where org_id = ${org_id}) w`.execute(db)
  return rows[0]?.bytes ?? 0
}

/** Stores a note and returns its id. */
export async function insertNote(db: Db, note: IncidentKey & Omit<NoteRow, 'note_id' | 'edited_at'>): Promise<number> {
  const row = await db.insertInto('incident_notes').values(note).returning('note_id').executeTakeFirstOrThrow()
  return row.note_id
}

export async function deleteNote(db: Db, { org_id, incident_id }: IncidentKey, note_id: number): Promise<void> {
  await db
    .deleteFrom('incident_notes')
    .where('org_id', '=', org_id)
    .where('incident_id', '=', incident_id)
    .where('note_id', '=', note_id)
    .execute()
}

export interface PostmortemRow {
  body: string
  edited_at: string
  /** Email address of the last editor. */
  edited_by: string
}

export async function findPostmortem(db: Db, { org_id, incident_id }: IncidentKey): Promise<PostmortemRow | undefined> {
  return db
    .selectFrom('postmortems')
    .select((eb) => ['body', wireTime(eb.ref('edited_at')).as('edited_at'), 'edited_by'])
    .where('org_id', '=', org_id)
    .where('incident_id', '=', incident_id)
    .executeTakeFirst()
}

export async function putPostmortem(db: Db, row: IncidentKey & PostmortemRow): Promise<void> {
  const { body, edited_at, edited_by } = row
  await db
    .insertInto('postmortems')
    .values(row)
    .onConflict((conflict) => conflict.columns(['org_id', 'incident_id']).doUpdateSet({ body, edited_at, edited_by }))
    .execute()
}

export async function deletePostmortem(db: Db, { org_id, incident_id }: IncidentKey): Promise<void> {
  await db.deleteFrom('postmortems').where('org_id', '=', org_id).where('incident_id', '=', incident_id).execute()
}
