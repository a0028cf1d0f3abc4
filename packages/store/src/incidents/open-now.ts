// Reads what is wrong in an organisation now, in a few statements whose cost does not grow with the number of stored
// results.
import { sql } from 'kysely'
import { SHOWN_STATE } from '../alerting/deliveries.ts'
import type { LoggedDelivery } from '../alerting/delivery-log.ts'
import { prepared } from '../builder-pool.ts'
import type { Verdict } from '../checks/incidents.ts'
import { IS_WATCHED } from '../checks/monitor-presence.ts'
import type { Db } from '../database.ts'
import type { CareRow } from '../routing/care.ts'
import { mutesOn } from '../routing/mutes.ts'
import {
  HAS_SUBJECT,
  type IncidentSubject,
  openOf,
  SUBJECT,
  type ToldCause,
  WITH_CAUSE,
  WITH_SUBJECT,
} from './incident-list.ts'

/** Channel with the outcome of the newest alert that was sent to it. */
export interface ToldChannel {
  id: number
  name: string
  state: LoggedDelivery['state']
  /**
   * Time of the channel's first successful delivery, otherwise of the last attempt, or of the creation if no attempt was made.
   */
  at: string
  last_error: string | null
}

export interface OpenIncident extends IncidentSubject, ToldCause, CareRow {
  org_id: number
  incident_id: string
  began_at: string
  verdict: Partial<Verdict> | null
  held_by: string | null
  /** Target of the check. Null for a heartbeat, empty if the definition is private. */
  url: string | null
  /** Time since which the check is unmonitored. */
  unmonitored_since: string | null
  told: ToldChannel[]
  /** Time at which the next planned alert is due. Null if none waits. */
  due_at: string | null
}

