// Stores maintenance windows. spans.ts stores when they are on. Those who insert, edit or delete windows hold the
// organisation's lock.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Columns of a window that people configure. */
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
  /** End of the time whose spans of the window are stored: all that begin earlier. */
  spread_until: string
  /** Beginning of the first span at or after `spread_until`. Null if there is none. */
  next_at: string | null
}

const COLUMNS = sql`org_id, window_id, guid, name, scope, starts_at, duration_sec, zone, rule, is_public,
  wire_time(spread_until) as spread_until, wire_time(next_at) as next_at`

/** Lists an org's windows, newest first. */
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

/** Lists the windows of an org with these guids, and locks them until the transaction ends. */
export async function lockWindows(db: Db, org_id: number, guids: readonly string[]): Promise<WindowRow[]> {
  const { rows } = await sql<WindowRow>`
    select ${COLUMNS} from maintenance_windows
    where org_id = ${org_id} and guid = any(${[...guids]}::text[]) order by window_id for update`.execute(db)
  return rows
}

/** End of the time whose spans of a window are stored, and the beginning of the first span after that. */
export type Spread = Pick<WindowRow, 'spread_until' | 'next_at'>

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

export async function updateSpread(
  db: Db,
  { org_id, window_id }: Pick<WindowRow, 'org_id' | 'window_id'>,
  { spread_until, next_at }: Spread,
): Promise<void> {
  await db
    .updateTable('maintenance_windows')
    .set({ spread_until, next_at })
    .where('org_id', '=', org_id)
    .where('window_id', '=', window_id)
    .execute()
}

/** Locks windows whose spans are stored up to a time before `before` or after `after`. Skips those that another process has locked. */
export async function claimSpread(
  db: Db,
  than: { before: string } | { after: string },
  limit: number,
): Promise<WindowRow[]> {
  const which =
    'before' in than ? sql`spread_until < ${than.before}::timestamptz` : sql`spread_until > ${than.after}::timestamptz`
  const { rows } = await sql<WindowRow>`
    select ${COLUMNS} from maintenance_windows where ${which}
    order by org_id, window_id limit ${limit} for update skip locked`.execute(db)
  return rows
}

/** Finds the guids of checks and heartbeats, by the subjects of their events, such as `check:7`. */
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
