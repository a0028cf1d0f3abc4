// Turns hours of results into sealed rows, exactly once, while results are stored: docs/reference/stored-results.md.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { type CheckKey, keyRows, listChecksAfter } from '../../check-keys.ts'
import type { Db } from '../../database.ts'
import type { Tables } from '../../tables.ts'
import { askWhoAnswers, forEachOrg, isDistributed } from '../nodes/layout.ts'
import { insertSealedOnNodes, mergeOnNodes } from '../nodes/sealing-on-nodes.ts'
import { HOUR_OF } from '../stored/sealed-form.ts'
import type { SealProgress } from '../tables.ts'
import { COLUMNS, constant, REPLACED, RUNS, SEALED, sealingOf, unsealedOf } from './fragments.ts'
import { MAY_MOVE_RESULTS } from './known.ts'
import { claimMarks, hourRows, listHoursIn, type MarkedHour, marking } from './marks.ts'

export type { SealProgress }

/** Value of each instant before anything is sealed. As text, it sorts before all others. */
export const NEVER = '-infinity'
const INSTANTS = ['announced', 'closed', 'settled', 'sealed_until', 'noticed_until', 'noticing_until']
  .map((name) => `coalesce(wire_time(${name}), '${NEVER}') as ${name}`)
  .join(', ')
const PROGRESS = sql.raw(
  `is_on, ${INSTANTS}, waits_for, wire_time(sealing_until) as sealing_until, sealing_org_id, sealing_check_id,
  wire_time(turned_on_at) as turned_on_at, wire_time(noticing_since) as noticing_since`,
)

/** Whether `dogwatch shard` is running. If not, it cannot begin before the transaction ends. */
export async function isHeldUp(db: Db): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`select ${sql.raw(MAY_MOVE_RESULTS)} as may`.execute(db)
  return rows[0]?.may !== true
}

export async function readSealProgress(db: Db): Promise<SealProgress> {
  return one((await sql<SealProgress>`select ${PROGRESS} from seal_progress`.execute(db)).rows)
}

/** Progress that a transaction has locked. */
export interface LockedProgress extends SealProgress {
  /** Whether `dogwatch shard` is running. Then nothing may be closed, sealed, merged or dropped. */
  is_held_up: boolean
}

const LOCKED = sql`${PROGRESS}, not ${sql.raw(MAY_MOVE_RESULTS)} as is_held_up`

/**
 * Locks the progress until the transaction ends, so that nothing is sealed, merged, wiped or deleted. Returns undefined if
 * another process has locked it.
 */
export async function lockSealProgress(trx: Transaction<Tables>): Promise<LockedProgress | undefined> {
  return (await sql<LockedProgress>`select ${LOCKED} from seal_progress for update skip locked`.execute(trx)).rows[0]
}

/** Locks the progress until the transaction ends, after any process that has locked it. */
export async function awaitSealProgress(trx: Transaction<Tables>): Promise<LockedProgress> {
  return one((await sql<LockedProgress>`select ${LOCKED} from seal_progress for update`.execute(trx)).rows)
}

/** Reads the progress under a share lock, beside others who keep results where they are. */
export async function shareSealProgress(trx: Transaction<Tables>): Promise<LockedProgress> {
  return one((await sql<LockedProgress>`select ${LOCKED} from seal_progress for share`.execute(trx)).rows)
}

function one<Row extends SealProgress>(rows: readonly Row[]): Row {
  const [row] = rows
  if (!row) throw new Error('the table seal_progress has no row')
  return row
}

export async function updateSealProgress(trx: Transaction<Tables>, changed: Partial<SealProgress>): Promise<void> {
  await trx.updateTable('seal_progress').set(changed).execute()
}

/** Returns the end of the hours that may receive late results: every process knows that these hours are sealed. */
export async function passedUntil(
  db: Db,
  { sealed_until, noticed_until }: Pick<SealProgress, 'sealed_until' | 'noticed_until'>,
): Promise<string> {
  return (await isDistributed(db)) && noticed_until < sealed_until ? noticed_until : sealed_until
}

/** Reads the time until which hours are folded for every organisation. Returns undefined before anything was folded. */
export async function readHoursUntil(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ hours_until: string }>`
    select wire_time(least(hours_until, (select min(hours_until) from rollups_behind))) as hours_until from rollup_progress`.execute(
    db,
  )
  return rows[0]?.hours_until
}

const CHECKS_AT_ONCE = 20_000

/** Reads the hour of the oldest result. Returns null if there is none, and undefined if a node does not respond. */
export async function readOldestHour(db: Db): Promise<string | null | undefined> {
  const found: string[] = []
  for (let after: CheckKey | undefined; ; ) {
    const keys = await listChecksAfter(db, after, CHECKS_AT_ONCE)
    const { rows, away } = await askWhoAnswers(db, keys, oldestHours)
    if (away.size > 0) return undefined
    for (const { hour } of rows) if (hour !== null) found.push(hour)
    after = keys.at(-1)
    if (keys.length < CHECKS_AT_ONCE) return found.sort()[0] ?? null
  }
}

const oldestHours = (some: readonly CheckKey[], org: RawBuilder<unknown>) => sql<{ hour: string | null }>`
    select wire_time(min(${sql.raw(HOUR_OF('r.ran_at'))})) as hour from ${keyRows(some)} cross join lateral (
      select ran_at from results where org_id = ${org} and check_id = k.check_id order by ran_at limit 1) r`

/**
 * Makes the sealed rows of some checks for the hours of a span, and returns how many. Returns undefined if a node does not
 * respond. No statement takes longer than `most_ms`.
 */
