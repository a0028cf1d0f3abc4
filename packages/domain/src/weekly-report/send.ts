// Sends the weekly reports: on Mondays from 08:00 UTC on, each once.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { hashToken, newToken } from '@dogwatch/runtime/tokens'
import { type ClaimedReport, claimReport, updateReportRetry } from '@dogwatch/store/accounts/weekly-reports'
import type { Deps } from '../deps.ts'
import { readWeeklyReport, type WeeklyReport } from './read.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
/** First Monday in 1970, 08:00 UTC. */
const FIRST_MS = 4 * DAY_MS + 8 * HOUR_MS
/** Time after which an unsent report is omitted, because the next one comes soon. */
const OPEN_MS = DAY_MS
/** Delay before the next attempt to send an email that the mail server did not accept. */
export const RETRY_MS = 10 * 60_000
/** Maximum number of reports in one run. They are sent one after another, so that they need one connection to the mail server. */
const MOST = 200

export type ReportToSend = ClaimedReport & { report: WeeklyReport; token: string }

/** Function that sends a report. `sent`: the mail server has it. `unsent`: it certainly has not. Throws on any other fault. */
export type SendReport = (one: ReportToSend) => Promise<'sent' | 'unsent'>

/** Returns the time until reports are due, in milliseconds. Returns 0 while they are due. */
export async function untilNextReports({ clock }: Pick<Deps, 'clock'>): Promise<number> {
  const now = clock.now().getTime()
  const due = dueAt(now)
  return now < due + OPEN_MS ? 0 : due + WEEK_MS - now
}

/** Returns when the reports of this week were due or, before Monday morning, those of the previous week. */
function dueAt(now: number): number {
  return FIRST_MS + Math.floor((now - FIRST_MS) / WEEK_MS) * WEEK_MS
}

/**
 * Runs the chore once: sends the reports that are due. Several can run at once. A report is claimed first, and stays claimed if
 * the process ends before sending it, so that no one receives it twice. Returns the number of reports.
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
      // An organisation that watches nothing gets no report.
      if (report.checks.length + report.heartbeats === 0) continue
      if ((await send({ ...claimed, report, token })) === 'sent') sent++
      else await retry()
    } catch (err) {
      log.warn({ err, org_id, person_id }, 'could not send a weekly report')
    }
  }
  return sent
}
