// Reads one incident, the results that began and ended it, and the alerts about it.
import { SHOWN_STATE } from '../alerting/deliveries.ts'
import type { LoggedDelivery } from '../alerting/delivery-log.ts'
import { prepared } from '../builder-pool.ts'
import type { CheckKey } from '../check-keys.ts'
import type { Db } from '../database.ts'
import { HAS_SUBJECT, RECORD, type RecordedIncident, WITH_SUBJECT } from './incident-list.ts'

export interface IncidentRow extends RecordedIncident {
  org_id: number
  org_name: string
  tags: readonly string[]
  /** Target of the check, empty if its definition is private. This and the fields below are null for a heartbeat. */
  url: string | null
  interval_sec: number | null
  down_interval_sec: number | null
  result_detail_max_chars: number | null
  /** Number of active monitors. */
  monitors: number
}

/** Finds one of an org's incidents. Returns undefined if there is none with that id, or its check or heartbeat was deleted. */
export async function findIncident(db: Db, org_id: number, incident_id: string): Promise<IncidentRow | undefined> {
  const { rows } = await prepared<IncidentRow>`
    select i.org_id, o.name as org_name, ${RECORD}, coalesce(c.tags, h.tags) as tags,
      c.url, c.interval_sec, c.down_interval_sec, c.result_detail_max_chars,
      (select count(*)::integer from assignments a join monitors m on m.id = a.monitor_id and m.enabled and m.platform_enabled
        where a.org_id = i.org_id and a.check_id = i.check_id and a.active) as monitors
    from incidents i join organisations o using (org_id) ${WITH_SUBJECT}
    where i.org_id = ${org_id} and i.incident_id = ${incident_id} and ${HAS_SUBJECT}`.execute(db)
  return rows[0]
}

/** Finds the ping that reported a heartbeat's failure at an instant, if it is still stored. */
export async function findFailingPing(
  db: Db,
  { org_id, heartbeat_id }: { org_id: number; heartbeat_id: number },
  at: string,
): Promise<{ exit_code: number | null; body: string | null } | undefined> {
  const { rows } = await prepared<{ exit_code: number | null; body: string | null }>`
    select exit_code, body from pings
    where org_id = ${org_id} and heartbeat_id = ${heartbeat_id} and created_at = ${at}::timestamptz
      and kind in ('fail', 'exit_code')
    order by n limit 1`.execute(db)
  return rows[0]
}

