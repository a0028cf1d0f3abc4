// Stores which organisations' history is folded less far than that of the others, because the node with their results did not
// respond, and folds it later.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { type CheckKey, listChecksAfter, rowsOf } from '../check-keys.ts'
import type { Db } from '../database.ts'
import type { Tables } from '../tables.ts'
import { askWhoAnswers } from './nodes/layout.ts'
import { BUCKETED, COLUMNS, REPLACED, SHORTENED, SUMS, SUMS_OF_SUMS } from './stored/sums.ts'

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
    from ${rowsOf(rows, { org_id: 'bigint', hours_until: 'timestamptz', days_until: 'timestamptz' })}
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
 * Folds the hours of each organisation up to its own `until`, some checks in each statement. Returns those whose node does not
 * respond.
 */
export async function foldHoursBehind(
  trx: Transaction<Tables>,
  rows: readonly (Behind & { until: string })[],
  checks_at_once: number,
): Promise<Set<number>> {
  const left_out = new Set<number>()
  const spans = new Map(rows.map(({ org_id, hours_until, until }) => [org_id, { since: hours_until, until }]))
  for (let after: CheckKey | undefined; ; ) {
    const isBehind = sql<boolean>`org_id = any(${[...spans.keys()]}::bigint[])`
    const keys = await listChecksAfter(trx, after, checks_at_once, isBehind)
    const due = keys.flatMap((key) => {
      const span = spans.get(key.org_id)
      return span && span.since < span.until ? [{ ...key, ...span }] : []
    })
    const { away } = await askWhoAnswers(trx, due, hoursOf)
    for (const org_id of away) {
      left_out.add(org_id)
      spans.delete(org_id)
    }
    after = keys.at(-1)
    if (keys.length < checks_at_once) return left_out
  }
}

interface SpanOfCheck extends CheckKey {
  since: string
  until: string
}

const hoursOf = (some: readonly SpanOfCheck[], org: RawBuilder<unknown>) => sql<object>`
    insert into rollups (org_id, check_id, hour, ${COLUMNS})
    select ${org}, k.check_id, h.*
    from ${rowsOf(some, { org_id: 'bigint', check_id: 'bigint', since: 'timestamptz', until: 'timestamptz' })}
    cross join lateral (
      select hour, ${SUMS} from (
        select date_bin('1 hour', ran_at, timestamptz '0001-01-01 00:00:00+00') as hour, ${BUCKETED} from results
        where org_id = ${org} and check_id = k.check_id and ran_at >= k.since and ran_at < k.until
        group by 1, bucket) b
      group by 1) h
    order by 1, 2, 3
    on conflict (org_id, check_id, hour) do update set ${REPLACED}`

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
    from ${rowsOf(some, { org_id: 'bigint', days_until: 'timestamptz', until: 'timestamptz' })}
    cross join lateral (
      select check_id, date_trunc('day', hour, 'UTC') as day, ${SUMS_OF_SUMS} from rollups
      where org_id = ${org} and hour >= k.days_until and hour < k.until
      group by 1, 2) d
    order by 1, 2, 3
    on conflict (org_id, check_id, day) do update set ${REPLACED}`,
  )
  return away
}
