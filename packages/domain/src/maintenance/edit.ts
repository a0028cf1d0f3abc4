// Plans, edits, ends and deletes maintenance windows, and at once decides again about the alerts that wait because of them.
import { newGuid } from '@dogwatch/runtime/ids'
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Trx } from '@dogwatch/store/database'
import { endSpans, listNextSpans } from '@dogwatch/store/maintenance/spans'
import { findWindow, listWindows, lockWindows, type WindowRow } from '@dogwatch/store/maintenance/windows'
import { changedFields } from '../audit/changed-fields.ts'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { changeAndDecideAgain } from '../routing/change.ts'
import { isStorable } from '../text.ts'
import { createWindows, editWindows, removeWindows } from './edit-many.ts'
import { spansFrom } from './spread.ts'
import {
  type EditedWindow,
  isMoved,
  type MaintenanceWindow,
  requireRest,
  requireRoomForWindow,
  requireToCome,
  requireWindow,
  windowOf,
} from './window.ts'

export type WindowState = 'running' | 'announced' | 'over'

export interface ShownWindow extends MaintenanceWindow {
  state: WindowState
  /** Current or next span, or else the last one. Absent if there never was one and never will be. */
  span: { begins_at: string; ends_at: string } | undefined
}

/** Returns the windows of an organisation: first those that are on, then coming ones, then past ones. */
export async function readWindows({ database, clock }: Deps, org_id: number): Promise<ShownWindow[]> {
  const now = clock.now()
  const windows = await listWindows(database.people, org_id)
  const spans = await listNextSpans(database.people, org_id, fromDate(now))
  const shown = windows.map((row) => {
    const own = spans.filter(({ window_id }) => window_id === row.window_id)
    const next = own.find(({ is_over }) => !is_over) ?? upcoming(row)
    const span = next ?? own.find(({ is_over }) => is_over)
    const state: WindowState = !next ? 'over' : next.begins_at > fromDate(now) ? 'announced' : 'running'
    return { ...windowOf(row), state, span }
  })
  const order: readonly WindowState[] = ['running', 'announced', 'over']
  return shown.toSorted((one, other) => {
    const by = order.indexOf(one.state) - order.indexOf(other.state)
    const [a = '', b = ''] = [one.span?.begins_at, other.span?.begins_at]
    return by === 0 ? (one.state === 'over' ? b.localeCompare(a) : a.localeCompare(b)) : by
  })
}

/** Returns the next span of a window if it begins later than the stored spans reach. */
function upcoming({ next_at, duration_sec }: WindowRow): { begins_at: string; ends_at: string } | undefined {
  if (next_at === null) return undefined
  return { begins_at: next_at, ends_at: fromDate(new Date(Date.parse(next_at) + duration_sec * 1000)) }
}

/** Returns one window. Throws DomainError if the organisation does not have it. */
export async function readWindow(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  guid: string,
): Promise<MaintenanceWindow> {
  const row = isStorable(guid) ? await findWindow(database.people, org_id, guid) : undefined
  if (!row) throw noSuchWindow()
  return windowOf(row)
}

export async function createWindow(
  deps: Deps,
  org_id: number,
  wanted: EditedWindow,
  by?: Actor,
): Promise<{ guid: string }> {
  const now = deps.clock.now()
  const window = requireWindow(wanted, now)
  requireToCome(window, now)
  const guid = newGuid(deps.random)
  await changeAndDecideAgain(deps, org_id, async (trx) => {
    requireRoomForWindow((await listWindows(trx, org_id)).length)
    const planned = spansFrom(window, now)
    await createWindows(trx, deps, { org_id, actor: by }, [{ guid, key: null, window, planned }])
  })
  return { guid }
}

/** Replaces the definition of a window. Past spans stay as they were. `also`: further changes, for the audit log. */
export async function editWindow(
  deps: Deps,
  { org_id, guid }: { org_id: number; guid: string },
  wanted: EditedWindow,
  by?: Actor,
  also: readonly string[] = [],
): Promise<void> {
  const now = deps.clock.now()
  await changeAndDecideAgain(deps, org_id, async (trx) => {
    const held = await requireHeld(trx, org_id, guid)
    const hasMoved = isMoved(wanted, held)
    const window = hasMoved ? requireWindow(wanted, now) : { ...wanted, ...requireRest(wanted) }
    const changed = [...changedFields(window, windowOf(held)), ...also]
    const planned = hasMoved ? spansFrom(window, now) : undefined
    await editWindows(trx, deps, { org_id, actor: by }, [{ guid, window, planned, changed }])
  })
}

/** Ends a window that is on. If it repeats, it will be on again. */
export async function endWindow(
  deps: Deps,
  { org_id, guid }: { org_id: number; guid: string },
  by?: Actor,
): Promise<void> {
  await changeAndDecideAgain(deps, org_id, async (trx) => {
    const held = await requireHeld(trx, org_id, guid)
    const ended = await endSpans(trx, org_id, [held.window_id], fromDate(deps.clock.now()))
    if (ended > 0) await recordAuditEntry(trx, deps, by, { org_id, action: 'maintenance.end', subject: held.name })
  })
}

export async function removeWindow(
  deps: Deps,
  { org_id, guid }: { org_id: number; guid: string },
  by?: Actor,
): Promise<void> {
  await changeAndDecideAgain(deps, org_id, async (trx) => {
    await requireHeld(trx, org_id, guid)
    await removeWindows(trx, deps, { org_id, actor: by }, [guid])
  })
}

async function requireHeld(trx: Trx, org_id: number, guid: string): Promise<WindowRow> {
  const [row] = isStorable(guid) ? await lockWindows(trx, org_id, [guid]) : []
  if (!row) throw noSuchWindow()
  return row
}

function noSuchWindow(): DomainError {
  return new DomainError('missing', 'no maintenance window with that guid')
}
