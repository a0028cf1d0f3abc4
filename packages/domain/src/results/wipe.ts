// Wipes definitions that are now private from results, events, the audit log and stored responses that quote them. The
// definitions themselves are already deleted. No request waits for the wipe, because an organisation may have many quotes.
import { DEFINITION_FIELDS } from '@dogwatch/check-rules/fields'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { updateAuditWiped } from '@dogwatch/store/accounts/audit'
import { updateAnswersWiped } from '@dogwatch/store/accounts/repeatable-answers'
import { updateEventsWiped } from '@dogwatch/store/alerting/events'
import { listChecksToWipe, updateWipeUntil } from '@dogwatch/store/checks/check-health'
import type { Database } from '@dogwatch/store/database'
import { updateResultsWiped } from '@dogwatch/store/results/wiping'
import type { Deps } from '../deps.ts'

const AT_ONCE = 5000

/** Checks of one organisation whose quotes have to be wiped. */
export interface ChecksToWipe {
  org_id: number
  guids: readonly string[]
}

/**
 * Wipes some thousand results per transaction, so that other transactions do not wait long. A check that cannot be wiped does not
 * delay the others. Returns the number of checks. `only`: checks to wipe. Default: those of all organisations.
 */
export async function wipeResults(deps: Deps, only?: ChecksToWipe): Promise<number> {
  const { machines } = deps.database
  const checks = await listChecksToWipe(machines, only)
  const failures: unknown[] = []
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (err) {
      failures.push(err)
    }
  }
  const began = fromDate(deps.clock.now())
  for (const [org_id, its] of Map.groupBy(checks, (check) => check.org_id)) {
    await attempt(async () => {
      await wipeQuotes(deps, org_id, its)
      for (const check of its) await attempt(() => wipeCheck(deps, check))
      // Wiping is repeated until every batch that was in progress when the definition was deleted is stored.
      const done = its.filter(({ wipe_until }) => began > wipe_until).map(({ check_id }) => check_id)
      if (done.length > 0 && failures.length === 0) await updateWipeUntil(machines, org_id, done, null)
    })
  }
  if (failures.length > 0) {
    throw new AggregateError(failures, `could not wipe the results of ${failures.length} of ${checks.length} checks`)
  }
  return checks.length
}

type ToWipe = Awaited<ReturnType<typeof listChecksToWipe>>[number]

/** Blanks quotes of definitions outside of results: messages, the audit log and stored responses may have some. */
async function wipeQuotes({ database: { machines } }: Deps, org_id: number, checks: readonly ToWipe[]): Promise<void> {
  const check_ids = checks.map(({ check_id }) => check_id)
  await updateEventsWiped(machines, org_id, checks)
  await updateAuditWiped(machines, org_id, check_ids)
  await updateAnswersWiped(machines, { org_id, guids: checks.map(({ guid }) => guid) }, DEFINITION_FIELDS)
}

async function wipeCheck({ database: { machines } }: Deps, check: ToWipe): Promise<void> {
  let after: string | undefined = '-infinity'
  while (after !== undefined) {
    const from: string = after
    after = await machines.transaction().execute((trx) => updateResultsWiped(trx, check, from, AT_ONCE))
  }
}

/**
 * Wipes the results of these checks now, or after the commit of the open transaction. Only logs a failure, because the change is
 * already stored, and the chore wipes the rest.
 */
export async function wipeSoon(deps: Deps, only: ChecksToWipe): Promise<void> {
  const wipe = async (database: Database) => {
    try {
      await wipeResults({ ...deps, database }, only)
    } catch (err) {
      deps.log.warn({ err, org_id: only.org_id }, 'could not wipe results now; will retry soon')
    }
  }
  const { database } = deps
  if (database.joined) database.joined.after_commit.add(wipe)
  else await wipe(database)
}
