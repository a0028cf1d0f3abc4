// Notification channels: where an org's alerts go.
import type { Db } from './database.ts'

export interface ChannelColumns {
  name: string
  kind: string
  ntfy_topic: string
  email: string
  webhook_url: string
  webhook_secret: string
}

export type ChannelRow = ChannelColumns & { id: number; enabled: boolean }

export async function insertChannel(db: Db, row: ChannelColumns & { org_id: number }): Promise<number> {
  const { id } = await db.insertInto('notification_channels').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

/** An org's channels, oldest first, destinations and secrets with them. */
export async function listChannels(db: Db, org_id: number): Promise<ChannelRow[]> {
  return db
    .selectFrom('notification_channels')
    .select(['id', 'name', 'kind', 'enabled', 'ntfy_topic', 'email', 'webhook_url', 'webhook_secret'])
    .where('org_id', '=', org_id)
    .orderBy('id')
    .execute()
}

export async function updateChannelEnabled(db: Db, id: number, enabled: boolean): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('notification_channels')
    .set({ enabled })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteChannel(db: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('notification_channels').where('id', '=', id).executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
