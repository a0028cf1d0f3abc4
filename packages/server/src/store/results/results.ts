// Stores results in batches; batches of successes by one prepared statement.
import { CompiledQuery, sql } from 'kysely'
import { type CallerKey, isStillCaller } from '../caller.ts'
import type { Database, Db } from '../database.ts'

/** One column per field: the form in which a batch is sent to Postgres. */
export interface ResultColumns {
  check_guid: string[]
  ran_at: string[]
  success: boolean[]
  http_status: number[]
  latency_ms: number[]
  error: string[]
  response_sample: string[]
}

/** The same with when each ran by the server's clock; null: at its `ran_at`. */
export interface TimedColumns extends ResultColumns {
  effective_at: (string | null)[]
}

// The statement itself checks the assignment and the check's limits. Rows are inserted in key order, so that two
// batches that share rows wait for each other instead of deadlocking. Of rows with the same key in one batch, the first
// is kept.
const mine = (more: { columns?: string; input?: string; names?: string; where?: string }) => `
  mine as (
    select a.org_id, a.check_id, i.ran_at, i.latency_ms, i.http_status, i.success,
      nullif(left(i.error, a.result_detail_max_chars), '') as error,
      nullif(left(i.response_sample, a.result_detail_max_chars), '') as response_sample, i.n${more.columns ?? ''}
    from unnest($2::text[], $3::timestamptz[], $4::boolean[], $5::integer[], $6::integer[], $7::text[], $8::text[]${more.input ?? ''})
      with ordinality as i(check_guid, ran_at, success, http_status, latency_ms, error, response_sample${more.names ?? ''}, n)
    join assignments a on a.monitor_id = $1 and a.guid = i.check_guid and a.active
    join organisations o on o.org_id = a.org_id and o.suspended_at is null ${more.where ?? ''}
  )`
const STORED = (where: string, returning: string) => `
  stored as (
    insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error, response_sample)
    select org_id, check_id, ran_at, latency_ms, http_status, success, $1, error, response_sample from mine ${where}
    order by org_id, check_id, ran_at, n
    on conflict do nothing
    returning ${returning}
  )`

// What ran before this is noted as late when it is stored: store/results/arrivals.ts says why it is read in this statement.
const IS_LATE = 'ran_at < (select announced from arrival_horizon)'

// Successes change nothing for a check that is up, so this statement alone stores them. If any check is down, or any
// result is late, it stores nothing and says so, and the batch takes the longer path.
const INSERT_HEALTHY = {
  name: 'results-insert-healthy',
  text: `
    with caller as (select ${isStillCaller('$1', '$9')} as is_caller),
    ${mine({ where: 'where (select is_caller from caller)' })}, down as (
      select from incidents i
      where i.ended_at is null and i.check_id is not null
        and (i.org_id, i.check_id) in (select org_id, check_id from mine)
      limit 1
    ), late as (
      select from mine where ${IS_LATE} limit 1
    ), ${STORED('where not exists (select from down) and not exists (select from late)', '1')}
    select count(*)::integer as accepted, (select count(*)::integer from stored) as fresh,
      exists (select from down) or exists (select from late) as is_declined, (select is_caller from caller) as is_caller
    from mine`,
}

// A shift is recorded together with the result that is stored, and never for a result that was stored before.
const INSERT = `
  with ${mine({ columns: ', i.effective_at', input: ', $9::timestamptz[]', names: ', effective_at' })},
  ${STORED('', 'org_id, check_id, ran_at')}, shifted as (
    insert into shifted_results (org_id, check_id, ran_at, monitor_id, effective_at)
    select distinct on (org_id, check_id, ran_at) org_id, check_id, ran_at, $1, effective_at
    from mine join stored using (org_id, check_id, ran_at)
    where effective_at is not null order by org_id, check_id, ran_at, n
    on conflict do nothing
  ), touched as (
    select org_id, check_id, count(*)::integer as accepted, bool_and(success) as all_succeeded,
      wire_time(min(coalesce(effective_at, ran_at))) as oldest_at
    from mine group by org_id, check_id
  ), late as (
    select org_id, check_id, array_agg(wire_time(ran_at)) as late from stored where ${IS_LATE} group by org_id, check_id
  )
  select org_id, check_id, accepted, all_succeeded, oldest_at, (select count(*)::integer from stored) as fresh,
    coalesce(late, '{}') as late
  from touched left join late using (org_id, check_id) order by org_id, check_id`

