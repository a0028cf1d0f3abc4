// Reads the newest results of checks.
import { type RawBuilder, sql } from 'kysely'
import { prepared, unseen } from '../builder-pool.ts'
import { type CheckKey, keyRows } from '../check-keys.ts'
import type { Database, Db } from '../database.ts'
import { nearBefore } from './near.ts'
import { askWhoAnswers, readSealedBoundary } from './nodes/layout.ts'
import type { ResultRow } from './stored/result-rows.ts'
import { inBothForms, type ResultQuery, resultsOf } from './stored/results-of.ts'
import { isUnshifted, type ResultStorage, readHowStored } from './stored/shifted.ts'

type NewestRun = CheckKey & { at: string }

/**
 * Finds the newest result of each check up to an instant, by the server's clock. `away`: organisations whose node does not
 * respond.
 */
export async function listNewestRuns(
  db: Db,
  keys: readonly CheckKey[],
  until: string,
): Promise<{ rows: NewestRun[]; away: Set<number> }> {
  const stored = await readHowStored(db, keys)
  if (!stored.isSealed) return askWhoAnswers(db, keys, newestRuns(until, stored))
  const near = nearBefore(until)
  const found = (await askWhoAnswers(db, keys, newestRuns(until, stored, near))).rows.filter(({ at }) => at >= near)
  const ids = new Set(found.map(({ check_id }) => check_id))
  const others = keys.filter(({ check_id }) => !ids.has(check_id))
  const { rows, away } = await askWhoAnswers(db, others, newestRuns(until, stored))
  return { rows: [...found, ...rows], away }
}

/** Returns the query of the newest results. `near`: start of the search for results that are not shifted. */
function newestRuns(until: string, { isSealed, areShifted }: ResultStorage, near?: string) {
  const last = sql`${until}::timestamptz`
  const since = sql`${near}::timestamptz`
  return (some: readonly CheckKey[], org: RawBuilder<unknown>) => {
    const unshifted: ResultQuery = {
      columns: ['ran_at', 'monitor_id'],
      ...{ org, check: 'k.check_id', until: last, ...(near !== undefined && { known_from: since }) },
      where: near === undefined ? sql`r.ran_at <= ${last}` : sql`r.ran_at <= ${last} and r.ran_at >= ${since}`,
      ...(areShifted && { which: isUnshifted(org, sql`k.check_id`) }),
      ...{ order: 'desc', limit: '1' },
    }
    return sql<NewestRun>`
    select k.org_id, k.check_id, wire_time(newest.at) as at
    from ${keyRows(some)}
    cross join lateral (
      select max(at) as at from (
        (select r.ran_at as at from (${resultsOf(unshifted, isSealed)}) r)
        union all
        (select s.effective_at from shifted_results s
          where s.org_id = ${org} and s.check_id = k.check_id and s.effective_at <= ${last}
          order by s.effective_at desc limit 1)) u) newest
    where newest.at is not null`
  }
}

/** Reads when each of these checks last ran. Without checks, reads nothing, because the query opens all days of sealed hours. */
export async function listLastRuns(db: Db, org_id: number, check_ids: readonly number[]): Promise<Map<number, string>> {
  if (check_ids.length === 0) return new Map()
  const isSealed = await readSealedBoundary(db)
  const wanted: ResultQuery = {
    columns: ['ran_at'],
    org: sql`${org_id}`,
    check: 'k.check_id',
    order: 'desc',
    limit: '1',
  }
  const last = resultsOf(wanted, isSealed)
  // On nodes, the text changes every hour.
  const { rows } = await (typeof isSealed === 'string' ? sql : prepared)<{ check_id: number; ran_at: string }>`
    select k.check_id, wire_time(r.ran_at) as ran_at
    from unnest(${unseen(sql`${check_ids}::bigint[]`)}::bigint[]) as k(check_id) cross join lateral (${last}) r`.execute(
    db,
  )
  return new Map(rows.map(({ check_id, ran_at }) => [check_id, ran_at]))
}

const CERTIFICATES = inBothForms(
  'certificates-of-results',
  (results) => `
    select seen.check_id, wire_time(min(r.cert_expires_at)) as cert_expires_at
    from unnest($2::bigint[], $3::timestamptz[]) as seen(check_id, ran_at)
    cross join lateral (${results.of({
      columns: ['ran_at', 'cert_expires_at'],
      ...{ org: '$1', check: 'seen.check_id', from: 'seen.ran_at', until: 'seen.ran_at' },
      ...(results.isSealed && { known_from: '$4::timestamptz' }),
      where: 'r.ran_at = seen.ran_at',
    })}) r
    where r.cert_expires_at is not null group by seen.check_id`,
)

/** Lists the certificate expiry that a result of each check contains, by check. Omits checks whose result has none. */
export async function listCertificatesAt(
  database: Database,
  org_id: number,
  seen: readonly { check_id: number; ran_at: string }[],
): Promise<Map<number, string>> {
  if (seen.length === 0) return new Map()
  const times = seen.map(({ ran_at }) => ran_at)
  const { isSealed, ...statement } = await CERTIFICATES(database)
  const values = [org_id, seen.map(({ check_id }) => check_id), times, ...(isSealed ? [times.toSorted()[0]] : [])]
  const { rows } = await database.pools.machines.query<{ check_id: number; cert_expires_at: string }>({
    ...statement,
    values,
  })
  return new Map(rows.map(({ check_id, cert_expires_at }) => [check_id, cert_expires_at]))
}

export type SeenResult = Pick<ResultRow, 'monitor_id' | 'ran_at' | 'success' | 'latency_ms' | 'http_status' | 'error'>

/** Lists the newest result of each monitor that ran a check in a span. */
export async function listLatestByMonitor(
  db: Db,
  { org_id, check_id, result_detail_max_chars }: CheckKey & { result_detail_max_chars: number },
  { since, until }: { since: string; until: string },
): Promise<SeenResult[]> {
  const isSealed = await readSealedBoundary(db)
  const [from, last] = [sql`${since}::timestamptz`, sql`${until}::timestamptz`]
  const its = {
    ...{ org: sql`${org_id}`, check: sql`${check_id}`, from, until: last },
    where: sql`r.ran_at > ${from} and r.ran_at <= ${last}`,
  }
  const runs = resultsOf({ columns: ['ran_at', 'monitor_id'], ...its }, isSealed)
  const one = resultsOf(
    {
      columns: ['ran_at', 'monitor_id', 'success', 'latency_ms', 'http_status', 'error'],
      ...{ ...its, from: 'newest.ran_at', until: 'newest.ran_at' },
      which: 'r.ran_at = newest.ran_at and r.monitor_id = newest.monitor_id',
    },
    isSealed,
  )
  const { rows } = await sql<SeenResult>`
    select r.monitor_id, wire_time(r.ran_at) as ran_at, r.success, r.latency_ms, r.http_status,
      nullif(left(r.error, ${result_detail_max_chars}), '') as error
    from (select monitor_id, max(ran_at) as ran_at from (${runs}) r group by monitor_id) newest
    cross join lateral (${one}) r
    order by r.monitor_id`.execute(db)
  return rows
}
