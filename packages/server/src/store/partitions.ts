// The monthly partitions of results: made ahead of time.
import { sql, type Transaction } from 'kysely'
import type { Db } from './database.ts'
import type { Tables } from './tables.ts'

/** A month by its first day: `2026-11-01`. */
export type Month = string

/**
 * Makes the partition of a month unless it is there, and moves into it what the default partition holds of that month.
 * In a transaction of the caller's, which waits for others that do the same.
 */
export async function insertPartition(trx: Transaction<Tables>, month: Month, nextMonth: Month): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtext('dogwatch partitions'))`.execute(trx)
  const name = `results_${month.slice(0, 7).replace('-', '_')}`
  if (await tableExists(trx, name)) return false
  const table = sql.table(name)
  const [from, to] = [sql.lit(`${month}T00:00:00Z`), sql.lit(`${nextMonth}T00:00:00Z`)]
  // Before anything else: what came in between the move and the attachment would be in the way.
  await sql`lock table results_default in access exclusive mode`.execute(trx)
  await sql`create table ${table} (like results including all)`.execute(trx)
  await sql`
    with moved as (delete from results_default where ran_at >= ${from} and ran_at < ${to} returning *)
    insert into ${table} select * from moved`.execute(trx)
  await sql`alter table results attach partition ${table} for values from (${from}) to (${to})`.execute(trx)
  return true
}

async function tableExists(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass(${name}) is not null as found`.execute(db)
  return rows[0]?.found ?? false
}
