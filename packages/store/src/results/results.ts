// Stores small batches of results by one prepared statement, which reads what is assigned and inserts.
import { CompiledQuery } from 'kysely'
import { PREPARED } from '../asking.ts'
import { type CallerKey, stillCallerSql } from '../caller.ts'
import type { Database, Db } from '../database.ts'
import { IS_ASSIGNED } from '../is-assigned.ts'
import { type AssignedBatch, callerSql, LISTED } from './assigned.ts'
import type { StoredKey } from './known-results.ts'
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
/** Columns that are empty in many batches. */
export const TOLD_NAMES = Object.keys(TOLD) as (keyof typeof TOLD)[]
const INPUT = NAMES.map((name, index) => `$${index + 2}::${COLUMNS[name]}[]`).join(', ')

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
const STORED = (where: string, returning: string) => `
  stored as (
    insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error, response_sample,
      ${TOLD_NAMES.join(', ')})
    select org_id, check_id, ran_at, latency_ms, http_status, success, $1, error, response_sample,
      ${TOLD_NAMES.join(', ')} from mine ${where}
    order by org_id, check_id, ran_at, n
    on conflict do nothing
    returning ${returning}
  )`

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

const TIMED = {
  columns: ', i.effective_at, a.guid, a.result_detail_max_chars',
  input: `, $${NAMES.length + 2}::timestamptz[]`,
  names: ', effective_at',
  where: 'where exists (select from caller)',
}
const [KEY_HASH, LATE_UNTIL] = [`$${NAMES.length + 3}`, `$${NAMES.length + 4}`]
const openOf = (kind: string) => `from degradations d
          where d.org_id = m.org_id and d.check_id = m.check_id and d.kind = '${kind}' and d.ended_at is null`

// Stores a batch, and reads what its plan needs. Stores nothing if an hour must be marked first: one that ended long ago, is being
// closed or is closed. arrivals.ts and sealing.ts say why `announced` is read in this statement. A shift is recorded together with
// the result that is stored, and never for a result that was stored before.
const INSERT = `${PREPARED} /* one node */
  with ${callerSql('$1', KEY_HASH)}, ${mine(TIMED)}, unmarked as (
    select 1 from mine where ran_at < (select greatest(announced, ${LATE_UNTIL}::timestamptz) from seal_progress) limit 1
  ), ${STORED('where not exists (select from unmarked)', 'org_id, check_id, ran_at')}, shifted as (
    insert into shifted_results (org_id, check_id, ran_at, monitor_id, effective_at)
    select distinct on (org_id, check_id, ran_at) org_id, check_id, ran_at, $1, effective_at
    from mine join stored using (org_id, check_id, ran_at)
    where effective_at is not null order by org_id, check_id, ran_at, n
    on conflict do nothing
  )
  select caller.announced, caller.closing, caller.closed,
    (select coalesce(json_agg(json_build_object(${LISTED.map((name) => `'${name}', m.${name}`).join(', ')},
        'is_down', exists (
          select from incidents i where i.org_id = m.org_id and i.check_id = m.check_id and i.ended_at is null),
        'is_slow', exists (select ${openOf('slow')}),
        'open_certificate', (
          select json_build_object('cert_expires_at', wire_time(d.cert_expires_at), 'warn_days', d.warn_days)
          ${openOf('certificate')} limit 1))), '[]')
      from (select distinct ${LISTED.join(', ')} from mine) m) as checks,
    case when not exists (select from unmarked) then (
      select coalesce(json_agg(json_build_object('org_id', org_id, 'check_id', check_id, 'ran_at', wire_time(ran_at))), '[]')
      from stored) end as fresh
  from caller`

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
  /** Run times of the results of the check that this batch stored and that are late (see {@link AssignedBatch.announced}). */
  late: string[]
  /**
   * Whether all of its results succeeded although the check was down. Absent if the statement that stored them ran too long ago.
   */
  is_down: boolean | undefined
}

/**
 * Stores the new results of assigned checks, and reads the checks. Returns undefined if the caller may no longer upload. If `fresh`
 * is undefined, stored nothing: the caller must first mark the hours before `late_until` and `closing`.
 */
export async function insertAssigned(
  db: Db,
  { id, key_hash }: CallerKey,
  columns: TimedColumns,
  late_until: string,
): Promise<{ batch: AssignedBatch; fresh: StoredKey[] | undefined } | undefined> {
  const effective_at = columns.effective_at.some((at) => at !== null) ? columns.effective_at : []
  const insert = CompiledQuery.raw(INSERT, [...toValues(id, columns), effective_at, key_hash, late_until])
  type Row = { [Name in keyof AssignedBatch]: AssignedBatch[Name] | null } & { fresh: StoredKey[] | null }
  const [row] = (await db.executeQuery<Row>(insert)).rows
  if (!row) return undefined
  const { checks, announced, closing, closed, fresh } = row
  const batch = { checks: checks ?? [], announced: announced ?? '', closing: closing ?? '', closed: closed ?? '' }
  return { batch, fresh: fresh ?? undefined }
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
  return [
    monitor_id,
    ...NAMES.map((name) => (Object.hasOwn(GIVEN, name) || isTold(columns, name) ? columns[name] : [])),
  ]
}

/** Whether any result of a batch has a value in a column. */
export function isTold(columns: ResultColumns, name: (typeof NAMES)[number]): boolean {
  return (columns[name] as unknown[]).some((value) => value !== null)
}
