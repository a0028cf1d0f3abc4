// Limits how many checks an organisation may create in a day.
import type { OrganisationRow } from '@dogwatch/store/accounts/organisations'
import { hasMadeMoreThan } from '@dogwatch/store/checks/checks'
import type { Trx } from '@dogwatch/store/database'
import { DomainError } from '../errors.ts'
import { planOf } from '../organisations/plans.ts'

/** Factor from the plan's number of checks to the limit of a day. */
const TIMES = 10
/** Limit of a day for a plan without a limit on checks. */
const MOST = 10_000
const RETRY_SEC = 3600

/**
 * Refuses if an organisation created more checks within a day than its limit. `coming`: number of checks that the caller is
 * about to create. Deleted checks count, because a new agent of the shared fleet receives their rows, too.
 */
export async function requireFewMade(trx: Trx, organisation: OrganisationRow, coming = 0): Promise<void> {
  const { max_checks } = planOf(organisation)
  const most = max_checks === 0 ? MOST : TIMES * max_checks
  if (coming <= most && !(await hasMadeMoreThan(trx, organisation.org_id, most - coming))) return
  throw new DomainError(
    'limited',
    `this organisation can create at most ${most} checks within a day; try again later`,
    RETRY_SEC,
  )
}
