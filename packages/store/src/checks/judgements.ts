// Stores the states of checks that the server judges itself, and when it judged the checks of each organisation.
import { sql } from 'kysely'
import { type CheckKey, keyRows } from '../check-keys.ts'
import type { Db } from '../database.ts'
import type { LatestResult } from '../results/to-judge.ts'

export type JudgedState = 'up' | 'degraded' | 'down' | 'unmonitored'

/**
 * Age of a judgement, in seconds, after which checks are judged again. Needed because some changes of the checks that a judgement
 * depends on leave no trace.
 */
const AGAIN_SEC = 30

/**
 * Lists organisations whose checks the server must judge, because something changed or a while has passed. Lists none while no
 * worker has looked for unmonitored checks for three minutes, because the states that judging depends on are unknown.
 */
export async function listOrgsToJudge(db: Db, now: string, limit: number): Promise<number[]> {
  const { rows } = await sql<{ org_id: number }>`
    select c.org_id
    from (select distinct org_id from checks where judged_by_server and not deleted) c
    join organisations o on o.org_id = c.org_id and o.suspended_at is null
    left join judged_organisations j on j.org_id = c.org_id
    where not exists (
        select from service_presence where judged_at < ${now}::timestamptz - interval '3 minutes')
      and (j.seen is null or j.judged_at <= ${now}::timestamptz - make_interval(secs => ${AGAIN_SEC})
      or j.judged_at > ${now}::timestamptz + interval '1 minute'
      or exists (
        select from changes n where n.org_id = c.org_id and n.change_id >= pg_snapshot_xmin(j.seen)::text::bigint
          and not pg_visible_in_snapshot(n.change_id::text::xid8, j.seen)))
    order by j.judged_at nulls first, c.org_id limit ${limit}`.execute(db)
  return rows.map(({ org_id }) => org_id)
}

/**
 * Locks the judging of an organisation until the transaction ends. Returns the snapshot of changes committed by now, or undefined
 * if another process has the lock.
 */
export async function claimOrgToJudge(db: Db, org_id: number): Promise<string | undefined> {
  await sql`
    insert into judged_organisations (org_id, judged_at) values (${org_id}, '-infinity') on conflict do nothing`.execute(
    db,
  )
  const { rows } = await sql<{ seen: string }>`
    select pg_current_snapshot()::text as seen from judged_organisations where org_id = ${org_id}
    for update skip locked`.execute(db)
  return rows[0]?.seen
}

export async function updateOrgJudged(db: Db, org_id: number, judged_at: string, seen: string): Promise<void> {
  await sql`
    update judged_organisations set judged_at = ${judged_at}::timestamptz, seen = ${seen}::pg_snapshot
    where org_id = ${org_id}`.execute(db)
}

/** A check that the server judges, and its last judgement. */
export interface JudgedCheck extends CheckKey {
  guid: string
  url: string
  /** Current state by the last judgement. Null if there was none. */
  state: JudgedState | null
  reason: string | null
  began_at: string | null
  /** Whether the check has an open incident. */
  is_down: boolean
  is_unmonitored: boolean
  /** Reason of the check's open degradation, if its kind is one of {@link JUDGED_KINDS}. */
  degraded_reason: string | null
  /** Whether a pause or an edit is newer than the last judgement. */
  is_stale: boolean
}

/** Lists the enabled checks of an organisation that the server judges. */
export async function listJudgedChecks(db: Db, org_id: number): Promise<JudgedCheck[]> {
  const { rows } = await sql<JudgedCheck>`
    select c.org_id, c.check_id, c.guid, c.url, j.state, j.reason, wire_time(j.began_at) as began_at,
      i.incident_id is not null as is_down, s.unmonitored_since is not null as is_unmonitored,
      d.reason as degraded_reason, s.judged_at is null or coalesce(s.judged_from > s.judged_at, false) as is_stale
    from checks c
    left join judgements j on j.org_id = c.org_id and j.check_id = c.check_id and j.ended_at is null
    left join check_states s on s.org_id = c.org_id and s.check_id = c.check_id
    left join incidents i on i.org_id = c.org_id and i.check_id = c.check_id and i.ended_at is null
    left join lateral (
      select reason from degradations
      where org_id = c.org_id and check_id = c.check_id and ended_at is null and kind = any(${[...JUDGED_KINDS]}::text[])
      limit 1) d on true
    where c.org_id = ${org_id} and c.judged_by_server and not c.deleted and c.enabled
    order by c.check_id`.execute(db)
  return rows
}

/** Kinds of degradation that only the server finds, because no monitor's results show them. */
export const JUDGED_KINDS = ['members', 'registration'] as const
export type JudgedKind = (typeof JUDGED_KINDS)[number]

/** Finds a check's open degradation whose kind is one of {@link JUDGED_KINDS}. */
export async function findJudgedDegradation(
  db: Db,
  { org_id, check_id }: CheckKey,
): Promise<{ degradation_id: string; kind: JudgedKind; reason: string; began_at: string } | undefined> {
  const { rows } = await sql<{ degradation_id: string; kind: JudgedKind; reason: string; began_at: string }>`
    select degradation_id, kind, reason, wire_time(began_at) as began_at from degradations
    where org_id = ${org_id} and check_id = ${check_id} and ended_at is null and kind = any(${[...JUDGED_KINDS]}::text[])
    limit 1`.execute(db)
  return rows[0]
}

