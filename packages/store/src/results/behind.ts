// Stores which organisations' history is folded less far than that of the others, because the node with their results did not
// respond, and folds its days later.
import { sql, type Transaction } from 'kysely'
import type { Db } from '../database.ts'
import { rowsSql } from '../rows-sql.ts'
import type { Tables } from '../tables.ts'
import { askWhoAnswers } from './nodes/layout.ts'
import { COLUMNS, REPLACED, SHORTENED, SUMS_OF_SUMS } from './stored/sums.ts'

export interface Behind {
  org_id: number
  /** Time until which its hours are folded. `days_until`: time until which its days are. */
  hours_until: string
  days_until: string
}

export async function listBehind(db: Db): Promise<Behind[]> {
  const { rows } = await sql<Behind>`
    select org_id, wire_time(hours_until) as hours_until, wire_time(days_until) as days_until
    from rollups_behind order by org_id`.execute(db)
  return rows
}

/** Records that the history of organisations ends here from now on. Does not change those that are already behind. */
export async function insertBehind(
  trx: Transaction<Tables>,
  org_ids: Iterable<number>,
  { hours_until, days_until }: Omit<Behind, 'org_id'>,
): Promise<void> {
  await sql`
    insert into rollups_behind (org_id, hours_until, days_until)
    select org_id, ${hours_until}::timestamptz, ${days_until}::timestamptz from unnest(${[...org_ids]}::bigint[]) as k(org_id)
    order by org_id on conflict do nothing`.execute(trx)
}

export async function updateBehind(trx: Transaction<Tables>, rows: readonly Behind[]): Promise<void> {
  await sql`
    update rollups_behind b set hours_until = k.hours_until, days_until = k.days_until
    from ${rowsSql(rows, { org_id: 'bigint', hours_until: 'timestamptz', days_until: 'timestamptz' })}
    where b.org_id = k.org_id`.execute(trx)
}

/** Removes organisations that have caught up. */
export async function deleteBehind(trx: Transaction<Tables>, org_ids: readonly number[]): Promise<void> {
  await sql`delete from rollups_behind where org_id = any(${[...org_ids]}::bigint[])`.execute(trx)
}

/** Moves the limits of all organisations back to this point at most, because what was folded after it does not count. */
export async function putBehindBack(
  trx: Transaction<Tables>,
  { hours_until, days_until }: Omit<Behind, 'org_id'>,
): Promise<void> {
  await sql`
    update rollups_behind set hours_until = least(hours_until, ${hours_until}::timestamptz),
      days_until = least(days_until, ${days_until}::timestamptz)`.execute(trx)
}

/** Counts the checks of organisations, including deleted ones. */
export async function countChecks(db: Db, org_ids: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ org_id: number; checks: number }>`
    select org_id, count(*)::integer as checks from checks where org_id = any(${[...org_ids]}::bigint[])
    group by org_id`.execute(db)
  return new Map(rows.map(({ org_id, checks }) => [org_id, checks]))
}

/**
 * Folds the days of each organisation up to its own `until`, after all of their hours. Returns those whose node does not respond.
 */
export async function foldDaysBehind(
  trx: Transaction<Tables>,
  rows: readonly (Behind & { until: string })[],
): Promise<Set<number>> {
  const { away } = await askWhoAnswers(
    trx,
    rows,
    (some, org) => sql<object>`
    insert into rollups_daily (org_id, check_id, day, ${COLUMNS})
    select ${org}, d.check_id, d.day, ${SHORTENED}
    from ${rowsSql(some, { org_id: 'bigint', days_until: 'timestamptz', until: 'timestamptz' })}
    cross join lateral (
      select check_id, date_trunc('day', hour, 'UTC') as day, ${SUMS_OF_SUMS} from rollups
      where org_id = ${org} and hour >= k.days_until and hour < k.until
      group by 1, 2) d
    order by 1, 2, 3
    on conflict (org_id, check_id, day) do update set ${REPLACED}`,
  )
  return away
}
