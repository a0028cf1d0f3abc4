// Plans, edits and deletes many maintenance windows of an organisation with statements for all of them, by the rules that apply
// to a single window. The caller must hold the lock of the organisation, and decides again about waiting alerts when everything
// is stored.
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Trx } from '@dogwatch/store/database'
import { cutSpans, insertSpans, updateSpans } from '@dogwatch/store/maintenance/spans'
import { deleteWindows, insertWindows, lockWindows, updateWindows } from '@dogwatch/store/maintenance/windows'
import { type AuditRecord, type Origin, recordAuditEntries } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { requireRoomForScopes, requireRoomForSpans } from './budget.ts'
import type { PlannedSpans } from './spread.ts'
import type { EditedWindow } from './window.ts'

export interface CreatedWindow {
  guid: string
  key: string | null
  window: EditedWindow
  planned: PlannedSpans
}

export async function createWindows(
  trx: Trx,
  deps: Deps,
  { org_id, actor }: Origin,
  created: readonly CreatedWindow[],
): Promise<void> {
  const rows = created.map(({ guid, key, window, planned: { spread_until, next_at } }) => {
    return { ...window, guid, key, spread_until, next_at }
  })
  const at = fromDate(deps.clock.now())
  await requireRoomForSpans(trx, org_id, created, at)
  await requireRoomForScopes(trx, org_id, created)
  await insertWindows(trx, org_id, rows, at)
  await insertSpans(trx, org_id, created.flatMap(spansOf), at)
  const deeds = created.map(
    ({ window }): AuditRecord => ({ org_id, action: 'maintenance.create', subject: window.name }),
  )
  await recordAuditEntries(trx, deps, actor, deeds)
}

export interface ChangedWindow {
  guid: string
  window: EditedWindow
  /** New spans of the window. Undefined if its times do not change. */
  planned: PlannedSpans | undefined
  /** Names of the changed fields, for the audit log. */
  changed: readonly string[]
}

export async function editWindows(
  trx: Trx,
  deps: Deps,
  { org_id, actor }: Origin,
  edited: readonly ChangedWindow[],
): Promise<void> {
  if (edited.length === 0) return
  const at = fromDate(deps.clock.now())
  const moved = edited.flatMap(({ guid, planned }) => (planned ? [{ guid, planned }] : []))
  const places = await lockWindows(
    trx,
    org_id,
    edited.map(({ guid }) => guid),
  )
  const rows = edited.map(({ guid, window, planned }) => ({
    ...window,
    guid,
    spread: planned && { spread_until: planned.spread_until, next_at: planned.next_at },
  }))
  await requireRoomForSpans(trx, org_id, moved, at)
  await requireRoomForScopes(
    trx,
    org_id,
    edited.filter(({ changed }) => changed.includes('scope')),
  )
  await updateWindows(trx, org_id, rows)
  const movedGuids = new Set(moved.map(({ guid }) => guid))
  const movedIds = places.flatMap(({ guid, window_id }) => (movedGuids.has(guid) ? [window_id] : []))
  await cutSpans(trx, org_id, movedIds, at)
  await insertSpans(trx, org_id, moved.flatMap(spansOf), at)
  const rest = edited.filter(({ planned }) => !planned).map(({ guid }) => guid)
  await updateSpans(trx, org_id, rest, at)
  const deeds = edited.map(({ window, changed }): AuditRecord => {
    return { org_id, action: 'maintenance.edit', subject: window.name, detail: { changed } }
  })
  await recordAuditEntries(trx, deps, actor, deeds)
}

export async function removeWindows(
  trx: Trx,
  deps: Deps,
  { org_id, actor }: Origin,
  guids: readonly string[],
): Promise<void> {
  const places = await lockWindows(trx, org_id, guids)
  const ids = places.map(({ window_id }) => window_id)
  await cutSpans(trx, org_id, ids, fromDate(deps.clock.now()))
  await deleteWindows(trx, org_id, ids)
  const deeds = places.map(({ name }): AuditRecord => ({ org_id, action: 'maintenance.delete', subject: name }))
  await recordAuditEntries(trx, deps, actor, deeds)
}

function spansOf({ guid, planned: { spans } }: { guid: string; planned: PlannedSpans }) {
  return spans.map((span) => ({ ...span, guid }))
}
