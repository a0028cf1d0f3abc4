// Stores summaries: many alerts of one channel in one message, together with what is down by then.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { insertEvents, lockSubject, type NewEvent } from './events.ts'

export interface Joining {
  org_id: number
  channel_id: number
  subject: string
  now: string
  /** End of the caller's lease of the deliveries. */
  leased_until: string | null
  limit: number
}

/** New summary. It collects deliveries until a process begins to send it. */
export interface NewSummary {
  event: NewEvent
  due_at: string
}

/**
 * Moves deliveries that are due on a channel and were never tried into its summary, and returns their number. If no summary is
 * collecting, creates the one from `open`. Without both, changes nothing.
 */
export async function joinSummary(db: Db, joining: Joining, open?: NewSummary): Promise<number> {
  const { org_id, channel_id, subject, now, leased_until, limit } = joining
  return db.transaction().execute(async (trx) => {
    // Locks in the same order as the deletion of channels: the channel first, then its deliveries.
    const channel = await trx
      .selectFrom('notification_channels')
      .select('id')
      .where('org_id', '=', org_id)
      .where('id', '=', channel_id)
      .forKeyShare()
      .executeTakeFirst()
    if (!channel) return 0
    await lockSubject(trx, org_id, subject)
    const { rows } = await sql<{ delivery_id: number }>`
      select delivery_id from deliveries
      where org_id = ${org_id} and channel_id = ${channel_id} and subject = ${subject} and state = 'pending' and not is_charged
      for update`.execute(trx)
    const summary_id = rows[0]?.delivery_id ?? (open && (await insertSummary(trx, joining, open)))
    if (summary_id === undefined) return 0
    const { numAffectedRows = 0n } = await sql`
      update deliveries d set state = 'superseded', next_attempt_at = null, leased_until = null, planned_at = null,
        not_before = null, last_error = null, summary_id = ${summary_id}
      from (
        select org_id, delivery_id from deliveries t
        where t.state = 'pending' and (t.org_id, t.channel_id, t.next_attempt_at) > (${org_id}, ${channel_id}, '-infinity'::timestamptz)
          and (t.org_id, t.channel_id, t.next_attempt_at) <= (${org_id}, ${channel_id}, ${now}::timestamptz)
          and not is_charged and attempts = 0 and subject !~ '^(test|confirm|summary):'
          and (leased_until is null or leased_until <= ${now}::timestamptz or leased_until = ${leased_until}::timestamptz)
        order by t.org_id, t.channel_id, t.next_attempt_at, t.delivery_id limit ${limit} for update skip locked) joined
      where d.org_id = joined.org_id and d.delivery_id = joined.delivery_id`.execute(trx)
    return Number(numAffectedRows)
  })
}

async function insertSummary(db: Db, { org_id, channel_id }: Joining, { event, due_at }: NewSummary): Promise<number> {
  await insertEvents(db, [event])
  const { rows } = await sql<{ delivery_id: number }>`
    insert into deliveries (org_id, event_id, channel_id, subject, created_at, next_attempt_at)
    values (${org_id}, ${event.event_id}, ${channel_id}, ${event.subject}, ${event.created_at}::timestamptz, ${due_at}::timestamptz)
    returning delivery_id`.execute(db)
  const [row] = rows
  if (!row) throw new Error('an insert returned no row')
  // An earlier summary that is still undelivered gets one more attempt, and then the new summary replaces it.
  await sql`
    update deliveries set is_last_attempt = true, next_attempt_at = least(next_attempt_at, ${due_at}::timestamptz)
    where org_id = ${org_id} and channel_id = ${channel_id} and subject = ${event.subject} and state = 'pending'
      and delivery_id < ${row.delivery_id}`.execute(db)
  return row.delivery_id
}

/** Something that is down, offline or unmonitored. */
export interface AffectedItem {
  id: string
  name: string
  since: string
}

export interface SummaryContent {
  org: { name: string }
  /** Number of collected events of each type. */
  counts: { type: string; count: number }[]
  /** Time of the oldest collected alert. Null if there is none. */
  since: string | null
  checks: (AffectedItem & { incident_id: string })[]
  heartbeats: (AffectedItem & { incident_id: string })[]
  down_count: number
  offline: AffectedItem[]
  offline_count: number
  unmonitored_count: number
}

/**
 * Reads which alerts a summary has collected, and what is down, offline or unmonitored now. Each list has at most `listed`
 * entries.
 */
export async function readGathered(
  db: Db,
  { org_id, delivery_id }: { org_id: number; delivery_id: number },
  listed: number,
): Promise<SummaryContent> {
  const { rows } = await sql<SummaryContent>`
    with told as (
      select e.type, count(*) as count, min(d.created_at) as since
      from deliveries d join events e on e.org_id = d.org_id and e.event_id = d.event_id
      where d.org_id = ${org_id} and d.summary_id = ${delivery_id} group by e.type
    ), open as (
      select * from incidents where org_id = ${org_id} and ended_at is null
    ), away as (
      select id, name, offline_since from monitors
      where org_id = ${org_id} and enabled and platform_enabled and retired_at is null and offline_since is not null
    ), down_checks as (
      select c.guid as id, c.name, wire_time(o.began_at) as since, o.incident_id
      from open o join checks c on c.org_id = o.org_id and c.check_id = o.check_id
      order by o.began_at, c.guid limit ${listed}
    ), down_heartbeats as (
      select h.guid as id, h.name, wire_time(o.began_at) as since, o.incident_id
      from open o join heartbeats h on h.org_id = o.org_id and h.heartbeat_id = o.heartbeat_id
      order by o.began_at, h.guid limit ${listed}
    )
    select (select jsonb_build_object('name', name) from organisations where org_id = ${org_id}) as org,
      (select coalesce(jsonb_agg(jsonb_build_object('type', type, 'count', count) order by type), '[]') from told) as counts,
      (select wire_time(min(since)) from told) as since,
      (select coalesce(jsonb_agg(to_jsonb(d)), '[]') from down_checks d) as checks,
      (select coalesce(jsonb_agg(to_jsonb(d)), '[]') from down_heartbeats d) as heartbeats,
      (select count(*)::integer from open) as down_count,
      (select coalesce(jsonb_agg(to_jsonb(a)), '[]') from (
        select id, name, wire_time(offline_since) as since from away order by offline_since, id limit ${listed}) a) as offline,
      (select count(*)::integer from away) as offline_count,
      (select count(*)::integer from check_states where org_id = ${org_id} and unmonitored_since is not null) as unmonitored_count`.execute(
    db,
  )
  const [row] = rows
  if (!row) throw new Error('the database returned no row for a question that always has one')
  return row
}

/** Stores the content of a summary and returns it as stored, so that every attempt sends the same. */
export async function updateEventData(
  db: Db,
  { org_id, event_id }: { org_id: number; event_id: string },
  data: object,
): Promise<unknown> {
  const { rows } = await sql<{ data: unknown }>`
    update events set data = ${JSON.stringify(data)}::jsonb
    where org_id = ${org_id} and event_id = ${event_id} returning data`.execute(db)
  return rows[0]?.data
}
