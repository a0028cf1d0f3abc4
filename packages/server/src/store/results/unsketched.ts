// Hours and days that were summed up without a sketch, by servers of an earlier build: what is needed to fill it in.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { CheckKey } from '../checks/check-health.ts'
import type { Db } from '../database.ts'
import { askWhoAnswers, isDistributed, mayBeSealed } from '../layout.ts'
import { resultsOf } from '../stored/results-of.ts'
import type { Tables } from '../tables.ts'
import { countIn } from './sketch.ts'
import { BUCKETED, SHORTENED, SUMS, SUMS_OF_SUMS } from './sums.ts'

/** The check that is next, or that has been begun with. */
export interface Filling extends CheckKey {
  /** Its hours from here on are done; null before the first. */
  before: string | null
  /** The first organisation that was left out because its node did not answer. */
  left_out: number | null
}

export async function isAnyUnsketched(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('rollup_progress')
    .select('is_the_one')
    .where('sketch_org_id', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * How far sketches are filled in; undefined when nothing is left to do, or another process folds. Until the transaction ends
 * no other process folds, so the sums stay as they are.
 */
export async function lockFilling(trx: Transaction<Tables>): Promise<Filling | undefined> {
  const { rows } = await sql<Filling>`
    select sketch_org_id as org_id, sketch_check_id as check_id, wire_time(sketch_before) as before,
      sketch_left_out as left_out
    from rollup_progress where sketch_org_id is not null for update skip locked`.execute(trx)
  return rows[0]
}

/** Undefined: nothing is left to do. */
export async function updateFilling(trx: Transaction<Tables>, filling: Filling | undefined): Promise<void> {
  await trx
    .updateTable('rollup_progress')
    .set({
      sketch_org_id: filling?.org_id ?? null,
      sketch_check_id: filling?.check_id ?? null,
      sketch_before: filling?.before ?? null,
      sketch_left_out: filling?.left_out ?? null,
    })
    .execute()
}

/** The check with this key, or the next one. */
export async function findCheckFrom(trx: Transaction<Tables>, from: CheckKey): Promise<CheckKey | undefined> {
  const { rows } = await sql<CheckKey>`
    select org_id, check_id from checks where (org_id, check_id) >= (${from.org_id}, ${from.check_id})
    order by org_id, check_id limit 1`.execute(trx)
  return rows[0]
}

/** Whether the node of an organisation answers. */
export async function answers(db: Db, org_id: number): Promise<boolean> {
  if (!(await isDistributed(db))) return true
  const ask = (_: unknown, org: RawBuilder<unknown>) => sql<object>`
    select 1 as one from rollups where org_id = ${org} limit 1`
  return (await askWhoAnswers(db, [{ org_id }], ask)).away.size === 0
}

/** It has successes which its sketch does not have. */
const LACKS = sql`runs > failures and (latency_sketch is null or ${countIn('latency_sketch')} <> runs - failures)`

/** The newest hours of a check that lack a sketch: at most so many, with at most so many results but for the last of them. */
export async function findUnsketched(
  trx: Transaction<Tables>,
  { org_id, check_id, before }: Omit<Filling, 'left_out'>,
  most: { hours: number; results: number },
): Promise<{ from: string; until: string } | undefined> {
  const { rows } = await sql<{ from: string | null; until: string | null }>`
    select wire_time(min(hour)) as from, wire_time(max(hour) + interval '1 hour') as until
    from (
      select hour, sum(runs) over (order by hour desc) - runs as newer from (
        select hour, runs from rollups
        where org_id = ${org_id} and check_id = ${check_id} and hour < ${before ?? 'infinity'}::timestamptz and ${LACKS}
        order by hour desc limit ${most.hours}) h) n
    where newer < ${most.results}`.execute(trx)
  const [row] = rows
  return row && row.from !== null && row.until !== null ? { from: row.from, until: row.until } : undefined
}

/** Fills in the hours of a check from its results, where these are still what the sums were made of. */
export async function updateHourSketches(
  trx: Transaction<Tables>,
  { org_id, check_id }: CheckKey,
  { from, until }: { from: string; until: string },
): Promise<void> {
  const [since, before] = [sql`${from}::timestamptz`, sql`${until}::timestamptz`]
  const results = resultsOf(
    {
      columns: ['ran_at', 'success', 'latency_ms'],
      ...{ org: sql`${org_id}`, check: sql`${check_id}`, from: since, until: before },
      where: sql`r.ran_at >= ${since} and r.ran_at < ${before}`,
    },
    await mayBeSealed(trx),
  )
  await sql`
    update rollups r set latency_sketch = s.latency_sketch
    from (
      select hour, ${SUMS} from (
        select date_bin('1 hour', ran_at, timestamptz '0001-01-01 00:00:00+00') as hour, ${BUCKETED} from (${results}) r
        group by 1, bucket) b
      group by 1) s
    where r.org_id = ${org_id} and r.check_id = ${check_id} and r.hour = s.hour
      and r.runs = s.runs and r.failures = s.failures`.execute(trx)
}

/** Fills in all days of a check from its hours. */
export async function updateDaySketches(trx: Transaction<Tables>, { org_id, check_id }: CheckKey): Promise<void> {
  await sql`
    update rollups_daily r set latency_sketch = d.latency_sketch
    from (
      select day, ${SHORTENED} as latency_sketch from (
        select date_bin('1 day', hour, timestamptz '0001-01-01 00:00:00+00') as day, ${SUMS_OF_SUMS} from rollups
        where org_id = ${org_id} and check_id = ${check_id} and hour >= (
          select min(day) from rollups_daily where org_id = ${org_id} and check_id = ${check_id} and ${LACKS})
        group by 1) u) d
    where r.org_id = ${org_id} and r.check_id = ${check_id} and r.day = d.day
      and r.runs = d.runs and r.failures = d.failures`.execute(trx)
}
