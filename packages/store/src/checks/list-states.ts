// Reads what a list of checks shows of every check of an organisation, as cheaply as possible.
import type { Database } from '../database.ts'
import type { OverviewRow } from './check-overview.ts'

export interface ListState
  extends Pick<OverviewRow, 'check_id' | 'guid' | 'name' | 'enabled' | 'monitors'>,
    Pick<OverviewRow, 'down_since' | 'unmonitored_since' | 'degraded_since'> {
  url: string
  key: string | null
  /** Tags of the check. Null if it has none. */
  tags: string[] | null
  /** Number of assigned, enabled monitors that lack an ability. */
  unable: number
  /** Whether only the check's newest result can show its state. */
  needs_result: boolean
}

/**
 * Statement that reads no results. A check whose monitors have been online for an hour and three rounds has a result or is
 * unmonitored. If no worker has looked for unmonitored checks for three minutes, all checks count as unmonitored.
 */
const LIST_STATES = {
  name: 'list-states',
  text: `
    select c.check_id, c.guid, c.name, c.url, c.key, nullif(c.tags, '{}') as tags, c.enabled,
      case when c.judged_by_server then 1 else coalesce(a.monitors, 0) end as monitors,
      coalesce(u.unable, 0) as unable,
      wire_time(i.began_at) as down_since, wire_time(coalesce(s.unmonitored_since, unjudged.judged_at)) as unmonitored_since,
      wire_time(d.since) as degraded_since,
      c.enabled and (a.monitors is null or w.watched_since is null
        or w.watched_since > $2::timestamptz - greatest(interval '1 hour', c.interval_sec * a.monitors * interval '3 seconds'))
        as needs_result
    from checks c
    left join (
      select check_id, began_at from incidents where org_id = $1 and ended_at is null and check_id is not null) i on i.check_id = c.check_id
    left join (
      select check_id, unmonitored_since from check_states where org_id = $1 and unmonitored_since is not null) s on s.check_id = c.check_id
    left join (
      select a.check_id, count(*)::integer as monitors from assignments a join monitors m on m.id = a.monitor_id and m.enabled and m.platform_enabled
      where a.org_id = $1 and a.active group by a.check_id) a on a.check_id = c.check_id
    left join (
      select a.check_id, count(*)::integer as unable from assignments a join monitors m on m.id = a.monitor_id and m.enabled and m.platform_enabled
      where a.org_id = $1 and a.unable group by a.check_id) u on u.check_id = c.check_id
    left join (
      select check_id, min(began_at) as since from degradations where org_id = $1 and ended_at is null group by check_id) d on d.check_id = c.check_id
    left join (select check_id, watched_since from check_schedules where org_id = $1 and until is null) w on w.check_id = c.check_id
    left join (
      select judged_at from service_presence where judged_at < $2::timestamptz - interval '3 minutes') unjudged on true
    where c.org_id = $1 and not c.deleted`,
}

/** Lists the states of all checks of an organisation, in any order. */
export async function listStates({ pools }: Database, org_id: number, now: string): Promise<ListState[]> {
  const { rows } = await pools.machines.query<ListState>({ ...LIST_STATES, values: [org_id, now] })
  return rows
}
