// Sends the weekly reports: on Mondays from 08:00 UTC on, each once.
import { fromDate } from '../../runtime/timestamps.ts'
import { hashToken, newToken } from '../../runtime/tokens.ts'
import { type ClaimedReport, claimReport, updateReportRetry } from '../../store/accounts/weekly-reports.ts'
import type { Deps } from '../deps.ts'
import { readWeeklyReport, type WeeklyReport } from './read.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
/** The first Monday after 1970 began, 08:00 UTC. */
const FIRST_MS = 4 * DAY_MS + 8 * HOUR_MS
/** A report that could not be sent within this time is left out: the next one comes soon. */
const OPEN_MS = DAY_MS
/** A mail that the mail server did not take is retried after this. */
export const RETRY_MS = 10 * 60_000
/** Reports in one run. They are sent one after another, so that they take one connection to the mail server. */
const MOST = 200

export type ReportToSend = ClaimedReport & { report: WeeklyReport; token: string }

/** `sent`: the mail server has it. `unsent`: it certainly has not. Anything else that goes wrong is thrown. */
export type SendReport = (one: ReportToSend) => Promise<'sent' | 'unsent'>

/** In how many milliseconds reports are due: 0 or less when they are. */
export async function untilNextReports({ clock }: Pick<Deps, 'clock'>): Promise<number> {
  const now = clock.now().getTime()
  const due = dueAt(now)
  return now < due + OPEN_MS ? 0 : due + WEEK_MS - now
}

/** When the reports of this week were due, or those of the last one before Monday morning. */
function dueAt(now: number): number {
  return FIRST_MS + Math.floor((now - FIRST_MS) / WEEK_MS) * WEEK_MS
}

/**
 * One run of the chore: sends what is due. Several may run at once. A report is claimed before it is sent, and stays claimed
 * whatever happens then: if the process ends between the two, that report is not sent. Nobody gets it twice.
 */
export async function sendWeeklyReports(deps: Deps, send: SendReport): Promise<number> {
  const { database, clock, random, log } = deps
  let sent = 0
  for (let count = 0; count < MOST; count++) {
    const due = dueAt(clock.now().getTime())
    const [due_at, now] = [fromDate(new Date(due)), fromDate(clock.now())]
    const token = newToken('unsubscribe', random)
    const week = due_at.slice(0, 10)
    const claimed = await claimReport(database.machines, { week, due_at, now, token_hash: hashToken(token) })
    if (!claimed) break
    const { org_id, person_id } = claimed
    const retry = () =>
      updateReportRetry(database.machines, { org_id, person_id, week }, fromDate(new Date(Date.parse(now) + RETRY_MS)))
    try {
      const report = await readWeeklyReport(deps, org_id).catch(async (err: unknown) => {
        await retry()
        throw err
      })
      // Of an organisation that watches nothing there is nothing to say.
      if (report.checks.length + report.heartbeats === 0) continue
      if ((await send({ ...claimed, report, token })) === 'sent') sent++
      else await retry()
    } catch (err) {
      log.warn({ err, org_id, person_id }, 'could not send a weekly report')
    }
  }
  return sent
}
