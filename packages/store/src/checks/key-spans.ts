// Divides all checks into spans in the order of their keys.
import { type RawBuilder, sql } from 'kysely'
import type { CheckKey } from '../check-keys.ts'
import type { Db } from '../database.ts'

/** Range of keys of checks: greater than `after`, up to and including `last`. Null means without a limit on that side. */
export interface KeySpan {
  after: CheckKey | null
  last: CheckKey | null
}

export const ALL_KEYS: KeySpan = { after: null, last: null }

/** Finds the range of keys that contains the next `checks` checks after a key, including deleted ones. */
export async function findSpanAfter(db: Db, after: CheckKey | null, checks: number): Promise<KeySpan> {
  const { rows } = await sql<CheckKey>`
    select c.org_id, c.check_id from checks c where true ${keySpanSql({ after, last: null }, 'c')}
    order by c.org_id, c.check_id offset ${checks - 1} limit 1`.execute(db)
  return { after, last: rows[0] ?? null }
}

/** Returns SQL conditions, each beginning with `and`, that the key of a check in a table is in a range. */
export function keySpanSql({ after, last }: KeySpan, table: string): RawBuilder<unknown> {
  const key = sql.raw(`(${table}.org_id, ${table}.check_id)`)
  const least = after ? sql`and ${key} > (${after.org_id}::bigint, ${after.check_id}::bigint)` : sql``
  const most = last ? sql`and ${key} <= (${last.org_id}::bigint, ${last.check_id}::bigint)` : sql``
  return sql`${least} ${most}`
}
