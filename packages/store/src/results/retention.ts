// Finds what is too old to keep, org by org, and deletes some rows at a time.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import type { GatedTime } from '../gated-time.ts'
import { askByOrg, readSealedBoundary } from './nodes/layout.ts'
import { resultsOf } from './stored/results-of.ts'

export interface RetentionRow {
  org_id: number
  plan: string
  custom_limits: object | null
  /** Number of days that is applied. Null before the first time. */
  days: number | null
  shorter_since: string | null
  /** Time before which its rows have been deleted. Null before the first time. */
  edge: string | null
  /** Whether an operator let the deletion proceed, however far the edge moves. */
  is_confirmed: boolean
  /** Time since which some rows wait for an operator. Null if none wait. */
  held_since: string | null
}

// A permission that was given by a clock that was days ahead does not last for those days.
const IS_CONFIRMED = (now: string) => sql<boolean>`coalesce(confirmed_until > ${now}::timestamptz
  and confirmed_until <= ${now}::timestamptz + interval '1 day', false)`
// Ignores a postponement of more than two days, which only a clock that was ahead can have caused.
const IS_DUE = (now: string) => sql<boolean>`(due_at <= ${now}::timestamptz
  or due_at > ${now}::timestamptz + interval '2 days')`

/** Makes organisations due that have not been examined yet. */
export async function insertMissingRetention(db: Db, now: string): Promise<void> {
  await sql`
    insert into retention (org_id, due_at)
    select org_id, ${now}::timestamptz from organisations o
    where not exists (select from retention r where r.org_id = o.org_id)
    on conflict do nothing`.execute(db)
}

/** Whether any organisation is due or has not been examined yet. */
export async function isAnyOrgDue(db: Db, now: string): Promise<boolean> {
  const { rows } = await sql<{ is_due: boolean }>`
    select exists (select from retention where due_at <= ${now}::timestamptz)
      or exists (select from retention where due_at > ${now}::timestamptz + interval '2 days')
      or exists (select from organisations o where not exists (select from retention r where r.org_id = o.org_id)) as is_due
    `.execute(db)
  return rows[0]?.is_due === true
}

/** Lets this transaction commit without waiting for a disk or a standby, because a deletion that a crash undoes is repeated. */
export async function commitUnflushed(trx: Db): Promise<void> {
  await sql`set local synchronous_commit = off`.execute(trx)
}

/** Lists the organisations that are due, the longest first. `onlyConfirmed`: only those that an operator let proceed. */
export async function listDueOrgs(db: Db, now: string, limit: number, onlyConfirmed = false): Promise<number[]> {
  const rows = await db
    .selectFrom('retention')
    .select('org_id')
    .where(IS_DUE(now))
    .$if(onlyConfirmed, (query) => query.where(IS_CONFIRMED(now)))
    .orderBy('due_at')
    .orderBy('org_id')
    .limit(limit)
    .execute()
  return rows.map(({ org_id }) => org_id)
}

/** Locks a due organisation until the transaction ends. Returns undefined if it is not due or another process has locked it. */
export async function claimDueOrg(db: Db, org_id: number, now: string): Promise<RetentionRow | undefined> {
  const { rows } = await sql<RetentionRow>`
    select r.org_id, o.plan, o.custom_limits, r.days, wire_time(r.shorter_since) as shorter_since,
      wire_time(r.edge) as edge, ${IS_CONFIRMED(now)} as is_confirmed, wire_time(r.held_since) as held_since
    from retention r join organisations o on o.org_id = r.org_id
    where r.org_id = ${org_id} and ${IS_DUE(now)} for update of r skip locked`.execute(db)
  return rows[0]
}

/**
 * Lists all organisations. For one without a pass yet, `edge` is the first day of its history, because how much of it may be
 * deleted is still unknown.
 */
