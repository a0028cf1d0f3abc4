// Finds enabled checks without recent results, and stores which checks are unmonitored.
import { type RawBuilder, sql } from 'kysely'
import type { CheckKey } from '../check-keys.ts'
import type { Db } from '../database.ts'
import { IS_ASSIGNED_SQL } from '../is-assigned.ts'
import { listHeard, openUnheard } from '../results/heard.ts'
import { rowsSql } from '../rows-sql.ts'
import { type KeySpan, keySpanSql } from './key-spans.ts'
import { ACTIVE, IS_WATCHED } from './monitor-presence.ts'

/** Everything that is needed to decide whether a check's results arrive. */
export interface WatchedCheck extends CheckKey {
  guid: string
  name: string
  url: string
  org_name: string
  interval_sec: number
  timeout_sec: number
  /** Number of active monitors. */
  monitors: number
}

/** Limits for how long results of a check can be missing before the check is unmonitored. */
export interface Patience {
  turns: number
  /** Maximum duration of a run of checks without a timeout of their own. */
  timeout_sec: number
  /** Time for an agent to learn of its checks and for its results to arrive. */
  slack_sec: number
  least_sec: number
}

export interface SilenceSearch {
  now: string
  patience: Patience
  /** Time after which monitors must have sent a request to be online. */
  onlineSince: string
  /**
   * Time after which monitors must have sent a request to be certainly online. The presence chore decides about those between both
   * times.
   */
  seenSince: string
}

export interface SilentCheck extends WatchedCheck {
  /**
   * Start of the wait for results: the latest time at which the check's monitors were online, its schedule began, or one of its
   * monitors came online again.
   */
  watched_since: string
  /** Whether none of the check's monitors is online. */
  is_off: boolean
  /**
   * Whether the alert about offline monitors also covers this check, because it names the check's monitor that was seen last.
   */
  is_covered: boolean
  /** Start of the check's open incident. Null if there is none. */
  down_since: string | null
  /** Time of the newest request of the check's monitors that this server could not accept through its own fault. */
  refused_at: string | null
  /**
   * Abilities that the check needs, and those of each of its enabled monitors. Absent if one of these monitors can run the check.
   */
  unable?: UnableMonitors
}

export interface UnableMonitors {
  needs: string[]
  monitors: string[][]
}

/**
 * Lists enabled checks of a key range that are unmonitored without being recorded so: no monitor is online, or no online one has
 * produced a result for too long. Takes one index lookup per check with a monitor online.
 */
export async function listSilentChecks(db: Db, search: SilenceSearch, span: KeySpan): Promise<SilentCheck[]> {
  const { isUnheard, since } = await openUnheard(db, search.now)
  const found = await listSilent(db, search, span, isUnheard)
  const candidates = found.filter(({ is_off, patient_until }) => !is_off && Date.parse(patient_until) < since)
  const { rows, away } = await listHeard(
    db,
    candidates.map((one) => ({ ...one, since: one.patient_until })),
    search.now,
  )
  const heard = new Set(rows.map(({ check_id }) => check_id))
  return found.filter(({ org_id, check_id }) => !heard.has(check_id) && !away.has(org_id)).map(asSilent)
}

/** Check that is unmonitored unless one of its online monitors has produced a result. */
type MaybeSilent = SilentCheck & { patient_until: string; online: string }

