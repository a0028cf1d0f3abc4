// Reads and writes what judging checks needs: their rules, their latest results, and the rows it locks.
import { sql } from 'kysely'
import { PREPARED } from '../asking.ts'
import { unseen } from '../builder-pool.ts'
import { type CheckKey, KEY_COLUMNS, keyRows } from '../check-keys.ts'
import type { Db } from '../database.ts'
import { type ResultStorage, readHowStoredAfter } from '../results/to-judge.ts'
import { rowsSql } from '../rows-sql.ts'
import type { Acknowledgement } from './acknowledgements.ts'

/** Everything that judging a check needs. */
export interface CheckCase extends CheckKey, Acknowledgement {
  guid: string
  name: string
  url: string
  org_name: string
  /** The field `down_interval_sec`. 0 means 1. */
  threshold: number
  interval_sec: number
  /** Number of active monitors, at least one. */
  monitors: number
  /**
   * Number of monitors that must fail before the check is down. 0 means that the number does not matter, unless `down_majority`
   * requires a majority.
   */
  down_places: number
  down_majority: boolean
  /** Successes in a row that bring the check up. 0 means one. */
  up_successes: number
  /** Whether the check is enabled and not deleted. */
  is_live: boolean
  /** Id of the open incident, which began at `down_since`. Both are null while the check is not down. */
  incident_id: string | null
  down_since: string | null
  /** Rules that took the check down. Null if they were not recorded. */
  judged_by: string | null
  /** End of the last closed incident. */
  last_ended_at: string | null
  /** Time before which runs no longer count. */
  judged_from: string | null
  /** Time at which judging was postponed, for results of runs from `late_from` on. */
  late_since: string | null
  late_from: string | null
  /** Monitors that are still uploading older results. */
  late_monitors: readonly string[]
  /** Assigned monitors that lack an ability that the check needs: when the abilities of each last changed, by id. */
  unable: Readonly<Record<string, string>>
  /** Active monitors that are online, sorted. */
  online: readonly string[]
  /** Monitors that counted when the check was last judged, if several must fail. Null if a single one suffices. */
  quorum: readonly string[] | null
  /**
   * Time at which the set of monitors that count (`quorum`) last changed. `quorum_turns`: number of monitors that took turns
   * before that change.
   */
  quorum_since: string | null
  quorum_turns: number | null
  /** Times at which monitors last left the quorum, by id. */
  quorum_left: Readonly<Record<string, string>>
  is_unmonitored: boolean
  /** Hold that withholds alerts about the open incident. Null if an alert was sent, or there is no open incident. */
  held_by: string | null
  /** Whether the check never counts as flapping. */
  alert_every_change: boolean
  /** Times at which the check last went down or came up: at most the five newest, oldest first. */
  changes: string[]
  flapping_since: string | null
  change_count: number
  /** Whether there is a plan to judge the check again. */
  is_planned: boolean
}

export interface ActiveMonitor extends CheckKey {
  id: string
  name: string
}

/** Condition for monitors (`m`) that are active and online. It relies on the presence chore, which excuses our own outages. */
export const IS_ONLINE = sql`m.enabled and m.platform_enabled and m.key_hash is not null
  and (m.offline_since is null or m.last_seen_at > m.offline_since)`

const locking = (keys: readonly CheckKey[], judged_at?: string) =>
  // Locks in the order of keys, so that two batches with the same checks wait for each other instead of deadlocking.
  sql`${sql.raw(PREPARED)}
    insert into check_states (org_id, check_id, judged_at)
    select org_id, check_id, ${judged_at ?? null}::timestamptz from ${unseenKeys(keys)} order by org_id, check_id
    on conflict (org_id, check_id) do update set
      judged_at = coalesce(excluded.judged_at, check_states.judged_at)`

/**
 * Locks checks until the transaction ends, so that no other process judges them. Read their data only in later statements: these
 * see everything that was stored before the lock.
 */
export async function lockChecksToJudge(db: Db, keys: readonly CheckKey[]): Promise<void> {
  await locking(keys).execute(db)
}

/** Locks checks that are judged at `judged_at`, and returns what judging needs. */
export async function lockCases(
  db: Db,
  keys: readonly CheckKey[],
  judged_at: string,
): Promise<{ cases: CheckCase[]; stored: ResultStorage }> {
  const { stored, rows } = await readHowStoredAfter(db, [locking(keys, judged_at), listing(keys)], keys)
  return { cases: rows[1] as CheckCase[], stored }
}

export async function listCases(db: Db, keys: readonly CheckKey[]): Promise<CheckCase[]> {
  return (await listing(keys).execute(db)).rows
}

