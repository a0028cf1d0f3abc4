// Finds checks that fail and are not down yet.
import type { Database } from '../database.ts'
import { type FailingCandidate, listFailing } from '../results/failing.ts'

export interface FailingCheck {
  check_id: number
  guid: string
  name: string
  /** Time of the check's newest failure. */
  at: string
}

type JudgedCheck = FailingCandidate & Pick<FailingCheck, 'guid' | 'name'>

/**
 * Selects the checks that were judged lately and are otherwise up, because down, degraded, paused and unmonitored checks have a
 * state of their own. $2 is ten minutes ahead, so that results of fast clocks count as well.
 */
// A stored failure always leads to judging its check, so a check that was not judged lately has no recent one.
const judgedLately = (some: string) => `
    with judged as materialized (
      select c.check_id, c.guid, c.name, c.interval_sec, judged.judged_at,
        greatest(judged.judged_from, (
          select n.ended_at from incidents n
          where n.org_id = $1 and n.check_id = c.check_id and n.ended_at is not null
          order by n.began_at desc limit 1)) as judged_from,
        array(select a.monitor_id from assignments a join monitors m on m.id = a.monitor_id and m.enabled and m.platform_enabled
          where a.org_id = $1 and a.check_id = c.check_id and a.active) as active
      from check_states judged join checks c on c.org_id = judged.org_id and c.check_id = judged.check_id
      where judged.org_id = $1 ${some} and judged.unmonitored_since is null and c.enabled and not c.deleted
        and judged.judged_at > (select $2::timestamptz) - interval '16 minutes' - c.interval_sec * interval '3 seconds' * (
          select count(*) from monitors m where (m.org_id = $1 or m.org_id is null) and m.enabled and m.platform_enabled)
        and not exists (select 1 from incidents i where i.org_id = $1 and i.check_id = c.check_id and i.ended_at is null)
        and not exists (select 1 from degradations d where d.org_id = $1 and d.check_id = c.check_id and d.ended_at is null)
        and not exists (select 1 from service_presence where judged_at < (select $2::timestamptz) - interval '13 minutes')),
    others as materialized (
      select j.*, (select $2::timestamptz) - interval '10 minutes'
        - greatest(interval '5 minutes', j.interval_sec * cardinality(j.active) * interval '3 seconds') as fresh_from
      from judged j)
    select o.check_id, o.guid, o.name, wire_time(o.judged_from) as judged_from, wire_time(o.fresh_from) as fresh_from, o.active
    from others o where o.judged_at > o.fresh_from - interval '1 minute'`

const JUDGED = { name: 'checks-judged-lately', text: judgedLately('') }
const JUDGED_ONE = { name: 'check-judged-lately', text: judgedLately('and judged.check_id = $3') }
/**
 * Lists the checks whose newest result failed or that failed twice in a row at some monitor, the newest failure first.
 * `check_id`: only this check.
 */
export async function listFailingChecks(
  database: Database,
  org_id: number,
  until: string,
  check_id?: number,
): Promise<FailingCheck[]> {
  const { machines } = database.pools
  const { rows: judged } = await machines.query<JudgedCheck>(
    check_id === undefined
      ? { ...JUDGED, values: [org_id, until] }
      : { ...JUDGED_ONE, values: [org_id, until, check_id] },
  )
  const rows = await listFailing(database, org_id, until, judged)
  const known = new Map(judged.map((one) => [one.check_id, one]))
  return rows.flatMap(({ check_id, at }) => {
    const its = known.get(check_id)
    return its === undefined ? [] : [{ check_id, guid: its.guid, name: its.name, at }]
  })
}
