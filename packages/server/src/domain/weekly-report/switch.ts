// Members switch the weekly report of an organisation on and off: on their account page, or off by the link in each report.
import { hashToken, looksLikeToken } from '../../runtime/tokens.ts'
import {
  findReportLink,
  listReportedOrgs,
  type ReportLink,
  updateWeeklyReport,
} from '../../store/accounts/weekly-reports.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { requireNotImpersonated, type Viewer } from '../people/sessions.ts'

export type { ReportLink }

/** The organisations of which the viewer gets reports. */
export async function readReportedOrgs({ database }: Pick<Deps, 'database'>, viewer: Viewer): Promise<Set<number>> {
  return new Set(await listReportedOrgs(database.people, viewer.person_id))
}

export async function switchWeeklyReport(
  { database }: Pick<Deps, 'database'>,
  viewer: Viewer,
  org_id: number,
  isOn: boolean,
): Promise<void> {
  requireNotImpersonated(viewer)
  if (!(await updateWeeklyReport(database.people, { org_id, person_id: viewer.person_id }, isOn))) {
    throw new DomainError('missing', 'no such organisation')
  }
}

/** Refuses a link that is unknown, too old, or of somebody who is no member any more. All look alike. */
export async function requireReportLink({ database }: Pick<Deps, 'database'>, token: string): Promise<ReportLink> {
  const found = looksLikeToken('unsubscribe', token)
    ? await findReportLink(database.people, hashToken(token))
    : undefined
  if (!found) {
    throw new DomainError('missing', 'this link is invalid or has expired; turn the report off on your account page')
  }
  return found
}

/** Ends the reports to the person who got the link. Using it again changes nothing. */
export async function endReportsByLink(deps: Pick<Deps, 'database'>, token: string): Promise<ReportLink> {
  const link = await requireReportLink(deps, token)
  await updateWeeklyReport(deps.database.people, link, false)
  return link
}
