// Switches the weekly report of an organisation on and off for a member: on the account page, or off by the link in each report.
import { hashToken, looksLikeToken } from '@dogwatch/runtime/tokens'
import {
  findReportLink,
  listReportedOrgs,
  type ReportLink,
  updateWeeklyReport,
} from '@dogwatch/store/accounts/weekly-reports'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { requireNotImpersonated, type Viewer } from '../people/sessions.ts'

export type { ReportLink }

/** Returns the organisations whose reports the viewer receives. */
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

/**
 * Returns the person and organisation of a link. Throws the same DomainError if the link is unknown or too old, or the person is
 * no longer a member.
 */
export async function requireReportLink({ database }: Pick<Deps, 'database'>, token: string): Promise<ReportLink> {
  const found = looksLikeToken('unsubscribe', token)
    ? await findReportLink(database.people, hashToken(token))
    : undefined
  if (!found) {
    throw new DomainError(
      'missing',
      'this link is invalid or has expired; turn off the weekly report on your account page',
    )
  }
  return found
}

/** Ends the reports to the person who received the link. Using it again changes nothing. */
export async function endReportsByLink(deps: Pick<Deps, 'database'>, token: string): Promise<ReportLink> {
  const link = await requireReportLink(deps, token)
  await updateWeeklyReport(deps.database.people, link, false)
  return link
}
