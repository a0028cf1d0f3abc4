// Stores which checks were deleted recently, and restores them as they were.
import { sql } from 'kysely'
import { type CheckKey, keyRows } from '../check-keys.ts'
import type { Db } from '../database.ts'
import type { GatedTime } from '../gated-time.ts'
import { IS_ASSIGNED_SQL } from '../is-assigned.ts'
import { type CheckPlace, PLACE, updateChecksAlike } from './checks.ts'

export interface Deletion {
  batch_id: string
  deleted_at: string
  /** Email address of the person who deleted the checks. */
  deleted_by: string
}

/** Endings of the subjects of events about a check: see `subjectOf` and `subjectOfDegradation`. */
const ENDS = ['', ':slow', ':certificate']
const CHECK_OF = sql`split_part(subject, ':', 2)::bigint`

const EMPTY = sql`'[]'::jsonb`

/**
 * Records what the deletion of these checks will remove. The caller must hold their locks and must not have removed anything yet.
 */
export async function insertDeletions(
  db: Db,
  org_id: number,
  check_ids: readonly number[],
  { batch_id, deleted_at, deleted_by }: Deletion,
): Promise<void> {
  const ids = sql`${[...check_ids]}::bigint[]`
  const subjects = sql`${check_ids.flatMap((id) => ENDS.map((end) => `check:${id}${end}`))}::text[]`
  // Everyone who changes a check waits for this statement. It reads tables with rows for few checks once for all
  // checks, and looks up other rows by index: in a join, Postgres might compare each pair of rows.
  await sql`
    with gone as (
      select check_id, guid from checks where org_id = ${org_id} and check_id = any(${ids})
    ), muted as (
      select m.subject, jsonb_agg(to_jsonb(m)) as kept from mutes m
      where m.org_id = ${org_id} and m.subject = any(${subjects}) group by m.subject
    ), dependents as (
      select depends_on, jsonb_agg(guid) as kept from checks
      where org_id = ${org_id} and depends_on <> '' and depends_on = any(array(select guid from gone)) group by depends_on
    ), pending as (
      select ${CHECK_OF} as check_id, jsonb_agg(delivery_id) as kept from deliveries
      where org_id = ${org_id} and subject = any(${subjects}) and state = 'pending' group by 1
    ), planned as (
      select ${CHECK_OF} as check_id, jsonb_agg(to_jsonb(p)) as kept from planned_alerts p
      where p.org_id = ${org_id} and p.subject = any(${subjects}) group by 1
    )
    insert into deleted_checks (org_id, check_id, batch_id, deleted_at, deleted_by, kept)
    select ${org_id}::bigint, gone.check_id, ${batch_id}, ${deleted_at}::timestamptz, ${deleted_by}, jsonb_build_object(
      'monitors', (select coalesce(jsonb_agg(monitor_id), ${EMPTY}) from assignments a
        where org_id = ${org_id} and check_id = gone.check_id and ${IS_ASSIGNED_SQL}),
      'mutes', coalesce(muted.kept, ${EMPTY}),
      'dependents', coalesce(dependents.kept, ${EMPTY}),
      'incidents', (select coalesce(jsonb_agg(incident_id), ${EMPTY}) from incidents
        where org_id = ${org_id} and check_id = gone.check_id and ended_at is null),
      'degradations', (select coalesce(jsonb_agg(degradation_id), ${EMPTY}) from degradations
        where org_id = ${org_id} and check_id = gone.check_id and ended_at is null),
      'state', (select to_jsonb(s) from (
        select unmonitored_since, unmonitored_quietly, changes, flapping_since, change_count from check_states
        where org_id = ${org_id} and check_id = gone.check_id) s),
      'deliveries', coalesce(pending.kept, ${EMPTY}),
      'planned_alerts', coalesce(planned.kept, ${EMPTY}))
    from gone
    left join muted on muted.subject = 'check:' || gone.check_id
    left join dependents on dependents.depends_on = gone.guid
    left join pending using (check_id)
    left join planned using (check_id)
    order by check_id
    on conflict (org_id, check_id) do update set batch_id = excluded.batch_id, deleted_at = excluded.deleted_at,
      deleted_by = excluded.deleted_by, kept = excluded.kept`.execute(db)
}

/** Clears the keys of deleted checks that other checks use by now. The caller is about to restore the deleted checks. */
export async function clearTakenKeys(db: Db, org_id: number, check_ids: readonly number[]): Promise<void> {
  await sql`
    update checks c set key = null
    where c.org_id = ${org_id} and c.check_id = any(${[...check_ids]}::bigint[]) and c.deleted and c.key is not null and exists (
      select from checks o where o.org_id = c.org_id and o.key = c.key and not o.deleted)`.execute(db)
}

/**
 * Locks the checks of a deletion that can still be undone until the transaction ends, and returns the checks as they were before.
 */
export async function lockDeletedChecks(
  db: Db,
  org_id: number,
  batch_id: string,
): Promise<(CheckPlace & { deleted_at: string })[]> {
  const { rows } = await sql<CheckPlace & { deleted_at: string }>`
    select ${sql.raw(PLACE.map((column) => `c.${column}`).join())}, wire_time(d.deleted_at) as deleted_at
    from deleted_checks d join checks c on c.org_id = d.org_id and c.check_id = d.check_id
    where d.org_id = ${org_id} and d.batch_id = ${batch_id}
    order by c.check_id for update of d`.execute(db)
  return rows
}

