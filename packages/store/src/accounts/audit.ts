// Stores the audit log: who changed what in an organisation.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { wireTime } from '../wire-time.ts'

export interface NewAuditEntry {
  org_id: number
  created_at: string
  actor: string
  impersonator: string | null
  action: string
  subject: string
  check_id?: number
  detail: Record<string, unknown>
}

export interface AuditRow {
  entry_id: number
  created_at: string
  actor: string
  impersonator: string | null
  action: string
  /** Subject of the action. If the entry counts several actions, the subject of the last one. */
  subject: string
  detail: Record<string, unknown>
  /**
   * Number of actions that the entry counts; `last_at` is the time of the last one. Null if the entry describes a single action.
   */
  times: number | null
  last_at: string | null
  /** Guid of the check that the entry is about. Null if it is about something else, or the check no longer exists. */
  check_guid: string | null
}

/** Daily limits of audit entries that are stored in full: their number, and the bytes of their details. */
export interface AuditBounds {
  entries: number
  bytes: number
}

export interface AuditRoom {
  of_org: AuditBounds
  /** Limits that each actor can use up, even if other actors have used up the limits of the organisation. */
  of_actor: AuditBounds
}

export interface WhichEntries {
  before?: number | undefined
  since?: string | undefined
  until?: string | undefined
  limit: number
}

/**
 * Stores audit entries of actions that happen at once. Entries beyond both the organisation's and the actor's limits only raise a
 * count per hour, actor and action, which bounds the space. Full entries get lower ids, because lists sort by id.
 */
export async function insertAuditEntries(db: Db, entries: readonly NewAuditEntry[], room: AuditRoom): Promise<void> {
  const [first] = entries
  if (!first) return
  const { org_id, created_at, actor, impersonator } = first
  const rows = entries.map(({ action, subject, check_id, detail }) => ({ action, subject, check_id, detail }))
  await sql`
    with given as (
      select action, subject, check_id, coalesce(detail, '{}') as detail, nth,
        sum(octet_length(detail::text)) over (order by nth) as bytes
      from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (
        action text, subject text, check_id bigint, detail jsonb
      )) with ordinality as t (action, subject, check_id, detail, nth)
    ), written as (
      select count(*) as of_org, coalesce(sum(octet_length(detail::text)), 0) as org_bytes,
        count(*) filter (where actor = ${actor}) as of_actor,
        coalesce(sum(octet_length(detail::text)) filter (where actor = ${actor}), 0) as actor_bytes
      from audit_entries
      where org_id = ${org_id} and created_at > ${created_at}::timestamptz - interval '1 day' and summary_of is null
    ), sorted as (
      select given.*,
        (of_org + nth <= ${room.of_org.entries} and org_bytes + bytes <= ${room.of_org.bytes})
          or (of_actor + nth <= ${room.of_actor.entries} and actor_bytes + bytes <= ${room.of_actor.bytes}) as has_room
      from given, written
    ), in_full as (
      insert into audit_entries (org_id, created_at, actor, impersonator, action, subject, check_id, detail)
      select ${org_id}::bigint, ${created_at}::timestamptz, ${actor}::text, ${impersonator}::text, action, subject, check_id, detail
      from sorted where has_room order by nth
      returning 1
    )
    insert into audit_entries as held
      (org_id, created_at, actor, impersonator, action, subject, detail, summary_of, times, last_at)
    select ${org_id}::bigint, ${created_at}::timestamptz, ${actor}::text, ${impersonator}::text, action,
      (array_agg(subject order by nth desc))[1], jsonb_strip_nulls(jsonb_build_object('token', min(detail ->> 'token'))),
      date_trunc('hour', ${created_at}::timestamptz, 'UTC'), count(*), ${created_at}::timestamptz
    from sorted where not has_room and (select count(*) from in_full) >= 0 group by action order by action
    on conflict (org_id, summary_of, actor, action, (coalesce(impersonator, '')), (coalesce(detail ->> 'token', '')))
      where summary_of is not null
      do update set times = held.times + excluded.times, subject = excluded.subject,
        last_at = greatest(held.last_at, excluded.last_at)`.execute(db)
}

/**
 * Lists the newest audit entries of an org: only those before the entry `before`, and those between the times `since` and `until`,
 * if given.
 */
export async function listAuditEntries(
  db: Db,
  org_id: number,
  { before, since, until, limit }: WhichEntries,
): Promise<AuditRow[]> {
  return db
    .selectFrom('audit_entries')
    .leftJoin('checks', (join) =>
      join
        .onRef('checks.org_id', '=', 'audit_entries.org_id')
        .onRef('checks.check_id', '=', 'audit_entries.check_id')
        .on('checks.deleted', '=', false),
    )
    .select((eb) => [
      'entry_id',
      'checks.guid as check_guid',
      wireTime(eb.ref('audit_entries.created_at')).as('created_at'),
      'actor',
      'impersonator',
      'action',
      'subject',
      'detail',
      'times',
      wireTime(eb.ref('last_at')).as('last_at'),
    ])
    .where('audit_entries.org_id', '=', org_id)
    .$if(before !== undefined, (query) => query.where('entry_id', '<', before as number))
    .$if(since !== undefined, (query) =>
      query.where('audit_entries.created_at', '>=', sql<string>`${since}::timestamptz`),
    )
    .$if(until !== undefined, (query) =>
      query.where('audit_entries.created_at', '<', sql<string>`${until}::timestamptz`),
    )
    .orderBy('entry_id', 'desc')
    .limit(limit)
    .execute()
}

/** Blanks the details of entries about checks. */
export async function updateAuditWiped(db: Db, org_id: number, check_ids: readonly number[]): Promise<void> {
  await db
    .updateTable('audit_entries')
    .set({ detail: '{}' })
    .where('org_id', '=', org_id)
    .where('check_id', '=', sql<number>`any(${[...check_ids]}::bigint[])`)
    .execute()
}
