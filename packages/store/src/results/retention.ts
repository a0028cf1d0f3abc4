// Finds what is too old to keep, org by org, and deletes some rows at a time.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import type { GatedTime } from '../gated-time.ts'
import { rowsSql } from '../rows-sql.ts'
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

/** Columns of a {@link RetentionRow}, from an organisation `o` and its retention `r`. */
const COLUMNS = (
  now: string,
) => sql`o.org_id, o.plan, o.custom_limits, r.days, wire_time(r.shorter_since) as shorter_since,
  wire_time(r.edge) as edge, ${IS_CONFIRMED(now)} as is_confirmed, wire_time(r.held_since) as held_since`

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
    select ${COLUMNS(now)} from retention r join organisations o on o.org_id = r.org_id
    where r.org_id = ${org_id} and ${IS_DUE(now)} for update of r skip locked`.execute(db)
  return rows[0]
}

/**
 * Lists all organisations. For one without a pass yet, `edge` is the first day of its history, because how much of it may be
 * deleted is still unknown.
 */
export async function listRetention(db: Db, now: string): Promise<RetentionRow[]> {
  const { rows } = await sql<RetentionRow>`
    select ${COLUMNS(now)} from organisations o left join retention r on r.org_id = o.org_id`.execute(db)
  const days = await askByOrg(
    db,
    rows.filter(({ edge }) => edge === null),
    (some, org) => sql<{ org_id: number; day: string | null }>`
    select k.org_id, wire_time((select min(day) from rollups_daily d where d.org_id = ${org})) as day
    from ${rowsSql(some, { org_id: 'bigint' })}`,
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

/** Returns the SQL for the time before which results of a check are deleted. Those that decide on the check stay. */
const edgeOfCheck = ({ edge, now }: Prune) => sql`case when deleted then ${edge}::timestamptz
        else least(${edge}::timestamptz, date_trunc('day', ${now}::timestamptz - ${REACH}, 'UTC')) end`

/** Options of {@link oldOfChecks}. */
interface RowsOfChecks {
  /** Columns that identify a row of a check. The first one is its time. */
  key: readonly [time: string, ...others: string[]]
  /** Column that is compared with the edge of the check. Default: the time. */
  by?: string
  /** Returns the SQL for the edge of a check. */
  edgeOf?: (prune: Prune) => RawBuilder<unknown>
  /** Whether each step deletes a share of every check's rows, because Postgres stores them together. Default: check after check. */
  isSpread?: boolean
}

/** Builds the deletion of the old rows of all checks, which finds them by one index lookup for each check. */
function oldOfChecks(
  table: string,
  { key, by = key[0], edgeOf = edgeOfCheck, isSpread = false }: RowsOfChecks,
): Pruner {
  const [rows, time] = [sql.table(table), sql.ref(key[0])]
  const columns = sql.join(key.map((name) => sql.ref(name)))
  const isSame = sql.join(
    key.map((name) => sql`r.${sql.ref(name)} = old.${sql.ref(name)}`),
    sql` and `,
  )
  return (db, prune) => {
    const { org_id, edge, limit } = prune
    return countDeleted(
      db,
      sql`
    with edges as materialized (
      select check_id, ${edgeOf(prune)} as edge, ${limit}::bigint / count(*) over () + 1 as share
      from checks where org_id = ${org_id}
    ), old as materialized (
      select e.check_id, ${columns} from edges e cross join lateral (
        select ${columns} from ${rows}
        where org_id = ${org_id} and check_id = e.check_id and ${sql.ref(by)} < e.edge and ${time} < ${edge}::timestamptz
        limit ${isSpread ? sql`e.share` : limit}) r
      limit ${limit}
    )
    delete from ${rows} r using old
    where r.org_id = ${org_id} and r.check_id = old.check_id and ${isSame} and r.${time} < ${edge}::timestamptz`,
    )
  }
}

/** Builds the deletion of the old rows `t` of an organisation. `key`: columns that identify a row. */
function oldRows(table: string, key: string, isOld: (prune: Prune) => RawBuilder<unknown>): Pruner {
  return (db, prune) =>
    deleteSome(db, { table, key: `org_id, ${key}` }, sql`org_id = ${prune.org_id} and ${isOld(prune)}`, prune.limit)
}

const RESULTS: RowsOfChecks = { key: ['ran_at', 'monitor_id'], isSpread: true }
/** Returns the SQL for the edge of sums. No check is judged by sums. */
const edgeOfSums = ({ edge }: Prune) => sql`${edge}::timestamptz`

/** Deletions by table. A table that refers to another comes before it. */
export const PRUNERS: Readonly<Record<string, Pruner>> = {
  results: oldOfChecks('results', RESULTS),
  reopened_results: oldOfChecks('reopened_results', RESULTS),
  // Whole hours: the edges are midnights.
  sealed_hours: oldOfChecks('sealed_hours', { key: ['since'] }),
  late_results: oldRows('late_results', 'check_id, n', ({ edge }) => sql`ran_at < ${edge}::timestamptz`),
  // Kept as long as the results that they refer to, by the server's clock.
  shifted_results: oldOfChecks('shifted_results', { key: ['ran_at', 'monitor_id'], by: 'effective_at' }),
  // Kept as long as results that quote them. A monitor that was offline uploads late.
  former_secrets: (db, prune) =>
    countDeleted(
      db,
      sql`
    delete from former_secrets where (org_id, check_id, former_id) in (
      select f.org_id, f.check_id, f.former_id from former_secrets f join checks c using (org_id, check_id)
      where f.org_id = ${prune.org_id}
        and f.replaced_at < least(${edgeOfCheck(prune)}, ${prune.now}::timestamptz - ${LONGEST_AWAY}) limit ${prune.limit})`,
    ),
  rollups: oldOfChecks('rollups', { key: ['hour'], edgeOf: edgeOfSums }),
  rollups_daily: oldOfChecks('rollups_daily', { key: ['day'], edgeOf: edgeOfSums }),
  check_schedules: oldRows('check_schedules', 'check_id, since', ({ edge }) => sql`until < ${edge}::timestamptz`),
  heartbeat_days: oldRows(
    'heartbeat_days',
    'heartbeat_id, day',
    ({ edge }) => sql`day < (${edge}::timestamptz at time zone 'UTC')::date`,
  ),
  deliveries: oldRows(
    'deliveries',
    'delivery_id',
    ({ edge }) => sql`created_at < ${edge}::timestamptz and state <> 'pending'`,
  ),
  events: oldRows(
    'events',
    'event_id',
    ({ edge }) => sql`created_at < ${edge}::timestamptz
        and not exists (select from deliveries d where d.org_id = t.org_id and d.event_id = t.event_id)
        and not exists (select from planned_alerts p where p.org_id = t.org_id and p.event_id = t.event_id)
        -- Reminders tell once more what the first message said.
        and not exists (
          select from incidents i where i.org_id = t.org_id and i.incident_id = t.incident_id and i.ended_at is null)`,
  ),
  incidents: oldRows('incidents', 'incident_id', ({ edge }) => sql`ended_at < ${edge}::timestamptz`),
  degradations: oldRows('degradations', 'degradation_id', ({ edge }) => sql`ended_at < ${edge}::timestamptz`),
  audit_entries: oldRows('audit_entries', 'entry_id', ({ audit_edge }) => sql`created_at < ${audit_edge}::timestamptz`),
}

/** Deletes some rows `t` of a table that meet a condition, and returns how many. `key`: columns that identify a row. */
export function deleteSome(
  db: Db,
  { table, key }: { table: string; key: string },
  where: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  const [rows, columns] = [sql.table(table), sql.raw(key)]
  return countDeleted(
    db,
    sql`delete from ${rows} where (${columns}) in (select ${columns} from ${rows} t where ${where} limit ${limit})`,
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
