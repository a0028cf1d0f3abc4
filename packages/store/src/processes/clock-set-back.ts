// Repairs times that were stored while the database's clock was ahead, and whose rows would otherwise wait until the
// clock reaches them.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { budgetsBackToNow } from '../results/result-budgets.ts'
import { wireTime } from '../wire-time.ts'

export interface SetBack {
  now: string
  /** Time beyond which all stored times came from a wrong clock. */
  limit: string
}

/**
 * Time after a clock was set back during which wrong values can still arrive, because some processes and agents notice it later
 * than others.
 */
const AFTERMATH = "interval '15 minutes'"

/**
 * Reads how far the database's clock was ahead before it was set back, in milliseconds, from stored times. Returns undefined if it
 * was not ahead.
 */
export async function readAhead(db: Db, { now, limit }: SetBack): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from greatest(
      (select was_ahead_until - set_back_to from service_presence
        where set_back_to between ${now}::timestamptz - ${sql.raw(AFTERMATH)} and ${limit}::timestamptz),
      (select max(at) - ${now}::timestamptz from (
        select max(last_seen_at) as at from monitors
        union all select max(last_heartbeat_at) from heartbeats
        union all select max(began_at) from incidents where ended_at is null) noted
        where at > ${limit}::timestamptz))) * 1000)::float8 as ms`.execute(db)
  return rows[0]?.ms ?? undefined
}

/** Reads when the clock was last set back, as a time of the corrected clock. Returns undefined if it never was. */
export async function readSetBack(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('service_presence')
    .select((eb) => wireTime(eb.ref('set_back_to')).as('set_back_to'))
    .executeTakeFirst()
  return row?.set_back_to ?? undefined
}

/** Set-back of a clock, with its former lead `ahead_ms`. */
export interface SetBackBy extends SetBack {
  ahead_ms: number
}

/**
 * Moves incidents that ended in the future back by the former lead of the clock, but never across another incident of the same
 * check or heartbeat. Returns the number of moved incidents.
 */
export async function moveClosedIncidents(db: Db, { limit, ahead_ms }: SetBackBy): Promise<number> {
  const by = sql`${ahead_ms}::float8 * interval '1 millisecond'`
  const most = sql`${limit}::timestamptz`
  const { numAffectedRows = 0n } = await sql`
    with ahead as (
      select org_id, incident_id, check_id, heartbeat_id,
        case when began_at > ${most} then began_at - ${by} else began_at end as began,
        greatest(ended_at - ${by}, case when began_at > ${most} then began_at - ${by} else began_at end) as ended
      from incidents where ended_at > ${most}
      order by org_id, incident_id for update skip locked
    ), apart as (
      select a.*, (
        select max(o.ended_at) from incidents o
        where o.org_id = a.org_id and (o.check_id = a.check_id or o.heartbeat_id = a.heartbeat_id) and o.incident_id <> a.incident_id
          and o.ended_at <= ${most} and o.began_at < a.ended and o.ended_at > a.began) as other_ended
      from ahead a
    )
    update incidents i set began_at = greatest(a.began, a.other_ended), ended_at = greatest(a.ended, a.other_ended),
      told_at = case when i.told_at > ${most} then i.told_at - ${by} else i.told_at end
    from apart a where i.org_id = a.org_id and i.incident_id = a.incident_id`.execute(db)
  return Number(numAffectedRows)
}

/** Lists all organisations. */
export async function listOrgIds(db: Db): Promise<number[]> {
  const rows = await db.selectFrom('organisations').select('org_id').orderBy('org_id').execute()
  return rows.map(({ org_id }) => org_id)
}

const MONITOR_TIMES = ['enrolled_at', 'last_seen_at', 'offline_since', 'watched_since', 'clock_behind_since']

/**
 * Sets times of the current state that lie in the future to now. Leaves rows that another process has locked to the next run.
 * Returns the number of changed rows per table. Tables without any are absent.
 */
export async function bringBackToNow(db: Db, { now, limit }: SetBack): Promise<Record<string, number>> {
  const [at, most] = [sql`${now}::timestamptz`, sql`${limit}::timestamptz`]
  const back = (column: string) => {
    const name = sql.ref(column)
    return sql`${name} = case when ${name} > ${most} then ${at} else ${name} end`
  }
  const all = (columns: readonly string[]) => sql.join(columns.map(back))
  const any = (columns: readonly string[]) =>
    sql.join(
      columns.map((name) => sql`${sql.ref(name)} > ${most}`),
      sql` or `,
    )
  const statements: Record<string, RawBuilder<unknown>> = {
    heartbeats: sql`
      update heartbeats h set ${all(['last_heartbeat_at', 'down_since'])}
      from (select org_id, heartbeat_id from heartbeats where ${any(['last_heartbeat_at', 'down_since'])}
        for update skip locked) x
      where h.org_id = x.org_id and h.heartbeat_id = x.heartbeat_id`,
    refused_pings: sql`delete from refused_pings where refused_at > ${most}`,
    refused_requests: sql`delete from refused_requests where refused_at > ${most}`,
    // Precedes `incidents`, because judging locks both tables in this order.
    check_states: statesBackToNow(at, most),
    // Batches are due at the time at which their results were stored.
    unjudged_batches: sql`update unjudged_batches set ${all(['due_at'])} where ${any(['due_at'])}`,
    incidents: sql`
      update incidents i set ${all(['began_at', 'told_at'])}
      from (select org_id, incident_id from incidents where ended_at is null and (${any(['began_at', 'told_at'])})
        for update skip locked) x
      where i.org_id = x.org_id and i.incident_id = x.incident_id`,
    degradations: sql`
      update degradations d set ${all(['began_at'])}
      from (select org_id, degradation_id from degradations where ended_at is null and (${any(['began_at'])})
        for update skip locked) x
      where d.org_id = x.org_id and d.degradation_id = x.degradation_id`,
    check_schedules: sql`
      update check_schedules set watched_since = ${at} where until is null and watched_since > ${most}`,
    result_budgets: budgetsBackToNow(now, limit),
    monitors: sql`
      update monitors m set ${all(MONITOR_TIMES)}
      from (select id from monitors where ${any(MONITOR_TIMES)}
        for update skip locked) x
      where m.id = x.id`,
    failing_monitors: sql`
      update failing_monitors set ${all(['suspected_at', 'began_at'])} where ${any(['suspected_at', 'began_at'])}`,
    // The alerts are decided again, and their waiting time is counted from now.
    planned_alerts: sql`
      update planned_alerts p set due_at = ${at}, created_at = ${at}
      from (select org_id, event_id, channel_id from planned_alerts where ${any(['created_at'])} for update skip locked) x
      where p.org_id = x.org_id and p.event_id = x.event_id and p.channel_id = x.channel_id`,
    deliveries: sql`
      update deliveries d set next_attempt_at = ${at}, leased_until = null, planned_at = null, not_before = null
      from (select org_id, delivery_id from deliveries where state = 'pending' and (
          (${any(['created_at', 'last_attempt_at'])}) and next_attempt_at > ${most}
          -- Claimed by a worker that went by that time, and was killed.
          or leased_until > ${most} + interval '1 minute')
        for update skip locked) x
      where d.org_id = x.org_id and d.delivery_id = x.delivery_id`,
  }
  const moved: Record<string, number> = {}
  for (const [table, statement] of Object.entries(statements)) {
    const { numAffectedRows = 0n } = await statement.execute(db)
    if (numAffectedRows > 0n) moved[table] = Number(numAffectedRows)
  }
  return moved
}

/**
 * Maximum time until the next judging of a check of `check_states s`, if no clock is wrong: for a certificate that must last
 * (update-degraded.ts), until flapping ends (flapping.ts), or for a monitor that is catching up (judging.ts).
 */
const LONGEST_WAIT = sql.raw(`case
    when exists (select from degradations d where d.org_id = s.org_id and d.check_id = s.check_id and d.kind = 'certificate' and d.ended_at is null)
      then interval '1 hour'
    when s.flapping_since is not null then interval '30 minutes'
    else interval '5 minutes' end`)

/**
 * Builds the update of check states. Sets the beginning of open incidents to now, so that only later results end them. Drops
 * recorded changes of state in the future, which would keep a check flapping. A flapping check can settle from now on.
 */
function statesBackToNow(at: RawBuilder<unknown>, most: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    update check_states s set unmonitored_since = case when s.unmonitored_since > ${most} then ${at} else s.unmonitored_since end,
      changes = case when x.has_changed then '[]' else s.changes end,
      flapping_since = case when x.has_changed and s.flapping_since is not null then ${at} else s.flapping_since end,
      judged_from = case when x.is_ahead or s.judged_from > ${most} then ${at} + interval '1 microsecond' else s.judged_from end,
      quorum_since = case when s.quorum_since > ${most} then ${at} else s.quorum_since end,
      quorum_left = case when s.quorum_since > ${most} then '{}' else s.quorum_left end,
      rejudge_at = case when s.rejudge_at is null then null else ${at} end
    from (select s.org_id, s.check_id, coalesce(i.began_at > ${most}, false) as is_ahead, c.has_changed
      from check_states s
      left join incidents i on i.org_id = s.org_id and i.check_id = s.check_id and i.ended_at is null
      cross join lateral (
        select coalesce(s.flapping_since > ${most}, false) or exists (
          select from jsonb_array_elements_text(s.changes) one where one::timestamptz > ${most}) as has_changed) c
      where s.judged_from > ${most} or s.unmonitored_since > ${most} or s.quorum_since > ${most} or i.began_at > ${most} or c.has_changed
        or s.rejudge_at > ${most} + interval '5 minutes' and s.rejudge_at > ${most} + ${LONGEST_WAIT}
      order by s.org_id, s.check_id for update of s) x
    where s.org_id = x.org_id and s.check_id = x.check_id`
}

/**
 * Restores budgets of alerts that were used while the clock was ahead, so that they recover from now on. Otherwise summaries would
 * replace all alerts until the time has caught up.
 */
export async function bringBackBudgets(db: Db, { now, limit, ahead_ms }: SetBackBy): Promise<void> {
  await sql`
    with ahead as (
      select key from rate_limits where key like 'alerts-%' and tat > ${limit}::timestamptz order by key for update skip locked
    )
    update rate_limits r set tat = greatest(${now}::timestamptz, r.tat - ${ahead_ms}::float8 * interval '1 millisecond')
    from ahead where r.key = ahead.key`.execute(db)
}