export async function listRetention(db: Db, now: string): Promise<RetentionRow[]> {
  const { rows } = await sql<RetentionRow>`
    select o.org_id, o.plan, o.custom_limits, r.days, wire_time(r.shorter_since) as shorter_since,
      wire_time(r.edge) as edge, ${IS_CONFIRMED(now)} as is_confirmed, wire_time(r.held_since) as held_since
    from organisations o left join retention r on r.org_id = o.org_id`.execute(db)
  const days = await askByOrg(
    db,
    rows.filter(({ edge }) => edge === null),
    (some, org) => sql<{ org_id: number; day: string | null }>`
    select k.org_id, wire_time((select min(day) from rollups_daily d where d.org_id = ${org})) as day
    from unnest(${some.map(({ org_id }) => org_id)}::bigint[]) as k(org_id)`,
  )
  const firstDay = new Map(days.map(({ org_id, day }) => [org_id, day]))
  return rows.map((row) => ({ ...row, edge: row.edge ?? firstDay.get(row.org_id) ?? null }))
}

/**
 * Reads the share of an organisation's results between two instants, by the days of its history. Without `from`, counts
 * everything before `to`. Without a history, returns 1 if there is any result.
 */
export async function readShareBetween(db: Db, org_id: number, from: string | null, to: string): Promise<number> {
  const since = from ?? '-infinity'
  const { rows } = await sql<{ share: number | null }>`
    select coalesce(sum(runs) filter (where day >= ${since}::timestamptz and day < ${to}::timestamptz), 0)::float8
      / nullif(sum(runs), 0) as share
    from rollups_daily where org_id = ${org_id}`.execute(db)
  const share = rows[0]?.share ?? null
  if (share !== null) return share
  const [begin, end] = [sql`${since}::timestamptz`, sql`${to}::timestamptz`]
  const between = resultsOf(
    {
      columns: ['ran_at'],
      ...{ org: sql`${org_id}`, check: 'c.check_id', from: begin, until: end },
      ...{ where: sql`r.ran_at >= ${begin} and r.ran_at < ${end}`, limit: '1' },
    },
    await readSealedBoundary(db),
  )
  const { rows: found } = await sql<{ is_any: boolean }>`
    with listed as materialized (select check_id from checks where org_id = ${org_id})
    select exists (
      select 1 from listed c cross join lateral (${between}) r) as is_any`.execute(db)
  return found[0]?.is_any === true ? 1 : 0
}

/** Reads the first day of an organisation's history, or of its results if there is no history yet. */
export async function readOldestDay(db: Db, org_id: number): Promise<string | undefined> {
  const first = resultsOf(
    { columns: ['ran_at'], org: sql`${org_id}`, check: 'c.check_id', order: 'asc', limit: '1' },
    await readSealedBoundary(db),
  )
  const { rows } = await sql<{ day: string | null }>`
    with listed as materialized (select check_id from checks where org_id = ${org_id})
    select wire_time(coalesce((select min(day) from rollups_daily where org_id = ${org_id}), (
      select date_trunc('day', min(r.ran_at), 'UTC') from listed c cross join lateral (${first}) r))) as day`.execute(
    db,
  )
  return rows[0]?.day ?? undefined
}

/** Reads the share of an organisation's results whose deletion waits for an operator. Returns undefined if none waits. */
export async function readHeldShare(db: Db, org_id: number): Promise<number | undefined> {
  const row = await db.selectFrom('retention').select('held_share').where('org_id', '=', org_id).executeTakeFirst()
  return row?.held_share ?? undefined
}

/** State of an organisation after a pass. */
export interface RetentionChange {
  org_id: number
  days: number
  shorter_since: string | null
  edge: string
  due_at: string
  held_since: string | null
  held_share: number | null
}

export async function updateRetention(db: Db, { org_id, ...change }: RetentionChange): Promise<void> {
  await db.updateTable('retention').set(change).where('org_id', '=', org_id).execute()
}

/** Edges of an organisation's retention, and the maximum number of rows to delete. */
export interface Prune {
  org_id: number
  now: string
  /** Time before which results, and everything that is made from them, are deleted. */
  edge: GatedTime
  /** Time before which entries of the audit log are deleted. */
  audit_edge: GatedTime
  limit: number
}

/** Deletes some of an organisation's rows that are too old, and returns how many. Returns 0 if there are no more. */
export type Pruner = (db: Db, prune: Prune) => Promise<number>

/** Maximum time that results are kept for judging, because no verdict waits longer. */
const LONGEST_REACH = sql`interval '366 days'`
/** Maximum time that a monitor can be offline and return, as for removed assignments. */
const LONGEST_AWAY = sql`interval '90 days'`
/** Twice the age of the oldest results that decide on a check. */
const REACH = sql`least(${LONGEST_REACH},
  2 * interval_sec::float8 * greatest(down_interval_sec, 1) * interval '1 second')`

