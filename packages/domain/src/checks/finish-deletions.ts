// Makes deletions of checks final once they can no longer be undone.
import { DEFINITION_FIELDS } from '@dogwatch/check-rules/fields'
import { updateAnswersWiped } from '@dogwatch/store/accounts/repeatable-answers'
import { tick } from '@dogwatch/store/checks/checks'
import { forgetDeletions, listFinalDeletions } from '@dogwatch/store/checks/deletions'
import type { Deps } from '../deps.ts'
import { closingKept } from '../events/close-kept.ts'
import { openGate } from '../retention/gate.ts'
import { UNDO_MS } from './deletions.ts'
import { eraseDeleted } from './pause-delete-wipe.ts'

/** Number of deletions that one transaction makes final. */
const AT_ONCE = 100

/** Runs the chore once: makes deletions final, so that nothing stored says what the checks requested. Returns their number. */
export async function finishDeletions(deps: Deps): Promise<number> {
  const gate = await openGate(deps)
  if (gate.held) return 0
  const before = gate.ago(UNDO_MS)
  let finished = 0
  for (;;) {
    const coming = await listFinalDeletions(deps.database.machines, before, AT_ONCE)
    if (coming.length === 0) break
    await forgetAnswers(deps, coming)
    const some = await deps.database.machines.transaction().execute(async (trx) => {
      await tick(trx)
      const claimed = await listFinalDeletions(trx, before, AT_ONCE, { claims: true })
      // An import may have restored a check of the deletion in the meantime.
      const gone = Map.groupBy(
        claimed.filter(({ deleted }) => deleted),
        ({ org_id }) => org_id,
      )
      for (const [org_id, checks] of gone) {
        const check_ids = checks.map(({ check_id }) => check_id)
        await closingKept(trx, deps, { org_id, check_ids, areDeleted: true, reason: 'deleted' }, () =>
          eraseDeleted(trx, org_id, checks),
        )
      }
      await forgetDeletions(trx, claimed)
      return claimed.length
    })
    if (some === 0) break
    finished += some
  }
  return finished
}

/**
 * Blanks what stored responses quote of checks. Runs before the sync clock is locked, because an organisation may have many
 * responses.
 */
async function forgetAnswers(
  { database }: Pick<Deps, 'database'>,
  checks: readonly { org_id: number; guid: string }[],
): Promise<void> {
  for (const [org_id, its] of Map.groupBy(checks, (check) => check.org_id)) {
    const guids = its.map(({ guid }) => guid)
    await updateAnswersWiped(database.machines, { org_id, guids }, DEFINITION_FIELDS)
  }
}
