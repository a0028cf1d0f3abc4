// The delivery log: what was told to whom, and what came of it.
import { type DeliveryRow, listDeliveries } from '../../store/alerting/deliveries.ts'
import { findOrganisation } from '../../store/accounts/organisations.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'

const SHOWN = 100

/** An org's newest deliveries, newest first. */
export async function readDeliveries(deps: Pick<Deps, 'database'>, org_id: number): Promise<DeliveryRow[]> {
  if (!(await findOrganisation(deps.database.db, org_id)))
    throw new DomainError('missing', 'no organisation with that id')
  return listDeliveries(deps.database.db, org_id, SHOWN)
}
