// Reads what happened lately in an organisation: how many incidents each quarter of an hour had, when checks were unmonitored,
// and what changed.
import { sql } from 'kysely'
import { prepared, unseen } from '../builder-pool.ts'
import type { Db } from '../database.ts'
import { type IncidentSubject, openOf } from './incident-list.ts'

/** Span of time, divided into steps. */
export interface DaySteps {
  from: string
  until: string
  step_sec: number
  /** Number of steps. */
  count: number
}

/** Span from one step to another, both counted from 0, and the number of things that lasted that long. */
export interface StepSpan {
  first: number
  last: number
  count: number
}

/** Age of an incident beyond which lists find it, once it has ended, by the alert about its end. */
const LOOK_BACK = sql`interval '8 days'`
/** Maximum number of alerts about ends to read. */
const MOST_ENDS = 500

/** Returns a query for the newest incidents whose end was reported since an instant. */
const toldEnds = (org_id: number, from: string) => sql`
  select incident_id from events
  where org_id = ${org_id} and created_at >= ${from}::timestamptz and type in ('check.up', 'heartbeat.up')
    and incident_id is not null
  order by created_at desc limit ${MOST_ENDS}`

const stepOf = (at: ReturnType<typeof sql>, { from, step_sec, count }: DaySteps) =>
  sql`greatest(0, least(${count - 1}, floor(extract(epoch from ${at} - ${from}::timestamptz) / ${step_sec})))::integer`

/** Lists incidents as spans of steps, and counts those with the same span. */
export async function listIncidentSpans(db: Db, org_id: number, steps: DaySteps): Promise<StepSpan[]> {
  const { from, until } = steps
  const { rows } = await prepared<StepSpan>`
    with lasting as (
      select began_at, ended_at from incidents
      where org_id = ${org_id} and began_at >= ${from}::timestamptz - ${LOOK_BACK} and began_at < ${until}::timestamptz
        and (ended_at is null or ended_at >= ${from}::timestamptz)
      union all
      select began_at, ended_at from ${openOf(sql`${org_id}`)} i where began_at < ${from}::timestamptz - ${LOOK_BACK}
      union all
      select i.began_at, i.ended_at from (${toldEnds(org_id, from)}) told
      join incidents i on i.org_id = ${org_id} and i.incident_id = told.incident_id
      where i.began_at < ${from}::timestamptz - ${LOOK_BACK} and i.ended_at >= ${from}::timestamptz)
    select ${stepOf(sql`began_at`, steps)} as first, ${stepOf(sql`coalesce(ended_at, ${until}::timestamptz)`, steps)} as last,
      count(*)::integer as count
    from lasting group by 1, 2`.execute(db)
  return rows
}

/**
 * Lists times when checks were unmonitored as spans of steps, and counts those with the same span. Finds times that have ended by
 * the alerts about them.
 */
export async function listUnwatchedSpans(db: Db, org_id: number, steps: DaySteps): Promise<StepSpan[]> {
  const { from, until } = steps
  const { rows } = await prepared<StepSpan>`
    with told as materialized (
      select type, created_at, data from events
      where org_id = ${org_id} and created_at >= ${from}::timestamptz and created_at < ${until}::timestamptz
        and type in ('check.monitored', 'monitor.online')
      order by created_at desc limit 200),
    spans as (
      select s.unmonitored_since as began_at, ${until}::timestamptz as ended_at, 1::bigint as n
      from check_states s join checks c on c.org_id = s.org_id and c.check_id = s.check_id and c.enabled and not c.deleted
      where s.org_id = ${org_id} and s.unmonitored_since is not null
      union all
      select (one ->> 'since')::timestamptz, t.created_at, 1 from told t cross join jsonb_array_elements(t.data -> 'checks') one
      where t.type = 'check.monitored'
      union all
      -- Monitors that went together: the alert that said so knows how many checks nobody else ran.
      select min((one ->> 'since')::timestamptz), t.created_at, max(gone.n)
      from told t cross join jsonb_array_elements(t.data -> 'monitors') one
      cross join lateral (
        select (e.data -> 'unmonitored' ->> 'count')::bigint as n from events e
        where e.org_id = ${org_id} and e.type = 'monitor.offline' and e.created_at >= (one ->> 'since')::timestamptz
          and e.created_at < (one ->> 'since')::timestamptz + interval '1 hour'
          and e.data @> jsonb_build_object('monitors', jsonb_build_array(jsonb_build_object('id', one -> 'id')))
        order by e.created_at limit 1) gone
      where t.type = 'monitor.online' and gone.n > 0 group by t.created_at)
    select ${stepOf(sql`began_at`, steps)} as first, ${stepOf(sql`ended_at`, steps)} as last, sum(n)::integer as count
    from spans group by 1, 2`.execute(db)
  return rows
}

