// Reads which results of a batch may be stored, and for which checks, in the transaction that stores them.
import { CompiledQuery, type RawBuilder, type Transaction } from 'kysely'
import { PREPARED } from '../asking.ts'
import { executeTogether } from '../builder-pool.ts'
import { type CallerKey, IS_ALLOWED } from '../caller.ts'
import type { CheckKey } from '../check-keys.ts'
import { IS_ASSIGNED } from '../is-assigned.ts'
import type { Tables } from '../tables.ts'

/** A check of a batch that is assigned to the batch's sender. */
export interface AssignedCheck extends CheckKey {
  guid: string
  result_detail_max_chars: number
  degraded_over_ms: number
  cert_warn_days: number
  is_down: boolean
  /** Whether the check has an open degradation for slowness. `open_certificate` is the open one for its certificate. */
  is_slow: boolean
  open_certificate: { cert_expires_at: string | null; warn_days: number | null } | null
}

export interface AssignedBatch {
  checks: AssignedCheck[]
  /** Results that ran before this time are late if they are stored now. */
  announced: string
  /** Hours before `closing` are being closed, and hours before `closed` are closed: see sealing/sealing.ts. */
  closing: string
  closed: string
}

// Looks up what is open for all checks at once. "is true" keeps this from becoming a join, which would read every check with every
// incident when the planner knows of none.
const OF_BATCH = (
  table: string,
) => `${table}.ended_at is null and ${table}.org_id = any((select ids from orgs)::bigint[])
        and (${table}.check_id in (select check_id from mine)) is true`
/** Columns of an assignment that a batch needs. */
export const LISTED = [
  'guid',
  'org_id',
  'check_id',
  'result_detail_max_chars',
  'degraded_over_ms',
  'cert_warn_days',
] as const
const listed = (table: string) => LISTED.map((name) => `${table}.${name}`).join(', ')

// To read all assignments of a monitor costs half of what looking each up by its guid costs. So a batch reads them all, unless the
// monitor has more than so many times the checks of the batch: from twice as many on, looking them up costs less.
const READ_AT_MOST = 1.5
/** Minimum size of a batch that reads all assignments. For a smaller one, both ways cost about the same. */
const READ_FROM = 64

const LOOKED_UP = `
      select ${listed('a')} from unnest(string_to_array($3, ',')) as g(guid)
      join assignments a on a.monitor_id = $1 and a.guid = g.guid and ${IS_ASSIGNED}
      where exists (select 1 from caller)`
const BY_GUID = `mine as materialized (${LOOKED_UP})`
// To count them takes the index alone.
const BY_MONITOR = `few as materialized (
      select not exists (select from assignments a where a.monitor_id = $1 offset $4) as are_few
    ), mine as materialized (
      select ${listed('a')} from assignments a
      where a.monitor_id = $1 and ${IS_ASSIGNED} and exists (select 1 from caller) and (select are_few from few)
      union all ${LOOKED_UP} and not (select are_few from few)
    )`

/** Returns the part `caller` of a statement. It has no row if the monitor may no longer upload. */
export const callerSql = (id: string, key_hash: string): string => `
    caller as materialized (
      select (select wire_time(announced) from arrival_horizon) as announced, wire_time(p.announced) as closing,
        wire_time(p.closed) as closed
      from monitors m cross join seal_progress p where m.id = ${id} and m.key_hash = ${key_hash} and ${IS_ALLOWED}
    )`

/**
 * Selects the assigned checks as one row with lists, because a row for each check costs a third more. Reads `announced` after it
 * took the writer's lock on the late results: arrivals.ts and sealing.ts say why.
 */