/** Finds the names of monitors, by id. */
export async function listMonitorNames(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('monitors').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Delivery of one alert to one channel. */
export interface ToldDelivery {
  channel: { id: number; name: string }
  state: LoggedDelivery['state']
  attempts: number
  last_attempt_at: string | null
  next_attempt_at: string | null
  last_error: string | null
}

/** Alert about an incident, with its deliveries. */
export interface ToldEvent {
  event_id: string
  type: string
  created_at: string
  /** Number of the reminder, from the data of the event, like the fields below. Null if the event is not a reminder. */
  reminder: number | null
  acknowledged_by: string | null
  reason: string | null
  exit_code: number | null
  error: string | null
  last_heartbeat_at: string | null
  deliveries: ToldDelivery[]
}

/** Lists the first `most` and the last `most` alerts about an incident, oldest first. */
export async function listToldEvents(
  db: Db,
  { org_id, incident_id }: { org_id: number; incident_id: string },
  most: number,
): Promise<ToldEvent[]> {
  const { rows } = await prepared<ToldEvent>`
    with picked as (
      (select event_id from events where org_id = ${org_id} and incident_id = ${incident_id} order by created_at limit ${most})
      union
      (select event_id from events where org_id = ${org_id} and incident_id = ${incident_id} order by created_at desc limit ${most}))
    select e.event_id, e.type, wire_time(e.created_at) as created_at, (e.data ->> 'reminder')::integer as reminder,
      e.data ->> 'acknowledged_by' as acknowledged_by, e.data ->> 'reason' as reason,
      (e.data ->> 'exit_code')::integer as exit_code, e.data ->> 'error' as error,
      e.data ->> 'last_heartbeat_at' as last_heartbeat_at,
      (select coalesce(jsonb_agg(jsonb_build_object('channel', jsonb_build_object('id', c.id, 'name', c.name),
          'state', ${SHOWN_STATE}, 'attempts', d.attempts, 'last_attempt_at', wire_time(d.last_attempt_at),
          'next_attempt_at', wire_time(d.next_attempt_at), 'last_error', d.last_error) order by d.delivery_id), '[]')
        from deliveries d join notification_channels c on c.org_id = d.org_id and c.id = d.channel_id
        where d.org_id = e.org_id and d.event_id = e.event_id) as deliveries
    from picked join events e on e.org_id = ${org_id} and e.event_id = picked.event_id
    order by e.created_at, e.sequence nulls first, e.event_id`.execute(db)
  return rows
}

/** Planned alert about an incident. */
export interface WaitingAlert {
  type: string
  channel: { id: number; name: string }
  /** Step of the route that sends the alert. 0 if it is not a later step. */
  step: number
  /** Time at which the alert is due. If `is_due_known` is false, time of the next decision about it. */
  due_at: string
  is_due_known: boolean
  held_by: string
}

/** Lists the planned alerts about an incident and their channels, the soonest first. */
export async function listWaiting(
  db: Db,
  { org_id, kind, id, incident_id }: { org_id: number; kind: 'check' | 'heartbeat'; id: number; incident_id: string },
): Promise<WaitingAlert[]> {
  const { rows } = await prepared<WaitingAlert>`
    select e.type, jsonb_build_object('id', c.id, 'name', c.name) as channel, p.step, p.held_by,
      wire_time(coalesce(p.held_until, p.due_at)) as due_at,
      p.held_until is not null or p.held_by in ('delay', 'quiet', 'step') as is_due_known
    from planned_alerts p
    join events e on e.org_id = p.org_id and e.event_id = p.event_id
    join notification_channels c on c.org_id = p.org_id and c.id = p.channel_id
    where p.org_id = ${org_id} and p.subject = ${`${kind}:${id}`} and p.incident_id = ${incident_id}
    order by coalesce(p.held_until, p.due_at), p.channel_id limit 100`.execute(db)
  return rows
}

/** Degradation of a check. */
export interface DegradedSpan {
  kind: string
  began_at: string
  ended_at: string | null
  reason: string
}

/** Lists the degradations of a check that began in a span of time, in order. */
export async function listDegradedIn(
  db: Db,
  { org_id, check_id }: CheckKey,
  { from, until }: { from: string; until: string },
): Promise<DegradedSpan[]> {
  const { rows } = await prepared<DegradedSpan>`
    select kind, wire_time(began_at) as began_at, wire_time(ended_at) as ended_at, reason from degradations
    where org_id = ${org_id} and check_id = ${check_id} and began_at >= ${from}::timestamptz and began_at <= ${until}::timestamptz
    order by degradations.began_at limit 20`.execute(db)
  return rows
}

/** Action of a person, from the audit log. */
export interface DeedRow {
  created_at: string
  actor: string
  impersonator: string | null
  action: string
  subject: string
}

/** Lists the actions of people on the check or heartbeat with the given name in a span of time, in order. */
export async function listDeedsTo(
  db: Db,
  org_id: number,
  { kind, name }: { kind: 'check' | 'heartbeat'; name: string },
  { from, until }: { from: string; until: string },
): Promise<DeedRow[]> {
  const { rows } = await prepared<DeedRow>`
    select wire_time(created_at) as created_at, actor, impersonator, action, subject from audit_entries a
    where org_id = ${org_id} and a.summary_of is null and a.created_at >= ${from}::timestamptz and a.created_at <= ${until}::timestamptz
      and starts_with(action, ${`${kind}.`}) and action <> ${`${kind}.acknowledge`} and subject = ${name}
    order by a.created_at, entry_id limit 100`.execute(db)
  return rows
}
