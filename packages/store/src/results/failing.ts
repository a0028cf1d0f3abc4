// Finds checks whose newest results failed.
import type { Database } from '../database.ts'
import { inBothForms, type ResultQuery, type TextReader } from './stored/results-of.ts'
import { IS_UNSHIFTED, shiftedQuery } from './stored/shifted.ts'

/** A check that might fail, as known without its results. */
export interface FailingCandidate {
  check_id: number
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
const failing = (results: TextReader, areShifted: boolean) => `
    select o.check_id, wire_time(seen.at) as at
    from jsonb_to_recordset($3::jsonb) as o(check_id bigint, judged_from timestamptz, fresh_from timestamptz, active text[])
    cross join lateral (
      select max(newest.at) as at from (
        select u.at, u.success, row_number() over its as nth, lead(u.success) over its as before,
          row_number() over (order by u.at desc, u.monitor_id desc) as of_all
        from (${areShifted ? shiftedAsWell(results) : unshifted(results)}) u
        where u.monitor_id = any(o.active) and (o.judged_from is null or u.at > o.judged_from)
        window its as (partition by u.monitor_id order by u.at desc)) newest
      where newest.nth = 1 and not newest.success and (newest.of_all = 1 or not newest.before)) seen
    where seen.at is not null ${areShifted ? '' : `and exists (select 1 from (${results.of({ ...FRESH, which: 'not r.success' })}) r)`}
    order by seen.at desc, o.check_id`

const unshifted = (results: TextReader, which?: string) => `
          select r.ran_at as at, r.monitor_id, r.success
          from (${results.of({ ...FRESH, ...(which !== undefined && { which }) })}) r`

const shiftedAsWell = (results: TextReader) => `${unshifted(results, IS_UNSHIFTED)}
          union all
          select s.effective_at, s.monitor_id, r.success from shifted_results s
          cross join lateral (${results.of(shiftedQuery(COLUMNS))}) r
          where s.org_id = $1 and s.check_id = o.check_id
            and s.effective_at <= $2::timestamptz and s.effective_at > o.fresh_from`

const FAILING = inBothForms('failing-checks', (results) => failing(results, false))
const FAILING_SHIFTED = inBothForms('failing-checks-shifted', (results) => failing(results, true))

/**
 * Lists those of the checks whose newest result up to an instant failed, or that failed twice in a row at some monitor, the newest
 * failure first.
 */
export async function listFailing(
  { machines, pools }: Pick<Database, 'machines' | 'pools'>,
  org_id: number,
  until: string,
  checks: readonly FailingCandidate[],
): Promise<{ check_id: number; at: string }[]> {
  const [first] = checks.map(({ fresh_from }) => fresh_from).toSorted()
  if (first === undefined) return []
  const { rows: shifted } = await pools.machines.query<{ are_shifted: boolean }>({ ...ARE_SHIFTED, values: [org_id] })
  const { text } = await (shifted[0]?.are_shifted === true ? FAILING_SHIFTED : FAILING)({ machines })
  const asked = checks.map(({ check_id, judged_from, fresh_from, active }) => ({
    check_id,
    judged_from,
    fresh_from,
    active,
  }))
  const { rows } = await pools.machines.query<{ check_id: number; at: string }>({
    // Without a name, so that it is planned for this bound each time.
    text,
    values: [org_id, until, JSON.stringify(asked), first],
  })
  return rows
}
