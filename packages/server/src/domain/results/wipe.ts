// Wipes what results quote of definitions that are private now. The definitions themselves are gone already.
import { fromDate } from '../../runtime/timestamps.ts'
import { listChecksToWipe, updateWipeUntil } from '../../store/checks/check-health.ts'
import { updateResultsWiped } from '../../store/results/results.ts'
import type { Deps } from '../deps.ts'

const AT_ONCE = 5000

/**
 * Wipes some thousand results per transaction, so that nobody waits for it. Runs again until every batch that was under
 * way when the definition went is stored. Returns how many checks were wiped.
 */
export async function wipeResults(deps: Deps): Promise<number> {
  const { machines } = deps.database
  const checks = await listChecksToWipe(machines)
  for (const check of checks) {
    const began = fromDate(deps.clock.now())
    let after: string | undefined = '-infinity'
    while (after !== undefined) after = await updateResultsWiped(machines, check, after, AT_ONCE)
    if (began > check.wipe_until) await updateWipeUntil(machines, check, null)
  }
  return checks.length
}

/** Wipes them now, or as soon as the transaction that is open is committed. */
export async function wipeSoon(deps: Deps): Promise<void> {
  if (deps.after_commit) deps.after_commit.add(wipeResults)
  else await wipeResults(deps)
}
