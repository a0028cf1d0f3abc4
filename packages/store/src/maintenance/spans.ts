// Stores the spans in which maintenance windows are on. A span refers to its scope; each scope is stored once per
// organisation.
import { type RawBuilder, sql } from 'kysely'
import { prepared } from '../builder-pool.ts'
import type { Db } from '../database.ts'

/** Period during which a window is on. */
export interface WindowSpan {
  window_id: number
  begins_at: string
  ends_at: string
  name: string
  /** Id of the scope within its organisation. Spans with the same id share the object in `scope`. */
  scope_id: string
  scope: object
  is_public: boolean
}

/** Span to store, with the guid of its window. */
export type NewSpan = Pick<WindowSpan, 'begins_at' | 'ends_at'> & { guid: string }

/** Maximum number of spans in one statement, so that preparing its values takes only a moment. */
const AT_ONCE = 2000
/** Placeholder in the column `scope` of spans, whose actual scopes are in `maintenance_scopes`. */
const STORED_APART = sql`'{"checks": [], "heartbeats": []}'::jsonb`

function idOf(scope: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`encode(substring(sha256(convert_to(${scope}::text, 'UTF8')) for 16), 'hex')::uuid`
}

/**
 * Stores spans of windows, with the present names and scopes of the windows. The caller must hold the locks of the windows or of
 * their organisation.
 */
export async function insertSpans(db: Db, org_id: number, spans: readonly NewSpan[], at: string): Promise<void> {
  if (spans.length === 0) return
  await keepScopes(db, org_id, [...new Set(spans.map(({ guid }) => guid))], at)
  for (let n = 0; n < spans.length; n += AT_ONCE) await insertSome(db, org_id, spans.slice(n, n + AT_ONCE))
}

async function insertSome(db: Db, org_id: number, spans: readonly NewSpan[]): Promise<void> {
  await sql`
    with of_windows as materialized (
      select org_id, window_id, guid, name, ${STORED_APART} as scope, is_public, ${idOf(sql`scope`)} as scope_id
      from maintenance_windows where org_id = ${org_id} and guid = any(${spans.map(({ guid }) => guid)}::text[])
    )
    insert into maintenance_spans (org_id, window_id, begins_at, ends_at, name, scope, is_public, scope_id)
    select w.org_id, w.window_id, given.begins_at, given.ends_at, w.name, w.scope, w.is_public, w.scope_id
    from unnest(${spans.map(({ guid }) => guid)}::text[], ${spans.map(({ begins_at }) => begins_at)}::timestamptz[],
      ${spans.map(({ ends_at }) => ends_at)}::timestamptz[]) as given(guid, begins_at, ends_at)
    join of_windows w on w.guid = given.guid
    on conflict (org_id, window_id, begins_at) do update set ends_at = greatest(maintenance_spans.ends_at, excluded.ends_at),
      name = excluded.name, scope = excluded.scope, is_public = excluded.is_public, scope_id = excluded.scope_id`.execute(
    db,
  )
}

/** Gives spans that have not ended the present name and scope of their window. */
export async function updateSpans(db: Db, org_id: number, guids: readonly string[], at: string): Promise<void> {
  if (guids.length === 0) return
  await keepScopes(db, org_id, guids, at)
  await sql`
    with of_windows as materialized (
      select org_id, window_id, name, ${STORED_APART} as scope, is_public, ${idOf(sql`scope`)} as scope_id
      from maintenance_windows where org_id = ${org_id} and guid = any(${[...guids]}::text[])
    )
    update maintenance_spans s set name = w.name, scope = w.scope, is_public = w.is_public, scope_id = w.scope_id
    from of_windows w
    where s.org_id = w.org_id and s.window_id = w.window_id and s.ends_at > ${at}::timestamptz
      and (s.name, s.scope, s.is_public, s.scope_id) is distinct from (w.name, w.scope, w.is_public, w.scope_id)`.execute(
    db,
  )
}