export interface StoredHealthy {
  accepted: number
  fresh: number
  is_declined: boolean
  /** False: the caller may not upload any more, and nothing was stored. */
  is_caller: boolean
}

/**
 * Stores a batch of successes at once, unless it might bring a check up or has late results: then it stores nothing.
 */
export async function insertHealthyResults(
  database: Database,
  { id, key_hash }: CallerKey,
  columns: ResultColumns,
): Promise<StoredHealthy> {
  const values = [...toValues(id, columns), key_hash]
  const { rows } = await database.pools.machines.query<StoredHealthy>({ ...INSERT_HEALTHY, values })
  return rows[0] ?? { accepted: 0, fresh: 0, is_declined: false, is_caller: false }
}

const PASS_ON = { name: 'results-pass-on', text: "select pg_logical_emit_message(true, 'dogwatch', '')" }

/**
 * Waits until everything that is stored is as safe as a commit makes it. Only a transaction that wrote something waits
 * for a synchronous standby, so this writes a message that nobody reads, which any role may do.
 */
export async function passOnStored(database: Database): Promise<void> {
  await database.pools.machines.query(PASS_ON)
}

/** A check that a batch had results for. */
export interface Touched {
  org_id: number
  check_id: number
  accepted: number
  all_succeeded: boolean
  /** When the first of them ran by the server's clock. */
  oldest_at: string
  /** When those of its results ran that were stored now and are late. */
  late: string[]
}

/**
 * Stores the results that are for assigned checks and were not stored before. Returns how many, and for which checks.
 */
export async function insertResults(
  db: Db,
  monitor_id: string,
  columns: TimedColumns,
): Promise<{ touched: Touched[]; fresh: number }> {
  const insert = CompiledQuery.raw(INSERT, [...toValues(monitor_id, columns), columns.effective_at])
  const { rows } = await db.executeQuery<Touched & { fresh: number }>(insert)
  return { touched: rows.map(({ fresh: _, ...touched }) => touched), fresh: rows[0]?.fresh ?? 0 }
}

const CHECK_VIOLATION = '23514'

/**
 * Whether a month's partition was created while one of its results was being inserted elsewhere. Nothing was stored
 * then; a second attempt succeeds.
 */
export function isMisrouted(error: unknown): boolean {
  const { code, table } = (error ?? {}) as { code?: unknown; table?: unknown }
  return code === CHECK_VIOLATION && table === 'results_default'
}

function toValues(monitor_id: string, columns: ResultColumns): unknown[] {
  const { check_guid, ran_at, success, http_status, latency_ms, error, response_sample } = columns
  return [monitor_id, check_guid, ran_at, success, http_status, latency_ms, error, response_sample]
}

/**
 * Blanks what results quote of a check's definition: errors and samples. Handles some results after an instant, and
 * returns the instant to go on from; undefined when there are no more.
 */
export async function updateResultsWiped(
  db: Db,
  { org_id, check_id }: { org_id: number; check_id: number },
  after: string,
  limit: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ ran_at: string }>`
    with quoting as (
      select ran_at, monitor_id from results
      where org_id = ${org_id} and check_id = ${check_id} and ran_at >= ${after}::timestamptz
        and (error is not null or response_sample is not null)
      order by ran_at, monitor_id limit ${limit}
    ), wiped as (
      update results r set error = null, response_sample = null from quoting q
      where r.org_id = ${org_id} and r.check_id = ${check_id} and r.ran_at = q.ran_at and r.monitor_id = q.monitor_id
    )
    select wire_time(max(ran_at)) as ran_at from quoting having count(*) = ${limit}`.execute(db)
  return rows[0]?.ran_at
}
