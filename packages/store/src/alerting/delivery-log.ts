// Reads the delivery log for pages.
import { type RawBuilder, sql } from 'kysely'
import { prepared } from '../builder-pool.ts'
import type { Db } from '../database.ts'
import { SHOWN_STATE } from './deliveries.ts'

export interface LoggedDelivery {
  delivery_id: number
  event_id: string
  event: string
  subject: string
  /** Names of the event's subjects: at most the first eleven. */
  names: string[]
  /** Incident that the event is about. Null if there is none. */
  incident_id: string | null
  channel: { id: number; name: string; kind: string }
  state: 'pending' | 'delivered' | 'failed' | 'superseded' | 'summarised' | 'unconfirmed'
  attempts: number
  created_at: string
  next_attempt_at: string | null
  last_attempt_at: string | null
  last_status: number | null
  last_latency_ms: number | null
  last_error: string | null
}

export interface LogFilter {
  channel_id?: number | undefined
  check_id?: number | undefined
  incident_id?: string | undefined
  delivery_id?: number | undefined
  state?: LoggedDelivery['state'] | undefined
}

/** Position of a delivery in the log. */
export type LogPlace = Pick<LoggedDelivery, 'created_at' | 'delivery_id'>

export interface LogPage extends LogFilter {
  /** Position that the page continues from, with older deliveries. Its delivery might no longer be stored. */
  before?: LogPlace | undefined
  limit: number
}

/** Maximum number of deliveries to read when searching for those in a given state, because no index contains states. */
export const MOST_LOOKED_AT = 20_000

// The position of names in an event's data depends on the type of the event.
const NAMES = sql`case
  when e.type in ('check.unmonitored', 'check.monitored') then jsonb_path_query_array(e.data, '$.checks[0 to 10].name')
  when e.type like 'monitor.%' then (
    select jsonb_agg(coalesce(nullif(m ->> 'name', ''), m ->> 'id')) from jsonb_path_query(e.data, '$.monitors[0 to 10]') m)
  when e.type = 'alerts.summary' then jsonb_build_array(coalesce(e.data ->> 'count', '?') || ' alerts')
  when e.type like 'channel.%' then '[]'
  when e.type like 'heartbeat.%' then jsonb_path_query_array(e.data, '$.heartbeat.name')
  else jsonb_path_query_array(e.data, '$.check.name') end`

/** Lists an org's deliveries, newest first. With a state, searches only the newest {@link MOST_LOOKED_AT}. */
export async function listDeliveryLog(
  db: Db,
  org_id: number,
  { limit, state, ...page }: LogPage,
): Promise<LoggedDelivery[]> {
  const some =
    state === undefined
      ? sql`deliveries`
      : sql`(select d.* ${matching(org_id, page)} ${NEWEST_FIRST} limit ${MOST_LOOKED_AT})`
  const isIn = state === undefined ? sql`` : sql`and ${SHOWN_STATE} = ${state}`
  const { rows } = await sql<LoggedDelivery>`
    select d.delivery_id, d.event_id, e.type as event, e.subject, ${NAMES} as names, e.incident_id,
      jsonb_build_object('id', c.id, 'name', c.name, 'kind', c.kind) as channel,
      ${SHOWN_STATE} as state, d.attempts, wire_time(d.created_at) as created_at, wire_time(d.next_attempt_at) as next_attempt_at,
      wire_time(d.last_attempt_at) as last_attempt_at, d.last_status, d.last_latency_ms, d.last_error
    ${matching(org_id, page, some)} ${isIn} ${NEWEST_FIRST} limit ${limit}`.execute(db)
  return rows
}

/**
 * Finds the oldest delivery that {@link listDeliveryLog} reads when it searches for a state. Returns undefined if it reads all
 * deliveries.
 */
