// Stores notification channels, which receive the alerts of an organisation.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { ALL, type Slice } from '../slice.ts'
import { wireTime } from '../wire-time.ts'

export interface ChannelColumns {
  name: string
  kind: string
  /** Values that channels of this kind need for sending. Values that the user omitted are absent. */
  destination: Readonly<Record<string, string>>
  /** Email address in the destination. The owner of the address must confirm it. Empty if the destination has none. */
  email: string
}

export interface Confirmation {
  /**
   * Time at which the owner of the address confirmed it, or another person vouched for it. Means nothing for channels without an
   * address.
   */
  confirmed_at: string | null
  /** Time until which the address is used without confirmation. */
  confirm_by: string | null
  /** Time at which we last asked the owner for confirmation by email. */
  asked_at: string | null
}

export type ChannelRow = ChannelColumns & Confirmation & { id: number; enabled: boolean }

/**
 * Returns the SQL condition that alerts may go to a channel: if it has an email address, the owner must have confirmed it, or must
 * still have time to do so. `table` is the alias of the channel's table.
 */
export function sendableSql(table: string, now: RawBuilder<unknown>): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return sql<boolean>`(${column('email')} = '' or ${column('confirmed_at')} is not null
    or coalesce(${column('confirm_by')} > ${now}, false))`
}

const CONFIRMATION = [
  wireTime(sql.ref('confirmed_at')).as('confirmed_at'),
  wireTime(sql.ref('confirm_by')).as('confirm_by'),
  wireTime(sql.ref('asked_at')).as('asked_at'),
] as const

/** Lists an org's channels, oldest first, with their destinations and secrets. */
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

/** Id of a channel, and the org that owns it. */
export interface ChannelKey {
  org_id: number
  id: number
}

/** Finds a channel by its id alone, for operators. */
export async function findChannelKey(db: Db, id: number): Promise<ChannelKey | undefined> {
  return db.selectFrom('notification_channels').select(['org_id', 'id']).where('id', '=', id).executeTakeFirst()
}

/** Finds one of an org's channels, with the org's name. */
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
