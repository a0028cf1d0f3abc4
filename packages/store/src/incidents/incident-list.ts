// Lists the incidents of an organisation, of one check, or of one minute.
import { type RawBuilder, sql } from 'kysely'
import { prepared, unseen } from '../builder-pool.ts'
import type { EndReason, Verdict } from '../checks/incidents.ts'
import type { Db } from '../database.ts'
import { openReader, type ResultsReader } from '../results/reader.ts'

/** Check or heartbeat that an incident is about. */
export interface IncidentSubject {
  kind: 'check' | 'heartbeat'
  /** Id of the check or heartbeat. */
  id: number
  guid: string
  name: string
}

/** Cause of an incident according to its first alert. All fields are null if the alert is no longer stored. */
export interface ToldCause {
  /** Error of the newest result. Null for a heartbeat. */
  error: string | null
  /** Why a heartbeat is down: `overdue`, `fail` or `exit_code`. Null for a check. */
  reason: string | null
  exit_code: number | null
}

/** An incident as it is stored, with its check or heartbeat. */
export interface RecordedIncident extends IncidentSubject {
  incident_id: string
  began_at: string
  ended_at: string | null
  end_reason: EndReason | null
  verdict: Partial<Verdict> | null
  /** Hold that has kept everyone from being notified of the incident so far. Null if someone was notified. */
  held_by: string | null
  acknowledged_at: string | null
  acknowledged_by: string | null
}

export interface ListedIncident extends RecordedIncident, ToldCause {}

export interface IncidentFilter {
  state?: 'open' | 'ended' | undefined
  /** Check or heartbeat whose incidents to list. */
  of?: { kind: 'check' | 'heartbeat'; guid: string } | undefined
  tag?: string | undefined
  /** Earliest beginning of incidents to list, inclusive. */
  from?: string | undefined
  /** Latest beginning of incidents to list, exclusive. */
  to?: string | undefined
  /** Id of the only incident to list. */
  incident_id?: string | undefined
}

/** Default number of incidents on a page. The list reads one more, to find out whether there is a next page. */
export const INCIDENTS_A_PAGE = 50

/** Position in the list of incidents, which is sorted by beginning and id. */
export interface IncidentPosition {
  began_at: string
  incident_id: string
}

/** Columns of an {@link IncidentSubject}, for incidents `i` with {@link WITH_SUBJECT}. */
export const SUBJECT = sql`
  case when i.check_id is null then 'heartbeat' else 'check' end as kind, coalesce(i.check_id, i.heartbeat_id) as id,
  coalesce(c.guid, h.guid) as guid, coalesce(c.name, h.name) as name`

/** Columns of a {@link RecordedIncident}, for incidents `i` with {@link WITH_SUBJECT}. */
export const RECORD = sql`
  i.incident_id, ${SUBJECT}, wire_time(i.began_at) as began_at, wire_time(i.ended_at) as ended_at, i.end_reason, i.verdict,
  i.held_by, wire_time(i.acknowledged_at) as acknowledged_at, i.acknowledged_by`

/** Joins the check or heartbeat, because lists omit incidents of deleted ones. */
export const WITH_SUBJECT = sql`
  left join checks c on c.org_id = i.org_id and c.check_id = i.check_id and not c.deleted
  left join heartbeats h on h.org_id = i.org_id and h.heartbeat_id = i.heartbeat_id`
export const HAS_SUBJECT = sql`(c.check_id is not null or h.heartbeat_id is not null)`

/** Joins the {@link ToldCause} of some incidents `l` as `cause`. */
export const WITH_CAUSE = sql`
  left join lateral (
    select e.data ->> 'error' as error, e.data ->> 'reason' as reason, (e.data ->> 'exit_code')::integer as exit_code
    from events e where e.org_id = l.org_id and e.incident_id = l.incident_id and e.type in ('check.down', 'heartbeat.down')
    order by e.created_at limit 1) cause on true`