const listing = (keys: readonly CheckKey[]) => sql<CheckCase>`${sql.raw(PREPARED)}
    select c.org_id, c.check_id, c.guid, c.name, c.url, o.name as org_name, c.interval_sec, m.monitors, m.late_monitors,
      (select coalesce(json_object_agg(m.id, coalesce(wire_time(m.abilities_at), '')), '{}')
        from assignments a join monitors m on m.id = a.monitor_id
        where a.org_id = c.org_id and a.check_id = c.check_id and a.unable) as unable,
      m.online, s.quorum, wire_time(s.quorum_since) as quorum_since, s.quorum_turns,
      coalesce(s.quorum_left, '{}') as quorum_left,
      c.down_interval_sec as threshold, c.down_places, c.down_majority, c.up_successes,
      c.enabled and not c.deleted as is_live, i.incident_id, wire_time(i.began_at) as down_since,
      wire_time(i.acknowledged_at) as acknowledged_at, i.acknowledged_by, i.held_by,
      i.verdict ->> 'rules' as judged_by, wire_time(over.ended_at) as last_ended_at,
      s.unmonitored_since is not null as is_unmonitored, c.alert_every_change, coalesce(s.changes, '[]') as changes,
      wire_time(s.flapping_since) as flapping_since, coalesce(s.change_count, 0) as change_count,
      wire_time(s.judged_from) as judged_from, wire_time(s.late_since) as late_since, wire_time(s.late_from) as late_from,
      s.rejudge_at is not null as is_planned
    from ${unseenKeys(keys)}
    join checks c using (org_id, check_id)
    join organisations o using (org_id)
    left join check_states s using (org_id, check_id)
    left join incidents i on i.org_id = c.org_id and i.check_id = c.check_id and i.ended_at is null
    left join lateral (
      select ended_at from incidents
      where org_id = c.org_id and check_id = c.check_id and ended_at is not null
      order by began_at desc limit 1) over on true
    cross join lateral (
      select greatest(count(*) filter (where m.enabled and m.platform_enabled), 1)::integer as monitors,
        coalesce(array_agg(m.id) filter (where m.catching_up), '{}') as late_monitors,
        coalesce(array_agg(m.id order by m.id) filter (where ${IS_ONLINE}), '{}') as online
      from assignments a join monitors m on m.id = a.monitor_id
      where a.org_id = c.org_id and a.check_id = c.check_id and a.active) m`

/** Lists the monitors that take turns, by id: assigned, enabled, and not disabled by the platform. */
export async function listActiveMonitors(db: Db, keys: readonly CheckKey[]): Promise<ActiveMonitor[]> {
  const { rows } = await sql<ActiveMonitor>`
    select a.org_id, a.check_id, m.id, m.name
    from ${keyRows(keys)}
    join assignments a using (org_id, check_id)
    join monitors m on m.id = a.monitor_id and m.enabled and m.platform_enabled
    where a.active
    order by a.org_id, a.check_id, m.id`.execute(db)
  return rows
}

/**
 * Stores until when processes keep wiping quotes of definitions from the results of checks. Null means that the wiping is done.
 */
export async function updateWipeUntil(
  db: Db,
  org_id: number,
  check_ids: readonly number[],
  wipe_until: string | null,
): Promise<void> {
  await db
    .updateTable('check_states')
    .set({ wipe_until })
    .where('org_id', '=', org_id)
    .where('check_id', '=', sql<number>`any(${[...check_ids]}::bigint[])`)
    .execute()
}

/** Lists the checks whose results must be wiped, and until when. Without `only`, lists some of all organisations. */
export async function listChecksToWipe(
  db: Db,
  only?: { org_id: number; guids: readonly string[] },
): Promise<(CheckKey & { guid: string; wipe_until: string })[]> {
  const isOne =
    only === undefined
      ? sql``
      : sql`and org_id = ${only.org_id}
          and c.guid = any(${[...only.guids]}::text[])`
  const { rows } = await sql<CheckKey & { guid: string; wipe_until: string }>`
    select org_id, check_id, c.guid, wire_time(wipe_until) as wipe_until
    from check_states join checks c using (org_id, check_id)
    where wipe_until is not null ${isOne} order by wipe_until ${only === undefined ? sql`limit 100` : sql``}`.execute(
    db,
  )
  return rows
}

/**
 * Makes runs before an instant no longer count for checks, and forgets postponed judging. An open incident stays open, because
 * nothing shows that the check is up. The caller must hold the locks of the checks.
 */
export async function updateJudgedFrom(
  db: Db,
  org_id: number,
  check_ids: readonly number[],
  judged_from: string,
): Promise<void> {
  if (check_ids.length === 0) return
  await sql`
    update check_states set judged_from = greatest(judged_from, ${judged_from}::timestamptz), rejudge_at = null,
      late_since = null, late_from = null
    where org_id = ${org_id} and check_id = any(${[...check_ids]}::bigint[])`.execute(db)
}

/** Stores when checks went down or came up, and since when they are flapping. The caller must hold the locks of the checks. */
export async function updateChanges(
  db: Db,
  checks: readonly (CheckKey & {
    changes: readonly string[]
    flapping_since: string | null
    change_count: number
  })[],
): Promise<void> {
  if (checks.length === 0) return
  const columns = { ...KEY_COLUMNS, changes: 'jsonb', flapping_since: 'timestamptz', change_count: 'integer' } as const
  await sql`
    update check_states s set changes = k.changes, flapping_since = k.flapping_since, change_count = k.change_count
    from ${rowsSql(checks, columns)}
    where s.org_id = k.org_id and s.check_id = k.check_id`.execute(db)
}

const unseenKeys = (keys: readonly CheckKey[]) => keyRows(keys, unseen)
