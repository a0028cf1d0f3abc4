// Reads results in the order of their arrival. Stores up to which instant they are settled, and which are noted as late.
import { sql, type Transaction } from 'kysely'
import type { Db } from '../database.ts'
import { rowsSql } from '../rows-sql.ts'
import type { Tables } from '../tables.ts'
import type { StoredKey } from './known-results.ts'
import { isDistributed, readSealedBoundary } from './nodes/layout.ts'
import { ALL_OF_RESULT, type CheckKey, type Position, type ResultRow } from './result-pages.ts'
import { resultsOf } from './stored/results-of.ts'
import { HOUR_OF } from './stored/sealed-form.ts'
import { timingsIn } from './timings.ts'

/**
 * Progress of arrivals. Results before `announced` are settled when every transaction that held the writer's lock on the table at
 * its commit has ended. A result that arrives later and ran earlier is noted as late.
 */
export interface Horizon {
  // A transaction that stores results reads `announced` after it has taken the lock, so no clock is involved.
  is_settled: boolean
  /** Transactions that might not have seen `announced`. Null if they have not been listed yet. */
  waits_for: string[] | null
  /** Next value to announce when this one is settled. Null while that is not worthwhile. */
  next: string | null
}

/**
 * Locks the horizon until the transaction ends. Returns undefined if another process has locked it or nothing is due. `next` is
 * `lag_ms` before `now` or database time, whichever is earlier, and at least `step_ms` after `announced`.
 */
export async function lockHorizon(
  trx: Transaction<Tables>,
  { now, lag_ms, step_ms }: { now: string; lag_ms: number; step_ms: number },
): Promise<Horizon | undefined> {
  const next = sql`least(${now}::timestamptz, clock_timestamp()) - ${lag_ms} * interval '1 millisecond'`
  const { rows } = await sql<Horizon>`
    select h.settled = h.announced as is_settled, h.waits_for, case when n.is_worth_it then wire_time(n.next) end as next
    from arrival_horizon h
    cross join lateral (select ${next} as next, ${next} >= h.announced + ${step_ms} * interval '1 millisecond' as is_worth_it) n
    where n.is_worth_it or h.settled < h.announced for update of h skip locked`.execute(trx)
  return rows[0]
}

/** Announces the next horizon. Only after the commit can the caller list the transactions that might not have seen it. */
export async function announceHorizon(trx: Transaction<Tables>, announced: string): Promise<void> {
  await trx.updateTable('arrival_horizon').set({ announced, waits_for: null }).execute()
}

export async function updateWaitsFor(trx: Transaction<Tables>, waits_for: string[]): Promise<void> {
  await trx.updateTable('arrival_horizon').set({ waits_for }).execute()
}

export async function settleHorizon(trx: Transaction<Tables>): Promise<void> {
  await trx
    .updateTable('arrival_horizon')
    .set(({ ref }) => ({ settled: ref('announced'), waits_for: null }))
    .execute()
}

/**
 * Lists the transactions that hold or await a writer's lock on results, including prepared ones. Any role can see them. On nodes,
 * the lock on the table of late results represents it (direct-writes.ts).
 */
export async function listStoring(trx: Transaction<Tables>): Promise<string[]> {
  const { rows } = await sql<{ transaction: string }>`
    select distinct virtualtransaction as transaction from pg_locks
    where locktype = 'relation' and relation in ('results'::regclass, 'late_results'::regclass) and mode = 'RowExclusiveLock'
      and database = (select oid from pg_database where datname = current_database())`.execute(trx)
  return rows.map(({ transaction }) => transaction)
}

/** Returns the transactions to wait for that are still running. If they are not known yet (null), these are all that store results now. */
export function stillRunning(waits_for: readonly string[] | null, storing: readonly string[]): string[] {
  return storing.filter((one) => waits_for === null || waits_for.includes(one))
}

/**
 * Notes results as late. The caller must hold the locks of their checks for judging, so that transactions commit in the order of
 * the numbers.
 */
export async function insertLateResults(db: Db, monitor_id: string, late: readonly StoredKey[]): Promise<void> {
  await sql`
    with late as (
      select * from ${rowsSql(late, { org_id: 'bigint', check_id: 'bigint', ran_at: 'timestamptz' })}
    ), counted as (
      update check_states s set late_n = s.late_n + l.count
      from (select org_id, check_id, count(*) as count from late group by org_id, check_id) l
      where s.org_id = l.org_id and s.check_id = l.check_id
      returning s.org_id, s.check_id, s.late_n - l.count as before
    )
    insert into late_results (org_id, check_id, n, ran_at, monitor_id)
    select org_id, check_id, before + row_number() over (partition by org_id, check_id order by ran_at), ran_at, ${monitor_id}
    from late join counted using (org_id, check_id)`.execute(db)
}

