// Creates, edits, orders and deletes the routes of an organisation, and decides again about planned alerts.
import { newGuid } from '@dogwatch/runtime/ids'
import { listChannels } from '@dogwatch/store/alerting/channels'
import type { Db, Trx } from '@dogwatch/store/database'
import { listRoutes, listRoutesOf, updateRouteOrder, updateRoutes } from '@dogwatch/store/routing/routes'
import { changedFields } from '../audit/changed-fields.ts'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { isStorable } from '../text.ts'
import { changeAndDecideAgain } from './change.ts'
import { createRoutes, editRoutes, removeRoutes } from './edit-many.ts'
import { type AlertRoute, channelsNamed, type EditedRoute } from './route.ts'
import { routeOf } from './routing.ts'
import { requireRoute } from './validate.ts'

export type { EditedRoute }

interface RouteKey {
  org_id: number
  guid: string
}

const MOST_ROUTES = 50

/** Returns an organisation's routes in their order. */
export async function readRoutes({ database }: Pick<Deps, 'database'>, org_id: number): Promise<AlertRoute[]> {
  return (await listRoutes(database.people, org_id)).map(routeOf)
}

/** Returns one of an organisation's routes. Throws DomainError if the organisation does not have it. */
export async function readRoute(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  guid: string,
): Promise<AlertRoute> {
  return requireHeld(database.people, org_id, guid)
}

/** Creates a route. It comes after the existing routes. */
export async function createRoute(
  deps: Deps,
  org_id: number,
  wanted: EditedRoute,
  by?: Actor,
): Promise<{ guid: string }> {
  const route = requireRoute(wanted)
  const guid = newGuid(deps.random)
  await changeAndDecideAgain(deps, org_id, async (trx) => {
    requireRoomForRoute((await listRoutes(trx, org_id)).length)
    await requireChannels(trx, org_id, route)
    await createRoutes(trx, deps, { org_id, actor: by }, [{ guid, key: null, route }])
  })
  return { guid }
}

/** Refuses another route if an organisation has the maximum number. */
export function requireRoomForRoute(there: number): void {
  if (there < MOST_ROUTES) return
  throw new DomainError(
    'invalid',
    `an organisation can have up to ${MOST_ROUTES} routes; delete a route to add another`,
  )
}

/** Replaces the fields of a route. `also`: names of other changes, for the audit log. */
export async function editRoute(
  deps: Deps,
  { org_id, guid }: RouteKey,
  wanted: EditedRoute,
  by?: Actor,
  also: readonly string[] = [],
): Promise<void> {
  const route = requireRoute(wanted)
  await changeAndDecideAgain(deps, org_id, async (trx) => {
    const held = await requireHeld(trx, org_id, guid)
    await requireChannels(trx, org_id, route)
    const changed = [...changedFields(route, held), ...also]
    await editRoutes(trx, deps, { org_id, actor: by }, [{ guid, route, changed }])
  })
}

/** Enables or disables a route. */
export async function switchRoute(deps: Deps, { org_id, guid }: RouteKey, enabled: boolean, by?: Actor): Promise<void> {
  await changeAndDecideAgain(deps, org_id, async (trx) => {
    const held = await requireHeld(trx, org_id, guid)
    await updateRoutes(trx, org_id, [{ ...held, enabled }])
    const action = enabled ? 'route.enable' : 'route.disable'
    await recordAuditEntry(trx, deps, by, { org_id, action, subject: held.name })
  })
}

/**
 * Moves a route one position up or down in the list, or to a position in it, counted from 1. A position after the last one means
 * the end.
 */
export async function moveRoute(
  deps: Deps,
  { org_id, guid }: RouteKey,
  to: { way: 'up' | 'down' } | { position: number },
  by?: Actor,
): Promise<void> {
  await changeAndDecideAgain(deps, org_id, async (trx) => {
    const held = await requireHeld(trx, org_id, guid)
    const guids = (await listRoutes(trx, org_id)).map((route) => route.guid)
    const at = guids.indexOf(guid)
    const place = 'position' in to ? to.position - 1 : Math.max(0, to.way === 'up' ? at - 1 : at + 1)
    const moved = guids.toSpliced(at, 1).toSpliced(place, 0, guid)
    if (moved.indexOf(guid) === at) return
    await updateRouteOrder(trx, org_id, moved)
    await recordAuditEntry(trx, deps, by, { org_id, action: 'route.move', subject: held.name, detail: to })
  })
}

export async function removeRoute(deps: Deps, { org_id, guid }: RouteKey, by?: Actor): Promise<void> {
  await changeAndDecideAgain(deps, org_id, async (trx) => {
    const held = await requireHeld(trx, org_id, guid)
    await removeRoutes(trx, deps, { org_id, actor: by }, [held])
  })
}

async function requireHeld(db: Db, org_id: number, guid: string): Promise<AlertRoute> {
  const [row] = isStorable(guid) ? await listRoutesOf(db, org_id, [guid]) : []
  if (!row) throw noSuchRoute()
  return routeOf(row)
}

/** Refuses channels of another organisation like unknown ones. */
async function requireChannels(trx: Trx, org_id: number, { steps }: EditedRoute): Promise<void> {
  const known = new Set((await listChannels(trx, org_id)).map(({ id }) => id))
  if (steps.flatMap(channelsNamed).some((id) => !known.has(id))) {
    throw new DomainError('invalid', 'steps include a deleted channel; choose another channel')
  }
}

function noSuchRoute(): DomainError {
  return new DomainError('missing', 'no route with that guid')
}
