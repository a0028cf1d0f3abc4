// Builds SQL that selects checks by their keys.
import { type RawBuilder, sql } from 'kysely'

export interface CheckKey {
  org_id: number
  check_id: number
}

/** Columns of a {@link CheckKey}, for `rowsSql`. */
export const KEY_COLUMNS = { org_id: 'bigint', check_id: 'bigint' } as const

/** Returns SQL for checks as rows `k(org_id, check_id)`. `listed` can wrap each of the two lists. */
export function keyRows(keys: readonly CheckKey[], listed = (list: RawBuilder<unknown>) => list) {
  return sql`unnest(${listed(sql`${keys.map((key) => key.org_id)}::bigint[]`)},
    ${listed(sql`${keys.map((key) => key.check_id)}::bigint[]`)}) as k(org_id, check_id)`
}
