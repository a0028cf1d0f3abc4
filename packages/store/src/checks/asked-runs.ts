// Stores runs that people requested out of turn: kept for minutes, handed to their monitor once, and reported once.
import type { CheckFields } from '@dogwatch/check-rules/fields'
import { sql } from 'kysely'
import type { Database, Db } from '../database.ts'
import type { GatedTime } from '../gated-time.ts'
import { IS_ASSIGNED_SQL } from '../is-assigned.ts'

/** Channel of notifications about requested runs. The payload is the id of the monitor. */
export const RUNS_CHANNEL = 'dogwatch_runs'

export interface NewRun {
  org_id: number
  run_id: string
  monitor_id: string
  check_id: number | null
  definition: object | null
  asked_by: number
  asked_at: string
}

/** Numbers of runs that people requested after an instant and that have no report yet. */
export interface OpenRuns {
  /** Number of the organisation's runs at all monitors. */
  of_org: number
  of_monitor: number
  /** Number of runs at the monitor that the organisation requested, or that the person requested for any organisation. */
  own: number
}

export async function countOpenRuns(
  db: Db,
  { org_id, person_id, monitor_id, since }: { org_id: number; person_id: number; monitor_id: string; since: string },
): Promise<OpenRuns> {
  const { rows } = await sql<OpenRuns>`
    select (count(*) filter (where org_id = ${org_id}))::integer as of_org,
      (count(*) filter (where monitor_id = ${monitor_id}))::integer as of_monitor,
      (count(*) filter (where monitor_id = ${monitor_id} and (org_id = ${org_id} or asked_by = ${person_id})))::integer as own
    from asked_runs
    where (org_id = ${org_id} or monitor_id = ${monitor_id}) and asked_at > ${since}::timestamptz and reported_at is null`.execute(
    db,
  )
  return rows[0] ?? { of_org: 0, of_monitor: 0, own: 0 }
}

/** Stores a requested run. On commit, wakes the processes that keep a request of the monitor waiting. */
export async function insertRun(db: Db, { definition, ...run }: NewRun): Promise<void> {
  const asked = { ...run, definition: definition === null ? null : JSON.stringify(definition) }
  await db.insertInto('asked_runs').values(asked).execute()
  await sql`select pg_notify(${RUNS_CHANNEL}, ${run.monitor_id})`.execute(db)
}

/** A requested run that still has to be sent to its monitor, for a check or for a definition under test. */
export interface PendingRun {
  run_id: string
  check_guid: string | null
  definition: CheckFields | null
}

const HAND_OUT = {
  name: 'asked-runs-hand-out',
  text: `
    with waiting as (
      select r.org_id, r.run_id, row_number() over (partition by r.org_id order by r.asked_at, r.run_id) as turn
      from asked_runs r join organisations o on o.org_id = r.org_id and o.suspended_at is null
      where r.monitor_id = $1 and r.handed_at is null and r.asked_at > $2::timestamptz
    ), taken as (
      select r.org_id, r.run_id from waiting w join asked_runs r on r.org_id = w.org_id and r.run_id = w.run_id
      where r.handed_at is null
      order by w.turn, r.asked_at, r.run_id limit $4 for update of r skip locked
    ), handed as (
      update asked_runs r set handed_at = $3::timestamptz from taken
      where r.org_id = taken.org_id and r.run_id = taken.run_id
      returning r.org_id, r.run_id, r.check_id, r.definition
    )
    select h.run_id, a.guid as check_guid, h.definition
    from handed h left join assignments a
      on a.monitor_id = $1 and a.org_id = h.org_id and a.check_id = h.check_id and a.active
    where h.definition is not null or a.guid is not null`,
}

/**
 * Returns the runs that were requested from a monitor after `since` and that it does not know yet. Organisations take turns. A
 * run is never handed out again.
 */
export async function handOutRuns(
  { pools }: Database,
  monitor_id: string,
  { since, now, limit }: { since: string; now: string; limit: number },
): Promise<PendingRun[]> {
  const { rows } = await pools.machines.query<PendingRun>({ ...HAND_OUT, values: [monitor_id, since, now, limit] })
  return rows
}

/** Statement that says whether someone requested a run from monitor $1 after time $2 that the monitor has not received yet. */
const IS_ASKED = {
  name: 'asked-runs-any',
  text: `
    select exists (select from asked_runs
      where monitor_id = $1 and handed_at is null and asked_at > $2::timestamptz) as is_asked`,
}

