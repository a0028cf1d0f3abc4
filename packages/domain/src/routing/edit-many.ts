// Creates, edits and deletes many routes of an organisation by statements for all of them, by the rules that apply to a single
// route. The callers must hold the lock of the organisation, and decide again about planned alerts when everything is stored.
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Trx } from '@dogwatch/store/database'
import { deleteRoutes, insertRoutes, listRoutes, updateRouteOrder, updateRoutes } from '@dogwatch/store/routing/routes'
import { type AuditRecord, type Origin, recordAuditEntries } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import type { EditedRoute } from './route.ts'

export async function createRoutes(
  trx: Trx,
  deps: Deps,
  { org_id, actor }: Origin,
  created: readonly { guid: string; key: string | null; route: EditedRoute }[],
): Promise<void> {
  const rows = created.map(({ guid, key, route }) => ({ ...route, guid, key }))
  await insertRoutes(trx, org_id, rows, fromDate(deps.clock.now()))
  const deeds = rows.map(({ name }): AuditRecord => ({ org_id, action: 'route.create', subject: name }))
  await recordAuditEntries(trx, deps, actor, deeds)
}

/** Edits routes. `changed`: names of the fields that change, for the audit log. */
export async function editRoutes(
  trx: Trx,
  deps: Deps,
  { org_id, actor }: Origin,
  edited: readonly { guid: string; route: EditedRoute; changed: readonly string[] }[],
): Promise<void> {
  await updateRoutes(
    trx,
    org_id,
    edited.map(({ guid, route }) => ({ ...route, guid })),
  )
  const deeds = edited.map(({ route, changed }): AuditRecord => {
    return { org_id, action: 'route.edit', subject: route.name, detail: { changed } }
  })
  await recordAuditEntries(trx, deps, actor, deeds)
}

export async function removeRoutes(
  trx: Trx,
  deps: Deps,
  { org_id, actor }: Origin,
  removed: readonly { guid: string; name: string }[],
): Promise<void> {
  await deleteRoutes(
    trx,
    org_id,
    removed.map(({ guid }) => guid),
  )
  const deeds = removed.map(({ name }): AuditRecord => ({ org_id, action: 'route.delete', subject: name }))
  await recordAuditEntries(trx, deps, actor, deeds)
}

/**
 * Arranges routes in the order of `wanted`, within the positions that they already occupy. Returns whether the order changed, or
 * the first guid that the organisation does not have.
 */
export async function arrangeRoutes(
  trx: Trx,
  deps: Deps,
  { org_id, actor }: Origin,
  wanted: readonly string[],
): Promise<boolean | string> {
  const held = await listRoutes(trx, org_id)
  const names = new Map(held.map(({ guid, name }) => [guid, name]))
  const missing = wanted.find((guid) => !names.has(guid))
  if (missing !== undefined) return missing
  const named = new Set(wanted)
  const next = wanted.values()
  const after = held.map(({ guid }) => (named.has(guid) ? (next.next().value ?? guid) : guid))
  const moved = after.flatMap((guid, at) => (guid === held[at]?.guid ? [] : [{ guid, position: at + 1 }]))
  if (moved.length === 0) return false
  await updateRouteOrder(trx, org_id, after)
  const deeds = moved.map(({ guid, position }): AuditRecord => {
    return { org_id, action: 'route.move', subject: names.get(guid) ?? '', detail: { position } }
  })
  await recordAuditEntries(trx, deps, actor, deeds)
  return true
}
