// Stores maintenance windows. spans.ts stores when they are on.
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

/** The columns of a {@link WindowRow}. */
export const COLUMNS = sql`org_id, window_id, guid, name, scope, starts_at, duration_sec, zone, rule, is_public,
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

/** End of the time whose spans of a window are stored, and the beginning of the first span after that. */
export type Spread = Pick<WindowRow, 'spread_until' | 'next_at'>

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

/** Locks windows whose spans are stored less or further ahead than an instant. Skips those that another process has locked. */
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
