// Suspends an organisation at once without losing anything, resumes it, and requests its deletion after a grace period.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { lockOrganisation, type OrganisationRow } from '@dogwatch/store/accounts/organisations'
import {
  restartChecks,
  restartHeartbeats,
  stopHeartbeats,
  updateSuspension,
  waitForMonitors,
} from '@dogwatch/store/accounts/suspension'
import { tick } from '@dogwatch/store/checks/checks'
import type { Trx } from '@dogwatch/store/database'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { existing } from './existing.ts'

/** Grace period before an organisation is deleted. Until then, it can be resumed. */
export const GRACE_MS = 7 * 86_400_000

/**
 * Stops everything that an organisation does: its monitors, pings, pages, tokens and deliveries are refused or wait, and its
 * checks do not run. Nothing is deleted. Suspending it again changes nothing.
 */
export async function suspendOrganisation(
  deps: Deps,
  org_id: number,
  by?: Actor,
): Promise<{ org_id: number; suspended_at: string }> {
  const now = fromDate(deps.clock.now())
  return change(deps, org_id, async (trx, { name, suspended_at }) => {
    if (suspended_at !== null) return { org_id, suspended_at }
    await suspend(trx, org_id, { suspended_at: now, delete_at: null })
    await recordAuditEntry(trx, deps, by, { org_id, action: 'organisation.suspend', subject: name })
    return { org_id, suspended_at: now }
  })
}

/**
 * Resumes an organisation as it was, and cancels its deletion. Checks that were down still are; heartbeats wait for their next
 * ping. Alerts that waited before the suspension go out, but none about the time of the suspension.
 */
export async function resumeOrganisation(
  deps: Deps,
  org_id: number,
  by?: Actor,
): Promise<{ org_id: number; suspended: false }> {
  const now = fromDate(deps.clock.now())
  return change(deps, org_id, async (trx, { name, suspended_at, delete_at }) => {
    if (suspended_at === null) return { org_id, suspended: false }
    if (delete_at !== null && delete_at <= now) {
      throw new DomainError(
        'conflict',
        `the organisation can no longer be resumed, because its deletion began at ${delete_at}`,
      )
    }
    await updateSuspension(trx, org_id, { suspended_at: null, delete_at: null })
    await restartChecks(trx, org_id, now)
    await restartHeartbeats(trx, org_id, suspended_at)
    await waitForMonitors(trx, org_id, now)
    await recordAuditEntry(trx, deps, by, { org_id, action: 'organisation.resume', subject: name })
    return { org_id, suspended: false }
  })
}

/**
 * Suspends an organisation, and lets a chore delete all of it after the grace period. Requesting this again does not postpone the
 * deletion.
 */
export async function requestDeletion(
  deps: Deps,
  org_id: number,
  by?: Actor,
): Promise<{ org_id: number; suspended_at: string; delete_at: string }> {
  const now = deps.clock.now()
  return change(deps, org_id, async (trx, { name, suspended_at, delete_at }) => {
    if (suspended_at !== null && delete_at !== null) return { org_id, suspended_at, delete_at }
    const wanted = {
      suspended_at: suspended_at ?? fromDate(now),
      delete_at: fromDate(new Date(now.getTime() + GRACE_MS)),
    }
    await suspend(trx, org_id, wanted)
    const detail = { delete_at: wanted.delete_at }
    await recordAuditEntry(trx, deps, by, { org_id, action: 'organisation.delete', subject: name, detail })
    return { org_id, ...wanted }
  })
}

async function suspend(
  trx: Trx,
  org_id: number,
  wanted: { suspended_at: string; delete_at: string | null },
): Promise<void> {
  await updateSuspension(trx, org_id, wanted)
  await stopHeartbeats(trx, org_id)
}

function change<T>(
  deps: Deps,
  org_id: number,
  apply: (trx: Trx, organisation: OrganisationRow) => Promise<T>,
): Promise<T> {
  return deps.database.people.transaction().execute(async (trx) => {
    // Tells the agents of the change. Comes first, because every transaction locks the sync clock before other rows.
    await tick(trx)
    return apply(trx, existing(await lockOrganisation(trx, org_id)))
  })
}
