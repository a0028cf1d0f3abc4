// Stores events and their deliveries in the same transaction as the change that they report.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'

/** NOTIFY channel that wakes senders, which then read the table of deliveries. */
export const DELIVERIES_CHANNEL = 'dogwatch_deliveries'

export interface NewEvent {
  org_id: number
  event_id: string
  type: string
  created_at: string
  /** Subject of the event, such as `check:7`. Events of one subject reach a channel in their order. */
  subject: string
  check_id?: number
  incident_id?: string
  data: Record<string, unknown>
}

/**
 * Locks a subject until the transaction ends, so that other transactions with events about it wait, and then see its newest state.
 */
export async function lockSubject(db: Db, org_id: number, subject: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${org_id}:${subject}`}, 0))`.execute(db)
}

/** Locks a subject like {@link lockSubject}, but returns false instead of waiting. */
export async function tryLockSubject(db: Db, org_id: number, subject: string): Promise<boolean> {
  const { rows } = await sql<{ is_held: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${org_id}:${subject}`}, 0)) as is_held`.execute(db)
  return rows[0]?.is_held === true
}

/** Stores events. They reach each channel in this order. */
export async function insertEvents(db: Db, events: readonly NewEvent[]): Promise<void> {
  await db
    .insertInto('events')
    .values(events.map((event) => ({ ...event, data: JSON.stringify(event.data) })))
    .execute()
}

/**
 * Waits until no transaction is deciding about alerts of an org, and makes others wait until this one ends. For changes that such
 * decisions depend on. The caller must not have locked a channel, and must read the clock afterwards.
 */
export async function lockDecisions(db: Db, org_id: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${decisionsOf(org_id)}, 0))`.execute(db)
}

function decisionsOf(org_id: number): string {
  return `${org_id}:decisions`
}

/**
 * Locks an org's enabled channels, so that none is deleted before the transaction ends, and makes {@link lockDecisions} wait. The
 * caller must lock subjects before channels, and plans and deliveries after them.
 */
export async function lockChannels(db: Db, org_id: number): Promise<number[]> {
  await sql`select pg_advisory_xact_lock_shared(hashtextextended(${decisionsOf(org_id)}, 0))`.execute(db)
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
 * Returns the subject of deliveries about one incident, for receivers that keep incidents. A channel gets deliveries of one
 * subject in order, so the end of an incident neither waits for the next incident nor is replaced by it.
 */
export function lineOf(subject: string, incident_id: string): string {
  return `${subject}#${incident_id}`
}

/** Newer messages, which replace older ones that are still waiting. */
export interface Newer {
  /** Channels that get a newer message, with its subject (`line`). */
  sent: readonly { line: string; channel_id: number }[]
  /** Subjects of incidents that have ended: waiting messages about them are obsolete on every channel. */
  ended: readonly string[]
}

/**
 * Gives older deliveries one last attempt at once, because a newer message replaces them. Gives up waiting reminders without an
 * attempt.
 */
export async function supersedeDeliveries(db: Db, org_id: number, { sent, ended }: Newer, now: string): Promise<void> {
  const lines = [...new Set([...sent.map(({ line }) => line), ...ended])]
  if (lines.length === 0) return
  await sql`
    update deliveries d set is_last_attempt = true,
      state = case when e.type like '%.reminder' and d.leased_until is null then 'superseded' else 'pending' end,
      next_attempt_at = case when e.type like '%.reminder' and d.leased_until is null then null
        else least(d.next_attempt_at, ${now}::timestamptz) end
    from events e
    where d.org_id = ${org_id} and d.subject = any(${lines}::text[]) and d.state = 'pending'
      and (d.subject = any(${[...ended]}::text[]) or (d.subject, d.channel_id) in (
        select * from unnest(${sent.map(({ line }) => line)}::text[], ${sent.map((one) => one.channel_id)}::bigint[])))
      and e.org_id = d.org_id and e.event_id = d.event_id`.execute(db)
}

