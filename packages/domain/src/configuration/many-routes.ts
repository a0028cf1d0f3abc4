// Stores or deletes many routes at once.
import { newGuid } from '@dogwatch/runtime/ids'
import { listRoutes, listRoutesOf } from '@dogwatch/store/routing/routes'
import { changedFields } from '../audit/changed-fields.ts'
import { requireRoomForRoute } from '../routing/edit.ts'
import { createRoutes, editRoutes, removeRoutes } from '../routing/edit-many.ts'
import type { EditedRoute } from '../routing/route.ts'
import { routeOf } from '../routing/routing.ts'
import { requireRoute } from '../routing/validate.ts'
import type { Faults } from './faults.ts'
import { changedKey, type KeyOfMany, readKey, requireKeysFree, setKeys } from './keys.ts'
import type { Inside, ManyOf, PutOfMany } from './kind.ts'
import { allNamed, lookUp } from './references.ts'
import { type ConfiguredRoute, contentOf, namedIn, ROUTE } from './routes.ts'

type RoutePut = KeyOfMany & { route: EditedRoute; before: ConfiguredRoute | undefined; after: ConfiguredRoute }

async function list({ trx, by: { org_id } }: Inside, guids: readonly string[]): Promise<ConfiguredRoute[]> {
  return ROUTE.withKeys(trx, org_id, (await listRoutesOf(trx, org_id, guids)).map(routeOf))
}

async function put(inside: Inside, puts: readonly PutOfMany<ConfiguredRoute>[], faults: Faults) {
  const { deps, trx, by } = inside
  const { org_id } = by
  const placed = await placeAll(inside, puts, faults)
  await requireKeysFree(trx, org_id, 'route', placed, faults)
  const created = placed.filter(({ before }) => !before)
  const there = created.length === 0 ? 0 : (await listRoutes(trx, org_id)).length
  for (const [n, { index }] of created.entries()) await faults.during(index, () => requireRoomForRoute(there + n))
  if (!faults.isEmpty) return []
  const held = placed.filter(({ before }) => before)
  await setKeys(trx, org_id, 'route', held)
  await editRoutes(trx, deps, by, held.flatMap(changeOf))
  const rows = created.map(({ id: guid, key = null, route }) => ({ guid, key, route }))
  await createRoutes(trx, deps, by, rows)
  return placed.map(({ after }) => after)
}

async function placeAll(
  { deps, trx, by: { org_id } }: Inside,
  puts: readonly PutOfMany<ConfiguredRoute>[],
  faults: Faults,
): Promise<RoutePut[]> {
  const named: ReturnType<typeof namedIn>[] = []
  const readable: PutOfMany<ConfiguredRoute>[] = []
  for (const one of puts) {
    const its = await faults.during(one.index, () => namedIn(one.input))
    if (its) named.push(its)
    if (its) readable.push(one)
  }
  const known = await lookUp(trx, org_id, await allNamed(named))
  const placed: RoutePut[] = []
  for (const { index, before, input } of readable) {
    const made = await faults.during(index, () => {
      const key = readKey(input)
      const route = requireRoute(contentOf(known, input, before?.item))
      const id = before?.item.guid ?? newGuid(deps.random)
      const whole = { ...route, guid: id, route_id: before?.item.route_id ?? 0 }
      const held = before?.key ?? null
      const after = { item: whole, key: key === undefined ? held : key }
      return { index, id, held, key, route, before, after }
    })
    if (made) placed.push(made)
  }
  return placed
}

/** Returns the change of a route, or nothing if the route stays the same. */
function changeOf({ id: guid, key, route, before, after }: RoutePut) {
  if (!before || ROUTE.versionOf(before) === ROUTE.versionOf(after)) return []
  return [{ guid, route, changed: [...changedFields(route, before.item), ...changedKey(before.key, key)] }]
}

async function remove({ deps, trx, by }: Inside, things: readonly ConfiguredRoute[]): Promise<void> {
  await removeRoutes(
    trx,
    deps,
    by,
    things.map(({ item }) => item),
  )
}

export const MANY_ROUTES = { list, put, remove } satisfies ManyOf<ConfiguredRoute>
