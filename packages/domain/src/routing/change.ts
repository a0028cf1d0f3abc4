// Applies edits that affect decisions about alerts, such as edits of routes.
import { lockOrganisation } from '@dogwatch/store/accounts/organisations'
import { lockDecisions } from '@dogwatch/store/alerting/events'
import type { Trx } from '@dogwatch/store/database'
import type { Deps } from '../deps.ts'
import { existing } from '../organisations/existing.ts'
import { decideAgain } from './release.ts'

/** Changes something that decides about alerts, and decides again about those that wait. People who edit at once take turns. */
export async function changeAndDecideAgain(
  deps: Deps,
  org_id: number,
  apply: (trx: Trx) => Promise<void>,
): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    existing(await lockOrganisation(trx, org_id))
    await lockDecisions(trx, org_id)
    await apply(trx)
    await decideAgain(trx, deps, org_id)
  })
}
