// Reads which checks depend on others, and the state of these other checks and monitors.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { openReader, type ResultQuery } from '../results/reader.ts'
import { ACTIVE } from './monitor-presence.ts'

export interface Dependency {
  guid: string
  depends_on: string
}

/** Lists an organisation's checks that depend on a check or monitor. */
export async function listDependencies(db: Db, org_id: number): Promise<Dependency[]> {
  const { rows } = await sql<Dependency>`
    select guid, depends_on from checks where org_id = ${org_id} and depends_on <> '' and not deleted`.execute(db)
  return rows
}

/** Whether a text names a check of the organisation, or a monitor that the organisation may see. */
export async function isDependable(db: Db, org_id: number, named: string): Promise<boolean> {
  const { rows } = await sql`
    select from checks where org_id = ${org_id} and guid = ${named} and not deleted
    union all
    select from monitors where id = ${named} and (org_id = ${org_id} or org_id is null) and retired_at is null
    limit 1`.execute(db)
  return rows.length > 0
}

/** Removes all dependencies on these checks or monitors. */
export async function clearDependents(db: Db, org_id: number, named: readonly string[]): Promise<void> {
  await sql`
    update checks set depends_on = ''
    where org_id = ${org_id} and depends_on <> '' and depends_on = any(${[...named]}::text[])`.execute(db)
}

/** A check, called the dependent, and the check or monitor that it depends on, called the other, in their current state. */
export interface DependentRow {
  check_id: number
  depends_on: string
  /** Name of the other check or monitor. */
  name: string
  /** Whether the other check is down. */
  is_down: boolean
  /** Time since which the other monitor is offline. Null if it is online, shared, or a check. */
  offline_since: string | null
  /** Whether the other check runs at an enabled monitor, or the other monitor is enabled. */
  is_watched: boolean
  /** End of the other check's last incident. Null if that was long ago, or the other is a monitor. */
  ended_at: string | null
  /** Interval of the other check in seconds: 1 if the server judges it. Null if it does not run, or the other is a monitor. */
  interval_sec: number | null
  /** Interval of the dependent check in seconds: 1 if the server judges it. */
  own_interval_sec: number
  /** Failure threshold of the other check. 0 means 1. */
  needed: number
  /** Time of the other check's last success. Null if that was long ago. */
  succeeded_at: string | null
  /** Time of the dependent check's last run. Null if that was long ago. */
  own_ran_at: string | null
  /** Time since which the dependent check is down. */
  down_since: string | null
}

/**
 * Lists those of the given checks that depend on an existing check or monitor. Searches results and incidents from `recent` on.
 */
export async function listDependents(
  db: Db,
  org_id: number,
  check_ids: readonly number[],
  recent: string,
): Promise<DependentRow[]> {
  const results = await openReader(db)
  const since = sql`${recent}::timestamptz`
  const latest = (check: RawBuilder<unknown>, which?: RawBuilder<unknown>) => {
    const wanted: ResultQuery = {
      columns: ['ran_at', 'success'],
      ...{ org: sql`${org_id}`, check, from: since },
      where: sql`r.ran_at > ${since}`,
      ...(which && { which }),
      ...{ order: 'desc', limit: '1' },
    }
    return sql`(select wire_time(max(r.ran_at)) from (${results.of(wanted)}) r)`
  }
  const { rows } = await sql<DependentRow>`
    with dependent as materialized (
    select c.check_id, c.depends_on, coalesce(o.name, m.name) as name, o.check_id as other_id,
      i.incident_id is not null as is_down,
      case when m.org_id is not null then wire_time(m.offline_since) end as offline_since,
      case when o.check_id is null then ${ACTIVE} else u.unmonitored_since is null and (o.judged_by_server or exists (
        select 1 from assignments a join monitors m on m.id = a.monitor_id and ${ACTIVE}
        where a.org_id = o.org_id and a.check_id = o.check_id and a.active)) end as is_watched,
      (select wire_time(max(e.ended_at)) from incidents e
        where e.org_id = c.org_id and e.check_id = o.check_id and e.ended_at > ${recent}::timestamptz) as ended_at,
      case when o.enabled then case when o.judged_by_server then 1 else o.interval_sec end end as interval_sec,
      case when c.judged_by_server then 1 else c.interval_sec end as own_interval_sec,
      coalesce(o.down_interval_sec, 0) as needed, wire_time(own.began_at) as down_since
    from checks c
    left join checks o on o.org_id = c.org_id and o.guid = c.depends_on and not o.deleted
    left join incidents i on i.org_id = o.org_id and i.check_id = o.check_id and i.ended_at is null
    left join check_states u on u.org_id = o.org_id and u.check_id = o.check_id
    left join incidents own on own.org_id = c.org_id and own.check_id = c.check_id and own.ended_at is null
    left join monitors m on m.id = c.depends_on and (m.org_id = c.org_id or m.org_id is null) and m.retired_at is null
    where c.org_id = ${org_id} and c.check_id = any(${[...check_ids]}::bigint[]) and c.depends_on <> ''
      and (o.check_id is not null or m.id is not null))
    select check_id, depends_on, name, is_down, offline_since, is_watched, ended_at, interval_sec, own_interval_sec, needed, down_since,
      ${latest(sql`d.other_id`, sql`r.success`)} as succeeded_at, ${latest(sql`d.check_id`)} as own_ran_at
    from dependent d`.execute(db)
  return rows
}
