// Makes deletions of checks final once they can no longer be undone.
import { fromDate } from '../../runtime/timestamps.ts'
import { tick } from '../../store/checks/checks.ts'
import { claimFinalDeletions, forgetDeletions, hasFinalDeletions } from '../../store/checks/deletions.ts'
import type { Deps } from '../deps.ts'
import { closingKept } from '../events/close-kept.ts'
import { UNDO_MS } from './deletions.ts'
import { eraseDeleted } from './pause-delete-wipe.ts'

/** Deletions that one transaction makes final. */
const AT_ONCE = 100

/** One run of the chore that makes deletions final: from then on nothing knows what the checks looked at. Returns how many. */
export async function finishDeletions(deps: Deps): Promise<number> {
  const before = fromDate(new Date(deps.clock.now().getTime() - UNDO_MS))
  let finished = 0
  while (await hasFinalDeletions(deps.database.machines, before)) {
    const some = await deps.database.machines.transaction().execute(async (trx) => {
      await tick(trx)
      const claimed = await claimFinalDeletions(trx, before, AT_ONCE)
      // An import may have brought one back.
      const gone = Map.groupBy(
        claimed.filter(({ deleted }) => deleted),
        ({ org_id }) => org_id,
      )
      for (const [org_id, checks] of gone) {
        const check_ids = checks.map(({ check_id }) => check_id)
        await closingKept(trx, deps, { org_id, check_ids, areDeleted: true, reason: 'deleted' }, async () => {
          for (const check of checks) await eraseDeleted(trx, check)
        })
      }
      await forgetDeletions(trx, claimed)
      return claimed.length
    })
    if (some === 0) break
    finished += some
  }
  return finished
}
