// Events and their deliveries, as they are written: in the transaction that caused them.
import { sql } from 'kysely'
import type { Db } from './database.ts'

/** Senders listen here; the table is the truth. */
export const DELIVERIES_CHANNEL = 'dogwatch_deliveries'

export interface NewEvent {
  org_id: number
  event_id: string
  type: string
  created_at: string
  /** What it is about: `check:7`. Events of one subject reach a channel in their order. */
  subject: string
  check_id?: number
  incident_id?: string
  data: Record<string, unknown>
}

/** Lets others who write about this subject wait until the transaction ends, so that they tell what they then find. */
export async function lockSubject(db: Db, org_id: number, subject: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${org_id}:${subject}`}, 0))`.execute(db)
}

/** Writes events. Their order is the order in which channels are told. */
export async function insertEvents(db: Db, events: readonly NewEvent[]): Promise<void> {
  await db
    .insertInto('events')
    .values(events.map((event) => ({ ...event, data: JSON.stringify(event.data) })))
    .execute()
}

/**
 * An org's channels that are switched on. None of them is deleted before the transaction ends; taken before any delivery is
 * touched, as by those who delete one.
 */
export async function lockChannels(db: Db, org_id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('notification_channels')
    .select('id')
    .where('org_id', '=', org_id)
    .where('enabled', '=', true)
    .orderBy('id')
    .forKeyShare()
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * What still waits to be told about these subjects is tried once more, at once, and then given up; a reminder is given up
 * without.
 */
export async function supersedeDeliveries(
  db: Db,
  org_id: number,
  subjects: readonly string[],
  now: string,
): Promise<void> {
  await sql`
    update deliveries d set is_last_attempt = true,
      state = case when e.type like '%.reminder' and d.leased_until is null then 'superseded' else 'pending' end,
      next_attempt_at = case when e.type like '%.reminder' and d.leased_until is null then null
        else least(d.next_attempt_at, ${now}::timestamptz) end
    from events e
    where d.org_id = ${org_id} and d.subject = any(${[...subjects]}::text[]) and d.state = 'pending'
      and e.org_id = d.org_id and e.event_id = d.event_id`.execute(db)
}

export interface FanOut {
  org_id: number
  event_ids: readonly string[]
  /** Held by the transaction. */
  channel_ids: readonly number[]
  /** Only to channels on which nothing about the subject waits. */
  quietOnly: boolean
}

/** One delivery for each event and each of the channels; wakes the senders. */
export async function insertDeliveries(db: Db, { org_id, event_ids, channel_ids, quietOnly }: FanOut): Promise<void> {
  await sql`
    insert into deliveries (org_id, event_id, channel_id, subject, created_at, next_attempt_at)
    select e.org_id, e.event_id, c.id, e.subject, e.created_at, e.created_at
    from unnest(${[...event_ids]}::text[]) with ordinality as given(event_id, n)
    join events e on e.org_id = ${org_id} and e.event_id = given.event_id
    cross join unnest(${[...channel_ids]}::bigint[]) as c(id)
    where not ${quietOnly} or not exists (
      select from deliveries d
      where d.org_id = e.org_id and d.channel_id = c.id and d.subject = e.subject and d.state = 'pending')
    order by given.n, c.id`.execute(db)
  await sql`select pg_notify(${DELIVERIES_CHANNEL}, '')`.execute(db)
}

/** Blanks what events kept of a check's definition: its target, and errors that may quote it. */
export async function updateEventsWiped(
  db: Db,
  { org_id, check_id, guid }: { org_id: number; check_id: number; guid: string },
): Promise<void> {
  await sql`
    update events set data = (data #- '{check,url}') || jsonb_build_object('checks', (
      select jsonb_agg(case when one ->> 'guid' = ${guid} then one - 'url' else one end order by n)
      from jsonb_array_elements(data -> 'checks') with ordinality as given(one, n)))
    where org_id = ${org_id} and subject = 'coverage'
      and data @> jsonb_build_object('checks', jsonb_build_array(jsonb_build_object('guid', ${guid}::text)))`.execute(
    db,
  )
  await sql`
    update events set data = (data - 'error') #- '{check,url}' || case when data ? 'monitors' then jsonb_build_object(
      'monitors', (select coalesce(jsonb_agg(monitor - 'error'), '[]') from jsonb_array_elements(data -> 'monitors') monitor))
      else '{}' end
    where org_id = ${org_id} and check_id = ${check_id}`.execute(db)
}
