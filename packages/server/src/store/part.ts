// One part of many things, where all of them are too many at once.
import { type RawBuilder, sql } from 'kysely'

export interface Part {
  /** From 1. */
  part: number
  parts: number
}

/** Whether a row is in a part, by its guid: it stays in the same one as long as there are as many parts. */
export function isInPart({ part, parts }: Part): RawBuilder<boolean> {
  return sql<boolean>`(hashtext(guid)::bigint & 2147483647) % ${parts}::bigint = ${part - 1}::bigint`
}
