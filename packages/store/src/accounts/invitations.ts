// Stores invitations to join an organisation that no one has accepted yet.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { ALL, type Slice } from '../slice.ts'
import { wireTime } from '../wire-time.ts'

export interface NewInvitation {
  org_id: number
  token_hash: Buffer
  email: string
  invited_by: number
  created_at: string
  expires_at: string
  role: string
}

export async function insertInvitation(db: Db, row: NewInvitation): Promise<void> {
  await db.insertInto('invitations').values(row).execute()
}

export interface InvitationRow {
  invitation_id: number
  email: string
  invited_by: string
  role: string
  created_at: string
  expires_at: string
}

/** Lists invitations that can still be accepted, newest first. */
export async function listInvitations(
  db: Db,
  org_id: number,
  now: string,
  { limit, offset }: Slice = ALL,
): Promise<InvitationRow[]> {
  return db
    .selectFrom('invitations as i')
    .innerJoin('people as p', 'p.person_id', 'i.invited_by')
    .select((eb) => [
      'i.invitation_id',
      'i.email',
      'p.email as invited_by',
      'i.role',
      wireTime(eb.ref('i.created_at')).as('created_at'),
      wireTime(eb.ref('i.expires_at')).as('expires_at'),
    ])
    .where('i.org_id', '=', org_id)
    .where('i.expires_at', '>', sql<string>`${now}::timestamptz`)
    .orderBy('i.invitation_id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
}

export interface FoundInvitation {
  org_id: number
  org_name: string
  email: string
  invited_by: string
  role: string
}

export async function findInvitation(db: Db, token_hash: Buffer, now: string): Promise<FoundInvitation | undefined> {
  return db
    .selectFrom('invitations as i')
    .innerJoin('organisations as o', 'o.org_id', 'i.org_id')
    .innerJoin('people as p', 'p.person_id', 'i.invited_by')
    .select(['i.org_id', 'o.name as org_name', 'i.email', 'i.role', 'p.email as invited_by'])
    .where('i.token_hash', '=', token_hash)
    .where('o.suspended_at', 'is', null)
    .where('p.disabled_at', 'is', null)
    .where('i.expires_at', '>', sql<string>`${now}::timestamptz`)
    .executeTakeFirst()
}

/** Deletes an invitation and returns its address. */
export async function deleteInvitation(
  db: Db,
  { org_id, invitation_id }: { org_id: number; invitation_id: number },
): Promise<{ email: string } | undefined> {
  return db
    .deleteFrom('invitations')
    .where('org_id', '=', org_id)
    .where('invitation_id', '=', invitation_id)
    .returning('email')
    .executeTakeFirst()
}

/** Deletes all invitations of an address to an org. Returns false if there were none. */
export async function deleteInvitationsTo(
  db: Db,
  { org_id, email }: { org_id: number; email: string },
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('invitations')
    .where('org_id', '=', org_id)
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Deletes all invitations that a person sent for an org. */
export async function deleteInvitationsBy(
  db: Db,
  { org_id, person_id }: { org_id: number; person_id: number },
): Promise<void> {
  await db.deleteFrom('invitations').where('org_id', '=', org_id).where('invited_by', '=', person_id).execute()
}
