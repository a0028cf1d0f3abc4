// Which checks are not being run: what has become of the runs that were due.
import { sql } from 'kysely'
import type { CheckKey } from './check-health.ts'
import type { Db } from './database.ts'

/** What must be known of a check to tell whether its runs arrive. */
export interface WatchedCheck extends CheckKey {
  guid: string
  name: string
  url: string
  org_name: string
  interval_sec: number
  /** Active ones. */
  monitors: number
}

/** How long may pass without a result: so many rounds of its monitors, and never less than that. */
export interface Patience {
  rounds: number
  least_sec: number
}

export interface SilenceSearch {
  now: string
  /** Results older than that are not looked for, so that the partitions before it are left out. */
  lookBack: string
  patience: Patience
  /** A monitor of the org's own that was not seen since then may be gone, which is told by itself. */
  seenSince: string
}

/**
 * Checks that seem to be run by nobody: live ones with monitors, not yet told of, of which no result ran for longer than
 * our patience. Left out are those whose monitors are all away. One probe of the index for each check.
 */
export async function listSilentChecks(
  db: Db,
  { now, lookBack, patience, seenSince }: SilenceSearch,
): Promise<(WatchedCheck & { watched_since: string })[]> {
  const { rows } = await sql<WatchedCheck & { watched_since: string }>`
    select w.*, o.name as org_name, wire_time(w.since) as watched_since
    from (
      select c.org_id, c.check_id, c.guid, c.name, c.url, c.interval_sec, a.monitors,
        greatest(c.updated_at, a.watched_since) as since,
        ${now}::timestamptz - ${patienceOf(patience)} as patient_until
      from checks c
      join (
        select a.org_id, a.check_id, ${MONITORS} as monitors, max(m.watched_since) filter (where ${IS_ACTIVE}) as watched_since,
          count(*) filter (where ${IS_ACTIVE} and (m.offline_since is not null
            or m.org_id is not null and m.key_hash is not null and m.last_seen_at < ${seenSince}::timestamptz)) as away
        from assignments a join monitors m on m.id = a.monitor_id
        where a.active group by a.org_id, a.check_id) a on a.org_id = c.org_id and a.check_id = c.check_id
      where c.enabled and not c.deleted and (a.monitors = 0 or a.away < a.monitors)
    ) w
    join organisations o on o.org_id = w.org_id
    left join check_states s on s.org_id = w.org_id and s.check_id = w.check_id
    where s.unmonitored_since is null and w.since <= w.patient_until
      and (select true from results r
        where r.org_id = w.org_id and r.check_id = w.check_id and r.ran_at > ${lookBack}::timestamptz
          and r.ran_at > w.patient_until and r.ran_at <= ${now}::timestamptz
        limit 1) is null
    order by w.org_id, w.check_id`.execute(db)
  return rows
}

/** When the newest result of each check ran that ran by an instant. */
export async function listNewestRuns(
  db: Db,
  keys: readonly CheckKey[],
  until: string,
): Promise<(CheckKey & { ran_at: string })[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<CheckKey & { ran_at: string }>`
    select k.org_id, k.check_id, wire_time(newest.ran_at) as ran_at
    from ${given(keys)}
    cross join lateral (
      select ran_at from results
      where org_id = k.org_id and check_id = k.check_id and ran_at <= ${until}::timestamptz
      order by ran_at desc limit 1) newest`.execute(db)
  return rows
}

/** Checks that were told to be unmonitored and of which a result ran since. */
export async function listHeardChecks(
  db: Db,
  now: string,
): Promise<(WatchedCheck & { unmonitored_since: string; ran_at: string })[]> {
  const { rows } = await sql<WatchedCheck & { unmonitored_since: string; ran_at: string }>`
    select c.org_id, c.check_id, c.guid, c.name, c.url, o.name as org_name, c.interval_sec,
      (select ${MONITORS} from assignments a join monitors m on m.id = a.monitor_id
        where a.org_id = c.org_id and a.check_id = c.check_id and a.active) as monitors,
      wire_time(s.unmonitored_since) as unmonitored_since, wire_time(newest.ran_at) as ran_at
    from check_states s
    join checks c on c.org_id = s.org_id and c.check_id = s.check_id
    join organisations o on o.org_id = c.org_id
    cross join lateral (
      select ran_at from results r
      where r.org_id = s.org_id and r.check_id = s.check_id and r.ran_at > s.unmonitored_since
        and r.ran_at <= ${now}::timestamptz
      order by ran_at desc limit 1) newest
    where s.unmonitored_since is not null and c.enabled and not c.deleted
    order by c.org_id, c.check_id`.execute(db)
  return rows
}

