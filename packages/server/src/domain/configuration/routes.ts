// Reads and changes routes for the configuration API.
import { lockOrganisation } from '../../store/accounts/organisations.ts'
import type { Db } from '../../store/database.ts'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { FieldError } from '../errors.ts'
import {
  createRoute,
  type EditedRoute,
  editRoute,
  placeRoute,
  readRoute,
  readRoutes,
  removeRoute,
} from '../routing/edit.ts'
import type { Quiet, Rotation, Route, Step } from '../routing/route.ts'
import { changedKey, listKeysOf, readKey, requireKeyFree, resolveReference, setKey } from './keys.ts'
import {
  type Input,
  type Kind,
  type Page,
  requireVersion,
  unknownCursor,
  versionFrom,
  type VersionedInput,
} from './kind.ts'
import {
  channelsIn,
  type ResolvedReferences,
  lookUp,
  type ReferencesByKind,
  namedInScope,
  scopeIn,
  scopeToWire,
} from './references.ts'
import { together } from './together.ts'

export interface ConfiguredRoute {
  route: Route
  key: string | null
}

interface WireStep {
  after_sec?: number
  channels?: string[]
  rotation?: { channels: string[]; starts_on: string; at: string; zone: string }
}

/** Returns a page of routes, in their order. `after`: guid of the last route on the previous page. */
async function listConfiguredRoutes(
  deps: Deps,
  org_id: number,
  { limit, after }: Page,
): Promise<{ things: ConfiguredRoute[]; next: string | undefined }> {
  const routes = await readRoutes(deps, org_id)
  const at = after === undefined ? 0 : routes.findIndex(({ guid }) => guid === after) + 1
  if (after !== undefined && at === 0) throw unknownCursor()
  const page = routes.slice(at, at + limit)
  const things = await withKeys(deps.database.people, org_id, page)
  return { things, next: at + limit < routes.length ? page.at(-1)?.guid : undefined }
}

async function readConfiguredRoute(deps: Deps, org_id: number, reference: string): Promise<ConfiguredRoute> {
  const { people } = deps.database
  const route = await readRoute(deps, org_id, await resolveReference(people, org_id, 'route', reference))
  const [found] = await withKeys(people, org_id, [route])
  return found as ConfiguredRoute
}

export async function withKeys(db: Db, org_id: number, routes: readonly Route[]): Promise<ConfiguredRoute[]> {
  const guids = routes.map(({ guid }) => guid)
  const keys = await listKeysOf(db, org_id, 'route', guids)
  return routes.map((route) => ({ route, key: keys.get(route.guid) ?? null }))
}

async function createConfiguredRoute(deps: Deps, by: Editor, input: Input): Promise<ConfiguredRoute> {
  const { org_id, actor } = by
  const key = readKey(input) ?? null
  return together(deps, async (inner, trx) => {
    await lockOrganisation(trx, org_id)
    await requireKeyFree(trx, org_id, 'route', { key })
    const { guid } = await createRoute(inner, org_id, await readContent(trx, org_id, input), actor)
    await setKey(trx, org_id, 'route', { id: guid, key })
    return readConfiguredRoute(inner, org_id, guid)
  })
}

function replaceConfiguredRoute(
  deps: Deps,
  by: Editor,
  reference: string,
  { input, expected }: VersionedInput,
): Promise<ConfiguredRoute> {
  return change(deps, by, reference, expected, (inner, before) => edit(inner, by, before, input, input))
}

function changeConfiguredRoute(
  deps: Deps,
  by: Editor,
  reference: string,
  { input, expected }: VersionedInput,
): Promise<ConfiguredRoute> {
  return change(deps, by, reference, expected, (inner, before) =>
    edit(inner, by, before, input, { ...toWire(before), ...input }),
  )
}

/** Edits a route. `content`: all fields that it will have. */
async function edit(
  inner: Deps,
  by: Editor,
  { route, key: held }: ConfiguredRoute,
  input: Input,
  content: Input,
): Promise<void> {
  const { org_id, actor } = by
  const { people } = inner.database
  const key = readKey(input)
  await setKey(people, org_id, 'route', { id: route.guid, key })
  const wanted = await readContent(people, org_id, content, route)
  await editRoute(inner, { org_id, guid: route.guid }, wanted, actor, changedKey(held, key))
}

/** Moves a route to a position among the others, counted from 1. */
export function moveConfiguredRoute(
  deps: Deps,
  by: Editor,
  reference: string,
  position: number,
): Promise<ConfiguredRoute> {
  return change(deps, by, reference, undefined, async (inner, { route: { guid } }) => {
    await placeRoute(inner, { org_id: by.org_id, guid }, position, by.actor)
  })
}

async function removeConfiguredRoute(
  deps: Deps,
  by: Editor,
  reference: string,
  expected: string | undefined,
): Promise<string> {
  return underLocks(deps, by, reference, expected, async (inner, { route: { guid } }) => {
    await removeRoute(inner, { org_id: by.org_id, guid }, by.actor)
    return guid
  })
}

