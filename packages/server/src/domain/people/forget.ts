// Deletes expired sessions, links and invitations.
import { fromDate } from '../../runtime/timestamps.ts'
import { deleteExpiredConfirmations } from '../../store/alerting/confirmations.ts'
import { deleteExpiredInvitations } from '../../store/accounts/invitations.ts'
import { deleteExpiredResets } from '../../store/accounts/password-resets.ts'
import { deleteExpiredPending } from '../../store/accounts/pending-sign-ins.ts'
import { deleteExpiredSetUpLinks } from '../../store/accounts/server-set-up.ts'
import { deleteExpiredSignUpLinks } from '../../store/accounts/sign-up-links.ts'
import { deleteExpiredSessions } from '../../store/accounts/sessions.ts'
import { deleteOldReports } from '../../store/accounts/weekly-reports.ts'
import type { Deps } from '../deps.ts'

/** The link in a weekly report works for half a year. */
const REPORT_LINKS_MS = 182 * 86_400_000

/** One run of the chore. */
export async function forgetExpired({ database, clock }: Pick<Deps, 'database' | 'clock'>): Promise<void> {
  const now = fromDate(clock.now())
  await deleteExpiredSessions(database.machines, now)
  await deleteExpiredPending(database.machines, now)
  await deleteExpiredResets(database.machines, now)
  await deleteExpiredInvitations(database.machines, now)
  await deleteExpiredSignUpLinks(database.machines, now)
  await deleteExpiredSetUpLinks(database.machines, now)
  await deleteExpiredConfirmations(database.machines, now)
  await deleteOldReports(database.machines, fromDate(new Date(clock.now().getTime() - REPORT_LINKS_MS)))
}
