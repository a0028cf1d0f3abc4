// Deletes organisations whose grace period is over, some rows at a time, so that no one is slowed down.
import { setTimeout as pause } from 'node:timers/promises'
import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  claimOrgToDelete,
  deleteOrganisation,
  deleteSomeOfOrg,
  listOrgsToDelete,
  TABLES_OF_ORG,
} from '@dogwatch/store/accounts/org-deletion'
import type { GatedTime } from '@dogwatch/store/gated-time'
import { holdResultsInPlace } from '@dogwatch/store/results/hold'
import type { Deps } from '../deps.ts'
import { openGate, readTrustedTime } from '../retention/gate.ts'

const AT_ONCE = 1000
/** Maximum duration of a run. The next one continues. */
const RUN_MS = 10_000
/** Duration of the rest after a transaction, as a multiple of the duration of the transaction. */
const REST = 3
const LONGEST_REST_MS = 3000

/**
 * Runs the chore once, and returns the organisations that are deleted completely. Several can run at once, because each
 * transaction locks its organisation. Deletes nothing while the calendar of deletions stands still.
 */
export async function deleteOrganisations(deps: Deps): Promise<number[]> {
  const began = deps.clock.monotonicMs()
  const near = await listOrgsToDelete(deps.database.machines, fromDate(deps.clock.now()))
  if (near.length === 0) return []
  const gate = await openGate(deps)
  if (gate.held) return []
  const due = gate.ago(0)
  const deleted: number[] = []
  for (const org_id of near) {
    try {
      let step: Step = 'more'
      while (step === 'more' && deps.clock.monotonicMs() - began <= RUN_MS) {
        const from = deps.clock.monotonicMs()
        step = await deleteSome(deps, org_id, due)
        if (step === 'more') await pause(Math.min(REST * (deps.clock.monotonicMs() - from), LONGEST_REST_MS))
      }
      if (step !== 'gone') continue
      deleted.push(org_id)
      deps.log.info({ org_id }, 'an organisation and all its data were deleted')
    } catch (err) {
      deps.log.error({ err, org_id }, 'could not delete an organisation; will retry')
    }
  }
  return deleted
}

type Step = 'more' | 'gone' | 'not ours'

function deleteSome(deps: Deps, org_id: number, due: GatedTime): Promise<Step> {
  return deps.database.machines.transaction().execute(async (trx) => {
    await readTrustedTime(trx, deps)
    if (!(await claimOrgToDelete(trx, org_id, due))) return 'not ours'
    await holdResultsInPlace(trx, org_id)
    let room = AT_ONCE
    for (const table of TABLES_OF_ORG) {
      room -= await deleteSomeOfOrg(trx, table, org_id, room)
      if (room <= 0) return 'more'
    }
    await deleteOrganisation(trx, org_id)
    return 'gone'
  })
}
