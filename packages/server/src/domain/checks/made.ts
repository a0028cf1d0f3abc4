// How many checks an organisation may make in a day.
import type { Transaction } from 'kysely'
import { hasMadeMoreThan } from '../../store/checks/checks.ts'
import type { Tables } from '../../store/tables.ts'
import { DomainError } from '../errors.ts'
import type { Plan } from '../organisations/plans.ts'

/** For each check of the plan, in a day. */
const TIMES = 10
/** Where the plan has no bound. */
const MOST = 10_000
const RETRY_SEC = 3600

/**
 * Refuses what was just made beyond the bound. The rows of deleted checks stay for months, so that every agent learns of the deletion, and
 * those of the shared fleet are told of them when they start: who makes and deletes checks without end must not fill them.
 */
export async function requireFewMade(trx: Transaction<Tables>, org_id: number, { max_checks }: Plan): Promise<void> {
  const most = max_checks === 0 ? MOST : TIMES * max_checks
  if (!(await hasMadeMoreThan(trx, org_id, most))) return
  throw new DomainError('limited', `the organisation made ${most} checks within a day, try again later`, RETRY_SEC)
}
