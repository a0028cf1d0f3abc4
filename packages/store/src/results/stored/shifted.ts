// Builds the parts of statements that read results whose order a wrong clock shifted.
import { type RawBuilder, sql } from 'kysely'
import { executeTogether } from '../../builder-pool.ts'
import type { Db } from '../../database.ts'
import { rowsSql } from '../../rows-sql.ts'
import { askedAtOnce, askWhoAnswers, readSealedBoundary, type SealedBoundary } from '../nodes/layout.ts'
import { resultsOf, withKey } from './results-of.ts'
import type { RunColumn } from './sealed-form.ts'

/** How the results of some organisations are stored. */
export interface ResultStorage {
  /** Whether results can be in sealed hours, or until when they are. */
  isSealed: SealedBoundary
  /**
   * Whether results can be shifted. It is true where hours are not sealed, and read otherwise, because a shifted result can be in
   * any sealed hour, which is expensive to search.
   */
  areShifted: boolean
}

export async function readHowStored(db: Db, of: readonly { org_id: number }[]): Promise<ResultStorage> {
  const isSealed = await readSealedBoundary(db)
  if (isSealed === false) return { isSealed, areShifted: true }
  // A caller that reads an organisation on an unreachable node learns of that by itself.
  const { rows: shifted } = await askWhoAnswers(db, orgsOf(of), listing)
  return { isSealed, areShifted: shifted.length > 0 }
}

const orgsOf = (of: readonly { org_id: number }[]) =>
  [...new Set(of.map(({ org_id }) => org_id))].map((org_id) => ({ org_id }))

const listing = (some: readonly { org_id: number }[], org: RawBuilder<unknown>) => sql<object>`
    select 1 from ${rowsSql(some, { org_id: 'bigint' })}
    where exists (select 1 from shifted_results s where s.org_id = ${org}) limit 1`

/** Runs statements, and then reads how results are stored, in the same message if that takes a statement. */
export async function readHowStoredAfter(
  db: Db,
  asks: readonly RawBuilder<unknown>[],
  of: readonly { org_id: number }[],
): Promise<{ stored: ResultStorage; rows: unknown[][] }> {
  const isSealed = await readSealedBoundary(db)
  const isOneNode = isSealed === true
  const rows = await executeTogether(db, isOneNode ? [...asks, askedAtOnce(orgsOf(of), listing)] : asks)
  const shifted = isOneNode ? rows.pop() : undefined
  return { stored: shifted ? { isSealed, areShifted: shifted.length > 0 } : await readHowStored(db, of), rows }
}

/**
 * Bounds of all results of some spans, known before the statement runs, so that Postgres does not even plan for other partitions.
 */
export interface Within {
  since: string
  before: string
}

export function within(spans: readonly { before: string }[], since: string): Within {
  return { since, before: spans.reduce((last, { before }) => (before > last ? before : last), '-infinity') }
}

/** Returns the condition that no wrong clock shifted the result `r` of a check. */
export const isUnshifted = (
  org: RawBuilder<unknown>,
  check: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`not exists (
  select 1 from shifted_results x
  where x.org_id = ${org} and x.check_id = ${check} and x.ran_at = r.ran_at and x.monitor_id = r.monitor_id)`

/** Condition like {@link isUnshifted}, in a statement about the organisation $1. */
export const IS_UNSHIFTED = `not exists (
  select 1 from shifted_results x
  where x.org_id = $1 and x.check_id = r.check_id and x.ran_at = r.ran_at and x.monitor_id = r.monitor_id)`

/** Returns the query of the result that a row `s` of shifted results refers to, in a statement about the organisation $1. */
export const shiftedQuery = (columns: readonly RunColumn[]) => ({
  columns,
  ...{ org: '$1', check: 's.check_id', from: 's.ran_at', until: 's.ran_at' },
  where: 'r.ran_at = s.ran_at and r.monitor_id = s.monitor_id',
})

/** Selects the result that a row `s` of shifted results refers to. */
export function shiftedResult(
  org: RawBuilder<unknown>,
  columns: readonly RunColumn[],
  isSealed: SealedBoundary,
  which?: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return resultsOf({ ...shiftedQuery(withKey(columns)), org, ...(which && { which }) }, isSealed)
}