/** Position of a reader that has all results up to `position` and the first `late_n` late results. */
export interface ArrivalPlace {
  position: Position
  /** Absent if the reader begins now. Then nothing that was noted before counts as late for it. */
  late_n: number | undefined
}

export interface Arrivals {
  /** Results before the reader's position that were noted as late. */
  late: ResultRow[]
  /** Settled results after the reader's position, in order. */
  settled: ResultRow[]
  /** Number of notes that were read. `late_n` is the number of the last one. */
  noted: number
  late_n: number
}

/** Row of the query. `ran_at` is null if there is no result. */
type ArrivalRow = Omit<ResultRow, 'ran_at'> & { ran_at: string | null; is_late: boolean; noted: number; last_n: number }

/**
 * Lists what follows a reader's position in one snapshot: at most `limit` notes of late results, and at most `limit` settled
 * results. A late result after the position comes with the settled ones.
 */
export async function listArrivals(
  trx: Transaction<Tables>,
  { org_id, check_id, result_detail_max_chars: cap }: CheckKey,
  { position, late_n }: ArrivalPlace,
  limit: number,
): Promise<Arrivals> {
  // While the partition of a month is created, rows move into it: a statement that was planned before and runs
  // afterwards would miss them. The order of the locks is that of the process that creates it.
  await sql`lock table only results, results_default in access share mode`.execute(trx)
  const at = sql`${position.ran_at}::timestamptz`
  const mine = sql`r.org_id = ${org_id} and r.check_id = ${check_id}`
  const isSealed = await readSealedBoundary(trx)
  const its = { columns: ALL_OF_RESULT, org: sql`${org_id}`, check: sql`${check_id}` }
  // Notes are looked up by the hour, because a sealed one is unpacked whole.
  const noted = {
    ...its,
    from: 'k.oldest',
    until: 'k.newest',
    where: 'r.ran_at >= k.oldest and r.ran_at <= k.newest and r.ran_at = any(k.times)',
  }
  // Omits results that wait to be noted as late until they are, so that no one reads them twice.
  const isOneNode = !(await isDistributed(trx))
  const following = {
    ...{ ...its, from: at, until: '(select settled from begun)' },
    ...(isOneNode && { which: '(r.ran_at, r.monitor_id) not in (select ran_at, monitor_id from unnoted)' }),
    where: sql`r.ran_at >= ${at} and (r.ran_at, r.monitor_id) > (${at}, ${position.monitor_id})
          and r.ran_at < (select settled from begun)`,
    ...({ order: 'asc', limit: sql`${limit}` } as const),
  }
  const { rows } = await sql<ArrivalRow>`
    with begun as materialized (
      select coalesce(${late_n ?? null}::bigint,
        (select late_n from check_states r where ${mine}), 0) as n, (select settled from arrival_horizon) as settled
    ), unnoted as materialized (
      select l.ran_at, r.monitor_id from unjudged_batches r cross join unnest(r.late) as l(ran_at) where ${mine}
    ), notes as materialized (
      select n, ran_at, monitor_id from late_results r
      where ${mine} and n > (select n from begun) order by n limit ${limit}
    ), before as materialized (
      select * from notes where (ran_at, monitor_id) <= (${at}, ${position.monitor_id})
    ), found as materialized (
      select l.n, f.* from (
          select min(ran_at) as oldest, max(ran_at) as newest, array_agg(ran_at) as times from before
          group by ${sql.raw(HOUR_OF('ran_at'))}) k
        cross join lateral (${resultsOf(noted, isSealed)}) f
        join before l on l.ran_at = f.ran_at and l.monitor_id = f.monitor_id
      union all
      select null::bigint as n, r.* from (${resultsOf(following, isSealed)}) r
    )
    select wire_time(f.ran_at) as ran_at, f.monitor_id, coalesce(m.name, '') as monitor_name, f.success, f.latency_ms,
      f.http_status, nullif(left(f.error, ${cap}), '') as error, nullif(left(f.response_sample, ${cap}), '') as response_sample,
      ${sql.raw(timingsIn('f'))}, f.retries, wire_time(f.cert_expires_at) as cert_expires_at,
      f.n is not null as is_late, looked.noted, looked.last_n
    from (select count(*)::integer as noted, coalesce(max(n), (select n from begun)) as last_n from notes) looked
    left join found f on true left join monitors m on m.id = f.monitor_id
    order by f.n, f.ran_at, f.monitor_id`.execute(trx)
  const [first] = rows
  const toResults = (wanted: boolean): ResultRow[] =>
    rows.flatMap(({ is_late, noted: _, last_n: __, ran_at, ...rest }) =>
      ran_at !== null && is_late === wanted ? [{ ran_at, ...rest }] : [],
    )
  return { late: toResults(true), settled: toResults(false), noted: first?.noted ?? 0, late_n: first?.last_n ?? 0 }
}