export async function isAsked({ pools }: Database, monitor_id: string, since: string): Promise<boolean> {
  const { rows } = await pools.machines.query<{ is_asked: boolean }>({ ...IS_ASKED, values: [monitor_id, since] })
  return rows[0]?.is_asked === true
}

export interface OpenRun {
  org_id: number
  run_id: string
  definition: CheckFields | null
  /** Id of the check to run. Null if the run tests a definition without a check. */
  check_id: number | null
  /** Current URL of the check. Null if the check no longer exists, or the run tests a definition without a check. */
  check_url: string | null
}

/** Locks a run that its monitor has received and not reported, until the transaction ends. */
export async function lockOpenRun(db: Db, monitor_id: string, run_id: string): Promise<OpenRun | undefined> {
  const { rows } = await sql<OpenRun>`
    select r.org_id, r.run_id, r.definition, r.check_id, c.url as check_url
    from asked_runs r left join checks c on c.org_id = r.org_id and c.check_id = r.check_id and not c.deleted
    where r.monitor_id = ${monitor_id} and r.run_id = ${run_id} and r.handed_at is not null and r.reported_at is null
    for update of r`.execute(db)
  return rows[0]
}

/** Stores the outcome of a run, and clears its definition, which is no longer needed. */
export async function updateReported(
  db: Db,
  { org_id, run_id }: Pick<OpenRun, 'org_id' | 'run_id'>,
  report: object,
  now: string,
): Promise<void> {
  await sql`
    update asked_runs set report = ${JSON.stringify(report)}::jsonb, reported_at = ${now}::timestamptz,
      definition = case when definition is not null then '{}'::jsonb end
    where org_id = ${org_id} and run_id = ${run_id}`.execute(db)
}

export interface AskedRunRow {
  run_id: string
  check_id: number | null
  monitor_id: string
  monitor_name: string
  asked_at: string
  handed_at: string | null
  report: unknown
}

export async function findRun(db: Db, org_id: number, run_id: string): Promise<AskedRunRow | undefined> {
  const { rows } = await sql<AskedRunRow>`
    select r.run_id, r.check_id, r.monitor_id, m.name as monitor_name,
      wire_time(r.asked_at) as asked_at, wire_time(r.handed_at) as handed_at, r.report
    from asked_runs r join monitors m on m.id = r.monitor_id
    where r.org_id = ${org_id} and r.run_id = ${run_id}`.execute(db)
  return rows[0]
}

export interface AskableMonitor {
  id: string
  is_shared: boolean
  /** Whether the monitor runs the check. */
  is_assigned: boolean
  /** Whether the check is assigned to the monitor, but the monitor lacks an ability. */
  is_unable: boolean
  abilities: string[]
}

/**
 * Lists monitors that an organisation may request runs from and that were online since an instant: its own, then shared ones, the
 * most recently seen first.
 */
export async function listAskable(
  db: Db,
  { org_id, check_id, online_since }: { org_id: number; check_id: number | null; online_since: string },
): Promise<AskableMonitor[]> {
  const { rows } = await sql<AskableMonitor>`
    select m.id, m.org_id is null as is_shared, coalesce(a.active, false) as is_assigned,
      coalesce(a.unable, false) as is_unable, m.abilities
    from monitors m
    left join assignments a on a.org_id = ${org_id} and a.check_id = ${check_id}::bigint and a.monitor_id = m.id
      and ${IS_ASSIGNED_SQL}
    where (m.org_id = ${org_id} or m.org_id is null) and m.retired_at is null and m.enabled and m.platform_enabled
      and m.last_seen_at > ${online_since}::timestamptz
    order by m.org_id is null, m.last_seen_at desc, m.id`.execute(db)
  return rows
}

/**
 * Deletes the runs of checks that were wiped or deleted, and all tests of definitions, because one of them might contain such a
 * definition.
 */
export async function deleteRunsOfChecks(db: Db, org_id: number, check_ids: readonly number[]): Promise<void> {
  await sql`
    delete from asked_runs
    where org_id = ${org_id} and (check_id = any(${[...check_ids]}::bigint[]) or definition is not null)`.execute(db)
}

/** Deletes runs that were requested before an instant, and returns how many. */
export async function deleteOldRuns(db: Db, before: GatedTime): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('asked_runs')
    .where('asked_at', '<', sql<string>`${before}::timestamptz`)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
