// Stores results in batches; batches of successes by one prepared statement.
import { CompiledQuery } from 'kysely'
import { PREPARED } from '../asking.ts'
import { type CallerKey, stillCallerSql } from '../caller.ts'
import type { Database, Db } from '../database.ts'
import { IS_ASSIGNED } from '../is-assigned.ts'
import { HOUR_OF, type RunColumn, unsealed } from './stored/sealed-form.ts'
import { TIMING_NAMES, type TimingName } from './timings.ts'

/** A batch of results with one array per field, which is the form that Postgres receives. */
export interface ResultColumns extends Record<TimingName, (number | null)[]> {
  check_guid: string[]
  ran_at: string[]
  success: boolean[]
  http_status: number[]
  latency_ms: number[]
  error: string[]
  response_sample: string[]
  retries: (number | null)[]
  cert_expires_at: (string | null)[]
}

/** A batch with the time of each run by the server's clock. Null if that is its `ran_at`. */
export interface TimedColumns extends ResultColumns {
  effective_at: (string | null)[]
}

/** Columns that every agent sends. Newer agents also send timings, retries and certificate expiries. */
const GIVEN = {
  check_guid: 'text',
  ran_at: 'timestamptz',
  success: 'boolean',
  http_status: 'integer',
  latency_ms: 'integer',
  error: 'text',
  response_sample: 'text',
} as const
const TOLD = {
  ...(Object.fromEntries(TIMING_NAMES.map((name) => [name, 'smallint'])) as Record<TimingName, 'smallint'>),
  retries: 'smallint',
  cert_expires_at: 'timestamptz',
} as const
const COLUMNS = { ...GIVEN, ...TOLD }
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]
const TOLD_NAMES = Object.keys(TOLD) as (keyof typeof TOLD)[]
const INPUT = NAMES.map((name, index) => `$${index + 2}::${COLUMNS[name]}[]`).join(', ')
const EFFECTIVE_AT = `$${NAMES.length + 2}::timestamptz[]`

// The statement itself checks the assignment and the check's limits. Rows are inserted in key order, so that two
// batches that share rows wait for each other instead of deadlocking. Of rows with the same key in one batch, the first
// is kept. A column without any value comes empty: unnest fills it up with null.
const mine = (more: { columns?: string; input?: string; names?: string; where?: string }) => `
  mine as (
    select a.org_id, a.check_id, i.ran_at, i.latency_ms, i.http_status, i.success,
      nullif(left(i.error, a.result_detail_max_chars), '') as error,
      nullif(left(i.response_sample, a.result_detail_max_chars), '') as response_sample,
      ${TOLD_NAMES.map((name) => `i.${name}`).join(', ')}, i.n, a.degraded_over_ms, a.cert_warn_days${more.columns ?? ''}
    from unnest(${INPUT}${more.input ?? ''})
      with ordinality as i(${NAMES.join(', ')}${more.names ?? ''}, n)
    join assignments a on a.monitor_id = $1 and a.guid = i.check_guid and ${IS_ASSIGNED}
    join organisations o on o.org_id = a.org_id and o.suspended_at is null ${more.where ?? ''}
  )`
const STORED = (where: string, returning: string, name = 'stored', table = 'results', from = 'mine') => `
  ${name} as (
    insert into ${table} (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error, response_sample,
      ${TOLD_NAMES.join(', ')})
    select org_id, check_id, ran_at, latency_ms, http_status, success, $1, error, response_sample,
      ${TOLD_NAMES.join(', ')} from ${from} ${where}
    order by org_id, check_id, ran_at, n
    on conflict do nothing
    returning ${returning}
  )`

// A result that ran before this is noted as late when it is stored: store/results/arrivals.ts says why it is read in this statement.
const IS_LATE = 'ran_at < (select announced from arrival_horizon)'
// Hours before this are being closed, or are closed: store/results/sealing.ts says why it is read in this statement.
const IS_CLOSING = 'ran_at < (select announced from seal_progress)'

const OPEN = (kind: 'slow' | 'certificate', which = '') => `exists (
        select from degradations d
        where d.org_id = mine.org_id and d.check_id = mine.check_id and d.kind = '${kind}' and d.ended_at is null${which})`

// Whether a result could change whether its check is degraded: it is slow and the check is not known for it, or the other way
// round; or its certificate expires soon, and is not the one that is known to. Checks without such rules cost two comparisons.
const IS_RATED = '(degraded_over_ms > 0 or cert_warn_days > 0)'
const MAY_DEGRADE = `case when ${IS_RATED} then
    degraded_over_ms > 0 and success and (latency_ms > degraded_over_ms) <> ${OPEN('slow')}
    or cert_warn_days > 0 and case
      when cert_expires_at is null then false
      when cert_expires_at < ran_at + cert_warn_days * interval '1 day' then not ${OPEN(
        'certificate',
        ' and d.cert_expires_at = mine.cert_expires_at and d.warn_days = mine.cert_warn_days',
      )}
      else ${OPEN('certificate')} end
  else false end`

