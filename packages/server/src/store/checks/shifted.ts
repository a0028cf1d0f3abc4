// Results whose order a wrong clock shifted, as statements about results see them.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { executeTogether } from '../builder-pool.ts'
import { askedAtOnce, askWhoAnswers, mayBeSealed, type Sealed } from '../layout.ts'
import { resultsOf, withKey } from '../stored/results-of.ts'
import type { RunColumn } from '../stored/sealed-form.ts'

/** How the results of some organisations are stored. */
export interface Stored {
  /** Some may be in sealed hours. */
  isSealed: Sealed
  /** Some may be shifted. Asked only where hours are sealed: a shifted result may be in any of them, which is dear to look up. */
  areShifted: boolean
}

export async function readHowStored(db: Db, of: readonly { org_id: number }[]): Promise<Stored> {
  const isSealed = await mayBeSealed(db)
  if (isSealed === false) return { isSealed, areShifted: true }
  // Whoever asks about an organisation whose node is away learns of that by itself.
  const { rows: shifted } = await askWhoAnswers(db, orgsOf(of), listing)
  return { isSealed, areShifted: shifted.length > 0 }
}

const orgsOf = (of: readonly { org_id: number }[]) =>
  [...new Set(of.map(({ org_id }) => org_id))].map((org_id) => ({ org_id }))

const listing = (some: readonly { org_id: number }[], org: RawBuilder<unknown>) => sql<object>`
    select 1 from unnest(${some.map(({ org_id }) => org_id)}::bigint[]) as k(org_id)
    where exists (select 1 from shifted_results s where s.org_id = ${org}) limit 1`

/** Statements, and then how results are stored: asked in the same message where that takes a statement. */
export async function readHowStoredAfter(
  db: Db,
  asks: readonly RawBuilder<unknown>[],
  of: readonly { org_id: number }[],
): Promise<{ stored: Stored; rows: unknown[][] }> {
  const isSealed = await mayBeSealed(db)
  const isOneNode = isSealed === true
  const rows = await executeTogether(db, isOneNode ? [...asks, askedAtOnce(orgsOf(of), listing)] : asks)
  const shifted = isOneNode ? rows.pop() : undefined
  return { stored: shifted ? { isSealed, areShifted: shifted.length > 0 } : await readHowStored(db, of), rows }
}

/** Between which instants all results of some spans are, known before the statement: no other partition is even planned for. */
export interface Within {
  since: string
  before: string
}

export function within(spans: readonly { before: string }[], since: string): Within {
  return { since, before: spans.reduce((last, { before }) => (before > last ? before : last), '-infinity') }
}

/** A result `r` of a check whose time does not come from a wrong clock. */
export const isUnshifted = (
  org: RawBuilder<unknown>,
  check: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`not exists (
  select 1 from shifted_results x
  where x.org_id = ${org} and x.check_id = ${check} and x.ran_at = r.ran_at and x.monitor_id = r.monitor_id)`

/** The result that a row `s` of shifted results is about. */
export function shiftedResult(
  org: RawBuilder<unknown>,
  columns: readonly RunColumn[],
  isSealed: Sealed,
  which?: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const its = { org, check: 's.check_id', from: 's.ran_at', until: 's.ran_at' }
  const where = 'r.ran_at = s.ran_at and r.monitor_id = s.monitor_id'
  return resultsOf({ columns: withKey(columns), ...its, where, ...(which && { which }) }, isSealed)
}
