// Counts the checks, heartbeats and monitors of an organisation by state.

import { prepared } from '../builder-pool.ts'
import type { Database, Db } from '../database.ts'
import { nearBefore } from '../results/near.ts'
import { listLastRuns } from '../results/newest.ts'
import { inBothForms, type TextForm, type TextReader } from '../results/reader.ts'

/** Number of checks, heartbeats and monitors in each state. */
export interface StateCounts {
  checks: Partial<Record<'down' | 'unmonitored' | 'failing' | 'degraded' | 'unknown' | 'up' | 'paused', number>>
  heartbeats: Partial<Record<'down' | 'late' | 'new' | 'up' | 'paused', number>>
  monitors: Partial<Record<'offline' | 'online' | 'disabled', number>>
}

const MAY_LACK_DATA = `case when w.watched_since is null
            or w.watched_since > $2::timestamptz - greatest(interval '1 hour', c.interval_sec * a.monitors * interval '3 seconds')
          then c.enabled and not c.judged_by_server else false end`

const knownOf = (between: string): string => `
    with known as ${between} (
      select c.check_id, c.enabled, i.check_id is not null as down,
        s.check_id is not null or a.check_id is null and not c.judged_by_server or unjudged.judged_at is not null as unmonitored, d.check_id is not null as degraded,
        ${MAY_LACK_DATA} as may_lack_data,
        case when ${MAY_LACK_DATA} then coalesce((
          select case when n.end_reason in ('disabled', 'deleted') then n.ended_at end from incidents n
          where n.org_id = c.org_id and n.check_id = c.check_id and n.ended_at is not null
          order by n.began_at desc limit 1), '-infinity') end as data_since
      from checks c
      left join (
        select check_id from incidents where org_id = $1 and ended_at is null and check_id is not null) i on i.check_id = c.check_id
      left join (select check_id from check_states where org_id = $1 and unmonitored_since is not null) s on s.check_id = c.check_id
      left join (
        select a.check_id, count(*) as monitors from assignments a join monitors m on m.id = a.monitor_id and m.enabled and m.platform_enabled
        where a.org_id = $1 and a.active group by a.check_id) a on a.check_id = c.check_id
      left join (select distinct check_id from degradations where org_id = $1 and ended_at is null) d on d.check_id = c.check_id
      left join (select check_id, watched_since from check_schedules where org_id = $1 and until is null) w on w.check_id = c.check_id
      left join (
        select judged_at from service_presence where judged_at < $2::timestamptz - interval '3 minutes') unjudged on true
      where c.org_id = $1 and not c.deleted)`

const hasNoData = (results: TextReader, known_from?: string): string => `not exists (
        select 1 from (${results.of({
          columns: ['ran_at'],
          ...{ org: '$1', check: 'k.check_id', from: 'k.data_since' },
          ...(known_from === undefined
            ? { where: 'r.ran_at > k.data_since' }
            : { known_from, where: `r.ran_at > k.data_since and r.ran_at >= ${known_from}` }),
        })}) r)`

/**
 * Statement that counts by state. Looks for results only where a check might have none: a check that had none for long is
 * unmonitored. If no worker has looked for three minutes, all checks that would be up count as unmonitored.
 */
const COUNTS = inBothForms(
  'state-counts',
  // If the search for results must read every sealed day, a separate statement searches for checks without results, if
  // any might be one, and $3 contains their ids.
  (results) => `${knownOf(results.between)},
    facts as ${results.between} (
      select k.*, ${results.isSealed ? 'k.check_id = any($3::bigint[])' : `case when k.may_lack_data then ${hasNoData(results)} else false end`} as unknown
      from known k),
    checks_ as (
      select case when not enabled then 'paused' when down then 'down' when unmonitored then 'unmonitored' when unknown then 'unknown'
        when degraded then 'degraded' else 'up' end as state from facts),
    heartbeats_ as (
      select case when not (enabled and platform_enabled) then 'paused' when state <> 'up' then state
        when due_at - grace_sec * interval '1 second' <= $2::timestamptz then 'late' else 'up' end as state
      from heartbeats where org_id = $1),
    monitors_ as (
      select case when not (enabled and platform_enabled) then 'disabled' when offline_since is not null and last_seen_at <= offline_since
        then 'offline' else 'online' end as state
      from monitors where org_id = $1 and retired_at is null and key_hash is not null and last_seen_at is not null)
    select (select coalesce(jsonb_object_agg(state, n), '{}') from (select state, count(*) as n from checks_ group by state) x) as checks,
      (select coalesce(jsonb_object_agg(state, n), '{}') from (select state, count(*) as n from heartbeats_ group by state) x) as heartbeats,
      (select coalesce(jsonb_object_agg(state, n), '{}') from (select state, count(*) as n from monitors_ group by state) x) as monitors`,
)

const MAY_LACK = inBothForms(
  'state-counts-may-lack',
  ({ between }) => `${knownOf(between)}
    select check_id, coalesce(wire_time(data_since), '-infinity') as data_since from known where may_lack_data`,
)

