// Names a check by its key, and lists the keys of checks.
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { rowsSql } from './rows-sql.ts'
import type { Tables } from './tables.ts'

export interface CheckKey {
  org_id: number
  check_id: number
}

/** Columns of a {@link CheckKey}, for `rowsSql`. */
export const KEY_COLUMNS = { org_id: 'bigint', check_id: 'bigint' } as const

/** Returns SQL for checks as rows `k(org_id, check_id)`. */
export const keyRows = (keys: readonly CheckKey[], listed?: (list: RawBuilder<unknown>) => RawBuilder<unknown>) =>
  rowsSql(keys, KEY_COLUMNS, listed)

/**
 * Lists the next checks of all organisations in the order of their keys, including deleted ones. `which`: a further condition on
 * the check `c`.
 */
export async function listChecksAfter(
  db: Kysely<Tables>,
  after: CheckKey | undefined,
  limit: number,
  which: RawBuilder<unknown> = sql`true`,
): Promise<CheckKey[]> {
  const further = after ? sql`and (org_id, check_id) > (${after.org_id}::bigint, ${after.check_id}::bigint)` : sql``
  const { rows } = await sql<CheckKey>`
    select org_id, check_id from checks c where ${which} ${further} order by org_id, check_id limit ${limit}`.execute(
    db,
  )
  return rows
}
