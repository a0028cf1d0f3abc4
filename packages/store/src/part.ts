// Divides many rows into parts, so that a caller can process one part at a time.
import { type RawBuilder, sql } from 'kysely'

export interface RowPart {
  /** Number of the part, from 1. */
  part: number
  parts: number
}

/**
 * Returns the SQL condition that a row belongs to a part, by its guid. A row stays in the same part as long as the number of parts
 * is the same.
 */
export function inPartSql({ part, parts }: RowPart): RawBuilder<boolean> {
  return sql<boolean>`(hashtext(guid)::bigint & 2147483647) % ${parts}::bigint = ${part - 1}::bigint`
}