export async function readStateCounts(database: Database, org_id: number, now: string): Promise<StateCounts> {
  const { isSealed, ...statement } = await COUNTS(database)
  const values = isSealed ? [org_id, now, await listWithoutData(database, org_id, now)] : [org_id, now]
  const { rows } = await database.pools.machines.query<StateCounts>({ ...statement, values })
  return rows[0] ?? { checks: {}, heartbeats: {}, monitors: {} }
}

const withoutData = (known_from?: string) => (results: TextReader) =>
  `
    select k.check_id, coalesce(wire_time(k.data_since), '-infinity') as data_since
    from unnest($2::bigint[], $3::timestamptz[]) as k(check_id, data_since)
    where ${hasNoData(results, known_from)}`
const WITHOUT_LATELY = inBothForms('checks-without-data', withoutData('$4::timestamptz'))
const WITHOUT = inBothForms('checks-without-data-of-all-days', withoutData())

/** Lists the checks without results, in separate statements, for when this search is slow. */
async function listWithoutData(database: Database, org_id: number, now: string): Promise<number[]> {
  type Maybe = { check_id: number; data_since: string }
  const look = async ({ name, text }: TextForm, values: readonly unknown[]) =>
    (await database.pools.machines.query<Maybe>({ name, text, values: [org_id, ...values] })).rows
  const listed = (some: readonly Maybe[]) => [
    some.map(({ check_id }) => check_id),
    some.map(({ data_since }) => data_since),
  ]
  let some = await look(await MAY_LACK(database), [now])
  const near = nearBefore(now)
  if (some.length > 0) some = await look(await WITHOUT_LATELY(database), [...listed(some), near])
  if (some.length > 0) some = await look(await WITHOUT(database), listed(some))
  return some.map(({ check_id }) => check_id)
}

/** Check that is not down but needs attention. */
export interface Doubtful {
  guid: string
  name: string
  since: string
  /** Why the check is degraded or not monitored. Null if no results arrive. */
  reason: string | null
}

/** Lists unmonitored checks, the most recent first, then checks without any monitor, by their last run or creation. */
export async function listUnmonitored(db: Db, org_id: number, limit: number): Promise<Doubtful[]> {
  const { rows } = await prepared<Doubtful & { check_id: number }>`
    with unmonitored as materialized (
      select c.check_id, c.guid, c.name, s.unmonitored_since as since, (
        select j.reason from judgements j
        where c.judged_by_server and j.org_id = c.org_id and j.check_id = c.check_id and j.ended_at is null) as reason
      from check_states s join checks c on c.org_id = s.org_id and c.check_id = s.check_id and c.enabled and not c.deleted
      where s.org_id = ${org_id} and s.unmonitored_since is not null and not exists (
        select 1 from incidents i where i.org_id = c.org_id and i.check_id = c.check_id and i.ended_at is null)
      union all
      select c.check_id, c.guid, c.name, c.created_at, 'no enabled monitor is assigned'
      from checks c
      where c.org_id = ${org_id} and c.enabled and not c.deleted and not c.judged_by_server
        and not exists (
          select 1 from assignments a join monitors m on m.id = a.monitor_id and m.enabled and m.platform_enabled
          where a.org_id = c.org_id and a.check_id = c.check_id and a.active)
        and not exists (select 1 from incidents i where i.org_id = c.org_id and i.check_id = c.check_id and i.ended_at is null)
        and not exists (
          select 1 from check_states s where s.org_id = c.org_id and s.check_id = c.check_id and s.unmonitored_since is not null)
      order by 5 nulls first, 4 desc, 1 limit ${limit})
    select u.check_id, u.guid, u.name, u.reason, wire_time(u.since) as since
    from unmonitored u
    order by u.reason nulls first, u.since desc, u.check_id`.execute(db)
  const unrun = rows.flatMap(({ check_id, reason }) => (reason === null ? [] : [check_id]))
  const last = await listLastRuns(db, org_id, unrun)
  return rows.map(({ check_id, ...one }) => ({ ...one, since: last.get(check_id) ?? one.since }))
}

/** Lists degraded checks that are neither down nor unmonitored, the most recently degraded first. */
export async function listDegraded(db: Db, org_id: number, limit: number): Promise<Doubtful[]> {
  const { rows } = await prepared<Doubtful>`
    select c.guid, c.name, wire_time(min(d.began_at)) as since, string_agg(d.reason, '; ' order by d.kind desc) as reason
    from degradations d join checks c on c.org_id = d.org_id and c.check_id = d.check_id and c.enabled and not c.deleted
    where d.org_id = ${org_id} and d.ended_at is null
      and not exists (select 1 from incidents i where i.org_id = c.org_id and i.check_id = c.check_id and i.ended_at is null)
      and not exists (
        select 1 from check_states s where s.org_id = c.org_id and s.check_id = c.check_id and s.unmonitored_since is not null)
    group by c.check_id, c.guid, c.name order by min(d.began_at) desc, c.check_id limit ${limit}`.execute(db)
  return rows
}