// Nothing is stored for a caller that may no longer upload.
const OF_CALLER = 'where (select is_caller from caller)'

// Successes change nothing for a check that is up, so this statement alone stores them. If any check is down, or any
// result is late or may make a check degraded, it stores nothing and says so, and the batch takes the longer path.
const INSERT_HEALTHY = {
  name: 'results-insert-healthy',
  text: `/* one node */
    with caller as (select ${stillCallerSql('$1', `$${NAMES.length + 2}`)} as is_caller),
    ${mine({ where: OF_CALLER })}, down as (
      select 1 from incidents i
      where i.ended_at is null and i.check_id is not null
        and (i.org_id, i.check_id) in (select org_id, check_id from mine)
      limit 1
    ), late as (
      select 1 from mine where ran_at < (
        select greatest(announced, (select announced from seal_progress)) from arrival_horizon) limit 1
    ), degraded as (
      select 1 from mine where ${MAY_DEGRADE} limit 1
    ), declined as (
      select 1 from down union all select 1 from late union all select 1 from degraded
    ), ${STORED('where not exists (select from declined)', '1')}
    select count(*)::integer as accepted, (select count(*)::integer from stored) as fresh,
      exists (select from declined) as is_declined, (select is_caller from caller) as is_caller
    from mine`,
}

const TIMED = { columns: ', i.effective_at', input: `, ${EFFECTIVE_AT}`, names: ', effective_at' }
const [MINE_TIMED, MINE_OF_CALLER] = [mine(TIMED), mine({ ...TIMED, where: OF_CALLER })]
// A shift is recorded together with the result that is stored, and never for a result that was stored before.
const NOTED = `
  shifted as (
    insert into shifted_results (org_id, check_id, ran_at, monitor_id, effective_at)
    select distinct on (org_id, check_id, ran_at) org_id, check_id, ran_at, $1, effective_at
    from mine join stored using (org_id, check_id, ran_at)
    where effective_at is not null order by org_id, check_id, ran_at, n
    on conflict do nothing
  ), touched as (
    select org_id, check_id, count(*)::integer as accepted, bool_and(success) as all_succeeded,
      bool_or(${IS_RATED}) as is_rated, bool_or(${MAY_DEGRADE}) as may_degrade,
      wire_time(min(coalesce(effective_at, ran_at))) as oldest_at
    from mine group by org_id, check_id
  ), late as (
    select org_id, check_id, array_agg(wire_time(ran_at)) as late from stored where ${IS_LATE} group by org_id, check_id
  ), answer as (
    select org_id, check_id, accepted, all_succeeded, is_rated, may_degrade, oldest_at, (select count(*)::integer from stored) as fresh,
      coalesce(late, '{}') as late, all_succeeded and exists (
        select from incidents i
        where i.org_id = touched.org_id and i.check_id = touched.check_id and i.ended_at is null) as is_down
    from touched left join late using (org_id, check_id)
  )`

// Stores nothing when a result is for an hour that is being closed or is closed, and says until when hours are.
const INSERT = `${PREPARED} /* one node */
  with caller as (select ${stillCallerSql('$1', `$${NAMES.length + 3}`)} as is_caller), ${MINE_OF_CALLER}, closing as (
    select 1 from mine where ${IS_CLOSING} limit 1
  ), ${STORED('where not exists (select from closing)', 'org_id, check_id, ran_at')}, ${NOTED}
  select answer.*, caller.is_caller,
    case when exists (select from closing) then wire_time((select announced from seal_progress)) end as closing
  from caller left join answer on true order by org_id, check_id`