/** SQL for the newest delivery of some events `e` to each channel. */
const TOLD = sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'state', t.state,
      'at', wire_time(case when t.state in ('delivered', 'summarised') then t.told_at else coalesce(t.last_attempt_at, t.created_at) end), 'last_error', t.last_error) order by t.id), '[]')
  from (
    select distinct on (d.channel_id) c.id, c.name, ${SHOWN_STATE} as state, d.last_attempt_at, d.created_at, d.last_error,
      min(coalesce(d.last_attempt_at, d.created_at)) filter (where d.state = 'delivered' or d.summary_id is not null)
        over (partition by d.channel_id) as told_at
    from e join deliveries d on d.org_id = e.org_id and d.event_id = e.event_id
    join notification_channels c on c.org_id = d.org_id and c.id = d.channel_id
    where d.state <> 'superseded' or d.summary_id is not null
    order by d.channel_id, d.delivery_id desc) t)`

/** Lists an org's open incidents, those that began last first, with the channels of the newest alerts about each. */
export async function listOpenIncidents(
  db: Db,
  org_id: number,
  { now, limit }: { now: string; limit: number },
): Promise<OpenIncident[]> {
  const { rows } = await prepared<OpenIncident>`
    select l.org_id, l.incident_id, l.kind, l.id, l.guid, l.name, l.url, wire_time(l.began_at) as began_at, l.verdict, l.held_by,
      wire_time(l.acknowledged_at) as acknowledged_at, l.acknowledged_by, wire_time(mute.muted_until) as muted_until,
      mute.muted_by, mute.until_resolved, wire_time(s.unmonitored_since) as unmonitored_since, cause.error, cause.reason, cause.exit_code,
      (with e as (
          (select org_id, event_id from events
            where org_id = l.org_id and incident_id = l.incident_id order by created_at limit 5)
          union
          (select org_id, event_id from events
            where org_id = l.org_id and incident_id = l.incident_id order by created_at desc limit 20))
        select ${TOLD}) as told,
      (select wire_time(min(case when p.held_by in ('delay', 'quiet', 'step') then p.due_at else p.held_until end)) from planned_alerts p
        where p.org_id = l.org_id and p.subject = l.kind || ':' || l.id and p.incident_id = l.incident_id) as due_at
    from (
      select i.*, ${SUBJECT}, c.url
      from ${openOf(sql`${org_id}`)} i ${WITH_SUBJECT}
      where ${HAS_SUBJECT}
      order by i.began_at desc, i.incident_id desc limit ${limit}) l
    left join check_states s on s.org_id = l.org_id and s.check_id = l.check_id
    left join ${mutesOn(org_id, now)} mute on mute.subject = l.kind || ':' || l.id
    ${WITH_CAUSE}
    order by l.began_at desc, l.incident_id desc`.execute(db)
  return rows
}

export interface OfflineMonitor {
  id: string
  name: string
  since: string
  /** Number of checks that the monitor must run. */
  checks: number
  told: ToldChannel[]
}

/** Lists an org's offline monitors, those that went offline last first. */
export async function listOfflineMonitors(db: Db, org_id: number, limit: number): Promise<OfflineMonitor[]> {
  const { rows } = await prepared<OfflineMonitor>`
    select m.id, m.name, wire_time(m.offline_since) as since,
      (select count(*)::integer from assignments a where a.monitor_id = m.id and a.org_id = m.org_id and a.active) as checks,
      (with e as (
          select org_id, event_id from events
          where org_id = m.org_id and type = 'monitor.offline' and created_at >= m.offline_since
            and created_at < m.offline_since + interval '1 hour'
            and data @> jsonb_build_object('monitors', jsonb_build_array(jsonb_build_object('id', m.id)))
          order by created_at limit 1)
        select ${TOLD}) as told
    from monitors m
    where m.org_id = ${org_id} and ${IS_WATCHED} and m.offline_since is not null and m.last_seen_at <= m.offline_since
    order by m.offline_since desc, m.id limit ${limit}`.execute(db)
  return rows
}

export interface FailingMonitor {
  id: string
  name: string
  since: string
  /** Names of a few checks that fail at this monitor and at no other. `count` is the number of all such checks. */
  names: string[]
  count: number
  told: ToldChannel[]
}

/** Lists monitors where many checks of an org fail that fail at no other monitor, the newest problem first. */
export async function listFailingMonitors(db: Db, org_id: number, limit: number): Promise<FailingMonitor[]> {
  const { rows } = await prepared<FailingMonitor>`
    select m.id, m.name, wire_time(f.began_at) as since, coalesce(told.names, '[]') as names, coalesce(told.count, 0) as count,
      coalesce(told.told, '[]') as told
    from failing_monitors f join monitors m on m.id = f.monitor_id
    left join lateral (
      with e as (
        select org_id, event_id, data from events
        where org_id = f.org_id and type = 'monitor.failing' and created_at >= f.began_at
          and created_at < f.began_at + interval '1 hour' and data -> 'monitor' ->> 'id' = f.monitor_id
        order by created_at limit 1)
      select jsonb_path_query_array(e.data, '$.checks[0 to 4].name') as names, coalesce((e.data ->> 'total')::integer, jsonb_array_length(e.data -> 'checks')) as count,
        ${TOLD} as told
      from e) told on true
    where f.org_id = ${org_id} and f.began_at is not null
    order by f.began_at desc, f.monitor_id limit ${limit}`.execute(db)
  return rows
}

export interface FailingChannel {
  id: number
  name: string
  kind: string
  /** Time of the first failed attempt since the last success. */
  since: string
  last_attempt_at: string
  last_error: string | null
  /** Time of the next attempt. Null if all deliveries were given up. */
  next_attempt_at: string | null
}

/**
 * Lists an org's enabled channels whose newest attempt since an instant failed. Finds retries however old they are, but reads
 * only the newest thousand deliveries that are over.
 */
export async function listFailingChannels(db: Db, org_id: number, since: string): Promise<FailingChannel[]> {
  const { rows } = await prepared<FailingChannel>`
    with tried as (
      (select channel_id, state, created_at, last_attempt_at, last_error, next_attempt_at from deliveries
        where org_id = ${org_id} and created_at >= ${since}::timestamptz and last_attempt_at is not null and state <> 'pending'
        order by created_at desc, delivery_id desc limit 1000)
      union all
      select d.channel_id, d.state, d.created_at, d.last_attempt_at, d.last_error, d.next_attempt_at
      from notification_channels c cross join lateral (
        select * from deliveries
        where org_id = c.org_id and channel_id = c.id and state = 'pending' and attempts > 0
        order by delivery_id limit 20) d
      where c.org_id = ${org_id} and c.enabled and d.last_attempt_at is not null)
    select c.id, c.name, c.kind, wire_time(f.since) as since, wire_time(f.last_attempt_at) as last_attempt_at, f.last_error,
      wire_time(f.next_attempt_at) as next_attempt_at
    from notification_channels c cross join lateral (
      select min(t.last_attempt_at) as since, max(t.last_attempt_at) as last_attempt_at, min(t.next_attempt_at) as next_attempt_at,
        (array_agg(t.last_error order by t.last_attempt_at desc))[1] as last_error
      from tried t
      where t.channel_id = c.id and t.state in ('failed', 'pending') and t.last_error is not null
        and t.last_attempt_at > coalesce((
          select max(w.last_attempt_at) from tried w where w.channel_id = c.id and w.state = 'delivered'), '-infinity')
      having count(*) > 0) f
    where c.org_id = ${org_id} and c.enabled
    order by f.since desc, c.id`.execute(db)
  return rows
}
