// Many maintenance windows stored and deleted by statements for all of them. The callers hold the organisation's lock.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { Span, WindowColumns, WindowRow } from './windows.ts'

/** Those of an org's windows that have these guids, locked until the transaction ends. */
export async function lockWindows(db: Db, org_id: number, guids: readonly string[]): Promise<WindowRow[]> {
  const { rows } = await sql<WindowRow>`
    select org_id, window_id, guid, name, scope, starts_at, duration_sec, zone, rule, is_public,
      wire_time(spread_until) as spread_until
    from maintenance_windows where org_id = ${org_id} and guid = any(${[...guids]}::text[]) order by window_id for update`.execute(
    db,
  )
  return rows
}

const FIELDS = sql`guid text, key text, name text, scope jsonb, starts_at text, duration_sec integer, zone text, rule text,
  is_public boolean, spread_until timestamptz`

/** Inserts windows in this order. `spread_until`: until when it is written down when each is on. */
export async function insertWindows(
  db: Db,
  org_id: number,
  windows: readonly (WindowColumns & { guid: string; key: string | null; spread_until: string })[],
  at: string,
): Promise<void> {
  if (windows.length === 0) return
  await sql`
    insert into maintenance_windows (org_id, guid, key, name, scope, starts_at, duration_sec, zone, rule, is_public, spread_until,
      created_at)
    select ${org_id}::bigint, guid, key, name, scope, starts_at, duration_sec, zone, rule, is_public, spread_until, ${at}::timestamptz
    from rows from (jsonb_to_recordset(${JSON.stringify(windows)}::jsonb) as (${FIELDS})) with ordinality
    order by ordinality`.execute(db)
}

/** Replaces what was decided of windows. `spread_until` is null for one that is on when it was. */
export async function updateWindows(
  db: Db,
  org_id: number,
  windows: readonly (WindowColumns & { guid: string; spread_until: string | null })[],
): Promise<void> {
  if (windows.length === 0) return
  await sql`
    update maintenance_windows w set name = k.name, scope = k.scope, starts_at = k.starts_at, duration_sec = k.duration_sec,
      zone = k.zone, rule = k.rule, is_public = k.is_public, spread_until = coalesce(k.spread_until, w.spread_until)
    from jsonb_to_recordset(${JSON.stringify(windows)}::jsonb) as k(${FIELDS})
    where w.org_id = ${org_id} and w.guid = k.guid`.execute(db)
}

/** What is on and what is to come of windows has the name of its window, and covers what that does. */
export async function updateSpansOf(db: Db, org_id: number, guids: readonly string[], at: string): Promise<void> {
  if (guids.length === 0) return
  await sql`
    update maintenance_spans s set name = w.name, scope = w.scope, is_public = w.is_public
    from maintenance_windows w
    where w.org_id = ${org_id} and w.guid = any(${[...guids]}::text[]) and s.org_id = w.org_id and s.window_id = w.window_id
      and s.ends_at > ${at}::timestamptz`.execute(db)
}

/** Ends windows at an instant: what is on ends, and what is to come is dropped. */
export async function cutSpansOf(db: Db, org_id: number, window_ids: readonly number[], at: string): Promise<void> {
  if (window_ids.length === 0) return
  const its = sql`org_id = ${org_id} and window_id = any(${[...window_ids]}::bigint[])`
  await sql`delete from maintenance_spans where ${its} and begins_at >= ${at}::timestamptz`.execute(db)
  await sql`
    update maintenance_spans set ends_at = ${at}::timestamptz
    where ${its} and begins_at < ${at}::timestamptz and ends_at > ${at}::timestamptz`.execute(db)
}

/** Writes down when windows are on, as they say now. */
export async function insertSpansOf(
  db: Db,
  org_id: number,
  spans: readonly (Pick<Span, 'begins_at' | 'ends_at'> & { guid: string })[],
): Promise<void> {
  if (spans.length === 0) return
  await sql`
    insert into maintenance_spans (org_id, window_id, begins_at, ends_at, name, scope, is_public)
    select w.org_id, w.window_id, given.begins_at, given.ends_at, w.name, w.scope, w.is_public
    from unnest(${spans.map(({ guid }) => guid)}::text[], ${spans.map(({ begins_at }) => begins_at)}::timestamptz[],
      ${spans.map(({ ends_at }) => ends_at)}::timestamptz[]) as given(guid, begins_at, ends_at)
    join maintenance_windows w on w.org_id = ${org_id} and w.guid = given.guid
    on conflict (org_id, window_id, begins_at) do update set ends_at = greatest(maintenance_spans.ends_at, excluded.ends_at),
      name = excluded.name, scope = excluded.scope, is_public = excluded.is_public`.execute(db)
}

export async function deleteWindows(db: Db, org_id: number, window_ids: readonly number[]): Promise<void> {
  await sql`
    delete from maintenance_windows where org_id = ${org_id} and window_id = any(${[...window_ids]}::bigint[])`.execute(
    db,
  )
}
