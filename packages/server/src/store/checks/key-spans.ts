// All checks in the order of their keys, some at a time.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import type { CheckKey } from './check-health.ts'

/** The keys after one, up to another. Null: from the first, or to the last. */
export interface KeySpan {
  after: CheckKey | null
  last: CheckKey | null
}

export const ALL_KEYS: KeySpan = { after: null, last: null }

/** The span of the next checks, deleted ones included. */
export async function findSpanAfter(db: Db, after: CheckKey | null, checks: number): Promise<KeySpan> {
  const { rows } = await sql<CheckKey>`
    select c.org_id, c.check_id from checks c where true ${isWithin({ after, last: null }, 'c')}
    order by c.org_id, c.check_id offset ${checks - 1} limit 1`.execute(db)
  return { after, last: rows[0] ?? null }
}

/** A further condition, of a table that has the keys of checks. */
export function isWithin({ after, last }: KeySpan, table: string): RawBuilder<unknown> {
  const key = sql.raw(`(${table}.org_id, ${table}.check_id)`)
  const least = after ? sql`and ${key} > (${after.org_id}::bigint, ${after.check_id}::bigint)` : sql``
  const most = last ? sql`and ${key} <= (${last.org_id}::bigint, ${last.check_id}::bigint)` : sql``
  return sql`${least} ${most}`
}