/**
 * Deletions by table. A table that refers to another comes before it. Each step takes some results of every check: they lie in
 * the order of time, so that neighbours are deleted together.
 */
export const PRUNERS: Readonly<Record<string, Pruner>> = {
  results: (db, prune) => pruneResults(db, 'results', prune),
  reopened_results: (db, prune) => pruneResults(db, 'reopened_results', prune),
  // Whole hours: the edges are midnights.
  sealed_hours: (db, { org_id, now, edge, limit }) =>
    countDeleted(
      db,
      sql`
    with edges as materialized (
      select check_id, ${edgeOfCheck(edge, now)} as edge from checks where org_id = ${org_id}
    ), old as materialized (
      select e.check_id, h.since from edges e cross join lateral (
        select since from sealed_hours
        where org_id = ${org_id} and check_id = e.check_id and since < e.edge and since < ${edge}::timestamptz
        limit ${limit}) h
      limit ${limit}
    )
    delete from sealed_hours h using old
    where h.org_id = ${org_id} and h.check_id = old.check_id and h.since = old.since and h.since < ${edge}::timestamptz`,
    ),
  late_results: (db, { org_id, edge, limit }) =>
    countDeleted(
      db,
      sql`
    delete from late_results where (org_id, check_id, n) in (
      select org_id, check_id, n from late_results
      where org_id = ${org_id} and ran_at < ${edge}::timestamptz limit ${limit})`,
    ),
  // Kept as long as the results that they refer to, by the server's clock.
  shifted_results: (db, { org_id, now, edge, limit }) =>
    countDeleted(
      db,
      sql`
    with edges as materialized (
      select check_id, ${edgeOfCheck(edge, now)} as edge from checks where org_id = ${org_id}
    ), old as materialized (
      select s.check_id, s.ran_at, s.monitor_id from edges e cross join lateral (
        select check_id, ran_at, monitor_id from shifted_results
        where org_id = ${org_id} and check_id = e.check_id and effective_at < e.edge and ran_at < ${edge}::timestamptz
        limit ${limit}) s
      limit ${limit}
    )
    delete from shifted_results s using old
    where s.org_id = ${org_id} and s.check_id = old.check_id and s.ran_at = old.ran_at and s.monitor_id = old.monitor_id`,
    ),
  // Kept as long as results that quote them. A monitor that was offline uploads late.
  former_secrets: (db, { org_id, now, edge, limit }) =>
    countDeleted(
      db,
      sql`
    delete from former_secrets where (org_id, check_id, former_id) in (
      select f.org_id, f.check_id, f.former_id from former_secrets f join checks c using (org_id, check_id)
      where f.org_id = ${org_id}
        and f.replaced_at < least(${edgeOfCheck(edge, now)}, ${now}::timestamptz - ${LONGEST_AWAY}) limit ${limit})`,
    ),
  rollups: (db, prune) => pruneRollups(db, 'rollups', 'hour', prune),
  rollups_daily: (db, prune) => pruneRollups(db, 'rollups_daily', 'day', prune),
  check_schedules: (db, { org_id, edge, limit }) =>
    countDeleted(
      db,
      sql`
    delete from check_schedules where (org_id, check_id, since) in (
      select org_id, check_id, since from check_schedules
      where org_id = ${org_id} and until < ${edge}::timestamptz limit ${limit})`,
    ),
  heartbeat_days: (db, { org_id, edge, limit }) =>
    countDeleted(
      db,
      sql`
    delete from heartbeat_days where (org_id, heartbeat_id, day) in (
      select org_id, heartbeat_id, day from heartbeat_days
      where org_id = ${org_id} and day < (${edge}::timestamptz at time zone 'UTC')::date limit ${limit})`,
    ),
  deliveries: (db, { org_id, edge, limit }) =>
    countDeleted(
      db,
      sql`
    delete from deliveries where (org_id, delivery_id) in (
      select org_id, delivery_id from deliveries
      where org_id = ${org_id} and created_at < ${edge}::timestamptz and state <> 'pending' limit ${limit})`,
    ),
  events: (db, { org_id, edge, limit }) =>
    countDeleted(
      db,
      sql`
    delete from events where (org_id, event_id) in (
      select org_id, event_id from events e
      where org_id = ${org_id} and created_at < ${edge}::timestamptz
        and not exists (select from deliveries d where d.org_id = e.org_id and d.event_id = e.event_id)
        and not exists (select from planned_alerts p where p.org_id = e.org_id and p.event_id = e.event_id)
        -- Reminders tell once more what the first message said.
        and not exists (
          select from incidents i where i.org_id = e.org_id and i.incident_id = e.incident_id and i.ended_at is null)
      limit ${limit})`,
    ),
  incidents: (db, { org_id, edge, limit }) =>
    countDeleted(
      db,
      sql`
    delete from incidents where (org_id, incident_id) in (
      select org_id, incident_id from incidents
      where org_id = ${org_id} and ended_at < ${edge}::timestamptz limit ${limit})`,
    ),
  degradations: (db, { org_id, edge, limit }) =>
    countDeleted(
      db,
      sql`
    delete from degradations where (org_id, degradation_id) in (
      select org_id, degradation_id from degradations
      where org_id = ${org_id} and ended_at < ${edge}::timestamptz limit ${limit})`,
    ),
  audit_entries: (db, { org_id, audit_edge, limit }) =>
    countDeleted(
      db,
      sql`
    delete from audit_entries where (org_id, entry_id) in (
      select org_id, entry_id from audit_entries
      where org_id = ${org_id} and created_at < ${audit_edge}::timestamptz limit ${limit})`,
    ),
}

