// Limits how many results an organisation may store beyond what its checks produce.
import { type RawBuilder, sql } from 'kysely'
import type { Database, Db } from '../database.ts'
import { IS_ASSIGNED } from '../is-assigned.ts'
import { listingKnown } from './known-results.ts'
import { askWhoAnswers, readSealedBoundary } from './nodes/layout.ts'
import type { ResultColumns } from './results.ts'

/** A result of a batch for a check that is assigned to its sender. */
export interface AssignedResult {
  /** Index in the batch, from 0. */
  place: number
  org_id: number
  check_id: number
  interval_sec: number
}

const ASSIGNED = {
  name: 'results-assigned',
  text: `
    select (i.n - 1)::integer as place, a.org_id, a.check_id, c.interval_sec
    from unnest($2::text[]) with ordinality as i(check_guid, n)
    join assignments a on a.monitor_id = $1 and a.guid = i.check_guid and ${IS_ASSIGNED}
    join organisations o on o.org_id = a.org_id and o.suspended_at is null
    join checks c on c.org_id = a.org_id and c.check_id = a.check_id`,
}

/** Lists the results of a batch whose checks are assigned to the monitor. */
export async function listAssignedResults(
  { pools }: Database,
  monitor_id: string,
  { check_guid }: Pick<ResultColumns, 'check_guid'>,
): Promise<AssignedResult[]> {
  const { rows } = await pools.machines.query<AssignedResult>({ ...ASSIGNED, values: [monitor_id, check_guid] })
  return rows
}

/** Lists the results that are not stored yet, except those of nodes that do not respond. */
export async function listFreshResults(
  db: Db,
  monitor_id: string,
  { ran_at }: Pick<ResultColumns, 'ran_at'>,
  assigned: readonly AssignedResult[],
): Promise<AssignedResult[]> {
  const keys = assigned.map((one) => ({ ...one, ran_at: ran_at[one.place] ?? '' }))
  const { rows: known, away } = await askWhoAnswers(db, keys, listingKnown(monitor_id, await readSealedBoundary(db)))
  const places = new Set(known.map(({ place }) => place))
  return assigned.filter(({ place, org_id }) => !places.has(place) && !away.has(org_id))
}

export interface BudgetRule {
  /** Results that an organisation may store beyond what was due. */
  base: number
  /** Further results for each run that was due in the window. The budget is at most the sum of these and the base. */
  most_per_due: number
  /** Results that each due run adds to the budget. */
  refill_per_due: number
  /** Results that each hour adds to the budget, whatever is due. */
  refill_per_hour: number
}

/** Returns the SQL for the number of an organisation's runs that were due between two instants, by the schedules of that time. */
const due = (org_id: number, from: string, until: string) => sql`
  coalesce((select sum(greatest(0, extract(epoch from least(coalesce(s.until, ${until}::timestamptz), ${until}::timestamptz)
      - greatest(s.since, ${from}::timestamptz)))
      / coalesce(nullif(extract(epoch from s.until - s.since), 0) / nullif(s.due, 0), s.interval_sec))
    from check_schedules s
    where s.org_id = ${org_id} and s.since < ${until}::timestamptz
      and (s.until is null or s.until > ${from}::timestamptz)), 0)`

/**
 * Takes up to `wanted` results from an organisation's budget, and returns how many it took. Locks the budget until the
 * transaction ends, so that simultaneous batches do not spend it twice.
 */
export async function spendBudget(
  db: Db,
  { org_id, wanted, now, from }: { org_id: number; wanted: number; now: string; from: string },
  { base, most_per_due, refill_per_due, refill_per_hour }: BudgetRule,
): Promise<number> {
  await sql`insert into result_budgets (org_id, remaining, as_of)
    values (${org_id}, ${base}::double precision + ${most_per_due} * ${due(org_id, from, now)}, ${now}::timestamptz)
    on conflict do nothing`.execute(db)
  const { rows } = await sql<{ as_of: string }>`
    select wire_time(as_of) as as_of from result_budgets where org_id = ${org_id} for no key update`.execute(db)
  const as_of = rows[0]?.as_of ?? now
  const { rows: spent } = await sql<{ granted: number }>`
    with budget as (
      select least(remaining + ${refill_per_due} * ${due(org_id, as_of, now)}
          + ${refill_per_hour} * greatest(0, extract(epoch from ${now}::timestamptz - as_of)) / 3600,
        ${base}::double precision + ${most_per_due} * ${due(org_id, from, now)}) as left_over
      from result_budgets where org_id = ${org_id}
    ), granted as (
      select left_over, greatest(0, least(${wanted}, floor(left_over)))::integer as granted from budget
    )
    update result_budgets set remaining = left_over - granted, as_of = greatest(as_of, ${now}::timestamptz)
    from granted where org_id = ${org_id} returning granted`.execute(db)
  return spent[0]?.granted ?? 0
}

/** Gives back the budget of results that were not stored after all. */
export async function refundBudget(db: Db, org_id: number, count: number): Promise<void> {
  await sql`update result_budgets set remaining = remaining + ${count} where org_id = ${org_id}`.execute(db)
}

/** Builds the statement that counts what budgets gain from now on if it was counted from a time after `limit`. */
export const budgetsBackToNow = (now: string, limit: string): RawBuilder<unknown> => sql`
  update result_budgets b set as_of = ${now}::timestamptz
  from (select org_id from result_budgets where as_of > ${limit}::timestamptz for update skip locked) x
  where b.org_id = x.org_id`
