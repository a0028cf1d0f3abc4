// Runs that people asked a monitor for, as the monitor sees them: it is told of each once, and reports each once.
import { fromDate } from '../../runtime/timestamps.ts'
import {
  deleteOldRuns,
  handOutRuns,
  isAsked,
  lockOpenRun,
  type OpenRun,
  updateReported,
} from '../../store/checks/asked-runs.ts'
import type { Db } from '../../store/database.ts'
import type { Deps } from '../deps.ts'
import { requireCaller } from '../monitors/authenticate.ts'
import type { Caller } from '../monitors/monitor.ts'
import { openGate } from '../retention/gate.ts'
import { toStorable } from '../text.ts'
import type { CheckFields } from './check.ts'
import { redact, secretsOf, secretsOfCheck, type Secrets } from './redact.ts'

/** A run that the monitor is to hear of: of one of its checks, or of a definition that somebody tries. */
export interface Handed {
  run_id: string
  check_guid: string | null
  definition: CheckFields | null
}

/** What a run came to, as its monitor tells it. */
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
  response_sample?: string
}

/** Nobody waits for longer: a monitor that comes back later is not told. */
export const WAITED_FOR_MS = 2 * 60_000
/** A report is shown for so long. */
const KEPT_MS = 10 * 60_000
const HANDED_AT_ONCE = 5

/** The runs that a monitor was asked for and does not know of yet. It is told of each this once. */
export async function handOut({ database, clock }: Deps, { id }: { id: string }): Promise<Handed[]> {
  const now = clock.now()
  const since = new Date(now.getTime() - WAITED_FOR_MS)
  const span = { since: fromDate(since), now: fromDate(now), limit: HANDED_AT_ONCE }
  return (await handOutRuns(database, id, span)) as Handed[]
}

/** Whether a monitor was asked for a run that it does not know of yet. */
export async function hasAskedRuns({ database, clock }: Deps, { id }: { id: string }): Promise<boolean> {
  return isAsked(database, id, fromDate(new Date(clock.now().getTime() - WAITED_FOR_MS)))
}

/**
 * Stores what a monitor says of runs that it was asked for. A report that nobody asked it for is dropped. Refuses a caller
 * that may not report any more.
 */
export async function takeReports(
  deps: Deps,
  caller: Pick<Caller, 'id' | 'key_hash'>,
  reports: readonly RunReport[],
): Promise<void> {
  for (const report of reports) {
    // An id that cannot be stored names nothing.
    const run_id = toStorable(report.id)
    await deps.database.machines.transaction().execute(async (trx) => {
      await requireCaller(trx, caller)
      const run = await lockOpenRun(trx, caller.id, run_id)
      if (run)
        await updateReported(trx, run, shownOf(run, report, await secretsOfRun(trx, run)), fromDate(deps.clock.now()))
    })
  }
}

/** One run of the chore; returns how many runs it forgot. */
export async function forgetRuns(deps: Deps): Promise<number> {
  const gate = await openGate(deps)
  return gate.held ? 0 : deleteOldRuns(deps.database.machines, gate.ago(KEPT_MS))
}

/** Returns what is secret in the definition that was run, which may have been changed since. */
async function secretsOfRun(db: Db, { org_id, check_id, definition }: OpenRun): Promise<Secrets> {
  if (definition !== null) return secretsOf([definition])
  return check_id === null ? secretsOf([]) : secretsOfCheck(db, { org_id, check_id })
}

/** A report has at most so many characters of each text. */
const CUT = 2048

/** What may be shown: nothing of a private definition, and no secret of another. */
function shownOf({ definition, check_url }: OpenRun, { id: _, ...report }: RunReport, secrets: Secrets): object {
  const { success, not_run, kind, http_status, latency_ms } = report
  const isPrivate = definition === null && (check_url === null || check_url === '')
  if (isPrivate) return { success, not_run: line(not_run), kind: line(kind), http_status, latency_ms }
  const clean = (text: string | undefined) => (text === undefined ? undefined : redact(toStorable(text), secrets, CUT))
  return {
    ...report,
    not_run: line(not_run),
    kind: line(kind),
    error: clean(report.error),
    address: clean(report.address),
    redirects: report.redirects?.map((location) => redact(toStorable(location), secrets, CUT)),
    response_sample: clean(report.response_sample),
  }
}

function line(text: string | undefined): string | undefined {
  return text === undefined ? undefined : toStorable(text)
}
