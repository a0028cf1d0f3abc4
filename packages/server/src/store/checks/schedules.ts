// How often checks are to run: the current setting and earlier ones.
import { type RawBuilder, sql } from 'kysely'
import type { CheckKey } from './check-health.ts'
import type { Database, Db } from '../database.ts'
import { type KeySpan, isWithin } from './key-spans.ts'
import { ACTIVE } from './monitor-presence.ts'
import { isRunning } from '../accounts/suspension.ts'

/** A live check whose schedule differs from the recorded one; `interval_sec` is null when it is not to run. */
export interface ScheduleChange extends CheckKey {
  interval_sec: number | null
  run_by: string | null
  created_at: string | null
  /** Whether one of its recorded schedules lasts. Those of a check that was paused have ended. */
  has_lasting: boolean
}

/**
 * Checks that were created, changed, paused, resumed, deleted or given to other monitors since schedules were last
 * recorded, as far as they are in a span.
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
        where a.active ${isWithin(span, 'a')} group by a.org_id, a.check_id) a using (org_id, check_id)
      where c.enabled and not c.deleted and ${isRunning('c')} ${isWithin(span, 'c')}) live
    full join (select * from check_schedules s where until is null ${isWithin(span, 's')}) s using (org_id, check_id)
    where s.since is null or live.interval_sec is null or s.interval_sec <> live.interval_sec or s.run_by <> live.run_by
      -- Noted by a clock that was ahead: nothing would be missed until then.
      or s.watched_since > ${now}::timestamptz + interval '1 minute'
    order by org_id, check_id`.execute(db)
  return rows
}

/** Records the current schedules of checks. When several processes do so, one of them does the work. */
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
  sql`unnest(${changes.map((one) => one.org_id)}::bigint[], ${changes.map((one) => one.check_id)}::bigint[],
    ${changes.map((one) => one.interval_sec)}::integer[], ${changes.map((one) => one.run_by)}::bigint[],
    ${changes.map((one) => one.created_at)}::timestamptz[]) as k(org_id, check_id, interval_sec, run_by, created_at)`

/** A time in which a check was to run once per interval. */
export interface ScheduleRow {
  check_id: number
  since: string
  /** Null while it lasts. */
  until: string | null
  interval_sec: number
}

const schedules = (which: string): string => `
  select s.check_id, wire_time(s.since) as since, wire_time(s.until) as until, s.interval_sec
  from check_schedules s
  where s.org_id = $1 and (s.until is null or s.until > $2::timestamptz) ${which}
  order by s.check_id, s.since`
const SCHEDULES = { name: 'check-schedules', text: schedules('') }
// If Postgres saw the list, it would plan anew for each.
const SCHEDULES_OF = {
  name: 'check-schedules-of',
  text: schedules('and s.check_id = any((select $3::bigint[])::bigint[])'),
}

/** The schedules of an org's checks, or of some of them, that ended after an instant, oldest first. */
export async function listSchedules(
  { pools }: Database,
  org_id: number,
  after: string,
  check_ids?: readonly number[],
): Promise<ScheduleRow[]> {
  const { rows } = await pools.machines.query<ScheduleRow>(
    check_ids
      ? { ...SCHEDULES_OF, values: [org_id, after, [...check_ids]] }
      : { ...SCHEDULES, values: [org_id, after] },
  )
  return rows
}