/** Checks that are down and that no monitor is to run any more. */
export async function listUnrunDown(db: Db): Promise<CheckKey[]> {
  const { rows } = await sql<CheckKey>`
    select i.org_id, i.check_id from incidents i
    where i.ended_at is null and i.check_id is not null and not exists (
      select from assignments a where a.org_id = i.org_id and a.check_id = i.check_id and a.active)
    limit 500`.execute(db)
  return rows
}

export interface LiveCheck {
  check_id: number
  name: string
  url: string
}

/** Holds those of an org's checks that are live: nobody pauses or deletes them before the transaction ends. */
export async function lockLiveChecks(db: Db, org_id: number, check_ids: readonly number[]): Promise<LiveCheck[]> {
  const { rows } = await sql<LiveCheck>`
    select check_id, name, url from checks
    where org_id = ${org_id} and check_id = any(${[...check_ids]}::bigint[]) and enabled and not deleted
    order by check_id for share`.execute(db)
  return rows
}

/** Notes since when checks are unmonitored, and says for which that is news. */
export async function updateUnmonitored(
  db: Db,
  org_id: number,
  checks: readonly { check_id: number; since: string }[],
): Promise<number[]> {
  const { rows } = await sql<{ check_id: number }>`
    insert into check_states as s (org_id, check_id, unmonitored_since)
    select ${org_id}::bigint, check_id, since
    from unnest(${checks.map(({ check_id }) => check_id)}::bigint[], ${checks.map(({ since }) => since)}::timestamptz[])
      as k(check_id, since)
    order by check_id
    on conflict (org_id, check_id) do update set unmonitored_since = excluded.unmonitored_since
      where s.unmonitored_since is null
    returning check_id`.execute(db)
  return rows.map(({ check_id }) => check_id)
}

/** Notes that checks are monitored again, and says for which that is news. */
export async function updateMonitored(db: Db, org_id: number, check_ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ check_id: number }>`
    with held as (
      select org_id, check_id from check_states
      where org_id = ${org_id} and check_id = any(${[...check_ids]}::bigint[])
      order by check_id for update
    )
    update check_states s set unmonitored_since = null from held
    where s.org_id = held.org_id and s.check_id = held.check_id and s.unmonitored_since is not null
    returning s.check_id`.execute(db)
  return rows.map(({ check_id }) => check_id)
}

/** The checks of an org that are known to be unmonitored, the longest first. */
export async function listUnmonitored(
  db: Db,
  org_id: number,
): Promise<{ check_id: number; guid: string; name: string; since: string }[]> {
  const { rows } = await sql<{ check_id: number; guid: string; name: string; since: string }>`
    select c.check_id, c.guid, c.name, wire_time(s.unmonitored_since) as since
    from check_states s join checks c on c.org_id = s.org_id and c.check_id = s.check_id
    where s.org_id = ${org_id} and s.unmonitored_since is not null and c.enabled and not c.deleted
    order by s.unmonitored_since, c.check_id`.execute(db)
  return rows
}

/** Whether a check is run is nobody's concern any more: it was paused or deleted. Tells nobody. */
export async function forgetUnmonitored(db: Db, { org_id, check_id }: CheckKey): Promise<void> {
  await sql`
    update check_states set unmonitored_since = null
    where org_id = ${org_id} and check_id = ${check_id} and unmonitored_since is not null`.execute(db)
}

/** The same for all checks that no monitor is to run any more. */
export async function forgetUnassigned(db: Db): Promise<void> {
  await sql`
    update check_states s set unmonitored_since = null
    where s.unmonitored_since is not null and not exists (
      select from assignments a where a.org_id = s.org_id and a.check_id = s.check_id and a.active)`.execute(db)
}

const IS_ACTIVE = sql`m.enabled and m.platform_enabled`
const MONITORS = sql<number>`(count(*) filter (where ${IS_ACTIVE}))::integer`

function patienceOf({ rounds, least_sec }: Patience) {
  return sql`make_interval(secs =>
    greatest(${least_sec}::bigint, ${rounds}::bigint * c.interval_sec * greatest(a.monitors, 1)))`
}

function given(keys: readonly CheckKey[]) {
  return sql`unnest(${keys.map((key) => key.org_id)}::bigint[], ${keys.map((key) => key.check_id)}::bigint[])
    as k(org_id, check_id)`
}