/** Restores deleted checks with everything that their deletion removed, and forgets the deletion. */
export async function restoreDeletedChecks(
  db: Db,
  org_id: number,
  check_ids: readonly number[],
  now: string,
): Promise<void> {
  const its = sql`d.org_id = ${org_id} and d.check_id = any(${[...check_ids]}::bigint[])`
  const kept = (name: string) => sql`jsonb_array_elements_text(d.kept -> ${name}) as k(id)`
  await clearTakenKeys(db, org_id, check_ids)
  await updateChecksAlike(db, org_id, check_ids, { deleted: false })
  // The tombstone of each assignment still exists, because tombstones are stored for longer than a deletion can be
  // undone.
  await sql`
    update assignments a set active = true
    from deleted_checks d cross join ${kept('monitors')} join monitors m on m.id = k.id and m.retired_at is null
    where ${its} and a.monitor_id = m.id and a.org_id = d.org_id and a.check_id = d.check_id and not ${IS_ASSIGNED_SQL}`.execute(
    db,
  )
  await sql`
    insert into mutes (org_id, subject, muted_until, muted_at, muted_by, incident_id)
    select m.org_id, m.subject, m.muted_until, m.muted_at, m.muted_by, m.incident_id from deleted_checks d
    cross join jsonb_populate_recordset(null::mutes, d.kept -> 'mutes') m
    where ${its} and (m.muted_until > ${now}::timestamptz or m.incident_id is not null) on conflict do nothing`.execute(
    db,
  )
  await sql`
    update checks c set depends_on = own.guid
    from deleted_checks d join checks own on own.org_id = d.org_id and own.check_id = d.check_id cross join ${kept('dependents')}
    where ${its} and c.org_id = d.org_id and c.guid = k.id and c.depends_on = ''`.execute(db)
  await sql`
    update check_states s set unmonitored_since = k.unmonitored_since, unmonitored_quietly = k.unmonitored_quietly,
      changes = k.changes, flapping_since = k.flapping_since, change_count = k.change_count
    from deleted_checks d cross join jsonb_populate_record(null::check_states, d.kept -> 'state') k
    where ${its} and s.org_id = d.org_id and s.check_id = d.check_id and k.changes is not null`.execute(db)
  await reopen(db, its, kept, now)
  await sql`delete from deleted_checks d where ${its}`.execute(db)
}

/** Reopens the incidents and degradations that the deletion ended, and resumes pending alerts about them. */
async function reopen(
  db: Db,
  its: ReturnType<typeof sql>,
  kept: (name: string) => ReturnType<typeof sql>,
  now: string,
): Promise<void> {
  await sql`
    update incidents i set ended_at = null, end_reason = null from deleted_checks d cross join ${kept('incidents')}
    where ${its} and i.org_id = d.org_id and i.incident_id = k.id and i.end_reason = 'deleted'`.execute(db)
  await sql`
    update degradations g set ended_at = null, end_reason = null from deleted_checks d cross join ${kept('degradations')}
    where ${its} and g.org_id = d.org_id and g.degradation_id = k.id and g.end_reason = 'deleted'`.execute(db)
  await sql`
    update deliveries v set state = 'pending', next_attempt_at = greatest(${now}::timestamptz, v.not_before)
    from deleted_checks d cross join ${kept('deliveries')}
    where ${its} and v.org_id = d.org_id and v.delivery_id = k.id::bigint and v.state = 'superseded'`.execute(db)
  await sql`
    insert into planned_alerts (org_id, event_id, channel_id, subject, incident_id, step, severity, due_at, held_by, held_until, created_at)
    select p.org_id, p.event_id, p.channel_id, p.subject, p.incident_id, p.step, p.severity, p.due_at, p.held_by, p.held_until,
      p.created_at
    from deleted_checks d
    cross join jsonb_populate_recordset(null::planned_alerts, d.kept -> 'planned_alerts') p
    join notification_channels n on n.org_id = p.org_id and n.id = p.channel_id
    where ${its} on conflict do nothing`.execute(db)
}

/** A deletion that can be undone. */
export interface DeletionRow extends Deletion {
  count: number
  /** Names of some of the deleted checks, sorted. */
  names: string[]
}

export async function listDeletions(db: Db, org_id: number, since: string, named: number): Promise<DeletionRow[]> {
  const { rows } = await sql<DeletionRow>`
    select d.batch_id, wire_time(min(d.deleted_at)) as deleted_at, min(d.deleted_by) as deleted_by,
      count(*)::integer as count, (array_agg(c.name order by c.name, c.check_id))[:${named}::integer] as names
    from deleted_checks d join checks c on c.org_id = d.org_id and c.check_id = d.check_id and c.deleted
    where d.org_id = ${org_id} and d.deleted_at > ${since}::timestamptz
    group by d.batch_id order by min(d.deleted_at) desc, d.batch_id`.execute(db)
  return rows
}

/**
 * Lists the checks of some deletions from before an instant, the oldest deletion first. `claims`: locks them until the transaction
 * ends, and skips those that another one has locked.
 */
export async function listFinalDeletions(
  db: Db,
  before: GatedTime,
  limit: number,
  { claims = false } = {},
): Promise<(CheckKey & { guid: string; deleted: boolean })[]> {
  const { rows } = await sql<CheckKey & { guid: string; deleted: boolean }>`
    select c.org_id, c.check_id, c.guid, c.deleted
    from deleted_checks d join checks c on c.org_id = d.org_id and c.check_id = d.check_id
    where d.deleted_at <= ${before}::timestamptz order by d.deleted_at, d.org_id, d.check_id limit ${limit}
    ${claims ? sql`for update of d skip locked` : sql``}`.execute(db)
  return rows
}

/** Deletes the records of deletions that can no longer be undone, or whose checks exist again. */
export async function forgetDeletions(db: Db, checks: readonly CheckKey[]): Promise<void> {
  await sql`
    delete from deleted_checks where (org_id, check_id) in (select * from ${keyRows(checks)})`.execute(db)
}
