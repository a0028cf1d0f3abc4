// Changes the name, the switches or the key of a monitor, or retires it.

import { fromDate } from '@dogwatch/runtime/timestamps'
import { clearDependents } from '@dogwatch/store/checks/dependencies'
import type { Trx } from '@dogwatch/store/database'
import {
  findMonitorInOrg,
  type MonitorKey,
  updateMonitorName,
  updateReset,
  updateRetired,
  updateSwitch,
} from '@dogwatch/store/monitors/monitors'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { AuditAction } from '../audit/sentences.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { requireNotImpersonated } from '../people/sessions.ts'
import { requireName } from '../text.ts'

export type { MonitorKey }

/** Switch of a monitor: that of its organisation, or the operator's kill switch. */
export type Switch = 'enabled' | 'platform_enabled'

/** Enables or disables a monitor by one of its switches. The other monitors of its checks learn of their new turns. */
export async function switchOneMonitor(
  deps: Deps,
  key: MonitorKey,
  which: Switch,
  on: boolean,
  by?: Actor,
): Promise<void> {
  const now = fromDate(deps.clock.now())
  await change(deps, key, by, on ? 'monitor.enable' : 'monitor.disable', {}, (trx) =>
    updateSwitch(trx, key, which, on, now),
  )
}

/**
 * Revokes a monitor's key, so that another agent can reclaim it. The monitor keeps its checks and its position in their turns.
 */
export async function resetOneMonitor(deps: Deps, key: MonitorKey, by?: Actor): Promise<void> {
  // Resetting leads to an enrollment token, which an admin who impersonates a person must not get either.
  requireNotImpersonated(by)
  await change(deps, key, by, 'monitor.reset', {}, (trx) => updateReset(trx, key))
}

/**
 * Retires a monitor for good: its key stops working, other monitors take over its turns at once, and it disappears from all
 * lists. Its results stay under its name.
 */
export async function retireOneMonitor(deps: Deps, key: MonitorKey, by?: Actor): Promise<void> {
  const now = fromDate(deps.clock.now())
  await change(deps, key, by, 'monitor.retire', {}, async (trx) => {
    const row = await updateRetired(trx, key, now)
    if (key.org_id !== null) await clearDependents(trx, key.org_id, [key.id])
    return row
  })
}

/** Renames a monitor until it enrolls again, which brings a name of its own. An empty name removes the name. */
export async function renameMonitor(deps: Deps, key: MonitorKey, text: string, by?: Actor): Promise<void> {
  const name = requireName('name', text.trim(), { mayBeBlank: true })
  await change(deps, key, by, 'monitor.rename', { name }, (trx) => updateMonitorName(trx, key, name))
}

async function change(
  deps: Deps,
  key: MonitorKey,
  by: Actor | undefined,
  action: AuditAction,
  detail: Record<string, unknown>,
  apply: (trx: Trx) => Promise<boolean>,
): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    // Runs before anything else, because `apply` ticks the sync clock.
    if (!(await apply(trx))) throw noSuchMonitor()
    const { id, org_id } = key
    if (org_id === null) return
    const name = (await findMonitorInOrg(trx, id, org_id))?.name
    await recordAuditEntry(trx, deps, by, { org_id, action, subject: name ? `${name} (${id})` : id, detail })
  })
}

export function noSuchMonitor(): DomainError {
  return new DomainError('missing', 'no monitor with that id')
}
