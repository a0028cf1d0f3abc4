// Deletes a person and everything that belongs to no one else.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'

export async function lockPerson(db: Db, person_id: number): Promise<void> {
  await db.selectFrom('people').select('person_id').where('person_id', '=', person_id).forUpdate().execute()
}

/**
 * Deletes a person, their tokens and their memberships. `neutral` replaces their address in audit entries, mutes, incidents and
 * notes.
 */
export async function deletePersonRows(
  db: Db,
  { person_id, email }: { person_id: number; email: string },
  neutral: string,
): Promise<void> {
  await sql`delete from sessions where person_id = ${person_id} or impersonator_id = ${person_id}`.execute(db)
  await db.deleteFrom('password_resets').where('person_id', '=', person_id).execute()
  await db.deleteFrom('personal_access_tokens').where('person_id', '=', person_id).execute()
  await db.deleteFrom('configuration_tokens').where('person_id', '=', person_id).execute()
  await sql`delete from invitations where invited_by = ${person_id} or lower(email) = lower(${email})`.execute(db)
  await sql`delete from sign_up_links where lower(email) = lower(${email})`.execute(db)
  // Also matches actions by the person's tokens, which are recorded as the address followed by the token's name.
  const isByThem = (text: RawBuilder<unknown>) =>
    sql`(lower(${text}) = lower(${email}) or starts_with(lower(${text}), lower(${email}) || ' (token '))`
  const isTheirs = (column: string) => sql`lower(${sql.ref(column)}) = lower(${email})`
  await sql`
    update audit_entries set
      actor = case when ${isTheirs('actor')} then ${neutral} else actor end,
      impersonator = case when ${isTheirs('impersonator')} then ${neutral} else impersonator end,
      subject = case when ${isTheirs('subject')} then ${neutral} else subject end
    where ${isTheirs('actor')} or ${isTheirs('impersonator')} or ${isTheirs('subject')}`.execute(db)
  await sql`update mutes set muted_by = ${neutral} where ${isByThem(sql.ref('muted_by'))}`.execute(db)
  await sql`update incident_notes set author = ${neutral} where author_id = ${person_id}`.execute(db)
  await sql`update postmortems set edited_by = ${neutral} where ${isByThem(sql.ref('edited_by'))}`.execute(db)
  // Events that say who acknowledged an incident also name the person.
  await sql`
    with theirs as (
      update incidents set acknowledged_by = ${neutral} where ${isByThem(sql.ref('acknowledged_by'))} returning org_id, incident_id, began_at
    )
    update events e set data = jsonb_set(e.data, '{acknowledged_by}', to_jsonb(${neutral}::text))
    from theirs where e.org_id = theirs.org_id and e.created_at >= theirs.began_at and e.incident_id = theirs.incident_id
      and ${isByThem(sql`(e.data ->> 'acknowledged_by')`)}`.execute(db)
  await db.deleteFrom('people').where('person_id', '=', person_id).execute()
}