async function listSilent(
  db: Db,
  search: SilenceSearch,
  span: KeySpan,
  isUnheard: RawBuilder<unknown>,
): Promise<MaybeSilent[]> {
  const { now, patience } = search
  const asked = sql<MaybeSilent>`
    select w.org_id, w.check_id, w.guid, w.name, w.url, w.interval_sec, w.timeout_sec, w.monitors, w.is_off, w.is_covered,
      o.name as org_name, wire_time(case when w.is_off then w.off_since else w.since end) as watched_since,
      wire_time(i.began_at) as down_since, wire_time(w.refused_at) as refused_at,
      wire_time(w.patient_until) as patient_until, array_to_string(w.online, ' ') as online
    from (
      select c.org_id, c.check_id, c.guid, c.name, c.url, c.interval_sec, c.timeout_sec, coalesce(a.monitors, 0) as monitors,
        a.refused_at, a.online, coalesce(a.is_seen, false) as is_seen, a.online is null as is_off,
        greatest(s.watched_since, a.last_seen) as off_since, greatest(s.watched_since, a.back_since) as since,
        a.online is null and coalesce(a.told_seen >= a.last_seen, false) as is_covered,
        ${now}::timestamptz - ${patienceOf(patience)} as patient_until
      from checks c
      join (${monitorsOf(search, sql`a.active ${keySpanSql(span, 'a')}`)}) a on a.org_id = c.org_id and a.check_id = c.check_id
      -- Looked up by its index, check by check: a join was planned badly as long as the table had no statistics.
      cross join lateral (
        select watched_since from check_schedules s
        where s.org_id = c.org_id and s.check_id = c.check_id and s.until is null limit 1) s
      where c.enabled and not c.deleted ${keySpanSql(span, 'c')}
    ) w
    -- Also by its index for each check: the planner expects one check, and would read all organisations for each that there is.
    cross join lateral (select name from organisations where org_id = w.org_id and suspended_at is null limit 1) o
    left join check_states s on s.org_id = w.org_id and s.check_id = w.check_id
    left join incidents i on i.org_id = w.org_id and i.check_id = w.check_id and i.ended_at is null
    where (s.unmonitored_since is null or s.unmonitored_quietly and not w.is_covered)
      and case when w.is_off then w.off_since <= ${search.onlineSince}::timestamptz
        else w.is_seen and w.since <= w.patient_until and ${isUnheard} end
    order by w.org_id, w.check_id`
  return withoutWorkers(db, async (some) => (await asked.execute(some)).rows)
}

/** Lists checks of a span like {@link listSilentChecks}, but those whose enabled monitors all lack an ability. */
export async function listUnableChecks(db: Db, { onlineSince }: SilenceSearch, span: KeySpan): Promise<SilentCheck[]> {
  const { rows } = await sql<SilentCheck>`
    select c.org_id, c.check_id, c.guid, c.name, c.url, c.interval_sec, c.timeout_sec, 0 as monitors, true as is_off,
      false as is_covered, o.name as org_name, wire_time(w.watched_since) as watched_since,
      wire_time(i.began_at) as down_since, null as refused_at,
      json_build_object('needs', needs_of(c.needs, c.url), 'monitors', a.abilities) as unable
    from (
      select a.org_id, a.check_id, json_agg(m.abilities) as abilities
      from assignments a join monitors m on m.id = a.monitor_id and ${ACTIVE}
      where a.unable ${keySpanSql(span, 'a')} group by a.org_id, a.check_id) a
    join checks c on c.org_id = a.org_id and c.check_id = a.check_id and c.enabled and not c.deleted
    join organisations o on o.org_id = a.org_id and o.suspended_at is null
    join check_schedules w on w.org_id = a.org_id and w.check_id = a.check_id and w.until is null
    left join check_states s on s.org_id = a.org_id and s.check_id = a.check_id
    left join incidents i on i.org_id = a.org_id and i.check_id = a.check_id and i.ended_at is null
    where (s.unmonitored_since is null or s.unmonitored_quietly) and w.watched_since <= ${onlineSince}::timestamptz
      and not exists (
        select from assignments b join monitors m on m.id = b.monitor_id and ${ACTIVE}
        where b.org_id = a.org_id and b.check_id = a.check_id and b.active)
    order by c.org_id, c.check_id`.execute(db)
  return rows
}

/**
 * Runs statements without parallel workers of Postgres, which overestimates the work: for a few thousand checks, three processes
 * ran for 0.2 s while uploads waited for a processor.
 */
function withoutWorkers<Answer>(db: Db, work: (db: Db) => Promise<Answer>): Promise<Answer> {
  const alone = async (trx: Db): Promise<Answer> => {
    await sql`set local max_parallel_workers_per_gather = 0`.execute(trx)
    return work(trx)
  }
  return db.isTransaction ? alone(db) : db.transaction().execute(alone)
}

