// Builds the parts of statements that seal the results of one organisation, merge late ones and unpack sealed rows.
import { type RawBuilder, sql } from 'kysely'
import type { CheckKey } from '../../check-keys.ts'
import { rowsSql } from '../../rows-sql.ts'
import {
  RUN_COLUMNS,
  type RunColumn,
  SEALED_COLUMNS,
  SEALED_VALUES,
  sealing,
  splitAtPlaceholder,
  unsealed,
} from '../stored/sealed-form.ts'
import type { MarkedHour } from './marks.ts'

export const COLUMNS = sql.raw(RUN_COLUMNS.join(', '))
export const RUNS = sql.raw(RUN_COLUMNS.map((name) => `r.${name}`).join(', '))
export const SEALED = sql.raw(SEALED_COLUMNS)
export const REPLACED = sql.raw(SEALED_VALUES.map((name) => `${name} = excluded.${name}`).join(', '))

export const constant = (org_id: number): RawBuilder<unknown> => sql`${org_id}::bigint`
export const idsOf = (keys: readonly CheckKey[]): RawBuilder<unknown> =>
  sql`${keys.map(({ check_id }) => check_id)}::bigint[]`

/** Builds the query that seals the runs of another query. */
export function sealingOf(runs: RawBuilder<unknown>): RawBuilder<unknown> {
  const [before, after] = splitAtPlaceholder((place) => sealing(place))
  return sql`${sql.raw(before)}(${runs}) runs${sql.raw(after)}`
}

/** Builds the query that unpacks the sealed rows of another query. */
export function unsealedOf(
  rows: RawBuilder<unknown>,
  columns: readonly RunColumn[] = RUN_COLUMNS,
): RawBuilder<unknown> {
  const [before, after] = splitAtPlaceholder((place) => unsealed(place, columns))
  return sql`${sql.raw(before)}(${rows})${sql.raw(after)}`
}

/** Returns hours as rows `k` with their ends, because what a node changes must not depend on the length of an interval. */
export const spanRows = (hours: readonly MarkedHour[]): RawBuilder<unknown> => {
  const spans = hours.map((one) => ({ ...one, until: new Date(Date.parse(one.hour) + 3_600_000).toISOString() }))
  return rowsSql(spans, { org_id: 'bigint', check_id: 'bigint', hour: 'timestamptz', until: 'timestamptz' })
}

export const within = (
  org_id: number,
): RawBuilder<unknown> => sql`r.org_id = ${constant(org_id)} and r.check_id = k.check_id
        and r.ran_at >= k.hour and r.ran_at < k.until`