/** Returns the SQL for the time before which results of a check are deleted. Those that decide on the check stay. */
function edgeOfCheck(edge: string, now: string): RawBuilder<unknown> {
  return sql`case when deleted then ${edge}::timestamptz
        else least(${edge}::timestamptz, date_trunc('day', ${now}::timestamptz - ${REACH}, 'UTC')) end`
}

function pruneResults(
  db: Db,
  table: 'results' | 'reopened_results',
  { org_id, now, edge, limit }: Prune,
): Promise<number> {
  const results = sql.table(table)
  return countDeleted(
    db,
    sql`
    with edges as materialized (
      select check_id, ${edgeOfCheck(edge, now)} as edge, ${limit}::bigint / count(*) over () + 1 as share
      from checks where org_id = ${org_id}
    ), old as materialized (
      select e.check_id, r.ran_at, r.monitor_id from edges e cross join lateral (
        select ran_at, monitor_id from ${results}
        where org_id = ${org_id} and check_id = e.check_id and ran_at < e.edge and ran_at < ${edge}::timestamptz
        limit e.share) r
      limit ${limit}
    )
    delete from ${results} r using old
    where r.org_id = ${org_id} and r.check_id = old.check_id and r.ran_at = old.ran_at and r.monitor_id = old.monitor_id
      and r.ran_at < ${edge}::timestamptz`,
  )
}

function pruneRollups(
  db: Db,
  table: 'rollups' | 'rollups_daily',
  column: 'hour' | 'day',
  { org_id, edge, limit }: Prune,
): Promise<number> {
  const [rollups, at] = [sql.table(table), sql.ref(column)]
  return countDeleted(
    db,
    sql`
    with listed as materialized (select check_id from checks where org_id = ${org_id}
    ), old as materialized (
      select c.check_id, r.at from listed c cross join lateral (
        select ${at} as at from ${rollups} where org_id = ${org_id} and check_id = c.check_id and ${at} < ${edge}::timestamptz
        limit ${limit}) r
      limit ${limit}
    )
    delete from ${rollups} r using old
    where r.org_id = ${org_id} and r.check_id = old.check_id and r.${at} = old.at`,
  )
}

/** Returns how many days of results the checks themselves need, regardless of their plans. */
export async function readLongestReach(db: Db): Promise<number> {
  const { rows } = await sql<{ days: number | null }>`
    select max(extract(epoch from ${REACH}) / 86400)::float8 as days from checks where not deleted`.execute(db)
  return Math.ceil(rows[0]?.days ?? 0)
}

/** Runs a deletion, and returns the number of deleted rows. */
export async function countDeleted(db: Db, statement: RawBuilder<unknown>): Promise<number> {
  const { numAffectedRows } = await statement.execute(db)
  return Number(numAffectedRows ?? 0n)
}
