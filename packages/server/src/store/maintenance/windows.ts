// Maintenance windows and when they are on.
import { sql } from 'kysely'
import { prepared } from '../builder-pool.ts'
import type { Db } from '../database.ts'

/** What is decided of a window. */
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

/** When a window is on. */
export interface Span {
  window_id: number
  begins_at: string
  ends_at: string
  name: string
  scope: object
  is_public: boolean
}

const COLUMNS = sql`org_id, window_id, guid, name, scope, starts_at, duration_sec, zone, rule, is_public,
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

/** Returns its id. */
export async function insertWindow(
  db: Db,
  { org_id, guid, at, ...columns }: WindowColumns & { org_id: number; guid: string; at: string },
): Promise<number> {
  const { window_id } = await db
    .insertInto('maintenance_windows')
    .values({
      org_id,
      guid,
      ...columns,
      scope: JSON.stringify(columns.scope),
      spread_until: at,
      created_at: at,
    })
    .returning('window_id')
    .executeTakeFirstOrThrow()
  return window_id
}

export async function updateWindow(
  db: Db,
  { org_id, window_id }: Pick<WindowRow, 'org_id' | 'window_id'>,
  columns: WindowColumns,
): Promise<void> {
  await db
    .updateTable('maintenance_windows')
    .set({ ...columns, scope: JSON.stringify(columns.scope) })
    .where('org_id', '=', org_id)
    .where('window_id', '=', window_id)
    .execute()
}

export async function deleteWindow(db: Db, org_id: number, window_id: number): Promise<void> {
  await db.deleteFrom('maintenance_windows').where('org_id', '=', org_id).where('window_id', '=', window_id).execute()
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

export async function insertSpans(
  db: Db,
  org_id: number,
  { window_id, name, scope, is_public }: Omit<Span, 'begins_at' | 'ends_at'>,
  spans: readonly Pick<Span, 'begins_at' | 'ends_at'>[],
): Promise<void> {
  if (spans.length === 0) return
  await sql`
    insert into maintenance_spans (org_id, window_id, begins_at, ends_at, name, scope, is_public)
    select ${org_id}, ${window_id}, b, e, ${name}, ${JSON.stringify(scope)}::jsonb, ${is_public}
    from unnest(${spans.map(({ begins_at }) => begins_at)}::timestamptz[], ${spans.map(({ ends_at }) => ends_at)}::timestamptz[])
      as given(b, e)
    on conflict (org_id, window_id, begins_at) do update set ends_at = greatest(maintenance_spans.ends_at, excluded.ends_at),
      name = excluded.name, scope = excluded.scope, is_public = excluded.is_public`.execute(db)
}

/** Ends a window at an instant: what is on ends, and what is to come is dropped. */
export async function cutSpans(db: Db, org_id: number, window_id: number, at: string): Promise<void> {
  await sql`
    delete from maintenance_spans
    where org_id = ${org_id} and window_id = ${window_id} and begins_at >= ${at}::timestamptz`.execute(db)
  await endSpans(db, org_id, window_id, at)
}

/** Ends what is on; what is to come stays. What has begun at this very instant never was. Returns how many were on. */
export async function endSpans(db: Db, org_id: number, window_id: number, at: string): Promise<number> {
  const { numAffectedRows: none = 0n } = await sql`
    delete from maintenance_spans
    where org_id = ${org_id} and window_id = ${window_id} and begins_at = ${at}::timestamptz`.execute(db)
  const { numAffectedRows: ended = 0n } = await sql`
    update maintenance_spans set ends_at = ${at}::timestamptz
    where org_id = ${org_id} and window_id = ${window_id} and begins_at < ${at}::timestamptz
      and ends_at > ${at}::timestamptz`.execute(db)
  return Number(none + ended)
}

/** What is on and what is to come has another name or covers something else. */
export async function updateSpans(
  db: Db,
  org_id: number,
  window_id: number,
  { name, scope, is_public, at }: Pick<WindowColumns, 'name' | 'scope' | 'is_public'> & { at: string },
): Promise<void> {
  await sql`
    update maintenance_spans set name = ${name}, scope = ${JSON.stringify(scope)}::jsonb, is_public = ${is_public}
    where org_id = ${org_id} and window_id = ${window_id} and ends_at > ${at}::timestamptz`.execute(db)
}

/** What an org has on at an instant or, with `until`, has on or begins before that; the first first. */
export async function listSpans(db: Db, org_id: number, at: string, until = at): Promise<Span[]> {
  // Of each window the span that began last: what began before it is over. So years of spans to come cost nothing.
  const { rows } = await prepared<Span>`
    select s.window_id, wire_time(s.begins_at) as begins_at, wire_time(s.ends_at) as ends_at, s.name, s.scope, s.is_public
    from maintenance_windows w cross join lateral (
      (select * from maintenance_spans b
        where b.org_id = w.org_id and b.window_id = w.window_id and b.begins_at <= ${at}::timestamptz
        order by b.begins_at desc limit 1)
      union all
      select * from maintenance_spans n
      where n.org_id = w.org_id and n.window_id = w.window_id and n.begins_at > ${at}::timestamptz
        and n.begins_at <= ${until}::timestamptz) s
    where w.org_id = ${org_id} and s.ends_at > ${at}::timestamptz
    order by s.begins_at, s.window_id`.execute(db)
  return rows
}

/**
 * What an org had on between two instants, of windows that are there no more as well: what was over by the second, and
 * what was on at it.
 */
export async function listSpansBetween(db: Db, org_id: number, from: string, until: string): Promise<Span[]> {
  const { rows } = await prepared<Span>`
    select s.window_id, wire_time(s.begins_at) as begins_at, wire_time(s.ends_at) as ends_at, s.name, s.scope, s.is_public
    from (
      select * from maintenance_spans
      where org_id = ${org_id} and ends_at > ${from}::timestamptz and ends_at <= ${until}::timestamptz
      union all
      select o.* from maintenance_windows w cross join lateral (
        select * from maintenance_spans b
        where b.org_id = w.org_id and b.window_id = w.window_id and b.begins_at <= ${until}::timestamptz
        order by b.begins_at desc limit 1) o
      where w.org_id = ${org_id} and o.ends_at > ${until}::timestamptz) s
    order by s.begins_at, s.window_id`.execute(db)
  return rows
}

/** For each window: what is on or comes next, and what was on last. */
export async function listNextSpans(
  db: Db,
  org_id: number,
  at: string,
): Promise<{ window_id: number; begins_at: string; ends_at: string; is_over: boolean }[]> {
  const { rows } = await sql<{ window_id: number; begins_at: string; ends_at: string; is_over: boolean }>`
    select w.window_id, wire_time(s.begins_at) as begins_at, wire_time(s.ends_at) as ends_at, s.is_over
    from maintenance_windows w cross join lateral (
      (select begins_at, ends_at, false as is_over from maintenance_spans n
        where n.org_id = w.org_id and n.window_id = w.window_id and n.ends_at > ${at}::timestamptz
        order by n.begins_at limit 1)
      union all
      (select begins_at, ends_at, true from maintenance_spans l
        where l.org_id = w.org_id and l.window_id = w.window_id and l.ends_at <= ${at}::timestamptz
        order by l.begins_at desc limit 1)) s
    where w.org_id = ${org_id}`.execute(db)
  return rows
}

/** Forgets some of what has long been over; returns how many. */
export async function deleteOldSpans(db: Db, before: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    with picked as materialized (
      select org_id, window_id, begins_at from maintenance_spans where ends_at < ${before}::timestamptz
      order by ends_at limit ${limit}
    )
    delete from maintenance_spans s using picked p
    where s.org_id = p.org_id and s.window_id = p.window_id and s.begins_at = p.begins_at`.execute(db)
  return Number(numAffectedRows ?? 0n)
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
