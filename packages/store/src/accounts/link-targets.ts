// Finds which organisation owns the target of a link.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Kind of thing that a link names: a check or a heartbeat by guid, or an incident, a monitor or a channel by id. */
export type LinkTarget = 'check' | 'heartbeat' | 'incident' | 'monitor' | 'channel'

const OWNERS: Readonly<Record<LinkTarget, (name: string) => ReturnType<typeof sql>>> = {
  check: (name) => sql`select org_id from checks where guid = ${name} and not deleted`,
  heartbeat: (name) => sql`select org_id from heartbeat_keys where guid = ${name}`,
  incident: (name) => sql`select org_id from incidents where incident_id = ${name}`,
  monitor: (name) => sql`select org_id from monitors where id = ${name} and retired_at is null`,
  channel: (name) => sql`select org_id from notification_channels where id::text = ${name}`,
}

/** Finds which of these orgs owns the target. Returns undefined if none of them does. */
export async function findOrgOfTarget(
  db: Db,
  { kind, name }: { kind: LinkTarget; name: string },
  org_ids: readonly number[],
): Promise<number | undefined> {
  const { rows } = await sql<{ org_id: number }>`
    select o.org_id from (${OWNERS[kind](name)}) o where o.org_id = any(${[...org_ids]}::bigint[]) limit 1`.execute(db)
  return rows[0]?.org_id
}
