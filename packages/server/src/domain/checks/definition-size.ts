// Limits how large the definitions of an organisation's checks are together: they are sent whole, to its readers and to
// every monitor, and to the shared fleet with those of all other organisations.
import type { Transaction } from 'kysely'
import { sumDefinitionBytes } from '../../store/checks/checks.ts'
import type { Tables } from '../../store/tables.ts'
import { DomainError } from '../errors.ts'
import type { OrgPlanName, Plan } from '../organisations/plans.ts'

/** As JSON: for each check that the plan allows, and beside that for a few large ones. */
const OF_CHECK_KIB = 16
const BESIDE_KIB = 256
/** The number of checks where the plan has no limit. */
const MOST_CHECKS = 10_000

/** Does the work, and refuses it if the definitions have grown beyond the limit. What was larger before may shrink. */
export async function withinDefinitionSize<T>(
  trx: Transaction<Tables>,
  { org_id, name, plan }: { org_id: number; name: OrgPlanName; plan: Plan },
  work: () => Promise<T>,
): Promise<T> {
  const before = await sumDefinitionBytes(trx, org_id)
  const done = await work()
  const after = await sumDefinitionBytes(trx, org_id)
  const most_kib = BESIDE_KIB + OF_CHECK_KIB * (plan.max_checks || MOST_CHECKS)
  if (after <= before || after <= most_kib * 1024) return done
  throw new DomainError(
    'invalid',
    `targets, texts, bodies and headers of all checks together may have ${most_kib} KiB on the ${name} plan, and this would make ${Math.ceil(after / 1024)}`,
  )
}
