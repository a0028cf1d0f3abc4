// Marks the hours that late results changed, until they are folded again.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { CheckKey } from '../../check-keys.ts'
import type { Db } from '../../database.ts'
import { rowsSql } from '../../rows-sql.ts'
import type { Tables } from '../../tables.ts'
import { askByOrg, askEachNode, isDistributed } from '../nodes/layout.ts'
import { HOUR_OF } from '../stored/sealed-form.ts'

/**
 * Builds the statement that marks hours, each once. Until the transaction ends, no other process folds them again or stores late
 * results in them. Always an update, so that a process that folds an hour again waits for us, or we for it.
 */
export const marking = (some: readonly MarkedHour[], org: RawBuilder<unknown>) => sql<object>`
    insert into rollup_marks as m (org_id, check_id, hour)
    select ${org}, k.check_id, k.hour from ${hourRows(some)}
    order by k.org_id, k.check_id, k.hour
    on conflict (org_id, check_id, hour) do update set changes = m.changes + 1`

export type MarkedHour = CheckKey & { hour: string }

/** Removes and returns the marks that no other process has locked. The next statement folds their hours again. */
export async function claimMarks(trx: Transaction<Tables>, marked: readonly MarkedHour[]): Promise<MarkedHour[]> {
  return askByOrg(
    trx,
    marked,
    (some, org) => sql<MarkedHour>`
    with claimed as (
      select m.org_id, m.check_id, m.hour from ${hourRows(some)}
      join rollup_marks m on m.org_id = ${org} and m.check_id = k.check_id and m.hour = k.hour
      order by m.org_id, m.check_id, m.hour for update of m skip locked
    ), gone as (
      delete from rollup_marks m using claimed k
      where m.org_id = ${org} and m.check_id = k.check_id and m.hour = k.hour
      returning m.org_id, m.check_id, m.hour
    )
    select org_id, check_id, wire_time(hour) as hour from gone`,
  )
}

/** Lists some marks of folded hours, except those on nodes that do not respond. */
export async function listMarks(db: Db, hours_until: string, limit: number): Promise<MarkedHour[]> {
  const rows = await askEverywhere(
    db,
    (which) => sql<MarkedHour>`
    select /* on every node */ org_id, check_id, wire_time(hour) as hour from rollup_marks
    where hour < ${hours_until}::timestamptz ${which} limit ${limit}`,
  )
  return rows.slice(0, limit)
}

/**
 * Lists the hours of some of a table's results that ran before an instant, which is a full hour. Omits nodes that do not respond.
 */
export function listHoursIn(
  db: Db,
  table: 'reopened_results' | 'results_default',
  before: string,
  limit: number,
): Promise<MarkedHour[]> {
  return askEverywhere(
    db,
    (which) => sql<MarkedHour>`
    select /* on every node */ distinct org_id, check_id, wire_time(${sql.raw(HOUR_OF('ran_at'))}) as hour from (
      select org_id, check_id, ran_at from ${sql.table(table)}
      where ran_at < ${before}::timestamptz ${which} limit ${limit}) r`,
  )
}

/** Reads rows of one table, from each node by itself. Omits nodes that do not respond. `which`: a further condition. */
async function askEverywhere<Row extends object>(
  db: Db,
  ask: (which: RawBuilder<unknown>) => RawBuilder<Row>,
): Promise<Row[]> {
  if (!(await isDistributed(db))) return (await ask(sql``).execute(db)).rows
  const askNode = (org_ids: readonly number[]) => ask(sql`and org_id = any(${[...org_ids]}::bigint[])`)
  return (await askEachNode(db, await listOrgs(db), askNode)).rows
}

/** Lists the ids of all organisations. */
export async function listOrgs(db: Db): Promise<number[]> {
  const { rows } = await sql<{ org_id: number }>`select org_id from organisations order by org_id`.execute(db)
  return rows.map(({ org_id }) => org_id)
}

/** Returns hours as rows `k`. */
export const hourRows = (hours: readonly MarkedHour[]) =>
  rowsSql(hours, { org_id: 'bigint', check_id: 'bigint', hour: 'timestamptz' })
