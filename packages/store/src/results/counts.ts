// Counts the results of checks, or finds out whether there are any.
import { type RawBuilder, sql } from 'kysely'
import type { CheckKey } from '../check-keys.ts'
import type { Db } from '../database.ts'
import { rowsSql } from '../rows-sql.ts'
import { askTheirNodes, askWhoAnswers, readSealedBoundary, type SealedBoundary } from './nodes/layout.ts'
import { resultsOf } from './stored/results-of.ts'

/** A check, and the latest break after which its results count. */
export type ResultsAfter = CheckKey & { judged_from: string | null }

/** Keeps the checks with a result from `since` to `until` that ran after the latest break of the check. */
export async function keepWithResults(
  db: Db,
  checks: readonly ResultsAfter[],
  span: { since: string; until: string },
): Promise<CheckKey[]> {
  return (await askWhoAnswers(db, checks, withResults(span, await readSealedBoundary(db)))).rows
}

const withResults =
  ({ until, since }: { since: string; until: string }, isSealed: SealedBoundary) =>
  (some: readonly ResultsAfter[], org: RawBuilder<unknown>): RawBuilder<CheckKey> =>
    sql<CheckKey>`
    select k.org_id, k.check_id
    from ${rowsSql(some, { org_id: 'bigint', check_id: 'bigint', judged_from: 'timestamptz' })}
    where coalesce(
        (select true from (${resultsOf(
          {
            ...{ columns: ['ran_at'], org, check: 'k.check_id' },
            from: sql`greatest(${since}::timestamptz, k.judged_from)`,
            until: sql`${until}::timestamptz`,
            where: sql`r.ran_at > greatest(${since}::timestamptz, k.judged_from) and r.ran_at <= ${until}::timestamptz`,
            limit: '1',
          },
          isSealed,
        )}) r),
        (select true from shifted_results r
          where r.org_id = ${org} and r.check_id = k.check_id and r.effective_at > greatest(${since}::timestamptz, k.judged_from)
            and r.effective_at <= ${until}::timestamptz limit 1))
    order by k.org_id, k.check_id`

/** Counts the results of each check since it went down, up to an instant and a limit. */
export async function countSinceDown(
  db: Db,
  checks: readonly (CheckKey & { down_since: string })[],
  { until, limit }: { until: string; limit: number },
): Promise<Map<number, number>> {
  const isSealed = await readSealedBoundary(db)
  const last = sql`${until}::timestamptz`
  const rows = await askTheirNodes(
    db,
    checks,
    (some, org) => sql<{ check_id: number; count: number }>`
    select k.check_id, counted.count
    from ${rowsSql(some, { org_id: 'bigint', check_id: 'bigint', down_since: 'timestamptz' })}
    cross join lateral (
      select count(*)::integer as count from (${resultsOf(
        {
          ...{ columns: ['ran_at'], org, check: 'k.check_id', from: 'k.down_since', until: last },
          ...{ where: sql`r.ran_at >= k.down_since and r.ran_at <= ${last}`, limit: sql`${limit}` },
        },
        isSealed,
      )}) own) counted`,
  )
  return new Map(rows.map(({ check_id, count }) => [check_id, count]))
}
