// Divides many rows into parts, for when all of them are too many at once.
import { type RawBuilder, sql } from 'kysely'

export interface RowPart {
  /** Number of the part, from 1. */
  part: number
  parts: number
}

/**
 * Returns the condition that a row is in a part, by its guid. It stays in the same part if the number of parts stays the same.
 */
export function inPartSql({ part, parts }: RowPart): RawBuilder<boolean> {
  return sql<boolean>`(hashtext(guid)::bigint & 2147483647) % ${parts}::bigint = ${part - 1}::bigint`
}
