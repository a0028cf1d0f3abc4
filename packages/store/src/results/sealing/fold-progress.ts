// Stores how far the history is folded, in one row that each process locks while it folds.
import { sql, type Transaction } from 'kysely'
import type { CheckKey } from '../../check-keys.ts'
import type { Tables } from '../../tables.ts'

export interface Progress {
  hours_until: string
  days_until: string
  /** Last check whose hour after `hours_until` is folded. Null if there is none. */
  folded: CheckKey | null
}

/**
 * Locks the progress row for this transaction. Returns undefined while another process has locked it, and null before anything
 * was folded.
 */
export async function lockProgress(trx: Transaction<Tables>): Promise<Progress | null | undefined> {
  const { rows } = await sql<ProgressRow>`
    with held as (select * from rollup_progress for update skip locked)
    select exists (select from rollup_progress) as is_there, wire_time(held.hours_until) as hours_until,
      wire_time(held.days_until) as days_until,
      held.folding_hour = held.hours_until as is_begun, held.folding_org_id as org_id, held.folding_check_id as check_id
    from (select true as is_the_one) one left join held using (is_the_one)`.execute(trx)
  const [row] = rows
  if (!row?.is_there) return null
  const { hours_until, days_until, is_begun, org_id, check_id } = row
  if (hours_until === null || days_until === null) return undefined
  const folded = is_begun && org_id !== null && check_id !== null ? { org_id, check_id } : null
  return { hours_until, days_until, folded }
}

interface ProgressRow extends Record<'hours_until' | 'days_until', string | null> {
  is_there: boolean
  /** Whether the position belongs to the next hour. */
  is_begun: boolean | null
  org_id: number | null
  check_id: number | null
}

/**
 * Reads the progress row under a share lock, so that no other process folds days at the same time: hours that are folded again
 * must not collide with the folding of their day.
 */
export async function shareProgress(
  trx: Transaction<Tables>,
): Promise<Pick<Progress, 'hours_until' | 'days_until'> | undefined> {
  const { rows } = await sql<Pick<Progress, 'hours_until' | 'days_until'>>`
    select wire_time(hours_until) as hours_until, wire_time(days_until) as days_until
    from rollup_progress for share`.execute(trx)
  return rows[0]
}

/** Stores the first progress. Returns false if another process was first. */
export async function insertProgress(trx: Transaction<Tables>, progress: Progress): Promise<boolean> {
  const row = await trx
    .insertInto('rollup_progress')
    .values(rowOf(progress))
    .onConflict((conflict) => conflict.doNothing())
    .returning('is_the_one')
    .executeTakeFirst()
  return row !== undefined
}

export async function updateProgress(trx: Transaction<Tables>, progress: Progress): Promise<void> {
  await trx.updateTable('rollup_progress').set(rowOf(progress)).execute()
}

function rowOf({ folded, ...untils }: Progress) {
  const place = { folding_org_id: folded?.org_id ?? null, folding_check_id: folded?.check_id ?? null }
  // A server of the previous version looks for sketches to fill in if `sketched_until` is another time.
  return { ...untils, sketched_until: untils.hours_until, folding_hour: folded && untils.hours_until, ...place }
}