/** Lists one page of an org's incidents, those that began last first. */
export async function listIncidents(
  db: Db,
  org_id: number,
  filter: IncidentFilter,
  { after, limit }: { after?: IncidentPosition | undefined; limit: number },
): Promise<ListedIncident[]> {
  const conditions = conditionsOf(org_id, filter, after)
  // Prepares only the unfiltered list that pages show by default, because filters and other limits would make hundreds
  // of different statements.
  const isPlain = filter.state !== 'open' && conditions.length === 0 && limit === INCIDENTS_A_PAGE + 1
  const org = isPlain ? unseen(sql`${org_id}::bigint`) : sql`${org_id}`
  const { rows } = await (isPlain ? prepared : sql)<ListedIncident>`
    select l.*, cause.error, cause.reason, cause.exit_code from (
      select i.org_id, ${RECORD}
      from ${filter.state === 'open' ? openOf(org) : sql`incidents`} i ${WITH_SUBJECT}
      where i.org_id = ${org} and ${HAS_SUBJECT} ${sql.join(conditions, sql` `)}
      order by i.began_at desc, i.incident_id desc limit ${isPlain ? sql.lit(limit) : limit}) l
    ${WITH_CAUSE}
    order by l.began_at desc, l.incident_id desc`.execute(db)
  return rows
}

function conditionsOf(
  org_id: number,
  { state, of, tag, from, to, incident_id }: IncidentFilter,
  after: IncidentPosition | undefined,
): RawBuilder<unknown>[] {
  return [
    ...(incident_id === undefined ? [] : [sql`and i.incident_id = ${incident_id}`]),
    ...(state === 'ended' ? [sql`and i.ended_at is not null`] : []),
    // A subquery, so that Postgres looks the check or heartbeat up once, not for each incident.
    ...(of === undefined ? [] : [sql`and i.${sql.ref(`${of.kind}_id`)} = (${idOf(org_id, of)})`]),
    ...(tag === undefined
      ? []
      : [
          sql`and (i.check_id = any(array(select check_id from checks where org_id = ${org_id} and ${tag}::text = any(tags)))
            or i.heartbeat_id = any(array(
              select heartbeat_id from heartbeats where org_id = ${org_id} and ${tag}::text = any(tags))))`,
        ]),
    ...(from === undefined ? [] : [sql`and i.began_at >= ${from}::timestamptz`]),
    ...(to === undefined ? [] : [sql`and i.began_at < ${to}::timestamptz`]),
    ...(after === undefined
      ? []
      : [
          // The first condition lets Postgres read the index from the position of the last page on.
          sql`and i.began_at <= ${after.began_at}::timestamptz
            and (i.began_at, i.incident_id) < (${after.began_at}::timestamptz, ${after.incident_id}::text)`,
        ]),
  ]
}

function idOf(org_id: number, { kind, guid }: { kind: 'check' | 'heartbeat'; guid: string }): RawBuilder<unknown> {
  return kind === 'check'
    ? sql`select check_id from checks where org_id = ${org_id} and guid = ${guid}`
    : sql`select heartbeat_id from heartbeats where org_id = ${org_id} and guid = ${guid}`
}

