// Lists problems of checks and heartbeats that are still open at receivers that keep incidents of their own.
import { type RawBuilder, sql } from 'kysely'
import type { DegradationKind } from '../checks/degradations.ts'
import type { Db } from '../database.ts'
import { lineOf } from './events.ts'

/** Open problem that a channel was notified of. */
export interface KeptOpen {
  kind: 'down' | DegradationKind | 'flapping' | 'unmonitored'
  /** Type of the event that reported the problem to the channel. */
  type: string
  subject: string
  check_id: number | null
  incident_id: string | null
  data: Record<string, unknown>
  raised_at: string
  channel_id: number
}

export interface KeptOf {
  check_ids?: readonly number[]
  heartbeat_ids?: readonly number[]
  /** Whether the checks have been deleted. If so, problems that ended with the deletion count as open. */
  areDeleted?: boolean
}

/**
 * Lists open problems of checks or heartbeats on channels of some kinds, if an alert was sent there. The caller must hold the
 * locks of these checks and heartbeats. A channel can be listed several times for one certificate.
 */
export async function listKeptOpen(
  db: Db,
  org_id: number,
  { check_ids = [], heartbeat_ids = [], areDeleted = false }: KeptOf,
  kinds: readonly string[],
): Promise<KeptOpen[]> {
  const checks = sql`any(${[...check_ids]}::bigint[])`
  const isOpen = stillOpenSql(areDeleted)
  const { rows } = await sql<KeptOpen>`
    with open as materialized (
      select 'down' as kind, incident_id, check_id from incidents
      where org_id = ${org_id} and ${isOpen} and (check_id = ${checks} or heartbeat_id = any(${[...heartbeat_ids]}::bigint[]))
      union all
      select kind, degradation_id, check_id from degradations where org_id = ${org_id} and ${isOpen} and check_id = ${checks}
      union all
      select 'flapping', null, check_id from unnest(${[...check_ids]}::bigint[]) as given(check_id)
    ), told as (
      -- By the id of an incident, or by the check: an index each.
      select o.kind, e.* from open o join events e
        on e.org_id = ${org_id} and e.incident_id = o.incident_id and o.kind in ('down', 'slow', 'members', 'registration')
      where e.type in ('check.down', 'check.reminder', 'heartbeat.down', 'heartbeat.reminder', 'check.degraded')
        and not exists (select from events n where n.org_id = ${org_id} and n.incident_id = o.incident_id
          and n.type in ('check.closed', 'heartbeat.closed'))
      union all
      select o.kind, e.* from open o join events e
        on e.org_id = ${org_id} and e.check_id = o.check_id and o.kind in ('certificate', 'flapping')
      where e.type = 'check.' || o.kind and not exists (
        select from events n where n.org_id = ${org_id} and n.check_id = o.check_id and n.created_at >= e.created_at
          and (n.type = case o.kind when 'flapping' then 'check.settled' else 'check.renewed' end
            or n.type = 'check.closed' and n.data ->> 'closes' = e.type))
    )
    select distinct on (t.kind, t.check_id, t.subject, d.channel_id) t.kind, t.type, t.subject, t.check_id, t.incident_id, t.data,
      wire_time(t.created_at) as raised_at, d.channel_id
    from told t
    join deliveries d on d.org_id = ${org_id} and d.event_id = t.event_id
      and (d.state = 'delivered' or d.attempts > 0 or d.leased_until is not null)
    join notification_channels c on c.org_id = ${org_id} and c.id = d.channel_id and c.enabled and c.kind = any(${[...kinds]}::text[])
    order by t.kind, t.check_id, t.subject, d.channel_id, t.created_at desc`.execute(db)
  return rows
}

/** Subject that all events about unmonitored checks of an organisation share. */
const COVERAGE = sql.lit('coverage')

/** SQL for the checks that the newest event about unmonitored checks, `e`, reported as still unmonitored. */
const OPEN_CHECKS = sql`(case e.type when 'check.unmonitored' then e.data -> 'checks' else '[]' end
  || coalesce(e.data -> 'still_unmonitored', '[]'))`
/** Returns the SQL condition that a check `n` was paused, deleted or unassigned after an event reported it as unmonitored. */
const isGone = (org_id: RawBuilder<unknown>) => sql`not exists (
  select from checks c join check_states s on s.org_id = c.org_id and s.check_id = c.check_id
  where c.org_id = ${org_id} and c.guid = n ->> 'guid' and c.enabled and not c.deleted and s.unmonitored_since is not null)`

/**
 * Lists organisations with channels of these kinds whose receivers might still show a paused or deleted check as unmonitored.
 */
