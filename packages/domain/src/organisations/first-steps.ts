// Reads and hides the list of first steps of an organisation. Only the hiding is stored; all else follows from what the
// organisation has.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { findFirstSteps, updateFirstStepsHidden } from '@dogwatch/store/accounts/first-steps'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { planOf } from './plans.ts'

export type FirstStepName = 'check' | 'result' | 'channel' | 'heartbeat' | 'monitor' | 'status_page'

export interface FirstStep {
  name: FirstStepName
  is_done: boolean
}

/** Age at which a channel counts as tried. Deliveries are kept for longer than that. */
const OLD_MS = 7 * 86_400_000

/**
 * Returns a function that returns the steps that the plan allows, in order. Needs one statement, because the page that shows them
 * already knows its checks.
 */
export async function readFirstSteps(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
): Promise<(has: { has_check: boolean; has_result: boolean }) => FirstStep[]> {
  const old_before = fromDate(new Date(clock.now().getTime() - OLD_MS))
  const row = await findFirstSteps(database.people, org_id, old_before)
  if (!row) return () => []
  const { max_heartbeats, allows_status_page } = planOf(row)
  const { has_heartbeat, monitors, has_status_page } = row
  return ({ has_check, has_result }) => [
    { name: 'check', is_done: has_check },
    { name: 'result', is_done: has_result },
    { name: 'channel', is_done: row.has_channel && row.is_channel_tried },
    ...(max_heartbeats > 0 ? [{ name: 'heartbeat' as const, is_done: has_heartbeat }] : []),
    { name: 'monitor', is_done: monitors > 1 },
    ...(allows_status_page ? [{ name: 'status_page' as const, is_done: has_status_page }] : []),
  ]
}

/** Hides the list for all members of the organisation, for good. */
export async function hideFirstSteps(deps: Deps, org_id: number, by: Actor): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    await updateFirstStepsHidden(trx, org_id, fromDate(deps.clock.now()))
    await recordAuditEntry(trx, deps, by, { org_id, action: 'first_steps.hide', subject: 'first steps' })
  })
}
