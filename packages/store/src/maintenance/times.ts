// Reads when an organisation was and will be under maintenance, for history and for status pages.
import { sql } from 'kysely'
import { prepared } from '../builder-pool.ts'
import type { Db } from '../database.ts'
import { joinedScopes, readSpans, SCOPE_COLUMNS, type WindowSpan, type WithoutScope, withScopes } from './spans.ts'

/** Times at which a window was on while its name and scope were the same. */
export interface PastTimes extends Pick<WindowSpan, 'window_id' | 'name' | 'scope_id' | 'scope'> {
  /** Beginnings of the spans in milliseconds, in order. `ends` contains their ends. */
  begins: number[]
  ends: number[]
}

/**
 * Reads the times at which an org's windows were on between two instants, including deleted windows. A span that was still on at
 * the second instant counts with its planned end.
 */
export async function listPastTimes(
  db: Db,
  org_id: number,
  { from, until, only_public = false }: { from: string; until: string; only_public?: boolean },
): Promise<PastTimes[]> {
  const { rows } = await prepared<WithoutScope<PastTimes>>`
    select s.window_id, s.name, s.begins, s.ends, ${SCOPE_COLUMNS}
    from (
      select window_id, name, scope, scope_id, min(begins_at) as first,
        json_agg(floor(extract(epoch from begins_at) * 1000)::bigint order by begins_at) as begins,
        json_agg(floor(extract(epoch from ends_at) * 1000)::bigint order by begins_at) as ends
      from (
        select * from maintenance_spans
        where org_id = ${org_id} and ends_at > ${from}::timestamptz and ends_at <= ${until}::timestamptz
        union all
        select o.* from maintenance_windows w cross join lateral (
          select * from maintenance_spans b
          where b.org_id = w.org_id and b.window_id = w.window_id and b.begins_at <= ${until}::timestamptz
          order by b.begins_at desc limit 1) o
        where w.org_id = ${org_id} and o.ends_at > ${until}::timestamptz) spans
      where is_public or not ${only_public}::boolean
      group by window_id, name, scope, scope_id) s
    ${joinedScopes(org_id)}
    order by s.first, s.window_id`.execute(db)
  return withScopes(db, org_id, rows)
}

/**
 * Reads, for each announced window of an org, the span that is on, or else the next one that begins by `until`. Sorts the spans by
 * their beginning.
 */
export async function listAnnounced(db: Db, org_id: number, at: string, until: string): Promise<WindowSpan[]> {
  return readSpans(
    db,
    org_id,
    sql`
    select s.* from maintenance_windows w cross join lateral (
      (select * from (
        select * from maintenance_spans b
        where b.org_id = w.org_id and b.window_id = w.window_id and b.begins_at <= ${at}::timestamptz
        order by b.begins_at desc limit 1) o
      where o.ends_at > ${at}::timestamptz)
      union all
      (select * from maintenance_spans n
        where n.org_id = w.org_id and n.window_id = w.window_id and n.begins_at > ${at}::timestamptz
          and n.begins_at <= ${until}::timestamptz
        order by n.begins_at limit 1)
      order by begins_at limit 1) s
    where w.org_id = ${org_id} and s.is_public`,
  )
}
