// Checks that fail, and are not down yet.
import type { Database } from '../database.ts'
import { LATELY, NEWEST } from './check-overview.ts'

export interface FailingCheck {
  check_id: number
  guid: string
  name: string
  /** When its newest result ran. */
  at: string
}

/**
 * Only checks that are up otherwise: those that are down, degraded, paused or without fresh results have a state of their own. Whoever stores
 * a failure judges its check, at most ten minutes of clock error before it ran, so only checks that were judged lately are looked at.
 */
const FAILING = {
  name: 'failing-checks',
  text: `
    select c.check_id, c.guid, c.name, wire_time(newest.at) as at
    from check_states judged
    join checks c on c.org_id = judged.org_id and c.check_id = judged.check_id ${NEWEST}
    where judged.org_id = $1 and judged.judged_at > ${LATELY} - interval '10 minutes' and c.enabled and not c.deleted and not newest.success
      and exists (
        select from assignments a join monitors m on m.id = a.monitor_id and m.enabled and m.platform_enabled
        where a.org_id = $1 and a.check_id = c.check_id and a.active)
      and not exists (select from incidents i where i.org_id = $1 and i.check_id = c.check_id and i.ended_at is null)
      and not exists (
        select from check_states s where s.org_id = $1 and s.check_id = c.check_id and s.unmonitored_since is not null)
      and not exists (select from degradations d where d.org_id = $1 and d.check_id = c.check_id and d.ended_at is null)
      and not exists (select from service_presence where judged_at < (select $2::timestamptz) - interval '13 minutes')
      and newest.at > coalesce((
        select case when n.end_reason in ('disabled', 'deleted') then n.ended_at end from incidents n
        where n.org_id = $1 and n.check_id = c.check_id and n.ended_at is not null
        order by n.began_at desc limit 1), '-infinity')
    order by newest.at desc, c.check_id`,
}

/** Those whose newest result failed last come first. One look at the newest result of each check that was judged lately. */
export async function listFailingChecks({ pools }: Database, org_id: number, until: string): Promise<FailingCheck[]> {
  const { rows } = await pools.machines.query<FailingCheck>({ ...FAILING, values: [org_id, until] })
  return rows
}
