// Finds out which results of a batch are already stored, in any table.
import { type RawBuilder, sql } from 'kysely'
import type { CheckKey } from '../check-keys.ts'
import { rowsSql } from '../rows-sql.ts'
import type { SealedBoundary } from './nodes/layout.ts'
import { resultsOf } from './stored/results-of.ts'
import { HOUR_OF } from './stored/sealed-form.ts'

/** Key of a result of one monitor. `ran_at` has six digits. */
export type StoredKey = CheckKey & { ran_at: string }

/** Key of a result, with its index in a batch. */
export type PlacedKey = StoredKey & { place: number }

/**
 * Builds the statement that lists the results of a monitor that are already stored. Looks up each hour of a check only once,
 * because a sealed one is unpacked whole.
 */
export const listingKnown =
  (monitor_id: string, isSealed: SealedBoundary) =>
  (keys: readonly PlacedKey[], org: RawBuilder<unknown>): RawBuilder<{ place: number }> =>
    sql`
    select i.place
    from (
      select org_id, check_id, min(ran_at) as oldest, max(ran_at) as newest, array_agg(ran_at) as times, array_agg(place) as places
      from ${placedRows(keys)} group by org_id, check_id, ${sql.raw(HOUR_OF('ran_at'))}) k
    cross join lateral (${resultsOf(
      {
        columns: ['ran_at', 'monitor_id'],
        ...{ org, check: 'k.check_id', from: 'k.oldest', until: 'k.newest' },
        where: sql`r.ran_at >= k.oldest and r.ran_at <= k.newest and r.ran_at = any(k.times)`,
        which: sql`r.monitor_id = ${monitor_id}::text`,
      },
      isSealed,
    )}) f
    join lateral unnest(k.times, k.places) as i(ran_at, place) on i.ran_at = f.ran_at`

/** Returns keys as rows `k`. */
export const placedRows = (keys: readonly PlacedKey[]) =>
  rowsSql(keys, { org_id: 'bigint', check_id: 'bigint', ran_at: 'timestamptz', place: 'integer' })
