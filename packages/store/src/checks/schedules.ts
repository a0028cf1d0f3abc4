// Records how often checks must run, in schedules: the current one of each check and earlier ones.
import { type RawBuilder, sql } from 'kysely'
import { notSuspendedSql } from '../accounts/suspension.ts'
import { type CheckKey, KEY_COLUMNS } from '../check-keys.ts'
import type { Database, Db } from '../database.ts'
import { rowsSql } from '../rows-sql.ts'
import { type KeySpan, keySpanSql } from './key-spans.ts'
import { ACTIVE } from './monitor-presence.ts'

/** Check whose schedule differs from the recorded one. `interval_sec` is null if the check must not run. */
export interface ScheduleChange extends CheckKey {
  interval_sec: number | null
  run_by: string | null
  created_at: string | null
  /** Whether a recorded schedule of the check has not ended. All schedules of a paused check have. */
  has_lasting: boolean
}

/**
 * Lists checks of a key range whose schedule differs from the recorded one, because someone created, changed, paused, resumed or
 * deleted the check, or gave it other monitors.
 */
export async function listScheduleChanges(db: Db, now: string, span: KeySpan): Promise<ScheduleChange[]> {
  const { rows } = await sql<ScheduleChange>`
    select org_id, check_id, live.interval_sec, live.run_by::text as run_by, wire_time(live.created_at) as created_at,
      s.since is not null as has_lasting
    from (
      select c.org_id, c.check_id, c.interval_sec, c.created_at, coalesce(a.run_by, 0) as run_by
      from checks c
      left join (
        select a.org_id, a.check_id, bit_xor(hashtextextended(a.monitor_id, 0)) as run_by
        from assignments a join monitors m on m.id = a.monitor_id and ${ACTIVE}
        where a.active ${keySpanSql(span, 'a')} group by a.org_id, a.check_id) a using (org_id, check_id)
      where c.enabled and not c.deleted and ${notSuspendedSql('c')} ${keySpanSql(span, 'c')}) live
    full join (select * from check_schedules s where until is null ${keySpanSql(span, 's')}) s using (org_id, check_id)
    where s.since is null or live.interval_sec is null or s.interval_sec <> live.interval_sec or s.run_by <> live.run_by
      -- Noted by a clock that was ahead: nothing would be missed until then.
      or s.watched_since > ${now}::timestamptz + interval '1 minute'
    order by org_id, check_id`.execute(db)
  return rows
}

/** Records the current schedules of checks. If several processes do so, one of them does the work. */
export async function updateSchedules(db: Db, changes: readonly ScheduleChange[], now: string): Promise<void> {
  const lasting = changes.filter(({ has_lasting }) => has_lasting)
  if (lasting.length > 0) await updateLasting(db, lasting, now)
  // The first schedule of a check begins with the check.
  await sql`
    insert into check_schedules (org_id, check_id, since, interval_sec, run_by, watched_since)
    select k.org_id, k.check_id,
      case when exists (select from check_schedules s where s.org_id = k.org_id and s.check_id = k.check_id)
        then ${now}::timestamptz else least(k.created_at, ${now}::timestamptz) end,
      k.interval_sec, k.run_by, ${now}::timestamptz
    from ${changeRows(changes)}
    where k.interval_sec is not null
    order by k.org_id, k.check_id
    on conflict do nothing`.execute(db)
  await mergeCrowded(db, changes)
}

/** Maximum number of a check's schedules that can begin on one day (UTC). */
const MOST_A_DAY = 12

/**
 * Merges the 12th and later schedules of a check that begin on one day. Keeps their total duration and the number of runs that
 * were due, but not when on that day they were due.
 */
async function mergeCrowded(db: Db, changes: readonly ScheduleChange[]): Promise<void> {
  const key = sql`org_id, check_id, date_trunc('day', since, 'UTC')`
  await sql`
    with ranked as materialized (
      select s.*, extract(epoch from until - since) as lasted, row_number() over (partition by ${key} order by since) as n
      from check_schedules s
      where (org_id, check_id) in (select k.org_id, k.check_id from ${changeRows(changes)}) and until is not null
    ), merged as materialized (
      select org_id, check_id, min(since) as since, sum(lasted) as lasted, sum(coalesce(due, lasted / interval_sec)) as due
      from ranked where n >= ${MOST_A_DAY} group by org_id, check_id, date_trunc('day', since, 'UTC') having count(*) > 1
    ), deleted as (
      delete from check_schedules s using ranked r
      where r.n > ${MOST_A_DAY} and s.org_id = r.org_id and s.check_id = r.check_id and s.since = r.since
    )
    update check_schedules s set until = m.since + make_interval(secs => m.lasted::float8), due = m.due,
      interval_sec = case when m.due > 0 then greatest(1, round(m.lasted / m.due))::integer else s.interval_sec end
    from merged m where s.org_id = m.org_id and s.check_id = m.check_id and s.since = m.since`.execute(db)
}

async function updateLasting(db: Db, changes: readonly ScheduleChange[], now: string): Promise<void> {
  const given = changeRows(changes)
  await sql`
    update check_schedules s set until = greatest(s.since, ${now}::timestamptz) from ${given}
    where s.org_id = k.org_id and s.check_id = k.check_id and s.until is null
      and s.interval_sec is distinct from k.interval_sec`.execute(db)
  await sql`
    update check_schedules s set run_by = k.run_by, watched_since = ${now}::timestamptz from ${given}
    where s.org_id = k.org_id and s.check_id = k.check_id and s.until is null
      and (s.run_by <> k.run_by or s.watched_since > ${now}::timestamptz + interval '1 minute')`.execute(db)
}

const changeRows = (changes: readonly ScheduleChange[]): RawBuilder<unknown> =>
  rowsSql(changes, { ...KEY_COLUMNS, interval_sec: 'integer', run_by: 'bigint', created_at: 'timestamptz' })

/** Schedules of a check, oldest first, in milliseconds. */
export interface SchedulesRow {
  check_id: number
  /** Start, end and interval of each schedule. The end is null for a schedule that has not ended. */
  schedules: (readonly [since: number, until: number | null, interval: number])[]
}

// Hides the list from the planner, which would otherwise make a new plan for each list.
const SCHEDULES = {
  name: 'check-schedules-of',
  text: `
    select s.check_id, json_agg(json_build_array(
      floor(extract(epoch from s.since) * 1000)::bigint, floor(extract(epoch from s.until) * 1000)::bigint,
      coalesce(extract(epoch from s.until - s.since) / nullif(s.due, 0), s.interval_sec) * 1000) order by s.since) as schedules
    from check_schedules s
    where s.org_id = $1 and (s.until is null or s.until > $2::timestamptz)
      and s.check_id = any((select $3::bigint[])::bigint[])
    group by s.check_id`,
}

/** Lists the schedules of checks that have not ended, or ended after an instant. */
export async function listSchedules(
  { pools }: Database,
  org_id: number,
  after: string,
  check_ids: readonly number[],
): Promise<SchedulesRow[]> {
  const values = [org_id, after, [...check_ids]]
  const { rows } = await pools.machines.query<SchedulesRow>({ ...SCHEDULES, values })
  return rows
}
