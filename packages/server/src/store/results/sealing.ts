// How hours of results become sealed rows, exactly once, while results are stored: docs/decisions/0007-sealed-hours.md.
import { sql, type Transaction } from 'kysely'
import { type CheckKey, keyRows } from '../checks/check-health.ts'
import type { Db } from '../database.ts'
import type { Tables } from '../tables.ts'
import { hourRows, type MarkedHour } from './marks.ts'
import {
  HOUR_OF,
  RUN_COLUMNS,
  type RunColumn,
  SEALED_COLUMNS,
  SEALED_VALUES,
  sealing,
  unsealed,
} from '../stored/sealed-form.ts'

/**
 * A transaction that stores results reads `announced` and `closed` after it has taken the writer's lock on the table. So when
 * every transaction that held this lock at the commit of a change has ended, all others know of it. No clock is involved.
 */
export interface SealProgress {
  is_on: boolean
  announced: string
  closed: string
  settled: string
  sealed_until: string
  waits_for: string[] | null
  /** The span that is being sealed begins at `sealed_until`. */
  sealing_until: string | null
  sealing_org_id: number | null
  sealing_check_id: number | null
  /** Null: it is not on. */
  turned_on_at: string | null
  /** An operator wrote the rows back: nothing is closed, sealed or merged. */
  is_barred: boolean
}

/** What instants are before anything is sealed: text that sorts before all others. */
export const NEVER = '-infinity'
const INSTANTS = ['announced', 'closed', 'settled', 'sealed_until']
  .map((name) => `coalesce(wire_time(${name}), '${NEVER}') as ${name}`)
  .join(', ')
const PROGRESS = sql.raw(
  `is_on, ${INSTANTS}, waits_for, wire_time(sealing_until) as sealing_until, sealing_org_id, sealing_check_id,
  wire_time(turned_on_at) as turned_on_at, is_barred`,
)

export async function readSealProgress(db: Db): Promise<SealProgress> {
  return one((await sql<SealProgress>`select ${PROGRESS} from seal_progress`.execute(db)).rows)
}

/**
 * The progress, locked until the transaction ends: meanwhile nothing is sealed, merged, wiped or deleted. Undefined when
 * another process seals.
 */
export async function lockSealProgress(trx: Transaction<Tables>): Promise<SealProgress | undefined> {
  const { rows } = await sql<SealProgress>`select ${PROGRESS} from seal_progress for update skip locked`.execute(trx)
  return rows[0]
}

/** The same, after whoever has it. */
export async function awaitSealProgress(trx: Transaction<Tables>): Promise<SealProgress> {
  return one((await sql<SealProgress>`select ${PROGRESS} from seal_progress for update`.execute(trx)).rows)
}

/** The same, beside others who keep results where they are. */
export async function shareSealProgress(trx: Transaction<Tables>): Promise<SealProgress> {
  return one((await sql<SealProgress>`select ${PROGRESS} from seal_progress for share`.execute(trx)).rows)
}

/**
 * Until this transaction ends, no result moves between the tables: whoever changes or deletes stored results holds this, so that
 * a row is changed before it moves or after it has moved, and never missed. Costs nothing while hours are not sealed.
 */
export async function holdResultsInPlace(trx: Db): Promise<void> {
  await sql`select 1 from seal_progress where is_on or isfinite(sealed_until) for share`.execute(trx)
}

function one(rows: readonly SealProgress[]): SealProgress {
  const [row] = rows
  if (!row) throw new Error('seal_progress has lost its row')
  return row
}

export async function updateSealProgress(trx: Transaction<Tables>, changed: Partial<SealProgress>): Promise<void> {
  await trx.updateTable('seal_progress').set(changed).execute()
}

/** Ends each statement of a transaction from now on that takes longer. */
export async function boundStatements(trx: Transaction<Tables>, most_ms: number): Promise<void> {
  await sql`set local statement_timeout = ${sql.lit(most_ms)}`.execute(trx)
}

/** Until when hours are folded, of every organisation; undefined before anything was folded. */
export async function readHoursUntil(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ hours_until: string }>`
    select wire_time(least(hours_until, (select min(hours_until) from rollups_behind))) as hours_until from rollup_progress`.execute(
    db,
  )
  return rows[0]?.hours_until
}

/** The hour of the oldest result from an instant on; undefined: there is none. */
export async function readOldestHour(db: Db, from: string): Promise<string | undefined> {
  const { rows } = await sql<{ hour: string | null }>`
    select /* one node */ wire_time(${sql.raw(HOUR_OF('min(r.ran_at)'))}) as hour from checks c cross join lateral (
      select ran_at from results r
      where r.org_id = c.org_id and r.check_id = c.check_id and r.ran_at >= ${from}::timestamptz
      order by ran_at limit 1) r`.execute(db)
  return rows[0]?.hour ?? undefined
}

/** Some checks of all organisations in the order of their keys, deleted ones included. */
export async function listChecksAfter(db: Db, after: CheckKey | undefined, limit: number): Promise<CheckKey[]> {
  const further = after ? sql`where (org_id, check_id) > (${after.org_id}::bigint, ${after.check_id}::bigint)` : sql``
  const { rows } = await sql<CheckKey>`
    select org_id, check_id from checks ${further} order by org_id, check_id limit ${limit}`.execute(db)
  return rows
}

const runsOf = (table: string): string => RUN_COLUMNS.map((name) => `${table}.${name}`).join(', ')