function change(
  deps: Deps,
  by: Editor,
  reference: string,
  expected: string | undefined,
  apply: (inner: Deps, before: ConfiguredRoute) => Promise<void>,
): Promise<ConfiguredRoute> {
  return underLocks(deps, by, reference, expected, async (inner, before) => {
    await apply(inner, before)
    return readConfiguredRoute(inner, by.org_id, before.route.guid)
  })
}

function underLocks<Result>(
  deps: Deps,
  by: Editor,
  reference: string,
  expected: string | undefined,
  work: (inner: Deps, before: ConfiguredRoute) => Promise<Result>,
): Promise<Result> {
  return together(deps, async (inner, trx) => {
    await lockOrganisation(trx, by.org_id)
    const before = await readConfiguredRoute(inner, by.org_id, reference)
    requireVersion(versionOf(before), expected)
    return work(inner, before)
  })
}

async function readContent(db: Db, org_id: number, input: Input, before?: Route): Promise<EditedRoute> {
  return contentOf(await lookUp(db, org_id, namedIn(input)), input, before)
}

/** Returns the references in a route. */
export function namedIn({ scope, steps }: Input): ReferencesByKind {
  const channels = ((steps ?? []) as readonly WireStep[]).flatMap(
    (step) => step.rotation?.channels ?? step.channels ?? [],
  )
  return { ...namedInScope(scope), channels }
}

/** Returns all fields of the route that a body describes. `known`: items that the body names. */
export function contentOf(known: ResolvedReferences, input: Input, before?: Route): EditedRoute {
  const { name, enabled, scope, events, severity, quiet, delay_sec, steps } = input
  return {
    name: typeof name === 'string' ? name : '',
    enabled: enabled !== false,
    scope: scopeIn(known, scope, before?.scope),
    events: (events ?? []) as EditedRoute['events'],
    severity: (severity ?? null) as EditedRoute['severity'],
    quiet: quietFrom(quiet as (Partial<Quiet> & Omit<Quiet, 'days' | 'holds_down'>) | null | undefined),
    delay_sec: (delay_sec ?? 0) as number,
    steps: stepsIn(known, (steps ?? []) as readonly WireStep[]),
  }
}

function quietFrom(quiet: (Partial<Quiet> & Omit<Quiet, 'days' | 'holds_down'>) | null | undefined): Quiet | null {
  if (!quiet) return null
  const { from, to, zone, days = [], holds_down = false } = quiet
  return { from, to, days, zone, holds_down }
}

function stepsIn(known: ResolvedReferences, steps: readonly WireStep[]): Step[] {
  const named = steps.flatMap((step, n) => {
    const at = `steps[${n}]`
    const { channels, rotation } = step
    if ((channels === undefined) === (rotation === undefined)) {
      throw new FieldError('invalid', at, 'must have channels or a rotation, but not both')
    }
    const field = `${at}.${rotation ? 'rotation.' : ''}channels`
    return (rotation?.channels ?? channels ?? []).map((reference, i) => ({ field: `${field}[${i}]`, reference }))
  })
  const ids = channelsIn(known, named)
  const idsOf = (references: readonly string[]) => references.map((reference) => ids.get(reference) as number)
  return steps.map(({ after_sec = 0, channels = [], rotation }) => {
    if (!rotation) return { after_sec, channel_ids: idsOf(channels) }
    const { channels: turns, starts_on, at, zone } = rotation
    return { after_sec, rotation: { channel_ids: idsOf(turns), starts_on, at, zone } }
  })
}

function toWire({ route, key }: ConfiguredRoute) {
  const { guid, name, enabled, scope, events, severity, quiet, delay_sec, steps } = route
  return {
    guid,
    ...(key !== null && { key }),
    name,
    enabled,
    scope: scopeToWire(scope),
    ...(events.length > 0 && { events: [...events] }),
    ...(severity !== null && { severity }),
    ...(delay_sec > 0 && { delay_sec }),
    ...(quiet && { quiet: quietToWire(quiet) }),
    steps: steps.map(stepToWire),
  }
}

function quietToWire({ from, to, days, zone, holds_down }: Quiet) {
  return { from, to, ...(days.length > 0 && { days: [...days] }), zone, ...(holds_down && { holds_down }) }
}

function stepToWire(step: Step) {
  const after = step.after_sec > 0 && { after_sec: step.after_sec }
  return 'rotation' in step
    ? { ...after, rotation: rotationToWire(step.rotation) }
    : { ...after, channels: step.channel_ids.map(String) }
}

function rotationToWire({ channel_ids, starts_on, at, zone }: Rotation) {
  return { channels: channel_ids.map(String), starts_on, at, zone }
}

/** Returns the version of a route, without its position, because moving one route would change the versions of all. */
function versionOf(configured: ConfiguredRoute): string {
  return versionFrom(toWire(configured))
}

export const ROUTE = {
  name: 'route',
  derived: ['guid'],
  list: listConfiguredRoutes,
  read: readConfiguredRoute,
  create: createConfiguredRoute,
  replace: replaceConfiguredRoute,
  change: changeConfiguredRoute,
  remove: removeConfiguredRoute,
  toWire,
  idOf: ({ route }) => route.guid,
  versionOf,
} satisfies Kind<ConfiguredRoute>
