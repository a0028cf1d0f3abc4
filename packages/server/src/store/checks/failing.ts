// Finds checks that fail and are not down yet.
import type { Database } from '../database.ts'
import type { SealedBoundary } from '../layout.ts'
import { inBothForms, resultsText, type ResultQuery } from '../stored/results-of.ts'

export interface FailingCheck {
  check_id: number
  guid: string
  name: string
  /** Time of the newest of these failures. */
  at: string
}

/** A check that might fail, as known without its results. */
interface FailingCandidate {
  check_id: number
  guid: string
  name: string
  /** Results up to this time say nothing about the present. */
  judged_from: string | null
  /** Start of the recent results. */
  fresh_from: string
  /** Ids of the active monitors of the check. */
  active: string[]
}

const COLUMNS = ['ran_at', 'monitor_id', 'success'] as const
/** Query of the recent results of the check `o`. */
const FRESH: ResultQuery<string> = {
  columns: [...COLUMNS, 'check_id'],
  ...{ org: '$1', check: 'o.check_id', known_from: '$4::timestamptz', from: 'o.fresh_from', until: '$2::timestamptz' },
  where: 'r.ran_at <= $2::timestamptz and r.ran_at >= $4::timestamptz and r.ran_at > o.fresh_from',
}
/** Query of the result that a row `s` of shifted results refers to. */
const SHIFTED = {
  columns: COLUMNS,
  ...{ org: '$1', check: 's.check_id', from: 's.ran_at', until: 's.ran_at' },
  where: 'r.ran_at = s.ran_at and r.monitor_id = s.monitor_id',
}

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
const ARE_SHIFTED = {
  name: 'are-shifted',
  text: 'select exists (select 1 from shifted_results where org_id = $1) as are_shifted',
}

/**
 * Selects the checks that fail. A single failure ends with the next success of any monitor. A monitor that fails twice in a row
 * fails until it succeeds itself, whatever the others see.
 */
// Failures count as being in a row within three rounds of the monitors, and $4 is when the first of these rounds began. It is known
// before the statement is planned, because planning for every day of a year takes longer than all else here. Results from before a
// break (an edit, a pause) or before the end of an incident say nothing about the present.
const failing = (isSealed: SealedBoundary, areShifted: boolean) => `
    select o.check_id, wire_time(seen.at) as at
    from jsonb_to_recordset($3::jsonb) as o(check_id bigint, judged_from timestamptz, fresh_from timestamptz, active text[])
    cross join lateral (
      select max(newest.at) as at from (
        select u.at, u.success, row_number() over its as nth, lead(u.success) over its as before,
          row_number() over (order by u.at desc, u.monitor_id desc) as of_all
        from (${areShifted ? shiftedAsWell(isSealed) : unshifted(isSealed)}) u
        where u.monitor_id = any(o.active) and (o.judged_from is null or u.at > o.judged_from)
        window its as (partition by u.monitor_id order by u.at desc)) newest
      where newest.nth = 1 and not newest.success and (newest.of_all = 1 or not newest.before)) seen
    where seen.at is not null ${areShifted ? '' : `and exists (select 1 from (${resultsText({ ...FRESH, which: 'not r.success' }, isSealed)}) r)`}
    order by seen.at desc, o.check_id`

const unshifted = (isSealed: SealedBoundary, which?: string) => `
          select r.ran_at as at, r.monitor_id, r.success
          from (${resultsText({ ...FRESH, ...(which !== undefined && { which }) }, isSealed)}) r`

const IS_UNSHIFTED = `not exists (
            select 1 from shifted_results s
            where s.org_id = $1 and s.check_id = r.check_id and s.ran_at = r.ran_at and s.monitor_id = r.monitor_id)`

const shiftedAsWell = (isSealed: SealedBoundary) => `${unshifted(isSealed, IS_UNSHIFTED)}
          union all
          select s.effective_at, s.monitor_id, r.success from shifted_results s
          cross join lateral (${resultsText(SHIFTED, isSealed)}) r
          where s.org_id = $1 and s.check_id = o.check_id
            and s.effective_at <= $2::timestamptz and s.effective_at > o.fresh_from`

const FAILING = inBothForms('failing-checks', (isSealed) => failing(isSealed, false))
const FAILING_SHIFTED = inBothForms('failing-checks-shifted', (isSealed) => failing(isSealed, true))

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
  const { rows: judged } = await machines.query<FailingCandidate>(
    check_id === undefined
      ? { ...JUDGED, values: [org_id, until] }
      : { ...JUDGED_ONE, values: [org_id, until, check_id] },
  )
  const [first] = judged.map(({ fresh_from }) => fresh_from).toSorted()
  if (first === undefined) return []
  const { rows: shifted } = await machines.query<{ are_shifted: boolean }>({ ...ARE_SHIFTED, values: [org_id] })
  const { text } = await (shifted[0]?.are_shifted === true ? FAILING_SHIFTED : FAILING)(database)
  const asked = judged.map(({ guid, name, ...its }) => its)
  const { rows } = await machines.query<Pick<FailingCheck, 'check_id' | 'at'>>({
    // Without a name, so that it is planned for this bound each time.
    text,
    values: [org_id, until, JSON.stringify(asked), first],
  })
  const known = new Map(judged.map((one) => [one.check_id, one]))
  return rows.flatMap(({ check_id, at }) => {
    const its = known.get(check_id)
    return its === undefined ? [] : [{ check_id, guid: its.guid, name: its.name, at }]
  })
}