async function keepScopes(db: Db, org_id: number, guids: readonly string[], at: string): Promise<void> {
  await sql`
    insert into maintenance_scopes (org_id, scope_id, scope, bytes, used_at)
    select distinct on (scope_id) org_id, scope_id, scope, octet_length(scope::text), ${at}::timestamptz
    from (select org_id, scope, ${idOf(sql`scope`)} as scope_id from maintenance_windows
      where org_id = ${org_id} and guid = any(${[...guids]}::text[])) w
    order by scope_id
    on conflict (org_id, scope_id) do update set used_at = greatest(maintenance_scopes.used_at, excluded.used_at)`.execute(
    db,
  )
}

/** Ends windows at an instant: ends spans that are on then, and deletes those that begin then or later. */
export async function cutSpans(db: Db, org_id: number, window_ids: readonly number[], at: string): Promise<void> {
  if (window_ids.length === 0) return
  await sql`
    delete from maintenance_spans
    where org_id = ${org_id} and window_id = any(${[...window_ids]}::bigint[]) and begins_at >= ${at}::timestamptz`.execute(
    db,
  )
  await endSpans(db, org_id, window_ids, at)
}

/** Deletes the spans of a window that begin later than an instant. */
export async function deleteSpansFrom(
  db: Db,
  { org_id, window_id }: { org_id: number; window_id: number },
  at: string,
): Promise<void> {
  await sql`
    delete from maintenance_spans
    where org_id = ${org_id} and window_id = ${window_id} and begins_at > ${at}::timestamptz`.execute(db)
}

/** Whether any span of a window is stored, such as one that has been on. */
export async function hasSpans(db: Db, { org_id, window_id }: { org_id: number; window_id: number }): Promise<boolean> {
  const { rows } = await sql`
    select from maintenance_spans where org_id = ${org_id} and window_id = ${window_id} limit 1`.execute(db)
  return rows.length > 0
}

/** Ends spans that are on at an instant, and deletes those that begin at exactly that instant. Returns the number of both. */
export async function endSpans(db: Db, org_id: number, window_ids: readonly number[], at: string): Promise<number> {
  const own = sql`org_id = ${org_id} and window_id = any(${[...window_ids]}::bigint[])`
  const { numAffectedRows: none = 0n } = await sql`
    delete from maintenance_spans where ${own} and begins_at = ${at}::timestamptz`.execute(db)
  const { numAffectedRows: ended = 0n } = await sql`
    update maintenance_spans set ends_at = ${at}::timestamptz
    where ${own} and begins_at < ${at}::timestamptz and ends_at > ${at}::timestamptz`.execute(db)
  return Number(none + ended)
}

/** Reads an org's spans that are on at an instant, sorted by their beginning. */
export async function listSpans(db: Db, org_id: number, at: string): Promise<WindowSpan[]> {
  // Reads one span for each window: the last one that has begun. Earlier spans have ended, so years of them cost
  // nothing.
  return readSpans(
    db,
    org_id,
    sql`
    select s.* from maintenance_windows w cross join lateral (
      select * from maintenance_spans b
      where b.org_id = w.org_id and b.window_id = w.window_id and b.begins_at <= ${at}::timestamptz
      order by b.begins_at desc limit 1) s
    where w.org_id = ${org_id} and s.ends_at > ${at}::timestamptz`,
  )
}

/** Reads spans from the rows of a statement. */
export async function readSpans(db: Db, org_id: number, spans: RawBuilder<unknown>): Promise<WindowSpan[]> {
  const { rows } = await prepared<WithoutScope<WindowSpan>>`
    select s.window_id, wire_time(s.begins_at) as begins_at, wire_time(s.ends_at) as ends_at, s.name, s.is_public,
      ${SCOPE_COLUMNS}
    from (${spans}) s ${joinedScopes(org_id)}
    order by s.begins_at, s.window_id`.execute(db)
  return withScopes(db, org_id, rows)
}

