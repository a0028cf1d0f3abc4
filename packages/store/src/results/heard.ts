// Finds checks of which no result arrives.
import { type RawBuilder, sql } from 'kysely'
import type { CheckKey } from '../check-keys.ts'
import type { Db } from '../database.ts'
import { rowsSql } from '../rows-sql.ts'
import { nearBefore } from './near.ts'
import { askWhoAnswers, isDistributed, readSealedBoundary, type SealedBoundary } from './nodes/layout.ts'
import { type ResultQuery, resultsOf } from './stored/results-of.ts'
import { isUnshifted } from './stored/shifted.ts'

/** Condition on checks whose results do not arrive. */
export interface UnheardCondition {
  /**
   * Condition that no online monitor has a result of the check `w` since `w.patient_until`. `w` also has `org_id`, `check_id` and
   * `online`.
   */
  isUnheard: RawBuilder<unknown>
  /** Unix time in milliseconds. For a check with an earlier `patient_until`, {@link listHeard} must confirm the condition. */
  since: number
}

export async function openUnheard(db: Db, now: string): Promise<UnheardCondition> {
  if (await isDistributed(db)) return { isUnheard: sql`true`, since: Infinity }
  const isSealed = await readSealedBoundary(db)
  if (isSealed === false) return { isUnheard: unheardOf(now, isSealed), since: -Infinity }
  // Few checks are so patient that days of sealed hours before these have to be opened.
  const near = nearBefore(now)
  return { isUnheard: unheardOf(now, isSealed, near), since: Date.parse(near) }
}

/**
 * Returns the condition that no online monitor has a result of the check `w`. It reads results itself, because one node has them.
 * `near`: start of the search for results that are not shifted.
 */
function unheardOf(now: string, isSealed: SealedBoundary, near?: string): RawBuilder<unknown> {
  const [until, since] = [sql`${now}::timestamptz`, sql`${near}::timestamptz`]
  const heard: ResultQuery = {
    columns: ['ran_at', 'monitor_id'],
    ...{ org: 'w.org_id', check: 'w.check_id', from: 'w.patient_until', until },
    ...(near !== undefined && { known_from: since }),
    where: sql`r.ran_at > w.patient_until and r.ran_at <= ${until}${near === undefined ? sql`` : sql` and r.ran_at >= ${since}`}`,
    which: sql`r.monitor_id = any(w.online) and ${isUnshifted(sql`w.org_id`, sql`w.check_id`)}`,
  }
  return sql`/* one node */ not exists (select from (${resultsOf(heard, isSealed)}) r)
        and not exists (
          select from shifted_results r
          where r.org_id = w.org_id and r.check_id = w.check_id and r.effective_at > w.patient_until
            and r.effective_at <= ${until} and r.monitor_id = any(w.online))`
}

/** A check, the start of the search for its results, and its online monitors. */
type WatchedRow = CheckKey & { since: string; online: string }

/**
 * Lists the checks that an online monitor has run since a time, and when. Searches org by org, by one index lookup per check.
 * `away`: organisations whose results cannot be read now.
 */
export async function listHeard(
  db: Db,
  checks: readonly WatchedRow[],
  now: string,
): Promise<{ rows: { check_id: number; ran_at: string }[]; away: Set<number> }> {
  const isSealed = await readSealedBoundary(db)
  return askWhoAnswers(
    db,
    checks,
    (some, org) => sql<{ check_id: number; ran_at: string }>`
    select k.check_id, wire_time(newest.ran_at) as ran_at
    from ${rowsSql(some, { org_id: 'bigint', check_id: 'bigint', since: 'timestamptz', online: 'text' })}
    cross join lateral (
      (select ran_at from (${resultsOf({ ...heardOf(org, now), order: 'desc', limit: '1' }, isSealed)}) r)
      union all
      (select effective_at from shifted_results r
        where r.org_id = ${org} and r.check_id = k.check_id and r.effective_at > k.since
          and r.effective_at <= ${now}::timestamptz and r.monitor_id = any(string_to_array(k.online, ' '))
        order by effective_at desc limit 1)
      limit 1) newest`,
  )
}

/** Returns the query of results of the check `k` by online monitors, except those with the time of a wrong clock. */
function heardOf(org: RawBuilder<unknown>, now: string): ResultQuery {
  const until = sql`${now}::timestamptz`
  return {
    ...{ columns: ['ran_at', 'monitor_id'], org, check: 'k.check_id', from: 'k.since', until },
    where: sql`r.ran_at > k.since and r.ran_at <= ${until}`,
    which: sql`r.monitor_id = any(string_to_array(k.online, ' ')) and ${isUnshifted(org, sql`k.check_id`)}`,
  }
}
