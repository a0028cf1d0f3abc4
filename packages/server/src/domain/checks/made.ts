// Limits how many checks an organisation may create in a day.
import type { Transaction } from 'kysely'
import { hasMadeMoreThan } from '../../store/checks/checks.ts'
import type { Tables } from '../../store/tables.ts'
import { DomainError } from '../errors.ts'
import type { Plan } from '../organisations/plans.ts'

/** A day's limit is this many times the plan's number of checks. */
const TIMES = 10
/** The limit when the plan has none. */
const MOST = 10_000
const RETRY_SEC = 3600

/**
 * Refuses the checks that were just created if they exceed the limit. The rows of deleted checks stay for months, so
 * that every agent learns of the deletion, and a new agent of the shared fleet is sent all of them: creating and
 * deleting checks without end must not fill them.
 */
export async function requireFewMade(trx: Transaction<Tables>, org_id: number, { max_checks }: Plan): Promise<void> {
  await requireFewMadeWith(trx, org_id, { max_checks }, 0)
}

/** The same for checks that are about to be created. */
export async function requireFewMadeWith(
  trx: Transaction<Tables>,
  org_id: number,
  { max_checks }: Pick<Plan, 'max_checks'>,
  coming: number,
): Promise<void> {
  const most = max_checks === 0 ? MOST : TIMES * max_checks
  if (coming <= most && !(await hasMadeMoreThan(trx, org_id, most - coming))) return
  throw new DomainError(
    'limited',
    `this organisation has created ${most} checks within a day; try again later`,
    RETRY_SEC,
  )
}
