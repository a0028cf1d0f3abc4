// Stores, enables, disables and deletes channels, any number of them with one statement.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { ChannelColumns } from './channels.ts'

export interface NewChannelRow extends ChannelColumns {
  key: string | null
  enabled: boolean
  confirmed_at: string | null
}

/** Inserts channels in the given order, and returns their ids in the same order. */
export async function insertChannels(
  db: Db,
  org_id: number,
  rows: readonly NewChannelRow[],
  created_by: number | null,
): Promise<number[]> {
  if (rows.length === 0) return []
  const { rows: stored } = await sql<{ id: number }>`
    with stored as (
      insert into notification_channels (org_id, created_by, key, name, kind, destination, email, enabled, confirmed_at)
      select ${org_id}::bigint, ${created_by}::bigint, key, name, kind, destination, email, enabled, confirmed_at
      from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (
        key text, name text, kind text, destination jsonb, email text, enabled boolean, confirmed_at timestamptz
      )) with ordinality order by ordinality
      returning id
    )
    select id from stored order by id`.execute(db)
  return stored.map(({ id }) => id)
}

export interface EditedChannelRow extends Omit<ChannelColumns, 'kind'> {
  id: number
  /** Whether the new settings contain another email address, which its owner must confirm. */
  is_moved: boolean
  confirmed_at: string | null
}

/** Replaces the settings of channels. */
export async function updateChannels(db: Db, org_id: number, rows: readonly EditedChannelRow[]): Promise<void> {
  if (rows.length === 0) return
  const ifMoved = (value: string, column: string) => sql.raw(`case when k.is_moved then ${value} else c.${column} end`)
  await sql`
    update notification_channels c set name = k.name, destination = k.destination, email = k.email,
      confirmed_at = ${ifMoved('k.confirmed_at', 'confirmed_at')}, confirm_by = ${ifMoved('null', 'confirm_by')},
      asked_at = ${ifMoved('null', 'asked_at')}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as k(
      id bigint, name text, destination jsonb, email text, is_moved boolean, confirmed_at timestamptz)
    where c.org_id = ${org_id} and c.id = k.id`.execute(db)
}

/** Enables or disables channels. Gives up the waiting deliveries of channels that it disables. */
export async function updateChannelsEnabled(
  db: Db,
  org_id: number,
  ids: readonly number[],
  enabled: boolean,
): Promise<void> {
  if (ids.length === 0) return
  const its = sql`${[...ids]}::bigint[]`
  // Enabling keeps `gone_at`, the time at which the receiver disappeared, so that the owner is not notified again and
  // again.
  const forgets = enabled ? sql`` : sql`, gone_at = null, gone_mail_at = null`
  await sql`
    update notification_channels set enabled = ${enabled} ${forgets} where org_id = ${org_id} and id = any(${its})`.execute(
    db,
  )
  if (enabled) return
  await sql`
    update deliveries set state = 'failed', next_attempt_at = null, last_error = 'the channel is disabled'
    where org_id = ${org_id} and channel_id = any(${its}) and state = 'pending' and leased_until is null`.execute(db)
}

export async function deleteChannels(db: Db, org_id: number, ids: readonly number[]): Promise<void> {
  await sql`delete from notification_channels where org_id = ${org_id} and id = any(${[...ids]}::bigint[])`.execute(db)
}

/** Deletes the links that let the owners of addresses confirm them, for all of these channels. */
export async function deleteConfirmationsOf(db: Db, org_id: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    delete from channel_confirmations where org_id = ${org_id} and channel_id = any(${[...ids]}::bigint[])`.execute(db)
}

/** Lists which of the addresses belong to a confirmed channel of the organisation. */
export async function listConfirmedAddresses(db: Db, org_id: number, emails: readonly string[]): Promise<string[]> {
  if (emails.length === 0) return []
  const { rows } = await sql<{ email: string }>`
    select distinct email from notification_channels
    where org_id = ${org_id} and email = any(${[...emails]}::text[]) and confirmed_at is not null`.execute(db)
  return rows.map(({ email }) => email)
}
