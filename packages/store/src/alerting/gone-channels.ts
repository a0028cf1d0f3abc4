// Records channels whose receiver replied that it no longer exists.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { ChannelKey } from './channels.ts'

/**
 * Disables a channel if its destination still has the given values. Returns false if the destination changed, or the channel is
 * already disabled.
 */
export async function updateChannelGone(
  db: Db,
  { org_id, id }: ChannelKey,
  {
    destination,
    now,
    mail_again_sec,
  }: { destination: Readonly<Record<string, string>>; now: string; mail_again_sec: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update notification_channels set enabled = false, gone_at = ${now}::timestamptz,
      gone_mail_at = case when gone_at > ${now}::timestamptz - ${mail_again_sec}::integer * interval '1 second'
        then gone_mail_at else ${now}::timestamptz end
    where org_id = ${org_id} and id = ${id} and enabled and destination @> ${JSON.stringify(destination)}::jsonb`.execute(
    db,
  )
  return (numAffectedRows ?? 0n) > 0n
}

export interface GoneChannel {
  org_id: number
  id: number
  name: string
  kind: string
  destination: Readonly<Record<string, string>>
  org_name: string
  owner_email: string
}

/**
 * Claims channels whose receiver disappeared after `until` and whose organisation's owner must still be notified, and plans the
 * next attempt to do so.
 */
export async function claimGoneMails(
  db: Db,
  { now, again_at, until, limit }: { now: string; again_at: string; until: string; limit: number },
): Promise<GoneChannel[]> {
  const { rows } = await sql<GoneChannel>`
    with due as (
      select c.org_id, c.id from notification_channels c join organisations o using (org_id)
      where c.gone_mail_at <= ${now}::timestamptz and c.gone_at > ${until}::timestamptz and not c.enabled
        and o.suspended_at is null
      order by c.gone_mail_at limit ${limit} for update of c skip locked
    )
    update notification_channels c set gone_mail_at = ${again_at}::timestamptz
    from due, organisations o, memberships m, people p
    where c.org_id = due.org_id and c.id = due.id and o.org_id = due.org_id
      and m.org_id = due.org_id and m.is_owner and p.person_id = m.person_id
    returning c.org_id, c.id, c.name, c.kind, c.destination, o.name as org_name, p.email as owner_email`.execute(db)
  return rows
}

export async function updateGoneTold(db: Db, { org_id, id }: ChannelKey): Promise<void> {
  await db
    .updateTable('notification_channels')
    .set({ gone_mail_at: null })
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .execute()
}
