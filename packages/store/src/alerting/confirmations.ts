// Records whether the owners of email addresses agree to alerts, and stores the links with which they agree.
import { type Insertable, sql } from 'kysely'
import { notSuspendedSql } from '../accounts/suspension.ts'
import type { Db } from '../database.ts'
import type { GatedTime } from '../gated-time.ts'
import type { Tables } from '../tables.ts'
import type { ChannelKey } from './channels.ts'
import { sendableSql } from './channels.ts'

/** Whether a confirmation email to a channel's address is still being sent. */
export async function isBeingAsked(db: Db, { org_id, id }: ChannelKey): Promise<boolean> {
  const row = await db
    .selectFrom('deliveries')
    .select('delivery_id')
    .where('org_id', '=', org_id)
    .where('channel_id', '=', id)
    .where('subject', '=', `confirm:${id}`)
    .where('state', '=', 'pending')
    .executeTakeFirst()
  return row !== undefined
}

export async function updateAsked(db: Db, { org_id, id }: ChannelKey, asked_at: string): Promise<void> {
  await db
    .updateTable('notification_channels')
    .set({ asked_at })
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .execute()
}

export async function insertConfirmation(db: Db, row: Insertable<Tables['channel_confirmations']>): Promise<void> {
  await db.insertInto('channel_confirmations').values(row).execute()
}

/**
 * Finds the channel and address that a link confirms. Returns undefined if the link has expired or the channel has another address
 * now.
 */
export async function findConfirmation(
  db: Db,
  token_hash: Buffer,
  now: string,
): Promise<{ org_id: number; channel_id: number; email: string; name: string; is_confirmed: boolean } | undefined> {
  const { rows } = await sql<NonNullable<Awaited<ReturnType<typeof findConfirmation>>>>`
    select c.org_id, c.id as channel_id, c.email, c.name, c.confirmed_at is not null as is_confirmed
    from channel_confirmations l
    join notification_channels c on c.org_id = l.org_id and c.id = l.channel_id and c.email = l.email
    where l.token_hash = ${token_hash} and l.expires_at > ${now}::timestamptz`.execute(db)
  return rows[0]
}

/** Records that the owner of an address agrees, for all of an org's channels with that address. */
export async function updateConfirmed(
  db: Db,
  { org_id, email }: { org_id: number; email: string },
  confirmed_at: string,
): Promise<void> {
  await db
    .updateTable('notification_channels')
    .set({ confirmed_at })
    .where('org_id', '=', org_id)
    .where('email', '=', email)
    .where('confirmed_at', 'is', null)
    .execute()
}

/**
 * Lists enabled channels with an email address whose owner we have not asked for confirmation yet, by id, from after the given
 * channel.
 */
export async function listUnasked(db: Db, after: number, limit: number): Promise<(ChannelKey & { email: string })[]> {
  return db
    .selectFrom('notification_channels as c')
    .select(['c.org_id', 'c.id', 'c.email'])
    .where('c.email', '<>', '')
    .where('c.enabled', '=', true)
    .where('c.confirmed_at', 'is', null)
    .where('c.asked_at', 'is', null)
    .where('c.id', '>', after)
    .where(notSuspendedSql('c'))
    .orderBy('c.id')
    .limit(limit)
    .execute()
}

/** Fails deliveries that waited too long for the confirmation of an address. */
export async function failUnconfirmed(
  db: Db,
  { now, before, reason, limit }: { now: string; before: GatedTime; reason: string; limit: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update deliveries d set state = 'failed', next_attempt_at = null, last_error = ${reason}
    from (
      select w.org_id, w.delivery_id from notification_channels c
      join deliveries w on w.org_id = c.org_id and w.channel_id = c.id
      where c.email <> '' and not (${sendableSql('c', sql`${now}::timestamptz`)}) and w.state = 'pending'
        and w.subject !~ '^confirm:' and w.created_at < ${before}::timestamptz and w.leased_until is null
      limit ${limit} for update of w skip locked) held
    where d.org_id = held.org_id and d.delivery_id = held.delivery_id`.execute(db)
  return Number(numAffectedRows)
}