/** Channels that a message about a subject reached, or will still reach. */
export interface Audience {
  channel_ids: number[]
  /** Whether the earlier messages and their channels are still stored. If not, `channel_ids` is incomplete. */
  isKnown: boolean
}

/** Finds for each incident the channels of its alerts that were sent or are pending, except alerts about recoveries. */
export async function listAudiences(
  db: Db,
  org_id: number,
  incidents: readonly { incident_id: string; check_id: number | undefined }[],
  /** Types of events that report the end of an incident. */
  recoveries: readonly string[],
): Promise<Map<string, Audience>> {
  const ofChecks = incidents.filter(({ check_id }) => check_id !== undefined)
  const others = incidents.filter(({ check_id }) => check_id === undefined)
  const rows = [
    ...(await listTold(
      db,
      org_id,
      { incidents: ofChecks, recoveries },
      sql`e.check_id = any(${ofChecks.map(({ check_id }) => check_id)}::bigint[])`,
    )),
    ...(await listTold(
      db,
      org_id,
      { incidents: others, recoveries },
      sql`e.created_at >= (
      select min(i.began_at) from incidents i
      where i.org_id = ${org_id} and i.incident_id = any(${others.map(({ incident_id }) => incident_id)}::text[]))`,
    )),
  ]
  const byIncident = Map.groupBy(rows, ({ incident_id }) => incident_id)
  return new Map(incidents.map(({ incident_id }) => [incident_id, audienceOf(byIncident.get(incident_id) ?? [])]))
}

async function listTold(
  db: Db,
  org_id: number,
  { incidents, recoveries }: { incidents: readonly { incident_id: string }[]; recoveries: readonly string[] },
  narrowed: RawBuilder<unknown>,
): Promise<{ incident_id: string; channel_id: number | null }[]> {
  if (incidents.length === 0) return []
  const { rows } = await sql<{ incident_id: string; channel_id: number | null }>`
    select distinct e.incident_id, d.channel_id from events e left join deliveries d
      on d.org_id = e.org_id and d.event_id = e.event_id and (d.state in ('delivered', 'pending') or d.summary_id is not null)
    where e.org_id = ${org_id} and ${narrowed} and e.type <> all(${[...recoveries]}::text[])
      and e.incident_id = any(${incidents.map(({ incident_id }) => incident_id)}::text[])`.execute(db)
  return rows
}

/**
 * Event type whose messages list several things. `news` and `rest` name its fields for new things, and for those still in that
 * state.
 */
export interface Listing {
  type: string
  news: string
  rest: string
  /** Name of the field that identifies each thing in the list. */
  key: string
}

/** Finds the channels that got, or will still get, a message since an instant that lists any of the given things. */
export async function findListAudience(
  db: Db,
  org_id: number,
  { type, news, rest, key }: Listing,
  { ids, since }: { ids: readonly string[]; since: string },
): Promise<Audience> {
  const { rows } = await sql<{ channel_id: number | null }>`
    select distinct d.channel_id from events e left join deliveries d
      on d.org_id = e.org_id and d.event_id = e.event_id and (d.state in ('delivered', 'pending') or d.summary_id is not null)
    where e.org_id = ${org_id} and e.created_at >= ${since}::timestamptz and e.type = ${type} and exists (
      select from jsonb_array_elements(
        coalesce(e.data -> ${news}::text, '[]') || coalesce(e.data -> ${rest}::text, '[]')) one
      where one ->> ${key}::text = any(${[...ids]}::text[]))`.execute(db)
  return audienceOf(rows)
}

function audienceOf(rows: readonly { channel_id: number | null }[]): Audience {
  return {
    channel_ids: rows.flatMap(({ channel_id }) => (channel_id === null ? [] : [channel_id])),
    isKnown: rows.length > 0,
  }
}