export async function findLastLookedAt(
  db: Db,
  org_id: number,
  page: Omit<LogPage, 'limit' | 'state'>,
): Promise<LogPlace | undefined> {
  const { rows } = await sql<LogPlace>`
    select d.delivery_id, wire_time(d.created_at) as created_at
    ${matching(org_id, page)} ${NEWEST_FIRST} limit 1 offset ${MOST_LOOKED_AT - 1}`.execute(db)
  return rows[0]
}

/** Order by creation time, because ids are assigned before that time is set. */
const NEWEST_FIRST = sql`order by d.created_at desc, d.delivery_id desc`

function matching(
  org_id: number,
  { channel_id, check_id, incident_id, delivery_id, before }: Omit<LogPage, 'limit' | 'state'>,
  some: RawBuilder<unknown> = sql`deliveries`,
): RawBuilder<unknown> {
  const ofChannel = channel_id === undefined ? sql`` : sql`and d.channel_id = ${channel_id}`
  const ofCheck = check_id === undefined ? sql`` : sql`and e.check_id = ${check_id}`
  const ofIncident = incident_id === undefined ? sql`` : sql`and e.incident_id = ${incident_id}`
  const isIt = delivery_id === undefined ? sql`` : sql`and d.delivery_id = ${delivery_id}`
  const isOlder =
    before === undefined
      ? sql``
      : sql`and (d.created_at, d.delivery_id) < (${before.created_at}::timestamptz, ${before.delivery_id}::bigint)`
  return sql`
    from ${some} d
    join events e on e.org_id = d.org_id and e.event_id = d.event_id
    join notification_channels c on c.org_id = d.org_id and c.id = d.channel_id
    where d.org_id = ${org_id} ${ofChannel} ${ofCheck} ${ofIncident} ${isIt} ${isOlder}`
}

export type LastOutcome = Pick<LoggedDelivery, 'state' | 'created_at' | 'last_attempt_at' | 'last_error'> & {
  channel_id: number
}

/** Lists the newest delivery of each of these channels of an org. Channels without deliveries are absent. */
export async function listLastOutcomes(db: Db, org_id: number, channel_ids: readonly number[]): Promise<LastOutcome[]> {
  const { rows } = await sql<LastOutcome>`
    select c.id as channel_id, ${SHOWN_STATE} as state, wire_time(d.created_at) as created_at,
      wire_time(d.last_attempt_at) as last_attempt_at, d.last_error
    from notification_channels c cross join lateral (
      select * from deliveries where org_id = c.org_id and channel_id = c.id order by delivery_id desc limit 1
    ) d
    where c.org_id = ${org_id} and c.id = any(${channel_ids}::bigint[])`.execute(db)
  return rows
}

/** Channel that was notified of an incident, or will be. */
export interface ToldChannel extends Pick<LoggedDelivery, 'state' | 'last_error'> {
  id: number
  name: string
  /**
   * Time of the channel's first successful delivery, otherwise of the last attempt, or of the creation if no attempt was made.
   */
  at: string
}

/** Lists the channels of all alerts about an incident of a check, each with its newest delivery. */
export async function listChannelsTold(
  db: Db,
  { org_id, check_id }: { org_id: number; check_id: number },
  incident_id: string,
): Promise<ToldChannel[]> {
  const { rows } = await prepared<ToldChannel>`
    select distinct on (c.id) c.id, c.name, ${SHOWN_STATE} as state, d.last_error,
      wire_time(case when d.state = 'delivered' or d.summary_id is not null
        then min(coalesce(d.last_attempt_at, d.created_at)) filter (where d.state = 'delivered' or d.summary_id is not null)
          over (partition by c.id)
        else coalesce(d.last_attempt_at, d.created_at) end) as at
    from events e
    join deliveries d on d.org_id = e.org_id and d.event_id = e.event_id
    join notification_channels c on c.org_id = d.org_id and c.id = d.channel_id
    where e.org_id = ${org_id} and e.check_id = ${check_id} and e.incident_id = ${incident_id}
    order by c.id, d.delivery_id desc`.execute(db)
  return rows
}
