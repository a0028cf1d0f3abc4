// The hours that late results changed: marked until they are folded again.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { CheckKey } from '../checks/check-health.ts'
import type { Db } from '../database.ts'
import { askByOrg, askEachNode, isDistributed } from '../layout.ts'
import type { Tables } from '../tables.ts'

/** Hours of checks, as pairs, that got results after they were over. */
export interface LateHours {
  check_guid: readonly string[]
  hour: readonly string[]
}

/** Marks the hours that a monitor's late results changed, in the same transaction as the results. */
export async function markHours(db: Db, monitor_id: string, late: LateHours): Promise<void> {
  const { rows: hours } = await sql<MarkedHour>`
    select a.org_id, a.check_id, wire_time(l.hour) as hour
    from unnest(${[...late.check_guid]}::text[], ${[...late.hour]}::timestamptz[]) as l(check_guid, hour)
    join assignments a on a.monitor_id = ${monitor_id} and a.guid = l.check_guid and a.active`.execute(db)
  await insertMarks(db, hours)
}

/** Marks hours. Until the transaction ends, nobody folds them again and nobody else stores late results in them. */
export async function insertMarks(db: Db, hours: readonly MarkedHour[]): Promise<void> {
  // Always an update: a process that folds the hour again must wait for us, or we for it.
  await askByOrg(db, hours, marking)
}

/** The same of one organisation, as a statement. */
export const marking = (some: readonly MarkedHour[], org: RawBuilder<unknown>) => sql<object>`
    insert into rollup_marks as m (org_id, check_id, hour)
    select ${org}, k.check_id, k.hour from ${hourRows(some)}
    order by k.org_id, k.check_id, k.hour
    on conflict (org_id, check_id, hour) do update set changes = m.changes + 1`

export type MarkedHour = CheckKey & { hour: string }

/** Removes marks, and returns those that nobody else has: the next statement folds their hours again. */
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

/** Some marks of folded hours, without those on nodes that do not answer. */
export async function listMarks(db: Db, hours_until: string, limit: number): Promise<MarkedHour[]> {
  const listing = (which: RawBuilder<unknown>) => sql<MarkedHour>`
    select /* on every node */ org_id, check_id, wire_time(hour) as hour from rollup_marks
    where hour < ${hours_until}::timestamptz ${which} limit ${limit}`
  if (!(await isDistributed(db))) return (await listing(sql``).execute(db)).rows
  const ask = (org_ids: readonly number[]) => listing(sql`and org_id = any(${[...org_ids]}::bigint[])`)
  const { rows } = await askEachNode(db, await listOrgs(db), ask)
  return rows.slice(0, limit)
}

/** All organisations. */
export async function listOrgs(db: Db): Promise<number[]> {
  const { rows } = await sql<{ org_id: number }>`select org_id from organisations order by org_id`.execute(db)
  return rows.map(({ org_id }) => org_id)
}

/** Hours as rows `k`. */
export function hourRows(hours: readonly MarkedHour[]) {
  return sql`unnest(${hours.map((one) => one.org_id)}::bigint[], ${hours.map((one) => one.check_id)}::bigint[],
    ${hours.map((one) => one.hour)}::timestamptz[]) as k(org_id, check_id, hour)`
}
