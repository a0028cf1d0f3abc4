// Notification channels: where an org's alerts go.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { wireTime } from '../wire-time.ts'
import { ALL, type Slice } from '../slice.ts'

export interface ChannelColumns {
  name: string
  kind: string
  /** What its kind needs to send there. Fields that were left out are missing. */
  destination: Readonly<Record<string, string>>
  /** The mail address in it that its owner has to confirm; '' where there is none. */
  email: string
}

export interface Confirmation {
  /** When the owner of the address confirmed it, or somebody vouched for it. Means nothing for channels without one. */
  confirmed_at: string | null
  /** Until then the address is used without confirmation. */
  confirm_by: string | null
  /** When we last mailed the address to ask for confirmation. */
  asked_at: string | null
}

export type ChannelRow = ChannelColumns & Confirmation & { id: number; enabled: boolean }

/**
 * Whether alerts may go to a channel: an email address must be confirmed by its owner. `table`: its name in the
 * statement.
 */
export function mayBeSentTo(table: string, now: RawBuilder<unknown>): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return sql<boolean>`(${column('email')} = '' or ${column('confirmed_at')} is not null
    or coalesce(${column('confirm_by')} > ${now}, false))`
}

const CONFIRMATION = [
  wireTime(sql.ref('confirmed_at')).as('confirmed_at'),
  wireTime(sql.ref('confirm_by')).as('confirm_by'),
  wireTime(sql.ref('asked_at')).as('asked_at'),
] as const

export async function insertChannel(
  db: Db,
  row: ChannelColumns & { org_id: number; created_by: number | null; confirmed_at: string | null },
): Promise<number> {
  const { id } = await db.insertInto('notification_channels').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

/** An org's channels, oldest first, with their destinations and secrets. */
export async function listChannels(db: Db, org_id: number, { limit, offset }: Slice = ALL): Promise<ChannelRow[]> {
  return db
    .selectFrom('notification_channels')
    .select(['id', 'name', 'kind', 'enabled', 'destination', 'email', ...CONFIRMATION])
    .where('org_id', '=', org_id)
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute()
}

export async function countChannels(db: Db, org_id: number): Promise<number> {
  const { count } = await db
    .selectFrom('notification_channels')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('org_id', '=', org_id)
    .executeTakeFirstOrThrow()
  return count
}

/** A channel and the org that owns it. */
export interface ChannelKey {
  org_id: number
  id: number
}

/** The org of a channel, found by the channel's id alone: for operators. */
export async function findChannelKey(db: Db, id: number): Promise<ChannelKey | undefined> {
  return db.selectFrom('notification_channels').select(['org_id', 'id']).where('id', '=', id).executeTakeFirst()
}

/** One of an org's channels, with the org's name. */
export async function findChannel(
  db: Db,
  { org_id, id }: ChannelKey,
): Promise<(ChannelRow & { org_name: string; gone_at: string | null }) | undefined> {
  return db
    .selectFrom('notification_channels as c')
    .innerJoin('organisations as o', 'o.org_id', 'c.org_id')
    .select(['c.id', 'c.name', 'c.kind', 'c.enabled', 'c.destination', 'c.email'])
    .select('o.name as org_name')
    .select(CONFIRMATION)
    .select((eb) => wireTime(eb.ref('c.gone_at')).as('gone_at'))
    .where('c.org_id', '=', org_id)
    .where('c.id', '=', id)
    .executeTakeFirst()
}

/** Replaces a channel's settings. Its kind cannot change. A new address must be confirmed again. */
export async function updateChannel(
  db: Db,
  { org_id, id }: ChannelKey,
  { name, destination, email }: ChannelColumns,
  confirmation?: { confirmed_at: string | null },
): Promise<void> {
  await db
    .updateTable('notification_channels')
    .set({ name, destination, email })
    .$if(confirmation !== undefined, (query) => query.set({ confirm_by: null, asked_at: null, ...confirmation }))
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .execute()
}

export async function updateChannelEnabled(db: Db, { org_id, id }: ChannelKey, enabled: boolean): Promise<void> {
  await db
    .updateTable('notification_channels')
    // When the receiver went away before is remembered for a while, so that the owner is not told again and again.
    .set({ enabled, ...(!enabled && { gone_at: null, gone_mail_at: null }) })
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .execute()
}

export async function deleteChannel(db: Db, { org_id, id }: ChannelKey): Promise<void> {
  await db.deleteFrom('notification_channels').where('org_id', '=', org_id).where('id', '=', id).execute()
}