export async function insertSealed(
  trx: Transaction<Tables>,
  keys: readonly CheckKey[],
  span: { from: string; until: string; most_ms: number | undefined },
): Promise<number | undefined> {
  if (keys.length === 0) return 0
  if (await isDistributed(trx)) return insertSealedOnNodes(trx, keys, span)
  const { from, until, most_ms } = span
  if (most_ms !== undefined) await sql`set local statement_timeout = ${sql.lit(most_ms)}`.execute(trx)
  const runs = sql`
      select r.* from ${keyRows(keys)} cross join lateral (
        select ${RUNS} from results r
        where r.org_id = k.org_id and r.check_id = k.check_id
          and r.ran_at >= ${from}::timestamptz and r.ran_at < ${until}::timestamptz) r`
  const { numAffectedRows = 0n } = await sql`
    insert /* one node */ into sealed_hours (${SEALED}) ${sealingOf(runs)}
    on conflict do nothing`.execute(trx)
  return Number(numAffectedRows)
}

/** Lists the hours of results that lie outside all partitions and ran before an instant, which is a full hour. */
export function listOutside(db: Db, before: string, limit: number): Promise<MarkedHour[]> {
  return listHoursIn(db, 'results_default', before, limit)
}

/** Lists the days in UTC of sealed hours with unmerged results. `limit`: maximum number of results to read on each node. */
export async function listReopenedDays(db: Db, limit: number): Promise<string[]> {
  if (await isDistributed(db)) {
    const hours = await listReopened(db, limit)
    return [...new Set(hours.map(({ hour }) => hour.slice(0, 10)))].sort()
  }
  const { rows } = await sql<{ day: string }>`
    select /* one node */ distinct ${DAY_OF} as day from reopened_results r
    where ran_at < (select sealed_until from seal_progress) order by 1`.execute(db)
  return rows.map(({ day }) => day)
}

/** Lists sealed hours on nodes that have unmerged results. */
async function listReopened(db: Db, limit: number): Promise<MarkedHour[]> {
  return listHoursIn(db, 'reopened_results', await passedUntil(db, await readSealProgress(db)), limit)
}

const DAY_OF = sql`to_char(r.ran_at at time zone 'UTC', 'YYYY-MM-DD')`

/**
 * Marks sealed hours of some days with unmerged results for merging. Results of an hour that is closed but not sealed wait for its
 * sealing.
 */
export async function markReopened(db: Db, days: readonly string[], limit: number): Promise<void> {
  if (days.length === 0) return
  if (await isDistributed(db)) {
    const hours = await listReopened(db, limit)
    const its = hours.filter(({ hour }) => days.includes(hour.slice(0, 10)))
    await forEachOrg(db, its, async (ask, some, org_id) => void (await ask(marking(some, constant(org_id)))))
    return
  }
  await sql`
    insert /* one node */ into rollup_marks (org_id, check_id, hour)
    select distinct org_id, check_id, ${sql.raw(HOUR_OF('ran_at'))} from (
      select org_id, check_id, ran_at from reopened_results r
      where ran_at < (select sealed_until from seal_progress) and ${DAY_OF} = any(${[...days]}::text[])
        and not exists (
          select from rollup_marks m
          where m.org_id = r.org_id and m.check_id = r.check_id and m.hour = ${sql.raw(HOUR_OF('r.ran_at'))})
      limit ${limit}) r
    order by 1, 2, 3 on conflict do nothing`.execute(db)
}

/**
 * Claims the marks that no other process has locked, and merges late results into those of their hours that are sealed. The
 * caller must hold the lock of the progress. Returns the claimed hours and the number of merged ones.
 */
export async function claimAndMerge(
  trx: Transaction<Tables>,
  listed: readonly MarkedHour[],
  isSealed: (marked: MarkedHour) => boolean,
): Promise<{ marked: readonly MarkedHour[]; merged: number }> {
  if (await isDistributed(trx)) {
    // Merging on nodes has its own transactions, which must not wait for the marks of this one.
    const merged = await mergeOnNodes(trx, listed.filter(isSealed))
    return { marked: await claimMarks(trx, listed), merged }
  }
  const marked = await claimMarks(trx, listed)
  return { marked, merged: await mergeReopened(trx, marked.filter(isSealed)) }
}

/** Merges late results into their sealed hours, whose marks the transaction holds. Returns the number of hours. */
async function mergeReopened(trx: Transaction<Tables>, hours: readonly MarkedHour[]): Promise<number> {
  if (hours.length === 0) return 0
  const rows = hourRows(hours)
  const its = sql`r.org_id = k.org_id and r.check_id = k.check_id and r.ran_at >= k.hour and r.ran_at < k.hour + interval '1 hour'`
  const sealed = sql`
        select s.* from hours h join sealed_hours s on s.org_id = h.org_id and s.check_id = h.check_id and s.since = h.hour`
  const runs = sql`select ${COLUMNS} from (${unsealedOf(sealed)}) u union all select ${RUNS} from reopened r`
  const { numAffectedRows = 0n } = await sql`
    with /* one node */ reopened as materialized (
      select k.hour, r.* from ${rows} cross join lateral (
        select ${RUNS} from reopened_results r where ${its}) r
    ), hours as (
      select distinct org_id, check_id, hour from reopened
    )
    insert into sealed_hours (${SEALED}) ${sealingOf(runs)}
    on conflict (org_id, check_id, since) do update set ${REPLACED}`.execute(trx)
  if (numAffectedRows > 0n) {
    await sql`delete /* one node */ from reopened_results r using ${rows} where ${its}`.execute(trx)
  }
  return Number(numAffectedRows)
}
