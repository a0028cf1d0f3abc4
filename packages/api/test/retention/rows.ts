// What retention is told by: rows of any age, and which of them are left.
import type { Org, World } from '../support/world.ts'

export const DAY_SEC = 86_400

/** An instant so many days before now, by the world's clock. */
export function daysAgo(w: World, days: number): string {
  return new Date(w.clock.now().getTime() - days * DAY_SEC * 1000).toISOString()
}

/** Results of a check, however old, as if they had come in time. */
export async function store(w: World, org: Org, guid: string, at: readonly string[], success = true): Promise<void> {
  await w.rows(
    `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
     select c.org_id, c.check_id, at, 12, 200, $4, 'm1'
     from unnest($3::timestamptz[]) as at join checks c on c.org_id = $1 and c.guid = $2
     on conflict do nothing`,
    org.org_id,
    guid,
    at,
    success,
  )
}

/** The whole days of age that an org's rows have now, the youngest first. */
export async function ages(w: World, org: Org, table = 'results', column = 'ran_at'): Promise<number[]> {
  const rows = await w.rows(
    `select distinct floor(extract(epoch from $2::timestamptz - ${column}::timestamptz) / ${DAY_SEC})::integer as age
     from ${table} where org_id = $1 order by 1`,
    org.org_id,
    w.clock.now().toISOString(),
  )
  return rows.map(({ age }) => Number(age))
}

/** The database tells the time of the world's clock, as it does to a server; or another. */
export async function setDatabaseTime(w: World, at: Date = w.clock.now()): Promise<void> {
  await w.rows(
    `create or replace function database_time() returns timestamptz language sql volatile parallel safe
     as $$ select timestamptz '${at.toISOString()}' $$`,
  )
}

/**
 * Each day up to the world's clock was one on which deletions went by, as it is for a server that runs, and an operator let
 * deletions go as far as the plans ask for.
 */
export async function liveOn(w: World): Promise<void> {
  await setDatabaseTime(w)
  await w.rows(
    `insert into retention_calendar (day, seen_at) values (($1::timestamptz at time zone 'UTC')::date, $1::timestamptz)
     on conflict (is_the_one) do update set day = excluded.day, seen_at = excluded.seen_at, observed_sec = 0,
       safe_at = excluded.seen_at, steady_sec = 0`,
    w.clock.now().toISOString(),
  )
  await w.rows(
    `insert into retention (org_id, due_at, confirmed_until)
     select org_id, '-infinity', $1::timestamptz + interval '1 day' from organisations
     on conflict (org_id) do update set edge = null, confirmed_until = excluded.confirmed_until`,
    w.clock.now().toISOString(),
  )
}

/** Lets every org be looked through again. */
export async function makeDue(w: World): Promise<void> {
  await w.rows("update retention set due_at = '-infinity'")
}
