// Reads and changes routes for the configuration API.
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { FieldError } from '../errors.ts'
import {
  createRoute,
  type EditedRoute,
  editRoute,
  moveRoute,
  readRoute,
  readRoutes,
  removeRoute,
} from '../routing/edit.ts'
import type { AlertRoute, Quiet, Rotation, RouteStep } from '../routing/route.ts'
import { type Input, versionFrom } from './kind.ts'
import { type KeyedItem, listedKind } from './listed-kind.ts'
import {
  channelsIn,
  namedInScope,
  type ReferencesByKind,
  type ResolvedReferences,
  scopeIn,
  scopeToWire,
} from './references.ts'

export type ConfiguredRoute = KeyedItem<AlertRoute>

interface WireStep {
  after_sec?: number
  channels?: string[]
  rotation?: { channels: string[]; starts_on: string; at: string; zone: string }
}

/** Returns the references in a route. */
export function namedIn({ scope, steps }: Input): ReferencesByKind {
  const channels = ((steps ?? []) as readonly WireStep[]).flatMap(
    (step) => step.rotation?.channels ?? step.channels ?? [],
  )
  return { ...namedInScope(scope), channels }
}

/** Returns all fields of the route that a body describes. `known`: items that the body names. */
export function contentOf(known: ResolvedReferences, input: Input, before?: AlertRoute): EditedRoute {
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

function stepsIn(known: ResolvedReferences, steps: readonly WireStep[]): RouteStep[] {
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

function toWire({ item, key }: ConfiguredRoute) {
  const { guid, name, enabled, scope, events, severity, quiet, delay_sec, steps } = item
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

function stepToWire(step: RouteStep) {
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

export const ROUTE = listedKind({
  name: 'route',
  derived: ['guid'],
  readAll: readRoutes,
  readOne: readRoute,
  createOne: createRoute,
  editOne: editRoute,
  removeOne: removeRoute,
  namedIn,
  contentOf,
  toWire,
  versionOf,
})

/** Moves a route to a position among the others, counted from 1. */
export function moveConfiguredRoute(
  deps: Deps,
  by: Editor,
  reference: string,
  position: number,
): Promise<ConfiguredRoute> {
  return ROUTE.changeBy(deps, by, { reference }, (inner, { item: { guid } }) =>
    moveRoute(inner, { org_id: by.org_id, guid }, { position }, by.actor),
  )
}
