// Reads channels for the configuration API: with their keys, and with fingerprints in place of their secrets.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { wireTime } from '../wire-time.ts'

export interface ConfiguredChannelRow {
  id: number
  key: string | null
  name: string
  kind: string
  enabled: boolean
  destination: Readonly<Record<string, string>>
  email: string
  confirmed_at: string | null
  confirm_by: string | null
  gone_at: string | null
  /**
   * Fingerprints of the destination's secrets, by field. Equal values of one channel have equal fingerprints. A fingerprint does
   * not reveal its value.
   */
  marks: Readonly<Record<string, string>>
}

export interface WhichChannels {
  limit: number
  /** Id of the channel after which the list begins. */
  after?: number | undefined
}

/** Lists channels of an org, oldest first, with their secrets. */
export async function listConfiguredChannels(
  db: Db,
  org_id: number,
  { limit, after }: WhichChannels,
): Promise<ConfiguredChannelRow[]> {
  return select(db, org_id)
    .$if(after !== undefined, (query) => query.where('id', '>', after as number))
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function findConfiguredChannel(
  db: Db,
  org_id: number,
  id: number,
): Promise<ConfiguredChannelRow | undefined> {
  return select(db, org_id).where('id', '=', id).executeTakeFirst()
}

/** Lists the channels of an org with these ids. */
export async function listConfiguredChannelsOf(
  db: Db,
  org_id: number,
  ids: readonly number[],
): Promise<ConfiguredChannelRow[]> {
  return select(db, org_id)
    .where('id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .execute()
}

/** Finds a channel, and locks its row until the transaction ends, so that no one else changes it. */
export async function lockConfiguredChannel(
  db: Db,
  org_id: number,
  id: number,
): Promise<ConfiguredChannelRow | undefined> {
  return select(db, org_id).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
}

// Without a secret for signing links, the fingerprint depends on the row's last change of any kind.
const MARKS = sql<Record<string, string>>`coalesce((
  select jsonb_object_agg(part.name, coalesce(
    (select encode(sha256(secret || convert_to('channel ' || id || ' ' || part.value, 'UTF8')), 'hex') from link_secret),
    md5(notification_channels.xmin::text)))
  from jsonb_each_text(notification_channels.destination) as part(name, value)), '{}')`

function select(db: Db, org_id: number) {
  return db
    .selectFrom('notification_channels')
    .select((eb) => [
      'id',
      'key',
      'name',
      'kind',
      'enabled',
      'destination',
      'email',
      wireTime(eb.ref('confirmed_at')).as('confirmed_at'),
      wireTime(eb.ref('confirm_by')).as('confirm_by'),
      wireTime(eb.ref('gone_at')).as('gone_at'),
      MARKS.as('marks'),
    ])
    .where('org_id', '=', org_id)
}
