// Counts what an org uses of its plan, in one statement.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

export interface UsageRow {
  checks: number
  checks_with_cert_expiry: number
  heartbeats: number
  /** Longest timeout of any check, with the default if none is set, in seconds. 0 without checks. */
  max_timeout_sec: number
  /** Shortest interval of any check, in seconds. 0 without checks. */
  min_interval_sec: number
  members: number
  channels: number
  channel_kinds: string[]
}

export async function readUsage(db: Db, org_id: number, default_timeout_sec: number): Promise<UsageRow> {
  const { rows } = await sql<UsageRow>`
    select c.*, (select count(*) from heartbeats where org_id = ${org_id}) as heartbeats,
      (select count(*) from memberships where org_id = ${org_id}) as members,
      (select count(*) from notification_channels where org_id = ${org_id}) as channels,
      array(select distinct kind from notification_channels where org_id = ${org_id}) as channel_kinds
    from (
      select count(*) as checks, count(*) filter (where greatest(cert_expiry_warn_days, cert_warn_days, cert_warn_percent) > 0) as checks_with_cert_expiry,
        coalesce(max(coalesce(nullif(timeout_sec, 0), ${default_timeout_sec}::integer)), 0) as max_timeout_sec,
        coalesce(min(interval_sec), 0) as min_interval_sec
      from checks where org_id = ${org_id} and not deleted
    ) c`.execute(db)
  const [row] = rows
  if (!row) throw new Error('a count query returned no row')
  return row
}