/** Columns that are unpacked from a sealed hour. */
const KEY: readonly RunColumn[] = ['org_id', 'check_id', 'ran_at', 'monitor_id']
// The same for hours that are being closed or are closed, whose marks the transaction holds. A result that is stored in any
// of the three tables is not stored again.
const INSERT_CLOSING = `/* one node */
  with ${MINE_TIMED}, sealed as materialized (
    select u.org_id, u.check_id, u.ran_at from (${unsealed(
      `(
      select s.* from (select distinct org_id, check_id, ${HOUR_OF('ran_at')} as since from mine) h
      join sealed_hours s using (org_id, check_id, since) where $1 = any(s.monitors))`,
      KEY,
    )}) u
    where u.monitor_id = $1
  ), missing as (
    select * from mine m
    where not exists (
      select from sealed s where s.org_id = m.org_id and s.check_id = m.check_id and s.ran_at = m.ran_at)
    and not exists (
      select from reopened_results r
      where r.org_id = m.org_id and r.check_id = m.check_id and r.ran_at = m.ran_at and r.monitor_id = $1)
    and not exists (
      select from results r
      where r.org_id = m.org_id and r.check_id = m.check_id and r.ran_at = m.ran_at and r.monitor_id = $1)
  ), progress as materialized (
    select closed from seal_progress
  ), ${STORED('where ran_at >= (select closed from progress)', 'org_id, check_id, ran_at', 'opened', 'results', 'missing')},
  ${STORED('where ran_at < (select closed from progress)', 'org_id, check_id, ran_at', 'reopened', 'reopened_results', 'missing')},
  stored as (
    select * from opened union all select * from reopened
  ), ${NOTED}
  select * from answer order by org_id, check_id`

export interface StoredHealthy {
  accepted: number
  fresh: number
  is_declined: boolean
  /** Whether the caller may still upload. If not, nothing was stored. */
  is_caller: boolean
}

/**
 * Stores a batch of successes by one statement. Stores nothing if it might bring a check up, might begin or end a degradation, or
 * has late results.
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
 * Waits until stored results are as safe as a commit makes them. Writes a message without readers, because only a transaction
 * that wrote something waits for a synchronous standby. Any role may do that.
 */
export async function passOnStored(database: Database): Promise<void> {
  await database.pools.machines.query(PASS_ON)
}

/** A check with results in a batch. */
export interface BatchCheck {
  org_id: number
  check_id: number
  accepted: number
  all_succeeded: boolean
  /** Whether the check has rules for degradation. `may_degrade`: whether one of the results might begin or end a degradation. */
  is_rated: boolean
  may_degrade: boolean
  /** Time of its first run in the batch, by the server's clock. */
  oldest_at: string
  /** Times of its results that were stored now and are late. */
  late: string[]
  /**
   * Whether all of its results succeeded although the check was down. Absent if the statement that stored them ran too long ago.
   */
  is_down: boolean | undefined
}

export interface StoredResults {
  touched: BatchCheck[]
  fresh: number
}

/**
 * Stores the new results of assigned checks. Returns undefined if the caller may no longer upload. With `closing`, it stored
 * nothing, and the caller must mark the hours before that time and use {@link insertClosingResults}.
 */
export async function insertResults(
  db: Db,
  { id, key_hash }: CallerKey,
  columns: TimedColumns,
): Promise<(StoredResults & { closing: string | undefined }) | undefined> {
  const insert = CompiledQuery.raw(INSERT, [...toValues(id, columns), columns.effective_at, key_hash])
  // Without results of its checks there is one row, of nothing.
  type Answer = { is_caller: boolean; closing: string | null } & (StoredRow | Record<keyof StoredRow, null>)
  const { rows } = await db.executeQuery<Answer>(insert)
  const [first] = rows
  if (!first?.is_caller) return undefined
  const stored = rows.flatMap(({ closing: _, is_caller: __, ...one }) => (one.org_id === null ? [] : [one]))
  return { ...toStored(stored), closing: first.closing ?? undefined }
}

type StoredRow = BatchCheck & { fresh: number }

function toStored(rows: readonly StoredRow[]): StoredResults {
  return { touched: rows.map(({ fresh: _, ...touched }) => touched), fresh: rows[0]?.fresh ?? 0 }
}

/** Stores a batch with results of hours that are closed or being closed. The transaction must have marked these hours. */
export async function insertClosingResults(db: Db, monitor_id: string, columns: TimedColumns): Promise<StoredResults> {
  const insert = CompiledQuery.raw(INSERT_CLOSING, [...toValues(monitor_id, columns), columns.effective_at])
  const { rows } = await db.executeQuery<StoredRow>(insert)
  return toStored(rows)
}

const CHECK_VIOLATION = '23514'

/**
 * Whether a month's partition appeared while one of its results was being inserted elsewhere. Nothing was stored, and a second
 * attempt succeeds. A node names its shard of the partition: `results_default_102047`.
 */
export function isMisrouted(error: unknown): boolean {
  const { code, table } = (error ?? {}) as { code?: unknown; table?: unknown }
  return code === CHECK_VIOLATION && typeof table === 'string' && table.startsWith('results_default')
}

function toValues(monitor_id: string, columns: ResultColumns): unknown[] {
  return [monitor_id, ...NAMES.map((name) => (isTold(columns, name) ? columns[name] : []))]
}

function isTold(columns: ResultColumns, name: (typeof NAMES)[number]): boolean {
  return Object.hasOwn(GIVEN, name) || (columns[name] as unknown[]).some((value) => value !== null)
}