export async function updateDegradationReason(
  db: Db,
  { org_id, degradation_id }: { org_id: number; degradation_id: string },
  reason: string,
): Promise<void> {
  await sql`
    update degradations set reason = ${reason} where org_id = ${org_id} and degradation_id = ${degradation_id}`.execute(
    db,
  )
}

/**
 * Records the state of a check from now on. If the state is unchanged, updates only its reason. The caller must hold the lock of
 * the check.
 */
export async function putJudgement(
  db: Db,
  { org_id, check_id }: CheckKey,
  { state, reason, at }: { state: JudgedState; reason: string; at: string },
): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    update judgements set reason = ${reason}
    where org_id = ${org_id} and check_id = ${check_id} and ended_at is null and state = ${state}`.execute(db)
  if (numAffectedRows > 0n) return
  await sql`
    update judgements set ended_at = greatest(began_at, ${at}::timestamptz)
    where org_id = ${org_id} and check_id = ${check_id} and ended_at is null`.execute(db)
  await sql`
    insert into judgements (org_id, check_id, began_at, state, reason)
    values (${org_id}, ${check_id}, ${at}::timestamptz, ${state}, ${reason})
    on conflict (org_id, check_id, began_at) do update set state = excluded.state, reason = excluded.reason, ended_at = null`.execute(
    db,
  )
}

/** Ends the current judgements of checks that the server no longer judges. */
export async function endJudgements(
  db: Db,
  org_id: number,
  check_ids: readonly number[],
  ended_at: string,
): Promise<void> {
  await sql`
    update judgements set ended_at = greatest(began_at, ${ended_at}::timestamptz)
    where org_id = ${org_id} and check_id = any(${[...check_ids]}::bigint[]) and ended_at is null`.execute(db)
}

export interface CurrentJudgement {
  state: JudgedState
  reason: string
  began_at: string
}

/** Finds the last judgement of a check. */
export async function findJudgement(db: Db, { org_id, check_id }: CheckKey): Promise<CurrentJudgement | undefined> {
  const { rows } = await sql<CurrentJudgement>`
    select state, reason, wire_time(began_at) as began_at from judgements
    where org_id = ${org_id} and check_id = ${check_id} and ended_at is null`.execute(db)
  return rows[0]
}

/**
 * Returns the last judgements of those of the given checks that the server judges, in the form of results, for the texts of
 * alerts.
 */
export async function listAsResults(db: Db, keys: readonly CheckKey[]): Promise<LatestResult[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<CheckKey & { state: JudgedState; reason: string; at: string }>`
    select j.org_id, j.check_id, j.state, j.reason, wire_time(j.began_at) as at
    from ${keyRows(keys)} join judgements j using (org_id, check_id) where j.ended_at is null`.execute(db)
  return rows.map(({ org_id, check_id, state, reason, at }) =>
    asResult({ org_id, check_id }, { isDown: state === 'down', reason, at }),
  )
}

/** Returns a judgement in the form of a result. Its monitor is the server, without an id. */
export function asResult(
  { org_id, check_id }: CheckKey,
  { isDown, reason, at }: { isDown: boolean; reason: string; at: string },
): LatestResult {
  return {
    ...{ org_id, check_id, at, ran_at: at, monitor_id: '', monitor_name: 'Dogwatch', success: !isDown },
    ...{ latency_ms: 0, http_status: 0, error: isDown ? reason : null },
  }
}

/** State that a check had for a time. `ended_at` is null while the state lasts. */
export interface PastJudgement {
  check_id: number
  state: JudgedState
  began_at: string
  ended_at: string | null
}

/** Lists the states since an instant of those of the given checks that the server judges, oldest first. */
export async function listPastJudgements(
  db: Db,
  org_id: number,
  check_ids: readonly number[],
  from: string,
): Promise<PastJudgement[]> {
  const { rows } = await sql<PastJudgement>`
    select j.check_id, j.state, wire_time(j.began_at) as began_at, wire_time(j.ended_at) as ended_at
    from checks c join judgements j on j.org_id = c.org_id and j.check_id = c.check_id
    where c.org_id = ${org_id} and c.judged_by_server and not c.deleted and c.check_id = any(${[...check_ids]}::bigint[])
      and (j.ended_at is null or j.ended_at > ${from}::timestamptz)
    order by j.check_id, j.began_at`.execute(db)
  return rows
}

/** Check that a composite check can refer to. */
export interface NameableCheck {
  guid: string
  key: string | null
  name: string
  tags: string[]
}

/**
 * Lists, sorted by name, the checks that a composite check can refer to. Omits checks with private definitions and other composite
 * checks, which a composite check never counts.
 */
export async function listNameable(db: Db, org_id: number, limit: number): Promise<NameableCheck[]> {
  const { rows } = await sql<NameableCheck>`
    select guid, key, name, tags from checks
    where org_id = ${org_id} and not deleted and url <> '' and lower(url) not like 'composite:%'
    order by name, check_id limit ${limit}`.execute(db)
  return rows
}

/** Lists the guids and keys of an organisation's composite checks. */
export async function listComposites(db: Db, org_id: number): Promise<{ guid: string; key: string | null }[]> {
  const { rows } = await sql<{ guid: string; key: string | null }>`
    select guid, key from checks
    where org_id = ${org_id} and judged_by_server and not deleted and lower(url) like 'composite:%'`.execute(db)
  return rows
}