/** Lists outages of this server as spans of steps. */
export async function listOwnOutages(db: Db, steps: DaySteps): Promise<StepSpan[]> {
  const { from, until } = steps
  const { rows } = await prepared<StepSpan>`
    select ${stepOf(sql`began_at`, steps)} as first, ${stepOf(sql`ended_at`, steps)} as last, count(*)::integer as count
    from service_outages where ended_at > ${from}::timestamptz and began_at < ${until}::timestamptz
    group by 1, 2 limit 1000`.execute(db)
  return rows
}

/**
 * Finds when the oldest of an org's checks and heartbeats was created. Returns null if the org has none. Reads the rows with the
 * smallest ids, because ids are assigned in order.
 */
export async function findFirstWatched(db: Db, org_id: number): Promise<string | null> {
  const { rows } = await prepared<{ since: string | null }>`
    select wire_time(least(
      (select created_at from checks where org_id = ${org_id} and not deleted order by check_id limit 1),
      (select created_at from heartbeats where org_id = ${org_id} order by heartbeat_id limit 1))) as since`.execute(db)
  return rows[0]?.since ?? null
}

/** Beginning or end of an incident. */
export interface IncidentChange extends IncidentSubject {
  incident_id: string
  at: string
  change: 'began' | 'ended'
  began_at: string
  end_reason: string | null
}

/**
 * Lists the newest beginnings and ends of incidents, newest first. An end without an alert is found only if the incident began in
 * the last two days.
 */
export async function listIncidentChanges(
  db: Db,
  org_id: number,
  { now, limit }: { now: string; limit: number },
): Promise<IncidentChange[]> {
  const { rows } = await prepared<IncidentChange>`
    with recent as (
      select incident_id, began_at, ended_at from incidents
      where org_id = ${org_id} and began_at >= ${now}::timestamptz - interval '2 days' and began_at <= ${now}::timestamptz),
    begun as (
      select incident_id, began_at as at, 'began' as change from incidents
      where org_id = ${org_id} and began_at <= ${now}::timestamptz order by incidents.began_at desc limit ${limit}),
    ended as (
      (select incident_id, ended_at as at, 'ended' as change from recent where ended_at is not null
        order by ended_at desc limit ${limit})
      union
      (select i.incident_id, i.ended_at, 'ended' from (${toldEnds(org_id, weekBefore(now))}) told
        join incidents i on i.org_id = ${org_id} and i.incident_id = told.incident_id
        where i.ended_at is not null order by i.ended_at desc limit ${limit})),
    changes as (select * from begun union all select * from ended)
    select i.incident_id, case when i.check_id is null then 'heartbeat' else 'check' end as kind,
      coalesce(i.check_id, i.heartbeat_id) as id, coalesce(c.guid, h.guid) as guid, coalesce(c.name, h.name) as name,
      wire_time(n.at) as at, n.change, wire_time(i.began_at) as began_at, i.end_reason
    from changes n join incidents i on i.org_id = ${org_id} and i.incident_id = n.incident_id
    left join checks c on c.org_id = i.org_id and c.check_id = i.check_id and not c.deleted
    left join heartbeats h on h.org_id = i.org_id and h.heartbeat_id = i.heartbeat_id
    where c.check_id is not null or h.heartbeat_id is not null
    order by n.at desc, i.incident_id, n.change desc limit ${limit}`.execute(db)
  return rows
}

function weekBefore(now: string): string {
  return new Date(Date.parse(now) - 7 * 86_400_000).toISOString()
}

export interface RecentAuditEntry {
  entry_id: number
  created_at: string
  actor: string
  impersonator: string | null
  action: string
  subject: string
}

/**
 * Lists the newest audit entries of an org, newest first. `areas` limits them to actions with these prefixes, such as `check`.
 */
export async function listNewestDeeds(
  db: Db,
  org_id: number,
  { areas, limit }: { areas?: readonly string[] | undefined; limit: number },
): Promise<RecentAuditEntry[]> {
  const { rows } = await prepared<RecentAuditEntry>`
    select entry_id, wire_time(created_at) as created_at, actor, impersonator, action, subject from audit_entries
    where org_id = ${org_id} ${areas === undefined ? sql`` : sql`and split_part(action, '.', 1) = any(${unseen(sql`${[...areas]}::text[]`)}::text[])`}
    order by entry_id desc limit ${limit}`.execute(db)
  return rows
}