const asSilent = ({ patient_until: _, online: __, ...check }: MaybeSilent): SilentCheck => check

export type HeardCheck = WatchedCheck & {
  unmonitored_since: string
  /** Whether no alert about the unmonitored check was sent. */
  is_quiet: boolean
  ran_at: string
  down_since: string | null
}

/** Lists unmonitored checks that are monitored again, because an online monitor has run them recently enough. */
export async function listHeardChecks(db: Db, search: SilenceSearch): Promise<HeardCheck[]> {
  const { now, patience } = search
  const { rows } = await sql<Omit<HeardCheck, 'ran_at'> & { since: string; online: string }>`
    select c.org_id, c.check_id, c.guid, c.name, c.url, o.name as org_name, c.interval_sec, c.timeout_sec, a.monitors,
      wire_time(s.unmonitored_since) as unmonitored_since, s.unmonitored_quietly as is_quiet,
      wire_time(i.began_at) as down_since, wire_time(${now}::timestamptz - ${patienceOf(patience)}) as since,
      array_to_string(a.online, ' ') as online
    from check_states s
    join checks c on c.org_id = s.org_id and c.check_id = s.check_id
    join organisations o on o.org_id = c.org_id and o.suspended_at is null
    left join incidents i on i.org_id = s.org_id and i.check_id = s.check_id and i.ended_at is null
    cross join lateral (
      ${monitorsOf(search, sql`a.org_id = s.org_id and a.check_id = s.check_id and a.active`)}) a
    where s.unmonitored_since is not null and c.enabled and not c.deleted and a.online is not null
    order by c.org_id, c.check_id`.execute(db)
  const { rows: newest } = await listHeard(db, rows, now)
  const ranAt = new Map(newest.map(({ check_id, ran_at }) => [check_id, ran_at]))
  return rows.flatMap(({ since: _, online: __, ...check }) => {
    const ran_at = ranAt.get(check.check_id)
    return ran_at === undefined ? [] : [{ ...check, ran_at }]
  })
}

/** Lists checks that are down without an enabled monitor, because people unassigned, disabled or retired all of theirs. */
export async function listUnrunDown(db: Db): Promise<CheckKey[]> {
  const { rows } = await sql<CheckKey>`
    select i.org_id, i.check_id from incidents i
    where i.ended_at is null and i.check_id is not null and not exists (
      select from assignments a join monitors m on m.id = a.monitor_id and ${ACTIVE}
      where a.org_id = i.org_id and a.check_id = i.check_id and ${IS_ASSIGNED_SQL})
      and not exists (select from checks c where c.org_id = i.org_id and c.check_id = i.check_id and c.judged_by_server)
    limit 500`.execute(db)
  return rows
}

export interface LiveCheck {
  check_id: number
  name: string
  url: string
}

/** Locks those of the given checks that are enabled, so that no one can pause or delete them before the transaction ends. */
export async function lockLiveChecks(db: Db, org_id: number, check_ids: readonly number[]): Promise<LiveCheck[]> {
  const { rows } = await sql<LiveCheck>`
    select check_id, name, url from checks
    where org_id = ${org_id} and check_id = any(${[...check_ids]}::bigint[]) and enabled and not deleted
    order by check_id for share`.execute(db)
  return rows
}

/**
 * Records since when checks are unmonitored, and returns those that need an alert. Covered checks need none, because the alert
 * about their monitors covers them. A recorded check that is no longer covered is also returned.
 */
