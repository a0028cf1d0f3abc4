// Wipes what results quote of definitions that are private now. The definitions themselves are gone already.
import { fromDate } from '../../runtime/timestamps.ts'
import { listChecksToWipe, updateWipeUntil } from '../../store/checks/check-health.ts'
import { updateResultsWiped } from '../../store/results/wiping.ts'
import type { Deps } from '../deps.ts'

const AT_ONCE = 5000

/** Checks of one organisation. */
export interface ChecksToWipe {
  org_id: number
  guids: readonly string[]
}

/**
 * Wipes some thousand results per transaction, so that nobody waits for it. Runs again until every batch that was under
 * way when the definition went is stored. One check that cannot be wiped does not hold up the others. Returns how many checks were wiped.
 * `only`: these checks; left out, those of all organisations.
 */
export async function wipeResults(deps: Deps, only?: ChecksToWipe): Promise<number> {
  const { machines } = deps.database
  const checks = await listChecksToWipe(machines, only)
  const failures: unknown[] = []
  for (const check of checks) {
    try {
      await wipeCheck(deps, check)
    } catch (err) {
      failures.push(err)
    }
  }
  if (failures.length > 0) {
    throw new AggregateError(
      failures,
      `the results of ${failures.length} of ${checks.length} checks could not be wiped`,
    )
  }
  return checks.length
}

type ToWipe = Awaited<ReturnType<typeof listChecksToWipe>>[number]

async function wipeCheck({ clock, database: { machines } }: Deps, check: ToWipe): Promise<void> {
  const began = fromDate(clock.now())
  let after: string | undefined = '-infinity'
  while (after !== undefined) {
    const from: string = after
    after = await machines.transaction().execute((trx) => updateResultsWiped(trx, check, from, AT_ONCE))
  }
  if (began > check.wipe_until) await updateWipeUntil(machines, check, null)
}

/**
 * Wipes the results of these checks now, or as soon as the transaction that is open is committed. Whoever asked for it is not told when that
 * fails: their change is stored, and the chore wipes what is left.
 */
export async function wipeSoon(deps: Deps, only: ChecksToWipe): Promise<void> {
  const wipe = async (after: Deps) => {
    try {
      await wipeResults(after, only)
    } catch (err) {
      after.log.warn({ err, org_id: only.org_id }, 'results are not wiped yet, and will be soon')
    }
  }
  if (deps.after_commit) deps.after_commit.add(wipe)
  else await wipe(deps)
}
