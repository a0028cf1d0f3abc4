// Decides which organisation the built-in monitor of a server belongs to, and whether it may run.

import { findOrganisationOfAdmin } from '@dogwatch/store/accounts/organisation-pages'
import { findOrganisation } from '@dogwatch/store/accounts/organisations'
import { findSetUpState } from '@dogwatch/store/accounts/server-set-up'
import { findMonitorState } from '@dogwatch/store/monitors/monitors'
import type { Deps } from '../deps.ts'

/**
 * State of the built-in monitor. `none`: no organisation to watch for yet (`isSoon` while the server is not set up). `new`: must
 * enroll. `reset`: must enroll under its id again. `unknown`: not in this database. `over`: may not run again.
 */
export type LocalMonitor =
  | { kind: 'none'; isSoon: boolean }
  | { kind: 'new'; org_id: number }
  | { kind: 'reset'; org_id: number; monitor_id: string }
  | { kind: 'enrolled' }
  | { kind: 'unknown' }
  | { kind: 'over'; why: string }

/** Returns the state of the built-in monitor. `monitor_id`: its id since its enrollment, or undefined before. */
export async function findLocalMonitor(
  { database: { people: db } }: Pick<Deps, 'database'>,
  monitor_id: string | undefined,
): Promise<LocalMonitor> {
  const { is_done, first_org_id } = await findSetUpState(db)
  if (!is_done) return { kind: 'none', isSoon: true }
  // The built-in monitor may request internal addresses, so it never joins an organisation of just anyone who signed up.
  const org_id = first_org_id ?? (await findOrganisationOfAdmin(db))
  if (org_id === undefined) return { kind: 'none', isSoon: false }
  const organisation = await findOrganisation(db, org_id)
  if (!organisation) return { kind: 'over', why: `organisation ${org_id} was deleted` }
  if (monitor_id === undefined) {
    return organisation.suspended_at === null ? { kind: 'new', org_id } : { kind: 'none', isSoon: false }
  }
  const monitor = await findMonitorState(db, monitor_id)
  if (!monitor) return { kind: 'unknown' }
  if (monitor.is_retired) return { kind: 'over', why: `monitor ${monitor_id} was removed` }
  if (monitor.is_reset && monitor.org_id !== null) return { kind: 'reset', org_id: monitor.org_id, monitor_id }
  return { kind: 'enrolled' }
}