export async function updateUnmonitored(
  db: Db,
  org_id: number,
  checks: readonly { check_id: number; since: string; is_covered: boolean }[],
): Promise<number[]> {
  const { rows } = await sql<{ check_id: number }>`
    insert into check_states as s (org_id, check_id, unmonitored_since, unmonitored_quietly)
    select ${org_id}::bigint, check_id, since, is_covered
    from ${rowsSql(checks, { check_id: 'bigint', since: 'timestamptz', is_covered: 'boolean' })}
    order by check_id
    on conflict (org_id, check_id) do update set
      unmonitored_since = coalesce(s.unmonitored_since, excluded.unmonitored_since),
      unmonitored_quietly = excluded.unmonitored_quietly
      where s.unmonitored_since is null or s.unmonitored_quietly and not excluded.unmonitored_quietly
    returning check_id`.execute(db)
  return rows.map(({ check_id }) => check_id)
}

/** Records that checks are monitored again. Returns those that this changed. */
export async function updateMonitored(db: Db, org_id: number, check_ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ check_id: number }>`
    with held as (
      select org_id, check_id from check_states
      where org_id = ${org_id} and check_id = any(${[...check_ids]}::bigint[])
      order by check_id for update
    )
    update check_states s set unmonitored_since = null, unmonitored_quietly = false from held
    where s.org_id = held.org_id and s.check_id = held.check_id and s.unmonitored_since is not null
    returning s.check_id`.execute(db)
  return rows.map(({ check_id }) => check_id)
}

/** Lists the checks of an organisation that people know to be unmonitored, those that have been so for longest first. */
export async function listUnmonitored(
  db: Db,
  org_id: number,
): Promise<{ check_id: number; guid: string; name: string; since: string }[]> {
  const { rows } = await sql<{ check_id: number; guid: string; name: string; since: string }>`
    select c.check_id, c.guid, c.name, wire_time(s.unmonitored_since) as since
    from check_states s join checks c on c.org_id = s.org_id and c.check_id = s.check_id
    where s.org_id = ${org_id} and s.unmonitored_since is not null and not s.unmonitored_quietly
      and c.enabled and not c.deleted
    order by s.unmonitored_since, c.check_id`.execute(db)
  return rows
}

/** Forgets that checks without a monitor were unmonitored. Causes no alert. */
export async function forgetUnassigned(db: Db): Promise<void> {
  await sql`
    update check_states s set unmonitored_since = null, unmonitored_quietly = false
    where s.unmonitored_since is not null and not exists (
      select from assignments a where a.org_id = s.org_id and a.check_id = s.check_id and ${IS_ASSIGNED_SQL})
      and not exists (select from checks c where c.org_id = s.org_id and c.check_id = s.check_id and c.judged_by_server)`.execute(
    db,
  )
}

/** Returns SQL that selects facts about the monitors of each check. `online` is null if none is online. */
function monitorsOf({ onlineSince, seenSince }: SilenceSearch, which: RawBuilder<unknown>): RawBuilder<unknown> {
  const seen = sql`coalesce(greatest(m.last_seen_at, m.enrolled_at), m.enrolled_at)`
  const isOnline = sql`${ACTIVE} and m.last_seen_at > ${onlineSince}::timestamptz`
  return sql`
    select a.org_id, a.check_id, (count(*) filter (where ${ACTIVE}))::integer as monitors,
      array_agg(m.id) filter (where ${isOnline}) as online,
      bool_or(${isOnline} and m.last_seen_at >= ${seenSince}::timestamptz) as is_seen,
      max(${seen}) filter (where ${ACTIVE}) as last_seen,
      max(${seen}) filter (where ${IS_WATCHED}) as told_seen,
      max(m.watched_since) filter (where ${ACTIVE}) as back_since,
      max(q.refused_at) filter (where ${ACTIVE}) as refused_at
    from assignments a join monitors m on m.id = a.monitor_id left join refused_requests q on q.monitor_id = m.id
    where ${which} group by a.org_id, a.check_id`
}

function patienceOf({ turns, timeout_sec, slack_sec, least_sec }: Patience): RawBuilder<unknown> {
  return sql`make_interval(secs => greatest(${least_sec}::bigint,
    ${turns}::bigint * c.interval_sec * greatest(a.monitors, 1)
      + coalesce(nullif(c.timeout_sec, 0), ${timeout_sec}::bigint) + ${slack_sec}::bigint))`
}