/** Returns a subquery for the open incidents of an org, which uses two indexes of open incidents only. */
export function openOf(org: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select * from incidents where org_id = ${org} and ended_at is null and check_id is not null
    union all
    select * from incidents where org_id = ${org} and ended_at is null and heartbeat_id is not null)`
}

/** Counts the open incidents of an org. Looks up the check or heartbeat of each by its index, because few are open. */
export async function countOpenIncidents(db: Db, org_id: number): Promise<number> {
  const org = unseen(sql`${org_id}::bigint`)
  const { rows } = await prepared<{ count: number }>`
    select ((
      select count(*) from incidents i cross join lateral (
        select from checks c where c.org_id = i.org_id and c.check_id = i.check_id and not c.deleted limit 1) c
      where i.org_id = ${org} and i.ended_at is null and i.check_id is not null) + (
      select count(*) from incidents i cross join lateral (
        select from heartbeats h where h.org_id = i.org_id and h.heartbeat_id = i.heartbeat_id limit 1) h
      where i.org_id = ${org} and i.ended_at is null and i.heartbeat_id is not null))::integer as count`.execute(db)
  return rows[0]?.count ?? 0
}

export interface Neighbour extends IncidentSubject {
  incident_id: string
  began_at: string
  ended_at: string | null
  /** Monitor whose result began the incident. Null for a heartbeat, and if that result is no longer stored. */
  monitor_id: string | null
  monitor_name: string | null
}

/** Lists the incidents other than the given one that began in a span of time, in the order of their beginnings. */
export async function listNeighbours(
  db: Db,
  org_id: number,
  { incident_id, from, until, limit }: { incident_id: string; from: string; until: string; limit: number },
): Promise<Neighbour[]> {
  const results = await openReader(db)
  const { rows } = await results.sql<Neighbour>`
    with near as materialized (
      select i.* from incidents i ${WITH_SUBJECT}
      where i.org_id = ${org_id} and i.began_at >= ${from}::timestamptz and i.began_at <= ${until}::timestamptz
        and i.incident_id <> ${incident_id} and ${HAS_SUBJECT}
      order by i.began_at, i.incident_id limit ${limit}
    ), first as materialized (
      select i.incident_id, first.monitor_id from near i cross join lateral (${firstFailureOf(results, org_id, from, until)}) first)
    select i.incident_id, ${SUBJECT}, wire_time(i.began_at) as began_at, wire_time(i.ended_at) as ended_at, m.id as monitor_id,
      m.name as monitor_name
    from near i ${WITH_SUBJECT}
    left join first on first.incident_id = i.incident_id
    left join monitors m on m.id = first.monitor_id
    order by i.began_at, i.incident_id`.execute(db)
  return rows
}

export interface FirstWitness {
  incident_id: string
  monitor_id: string
  monitor_name: string
}

/** Lists the monitors whose results began the given incidents of checks. Omits incidents whose result is no longer stored. */
export async function listFirstWitnesses(
  db: Db,
  org_id: number,
  incident_ids: readonly string[],
  { from, until }: { from: string; until: string },
): Promise<FirstWitness[]> {
  const results = await openReader(db)
  const org = unseen(sql`${org_id}::bigint`)
  const { rows } = await results.sql<FirstWitness>`
    with named as materialized (
      select incident_id, check_id, began_at from incidents
      where org_id = ${org} and incident_id = any(${unseen(sql`${incident_ids}::text[]`)}::text[]) and check_id is not null
    ), first as materialized (
      select i.incident_id, first.monitor_id from named i cross join lateral (${firstFailureOf(results, org_id, from, until)}) first)
    select first.incident_id, m.id as monitor_id, m.name as monitor_name
    from first join monitors m on m.id = first.monitor_id`.execute(db)
  return rows
}

/**
 * Returns a subquery for the result that began an incident `i`. Repeats the span of time, so that Postgres reads only the
 * partitions that can contain the result.
 */
export function firstFailureOf(
  results: ResultsReader,
  org_id: number,
  from: string,
  until: string,
  column: 'monitor_id' | 'error' = 'monitor_id',
): RawBuilder<unknown> {
  return results.of({
    columns: ['ran_at', column, 'success'],
    ...{ org: sql`${org_id}`, check: 'i.check_id', from: 'i.began_at', until: 'i.began_at' },
    ...{ known_from: sql`${from}::timestamptz`, known_until: sql`${until}::timestamptz` },
    where: sql`r.ran_at = i.began_at and r.ran_at >= ${from}::timestamptz and r.ran_at <= ${until}::timestamptz`,
    ...{ which: 'not r.success', order: 'asc', limit: '1' },
  })
}

export interface EarlierIncident {
  incident_id: string
  began_at: string
  ended_at: string | null
  verdict: Partial<Verdict> | null
}

/** Lists the incidents of a check or heartbeat that began before an instant, newest first. */
export async function listEarlier(
  db: Db,
  { org_id, kind, id }: { org_id: number; kind: 'check' | 'heartbeat'; id: number },
  before: string,
  limit: number,
): Promise<EarlierIncident[]> {
  const { rows } = await prepared<EarlierIncident>`
    select incident_id, wire_time(began_at) as began_at, wire_time(ended_at) as ended_at, verdict from incidents i
    where i.org_id = ${org_id} and i.${sql.ref(`${kind}_id`)} = ${id} and i.began_at < ${before}::timestamptz
    order by i.began_at desc limit ${limit}`.execute(db)
  return rows
}
