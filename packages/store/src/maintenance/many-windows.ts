// Stores and deletes many maintenance windows with statements for all of them. The callers hold the organisation's lock.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { COLUMNS, type Spread, type WindowColumns, type WindowRow } from './windows.ts'

/** Lists the windows of an org with these guids, and locks them until the transaction ends. */
export async function lockWindows(db: Db, org_id: number, guids: readonly string[]): Promise<WindowRow[]> {
  const { rows } = await sql<WindowRow>`
    select ${COLUMNS} from maintenance_windows
    where org_id = ${org_id} and guid = any(${[...guids]}::text[]) order by window_id for update`.execute(db)
  return rows
}

const FIELDS = sql`guid text, key text, name text, scope jsonb, starts_at text, duration_sec integer, zone text, rule text,
  is_public boolean, spread_until timestamptz, next_at timestamptz`

/** Inserts windows in the given order. */
export async function insertWindows(
  db: Db,
  org_id: number,
  windows: readonly (WindowColumns & Spread & { guid: string; key: string | null })[],
  at: string,
): Promise<void> {
  if (windows.length === 0) return
  await sql`
    insert into maintenance_windows (org_id, guid, key, name, scope, starts_at, duration_sec, zone, rule, is_public, spread_until,
      next_at, created_at)
    select ${org_id}::bigint, guid, key, name, scope, starts_at, duration_sec, zone, rule, is_public, spread_until, next_at,
      ${at}::timestamptz
    from rows from (jsonb_to_recordset(${JSON.stringify(windows)}::jsonb) as (${FIELDS})) with ordinality
    order by ordinality`.execute(db)
}

/** Replaces the configurable columns of windows. `spread` is undefined for a window whose times stay the same. */
export async function updateWindows(
  db: Db,
  org_id: number,
  windows: readonly (WindowColumns & { guid: string; spread: Spread | undefined })[],
): Promise<void> {
  if (windows.length === 0) return
  const rows = windows.map(({ spread, ...window }) => ({ ...window, ...spread }))
  await sql`
    update maintenance_windows w set name = k.name, scope = k.scope, starts_at = k.starts_at, duration_sec = k.duration_sec,
      zone = k.zone, rule = k.rule, is_public = k.is_public, spread_until = coalesce(k.spread_until, w.spread_until),
      next_at = case when k.spread_until is null then w.next_at else k.next_at end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as k(${FIELDS})
    where w.org_id = ${org_id} and w.guid = k.guid`.execute(db)
}

export async function deleteWindows(db: Db, org_id: number, window_ids: readonly number[]): Promise<void> {
  await sql`
    delete from maintenance_windows where org_id = ${org_id} and window_id = any(${[...window_ids]}::bigint[])`.execute(
    db,
  )
}