// The lock on the late results represents the one on the results, which can be on other nodes.
const assigned = (mine: string) => `${PREPARED}
    with storing as (
      insert into late_results (org_id, check_id, n, ran_at, monitor_id) select 0, 0, 0, '-infinity', '' where false
    ), ${callerSql('$1', '$2')}, ${mine}, orgs as materialized (
      select array(select distinct org_id from mine) as ids
    )
    select caller.announced, caller.closing, caller.closed, lists.*,
      (select json_agg(o.org_id) from organisations o
        where o.suspended_at is not null and o.org_id = any((select ids from orgs)::bigint[])) as suspended,
      (select json_agg(i.check_id) from incidents i where ${OF_BATCH('i')}) as down,
      (select json_agg(json_build_object('check_id', d.check_id, 'kind', d.kind, 'warn_days', d.warn_days,
          'cert_expires_at', wire_time(d.cert_expires_at))) from degradations d where ${OF_BATCH('d')}) as degraded
    from caller, (select ${LISTED.map((name) => `array_to_json(array_agg(${name})) as ${name}`).join(', ')} from mine) lists`
const ASSIGNED_BY_GUID = assigned(BY_GUID)
const ASSIGNED_BY_MONITOR = assigned(BY_MONITOR)

interface AssignedLists extends Record<Exclude<(typeof LISTED)[number], 'guid'>, number[] | null> {
  guid: string[] | null
  announced: string | null
  closing: string | null
  closed: string | null
  suspended: number[] | null
  down: number[] | null
  degraded: ({ check_id: number; kind: string } & NonNullable<AssignedCheck['open_certificate']>)[] | null
}

/**
 * Reads the checks of a batch that are assigned to a monitor, possibly with others of its checks. Returns undefined if the caller
 * may no longer upload. Sealing waits for the transaction. `rows`: rows of the statement `also`.
 */
export async function readAssigned(
  trx: Transaction<Tables>,
  caller: CallerKey,
  guids: ReadonlySet<string>,
  also: readonly [] | readonly [RawBuilder<unknown>] = [],
): Promise<{ batch: AssignedBatch; rows: unknown[] } | undefined> {
  const [found, rows = []] = await executeTogether(trx, [asking(caller, [...guids]), ...also])
  const [lists] = (found ?? []) as AssignedLists[]
  return lists && { batch: toBatch(lists), rows }
}

function asking({ id, key_hash }: CallerKey, guids: readonly string[]): CompiledQuery<AssignedLists> {
  // Sends one text, which Postgres reads in half the time of an array. No check has a guid with a comma.
  const text = guids.map((guid) => (guid.includes(',') ? '' : guid)).join()
  return guids.length < READ_FROM
    ? CompiledQuery.raw(ASSIGNED_BY_GUID, [id, key_hash, text])
    : CompiledQuery.raw(ASSIGNED_BY_MONITOR, [id, key_hash, text, Math.floor(READ_AT_MOST * guids.length)])
}

function toBatch(found: AssignedLists): AssignedBatch {
  const { guid, org_id, check_id, result_detail_max_chars, degraded_over_ms, cert_warn_days } = found
  const suspended = new Set(found.suspended)
  const down = new Set(found.down)
  const degraded = Map.groupBy(found.degraded ?? [], (one) => one.check_id)
  const checks: AssignedCheck[] = []
  for (const [index, its_guid] of (guid ?? []).entries()) {
    const its_org_id = org_id?.[index] ?? 0
    const its_id = check_id?.[index] ?? 0
    if (suspended.has(its_org_id)) continue
    const open = degraded.get(its_id)
    checks.push({
      guid: its_guid,
      org_id: its_org_id,
      check_id: its_id,
      result_detail_max_chars: result_detail_max_chars?.[index] ?? 0,
      degraded_over_ms: degraded_over_ms?.[index] ?? 0,
      cert_warn_days: cert_warn_days?.[index] ?? 0,
      is_down: down.has(its_id),
      is_slow: open?.some(({ kind }) => kind === 'slow') ?? false,
      open_certificate: open?.find(({ kind }) => kind === 'certificate') ?? null,
    })
  }
  return { checks, announced: found.announced ?? '', closing: found.closing ?? '', closed: found.closed ?? '' }
}