/** Row whose scope might have to be read separately, by `scope_id`. */
export type WithoutScope<Row> = Omit<Row, 'scope'> & { scope_id: string; own_scope: object | null }

/** Columns `scope_id` and `own_scope` of a {@link WithoutScope}, for rows `s` with the scope of a span. */
export const SCOPE_COLUMNS = sql`
  case when s.scope = ${STORED_APART} or s.scope = k.scope then k.scope_id else ${idOf(sql`s.scope`)} end::text as scope_id,
  case when s.scope = ${STORED_APART} or s.scope = k.scope then null else s.scope end as own_scope`

export const joinedScopes = (org_id: number): RawBuilder<unknown> =>
  sql`left join maintenance_scopes k on k.org_id = ${org_id} and k.scope_id = s.scope_id`

/** Adds the scopes to rows. Reads each scope once, even if many rows share it. */
export async function withScopes<Row extends { scope_id: string; own_scope: object | null }>(
  db: Db,
  org_id: number,
  rows: readonly Row[],
): Promise<(Omit<Row, 'own_scope'> & { scope: object })[]> {
  const apart = rows.filter(({ own_scope }) => own_scope === null).map(({ scope_id }) => scope_id)
  const scopes = await findScopes(db, org_id, [...new Set(apart)])
  for (const { scope_id, own_scope } of rows) if (own_scope && !scopes.has(scope_id)) scopes.set(scope_id, own_scope)
  return rows.map(({ own_scope: _, ...row }) => ({ ...row, scope: scopes.get(row.scope_id) ?? {} }))
}

async function findScopes(db: Db, org_id: number, ids: readonly string[]): Promise<Map<string, object>> {
  if (ids.length === 0) return new Map()
  const { rows } = await prepared<{ scope_id: string; scope: object }>`
    select scope_id::text as scope_id, scope from maintenance_scopes
    where org_id = ${org_id} and scope_id = any(${[...ids]}::uuid[])`.execute(db)
  return new Map(rows.map(({ scope_id, scope }) => [scope_id, scope]))
}

/** Reads, for each window of an org, the span that is on or comes next, and the last one that has ended. */
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

/** How much of its maintenance limits an org uses. */
export interface MaintenanceUse {
  /** Number of spans that have not ended, without those of the given windows. */
  ahead: number
  /** Number of all spans. */
  spans: number
  /** Total size in bytes of all scopes that are stored for spans. */
  scope_bytes: number
}

/** Counts the spans and scopes of an org. `guids` are windows whose future spans the caller is about to replace. */
export async function readMaintenanceUse(
  db: Db,
  org_id: number,
  { at, guids }: { at: string; guids: readonly string[] },
): Promise<MaintenanceUse> {
  const { rows } = await sql<MaintenanceUse>`
    select
      (select count(*)::integer from maintenance_spans where org_id = ${org_id} and ends_at > ${at}::timestamptz
        and window_id not in (select window_id from maintenance_windows where org_id = ${org_id}
          and guid = any(${[...guids]}::text[]))) as ahead,
      (select count(*)::integer from maintenance_spans where org_id = ${org_id}) as spans,
      (select coalesce(sum(bytes), 0)::integer from maintenance_scopes where org_id = ${org_id}) as scope_bytes`.execute(
    db,
  )
  return rows[0] ?? { ahead: 0, spans: 0, scope_bytes: 0 }
}

/**
 * Deletes an org's scopes that no window and no span uses. Returns the number of freed bytes. The caller must hold the lock of the
 * organisation.
 */
export async function deleteUnusedScopes(db: Db, org_id: number): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    delete from maintenance_scopes k where k.org_id = ${org_id}
      and k.scope_id not in (select scope_id from maintenance_spans where org_id = ${org_id} and scope_id is not null)
      and k.scope_id not in (select ${idOf(sql`scope`)} from maintenance_windows where org_id = ${org_id})
    returning bytes`.execute(db)
  return rows.reduce((sum, { bytes }) => sum + bytes, 0)
}