export async function listCoverageToClose(db: Db, kinds: readonly string[]): Promise<number[]> {
  const { rows } = await sql<{ org_id: number }>`
    select o.org_id from (
      select distinct org_id from notification_channels where enabled and kind = any(${[...kinds]}::text[])) o
    cross join lateral (
      select type, data from events
      where org_id = o.org_id and subject = ${COVERAGE} order by created_at desc, event_id desc limit 1) e
    where exists (select from jsonb_array_elements(${OPEN_CHECKS}) n where ${isGone(sql`o.org_id`)})`.execute(db)
  return rows.map(({ org_id }) => org_id)
}

/** Check that people were notified of as unmonitored. */
export interface ToldUnmonitored {
  guid: string
  name: string
  since: string
}

export interface CoverageOpen {
  channel_id: number
  org: { name: string }
  /** Checks that were paused, deleted or unassigned after the report. `reason` applies to the first of them. */
  gone: ToldUnmonitored[]
  reason: 'paused' | 'deleted' | 'unassigned'
  still: ToldUnmonitored[]
}

/**
 * Lists channels of these kinds whose receivers show checks as unmonitored that were paused, deleted or unassigned later. The
 * caller must have locked the subject of events about unmonitored checks.
 */
export async function listCoverageOpen(db: Db, org_id: number, kinds: readonly string[]): Promise<CoverageOpen[]> {
  const told = sql`jsonb_build_object('guid', n ->> 'guid', 'name', n ->> 'name', 'since', n ->> 'since')`
  const { rows } = await sql<CoverageOpen>`
    select o.id as channel_id, e.data -> 'org' as org, k.gone, k.still, k.reasons[1] as reason
    from notification_channels o
    cross join lateral (
      select e.type, e.data from events e
      join deliveries d on d.org_id = e.org_id and d.event_id = e.event_id and d.channel_id = o.id
        and (d.state = 'delivered' or d.attempts > 0 or d.leased_until is not null)
      where e.org_id = ${org_id} and e.subject = ${COVERAGE} order by e.created_at desc, e.event_id desc limit 1) e
    cross join lateral (
      select coalesce(jsonb_agg(${told} order by place) filter (where is_gone), '[]') as gone,
        coalesce(jsonb_agg(${told} order by place) filter (where not is_gone), '[]') as still,
        array_agg(case when c.guid is null or c.deleted then 'deleted' when c.enabled then 'unassigned' else 'paused' end
          order by place) filter (where is_gone) as reasons
      from (select n, place, ${isGone(sql`${org_id}::bigint`)} as is_gone
        from jsonb_array_elements(${OPEN_CHECKS}) with ordinality as l(n, place)) l
      left join checks c on c.org_id = ${org_id} and c.guid = n ->> 'guid') k
    where o.org_id = ${org_id} and o.enabled and o.kind = any(${[...kinds]}::text[]) and k.gone <> '[]'
    order by o.id`.execute(db)
  return rows
}

/**
 * Gives up deliveries about incidents that were never tried. Deliveries with earlier attempts get a last one before the end of the
 * incident is sent.
 */
export async function giveUpUntried(
  db: Db,
  org_id: number,
  incidents: readonly { subject: string; incident_id: string }[],
): Promise<void> {
  if (incidents.length === 0) return
  const lines = incidents.map(({ subject, incident_id }) => lineOf(subject, incident_id))
  await sql`
    update deliveries set state = 'superseded', next_attempt_at = null
    where org_id = ${org_id} and subject = any(${lines}::text[]) and state = 'pending' and attempts = 0 and leased_until is null`.execute(
    db,
  )
}

/**
 * Returns the SQL condition that an incident or degradation is open. With `areDeleted`, includes those that ended because the
 * check was deleted.
 */
function stillOpenSql(areDeleted: boolean): RawBuilder<boolean> {
  return sql`(ended_at is null or ${areDeleted} and end_reason = 'deleted')`
}

/** Lists the open incidents of checks or heartbeats, with their subjects. */
export async function listOpenIncidents(
  db: Db,
  org_id: number,
  { check_ids = [], heartbeat_ids = [], areDeleted = false }: KeptOf,
): Promise<{ subject: string; incident_id: string }[]> {
  const { rows } = await sql<{ subject: string; incident_id: string }>`
    select coalesce('check:' || check_id, 'heartbeat:' || heartbeat_id) as subject, incident_id from incidents
    where org_id = ${org_id} and ${stillOpenSql(areDeleted)}
      and (check_id = any(${[...check_ids]}::bigint[]) or heartbeat_id = any(${[...heartbeat_ids]}::bigint[]))`.execute(
    db,
  )
  return rows
}