/** Makes the sealed rows of some checks for the hours of a span. */
export async function insertSealed(
  trx: Transaction<Tables>,
  keys: readonly CheckKey[],
  from: string,
  until: string,
): Promise<number> {
  if (keys.length === 0) return 0
  const { numAffectedRows = 0n } = await sql`
    with /* one node */ runs as (
      select r.* from ${keyRows(keys)} cross join lateral (
        select ${sql.raw(runsOf('r'))} from results r
        where r.org_id = k.org_id and r.check_id = k.check_id
          and r.ran_at >= ${from}::timestamptz and r.ran_at < ${until}::timestamptz) r
    )
    insert into sealed_hours (${sql.raw(SEALED_COLUMNS)}) ${sql.raw(sealing('runs'))}
    on conflict do nothing`.execute(trx)
  return Number(numAffectedRows)
}

/** Hours of results that lie outside of all partitions and ran before an instant, a full hour. */
export async function listOutside(db: Db, before: string, limit: number): Promise<MarkedHour[]> {
  const { rows } = await sql<MarkedHour>`
    select /* one node */ distinct org_id, check_id, wire_time(${sql.raw(HOUR_OF('ran_at'))}) as hour from (
      select org_id, check_id, ran_at from results_default where ran_at < ${before}::timestamptz limit ${limit}) r`.execute(
    db,
  )
  return rows
}

/**
 * Moves such results of sealed hours to those that came late, unless they are sealed or wait there already, or their check is gone. The
 * caller holds the progress and the marks of the hours.
 */
export async function moveOutside(trx: Transaction<Tables>, hours: readonly MarkedHour[]): Promise<void> {
  const key: RunColumn[] = ['org_id', 'check_id', 'ran_at', 'monitor_id']
  const columns = sql.raw(RUN_COLUMNS.join(', '))
  await sql`
    with /* one node */ k as materialized (select * from ${hourRows(hours)}
    ), outside as (
      delete from results_default r using k
      where r.org_id = k.org_id and r.check_id = k.check_id and r.ran_at >= k.hour and r.ran_at < k.hour + interval '1 hour'
      returning ${sql.raw(runsOf('r'))}
    ), sealed as materialized (
      select org_id, check_id, ran_at, monitor_id from (${sql.raw(
        unsealed(
          `(
          select s.* from k join sealed_hours s on s.org_id = k.org_id and s.check_id = k.check_id and s.since = k.hour)`,
          key,
        ),
      )}) u
    )
    insert into reopened_results (${columns}) select ${columns} from outside
    where (org_id, check_id) in (select org_id, check_id from checks)
      and (org_id, check_id, ran_at, monitor_id) not in (select org_id, check_id, ran_at, monitor_id from sealed)
    order by org_id, check_id, ran_at, monitor_id
    on conflict do nothing`.execute(trx)
}

/**
 * Marks hours that are sealed and have results that are not merged yet, so that they are merged. Results of an hour that was closed and not sealed
 * yet wait for this.
 */
export async function markReopened(db: Db, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    insert /* one node */ into rollup_marks (org_id, check_id, hour)
    select distinct org_id, check_id, ${sql.raw(HOUR_OF('ran_at'))} from (
      select org_id, check_id, ran_at from reopened_results r
      where ran_at < (select sealed_until from seal_progress)
        and not exists (
          select from rollup_marks m
          where m.org_id = r.org_id and m.check_id = r.check_id and m.hour = ${sql.raw(HOUR_OF('r.ran_at'))})
      limit ${limit}) r
    order by 1, 2, 3 on conflict do nothing`.execute(db)
  return Number(numAffectedRows)
}

/** The days in UTC that have such results. */
export async function listReopenedDays(db: Db): Promise<string[]> {
  const { rows } = await sql<{ day: string }>`
    select /* one node */ distinct to_char(ran_at at time zone 'UTC', 'YYYY-MM-DD') as day from reopened_results
    where ran_at < (select sealed_until from seal_progress) order by 1`.execute(db)
  return rows.map(({ day }) => day)
}

const REPLACED = SEALED_VALUES.map((name) => `${name} = excluded.${name}`).join(', ')

/**
 * Moves the results that came for sealed hours into their rows. The caller holds the progress and the marks of the hours, so
 * nobody adds to them meanwhile. Returns how many hours there were.
 */
export async function mergeReopened(trx: Transaction<Tables>, hours: readonly MarkedHour[]): Promise<number> {
  if (hours.length === 0) return 0
  const rows = sql`unnest(${hours.map(({ org_id }) => org_id)}::bigint[], ${hours.map(({ check_id }) => check_id)}::bigint[],
    ${hours.map(({ hour }) => hour)}::timestamptz[]) as k(org_id, check_id, hour)`
  const its = sql`r.org_id = k.org_id and r.check_id = k.check_id and r.ran_at >= k.hour and r.ran_at < k.hour + interval '1 hour'`
  const { numAffectedRows = 0n } = await sql`
    with /* one node */ reopened as materialized (
      select k.hour, r.* from ${rows} cross join lateral (
        select ${sql.raw(runsOf('r'))} from reopened_results r where ${its}) r
    ), hours as (
      select distinct org_id, check_id, hour from reopened
    ), runs as (
      select ${sql.raw(runsOf('u'))} from (${sql.raw(
        unsealed(`(
          select s.* from hours h join sealed_hours s on s.org_id = h.org_id and s.check_id = h.check_id and s.since = h.hour)`),
      )}) u
      union all select ${sql.raw(runsOf('r'))} from reopened r
    )
    insert into sealed_hours (${sql.raw(SEALED_COLUMNS)}) ${sql.raw(sealing('runs'))}
    on conflict (org_id, check_id, since) do update set ${sql.raw(REPLACED)}`.execute(trx)
  if (numAffectedRows > 0n) {
    await sql`delete /* one node */ from reopened_results r using ${rows} where ${its}`.execute(trx)
  }
  return Number(numAffectedRows)
}
