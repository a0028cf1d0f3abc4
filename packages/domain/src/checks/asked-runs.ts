// Hands requested runs to their monitor, each once, and stores the reports about them.
import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  deleteOldRuns,
  handOutRuns,
  isAsked,
  lockOpenRun,
  type OpenRun,
  type PendingRun,
  updateReported,
} from '@dogwatch/store/checks/asked-runs'
import type { Db } from '@dogwatch/store/database'
import type { Deps } from '../deps.ts'
import { requireCaller } from '../monitors/authenticate.ts'
import type { Caller } from '../monitors/monitor.ts'
import { openGate } from '../retention/gate.ts'
import { toStorable } from '../text.ts'
import { redact, type Secrets, secretsOf, secretsOfCheck } from './redact.ts'

export type { PendingRun }

/** Outcome of a requested run, as its monitor reports it. */
export interface RunReport {
  id: string
  success?: boolean
  not_run?: string
  ran_at?: string
  kind?: string
  error?: string
  http_status?: number
  latency_ms?: number
  phases?: { dns?: number; connect?: number; tls?: number; first_byte?: number; body?: number }
  address?: string
  certificate_days?: number
  redirects?: string[]
  assertions?: { passed?: boolean; seen: string }[]
  response_sample?: string
}

/** Maximum wait for a requested run, in milliseconds. A monitor that comes online later does not receive the run. */
export const WAITED_FOR_MS = 2 * 60_000
/** Time during which a report is shown, in milliseconds. */
const KEPT_MS = 10 * 60_000
const HANDED_AT_ONCE = 5

/** Returns the requested runs that a monitor has not received yet. Returns each of them only once. */
export async function handOut({ database, clock }: Deps, { id }: { id: string }): Promise<PendingRun[]> {
  const now = clock.now()
  const since = new Date(now.getTime() - WAITED_FOR_MS)
  return handOutRuns(database, id, { since: fromDate(since), now: fromDate(now), limit: HANDED_AT_ONCE })
}

/** Whether there are requested runs that a monitor has not received yet. */
export async function hasAskedRuns({ database, clock }: Deps, { id }: { id: string }): Promise<boolean> {
  return isAsked(database, id, fromDate(new Date(clock.now().getTime() - WAITED_FOR_MS)))
}

/**
 * Stores a monitor's reports about requested runs. Drops reports about other runs. Refuses a caller that may no longer report.
 */
export async function takeReports(
  deps: Deps,
  caller: Pick<Caller, 'id' | 'key_hash'>,
  reports: readonly RunReport[],
): Promise<void> {
  for (const report of reports) {
    // No run has an id that the database cannot store.
    const run_id = toStorable(report.id)
    await deps.database.machines.transaction().execute(async (trx) => {
      await requireCaller(trx, caller)
      const run = await lockOpenRun(trx, caller.id, run_id)
      if (run)
        await updateReported(trx, run, shownOf(run, report, await secretsOfRun(trx, run)), fromDate(deps.clock.now()))
    })
  }
}

/** Runs the chore once. Returns the number of runs that it forgot. */
export async function forgetRuns(deps: Deps): Promise<number> {
  const gate = await openGate(deps)
  return gate.held ? 0 : deleteOldRuns(deps.database.machines, gate.ago(KEPT_MS))
}

/** Returns the secrets of the definition that ran, even if it has changed since. */
async function secretsOfRun(db: Db, { org_id, check_id, definition }: OpenRun): Promise<Secrets> {
  if (definition !== null) return secretsOf([definition])
  return check_id === null ? secretsOf([]) : secretsOfCheck(db, { org_id, check_id })
}

/** Maximum number of characters of each text in a report. */
const CUT = 2048

/**
 * Returns the part of a report that members may see: nothing for a private definition, and no secrets for any other definition.
 */
function shownOf({ definition, check_url }: OpenRun, { id: _, ...report }: RunReport, secrets: Secrets): object {
  const { success, not_run, kind, http_status, latency_ms } = report
  const isPrivate = definition === null && (check_url === null || check_url === '')
  if (isPrivate) return { success, not_run: line(not_run), kind: line(kind), http_status, latency_ms }
  const clean = (text: string) => redact(toStorable(text), secrets, CUT)
  const cleanIfAny = (text: string | undefined) => (text === undefined ? undefined : clean(text))
  return {
    ...report,
    not_run: line(not_run),
    kind: line(kind),
    error: cleanIfAny(report.error),
    address: cleanIfAny(report.address),
    redirects: report.redirects?.map(clean),
    assertions: report.assertions?.map(({ passed, seen }) => ({ passed, seen: clean(seen) })),
    response_sample: cleanIfAny(report.response_sample),
  }
}

function line(text: string | undefined): string | undefined {
  return text === undefined ? undefined : toStorable(text)
}
