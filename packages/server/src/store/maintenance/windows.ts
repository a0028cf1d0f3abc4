// Stores maintenance windows. spans.ts stores when they are on.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** The columns of a window that people decide on. */
export interface WindowColumns {
  name: string
  scope: object
  starts_at: string
  duration_sec: number
  zone: string
  rule: string | null
  is_public: boolean
}

export interface WindowRow extends WindowColumns {
  org_id: number
  window_id: number
  guid: string
  spread_until: string
}

/** The columns of a {@link WindowRow}. */
export const COLUMNS = sql`org_id, window_id, guid, name, scope, starts_at, duration_sec, zone, rule, is_public,
  wire_time(spread_until) as spread_until`

/** An org's windows, the newest first. */
export async function listWindows(db: Db, org_id: number): Promise<WindowRow[]> {
  const { rows } = await sql<WindowRow>`
    select ${COLUMNS} from maintenance_windows where org_id = ${org_id} order by window_id desc`.execute(db)
  return rows
}

export async function findWindow(db: Db, org_id: number, guid: string): Promise<WindowRow | undefined> {
  const { rows } = await sql<WindowRow>`
    select ${COLUMNS} from maintenance_windows where org_id = ${org_id} and guid = ${guid}`.execute(db)
  return rows[0]
}

/** The same, locked until the transaction ends. */
export async function lockWindow(db: Db, org_id: number, guid: string): Promise<WindowRow | undefined> {
  const { rows } = await sql<WindowRow>`
    select ${COLUMNS} from maintenance_windows where org_id = ${org_id} and guid = ${guid} for update`.execute(db)
  return rows[0]
}

export async function updateSpreadUntil(db: Db, org_id: number, window_id: number, until: string): Promise<void> {
  await db
    .updateTable('maintenance_windows')
    .set({ spread_until: until })
    .where('org_id', '=', org_id)
    .where('window_id', '=', window_id)
    .execute()
}

/** Windows that are spread less far than this, locked; those that another process is at are left out. */
export async function claimToSpread(db: Db, until: string, limit: number): Promise<WindowRow[]> {
  const { rows } = await sql<WindowRow>`
    select ${COLUMNS} from maintenance_windows where spread_until < ${until}::timestamptz
    order by org_id, window_id limit ${limit} for update skip locked`.execute(db)
  return rows
}

/** Checks and heartbeats that alerts are about, by the names that events have for them: `check:7`. */
export async function listGuidsOf(
  db: Db,
  org_id: number,
  ids: { checks: readonly number[]; heartbeats: readonly number[] },
): Promise<{ subject: string; kind: 'check' | 'heartbeat'; guid: string }[]> {
  const { rows } = await sql<{ subject: string; kind: 'check' | 'heartbeat'; guid: string }>`
    select 'check:' || check_id as subject, 'check' as kind, guid from checks
    where org_id = ${org_id} and check_id = any(${[...ids.checks]}::bigint[])
    union all
    select 'heartbeat:' || heartbeat_id, 'heartbeat', guid from heartbeats
    where org_id = ${org_id} and heartbeat_id = any(${[...ids.heartbeats]}::bigint[])`.execute(db)
  return rows
}
