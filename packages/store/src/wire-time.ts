// Formats timestamps as they leave Postgres: text of fixed width, with six digits, in UTC.
import { type Expression, type RawBuilder, sql } from 'kysely'

export function wireTime(column: Expression<string>): RawBuilder<string>
export function wireTime(column: Expression<string | null>): RawBuilder<string | null>
export function wireTime(column: Expression<string | null>): RawBuilder<string | null> {
  return sql`wire_time(${column})`
}