/** Finds the channels that got, or will still get, events of the given types about a check since an instant. */
export async function findHearers(
  db: Db,
  org_id: number,
  { check_id, types, since }: { check_id: number; types: readonly string[]; since: string },
): Promise<Audience> {
  const { rows } = await sql<{ channel_id: number | null }>`
    select distinct d.channel_id from events e left join deliveries d
      on d.org_id = e.org_id and d.event_id = e.event_id and d.state <> 'failed'
    where e.org_id = ${org_id} and e.check_id = ${check_id} and e.type = any(${[...types]}::text[])
      and e.created_at >= ${since}::timestamptz`.execute(db)
  return audienceOf(rows)
}

export interface FanOut {
  org_id: number
  /** Events, each with a channel, in the order of sending. The transaction must have locked these channels. */
  sent: readonly { event_id: string; channel_id: number; severity?: string | null }[]
  /** Whether to skip channels with a waiting delivery of the same subject. */
  quietOnly: boolean
  /** Kinds of channels whose receivers keep incidents. These file events of the types `of_incidents` under the incident. */
  keepers: readonly string[]
  of_incidents: readonly string[]
  /** Time until which a hold withheld the alerts. Default: the time of each event. */
  created_at?: string
}

/** Creates the deliveries and wakes the senders. */
export async function insertDeliveries(db: Db, fanOut: FanOut): Promise<void> {
  const { org_id, sent, quietOnly, keepers, of_incidents, created_at } = fanOut
  const at = created_at === undefined ? sql`e.created_at` : sql`${created_at}::timestamptz`
  await sql`
    insert into deliveries (org_id, event_id, channel_id, subject, created_at, next_attempt_at, severity)
    select e.org_id, e.event_id, given.channel_id, line.subject, ${at}, ${at}, given.severity
    from unnest(${sent.map(({ event_id }) => event_id)}::text[], ${sent.map(({ channel_id }) => channel_id)}::bigint[],
        ${sent.map(({ severity = null }) => severity)}::text[])
      with ordinality as given(event_id, channel_id, severity, n)
    join events e on e.org_id = ${org_id} and e.event_id = given.event_id
    join notification_channels c on c.org_id = ${org_id} and c.id = given.channel_id
    cross join lateral (select case
      when c.kind = any(${[...keepers]}::text[]) and e.type = any(${[...of_incidents]}::text[]) and e.incident_id is not null
      then e.subject || '#' || e.incident_id else e.subject end as subject) line
    where not ${quietOnly} or not exists (
      select from deliveries d
      where d.org_id = e.org_id and d.channel_id = given.channel_id and d.subject = line.subject and d.state = 'pending')
    order by given.n`.execute(db)
  await sql`select pg_notify(${DELIVERIES_CHANNEL}, '')`.execute(db)
}

/**
 * Blanks what events keep of a check's definition: its target, errors that might quote it, and the time of day at which its
 * certificate expires.
 */
export async function updateEventsWiped(
  db: Db,
  org_id: number,
  checks: readonly { check_id: number; guid: string }[],
): Promise<void> {
  const guids = sql`any(${checks.map(({ guid }) => guid)}::text[])`
  await sql`
    update events set data = (data #- '{check,url}') || jsonb_build_object('checks', (
      select jsonb_agg(case when one ->> 'guid' = ${guids} then one - 'url' else one end order by n)
      from jsonb_array_elements(data -> 'checks') with ordinality as given(one, n)))
    where org_id = ${org_id} and subject = 'coverage' and exists (
      select from jsonb_array_elements(data -> 'checks') one where one ->> 'guid' = ${guids})`.execute(db)
  await sql`
    update events set data = (data - 'error') #- '{check,url}' || case when data ? 'monitors' then jsonb_build_object(
      'monitors', (select coalesce(jsonb_agg(monitor - 'error'), '[]') from jsonb_array_elements(data -> 'monitors') monitor))
      else '{}' end || case when data ? 'expires_at' then jsonb_build_object(
        'expires_at', left(data ->> 'expires_at', 10) || 'T00:00:00.000000Z')
      else '{}' end
    where org_id = ${org_id} and check_id = any(${checks.map(({ check_id }) => check_id)}::bigint[])`.execute(db)
}
