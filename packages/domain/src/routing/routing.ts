// Reads the routes, holds and planned alerts that decide about events of an organisation, and decides about each event.
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Trx } from '@dogwatch/store/database'
import { type RouteRow, readRoutingMarks } from '@dogwatch/store/routing/marks'
import { listPlansOf, type PlannedAlert } from '@dogwatch/store/routing/planned-alerts'
import { listCheckIdsOf, listTagsOf } from '@dogwatch/store/routing/subjects'
import type { Deps } from '../deps.ts'
import type { EventType } from '../events/event.ts'
import { findFailingChecks } from '../monitors/failing-checks.ts'
import { type EventSubject, isList, isPartial, namedIn, runnerOf, tagsTouched } from './about.ts'
import { type Alert, decide, type RoutingDecision } from './decide.ts'
import { findHolds, type Hold, holdOfAll, isAnythingHeld } from './holds.ts'
import { natureOf } from './natures.ts'
import { type AlertRoute, readScope } from './route.ts'

/** Dependencies of routing: only what raising needs, so that it can be called from anywhere. */
export type RoutingDeps = Pick<Deps, 'clock' | 'hold_sources'>

/** An event, with the fields that decide which channels receive it. */
export interface RoutedEvent {
  event_id: string
  type: EventType
  /** Subject of the event, such as `check:7`. */
  subject: string
  incident_id?: string | undefined
  data: Record<string, unknown>
}

/** Everything that decides about some events at one instant. */
export interface Routing {
  org_id: number
  now: Date
  channel_ids: readonly number[]
  routes: readonly AlertRoute[]
  /** Planned alerts about the same subjects, in the order of raising. */
  plans: readonly PlannedAlert[]
  tags: ReadonlyMap<string, readonly string[]>
  /** Holds of the events, by id of the event. */
  holds: ReadonlyMap<string, Hold>
}

/**
 * Reads the routing of some events, in one statement if the organisation has no routes, holds or planned alerts. The caller must
 * hold the locks of the subjects and the channels.
 */
export async function readRouting(
  trx: Trx,
  deps: RoutingDeps,
  { org_id, channel_ids, now }: Pick<Routing, 'org_id' | 'channel_ids' | 'now'>,
  events: readonly RoutedEvent[],
): Promise<Routing> {
  const subjects = [...new Set(events.map(({ subject }) => subject))]
  const named = events.flatMap(({ data }) => namedIn(data))
  const guids = named.map(({ guid }) => guid)
  const runners = events.flatMap(({ data }) => runnerOf(data) ?? [])
  const marks = await readRoutingMarks(trx, org_id, { subjects, guids, runners }, fromDate(now))
  const routes = marks.routes.map(routeOf)
  const hasTags = routes.some(({ scope }) => 'tags' in scope)
  return {
    org_id,
    now,
    channel_ids,
    routes,
    plans: marks.has_plans ? await listPlansOf(trx, org_id, subjects) : [],
    tags: hasTags ? await listTagsOf(trx, org_id, guids) : new Map(),
    holds: isAnythingHeld(deps, marks) ? await holdsOfEvents(trx, deps, { org_id, marks, now }, events) : new Map(),
  }
}

type HoldContext = Pick<Parameters<typeof findHolds>[2], 'org_id' | 'marks'> & { now: Date }

async function holdsOfEvents(
  trx: Trx,
  deps: RoutingDeps,
  { org_id, marks, now }: HoldContext,
  events: readonly RoutedEvent[],
): Promise<ReadonlyMap<string, Hold>> {
  const lists = events.filter(({ data }) => isList(data))
  const ids = await listCheckIdsOf(
    trx,
    org_id,
    lists.flatMap(({ data }) => namedIn(data).map(({ guid }) => guid)),
  )
  const listed = (data: RoutedEvent['data']) => namedIn(data).flatMap(({ guid }) => checkKey(ids.get(guid)))
  const held = new Map(
    events.map(({ event_id, subject, data }) => {
      const isWhole = isList(data) && !isPartial(data)
      return [event_id, isWhole ? listed(data) : [heldAs(subject)]] as const
    }),
  )
  for (const { event_id, data } of lists.filter((one) => isPartial(one.data))) {
    // If a listed check is not held, only a hold of the whole subject can apply. Otherwise the checks that are not listed are
    // looked up.
    const known = listed(data)
    const holds = await findHolds(trx, deps, { org_id, marks, subjects: known, areListed: true }, now)
    const runner = runnerOf(data)
    if (runner === undefined || !holdOfAll(known, holds)) continue
    const failing = await findFailingChecks(trx, org_id, runner, now)
    held.set(event_id, [...new Set([...known, ...failing.flatMap(checkKey)])])
  }
  const findFor = async (which: readonly RoutedEvent[], areListed: boolean) => {
    const subjects = which.flatMap(({ event_id }) => held.get(event_id) ?? [])
    const holds = await findHolds(trx, deps, { org_id, marks, subjects, areListed }, now)
    return which.flatMap(({ event_id }) => {
      const hold = holdOfAll(held.get(event_id) ?? [], holds)
      return hold ? [[event_id, hold] as const] : []
    })
  }
  const others = events.filter((event) => !lists.includes(event))
  return new Map([...(await findFor(others, false)), ...(await findFor(lists, true))])
}

function checkKey(check_id: number | undefined): string[] {
  return check_id === undefined ? [] : [`check:${check_id}`]
}

/**
 * Returns the subject whose holds apply: `check:7` for `check:7:slow`, which has a subject of its own only to keep its alerts in
 * order.
 */
function heldAs(subject: string): string {
  return subject.split(':').slice(0, 2).join(':')
}

/** Returns what holds each of some subjects of an organisation now. */
export async function findHoldsOf(
  trx: Trx,
  deps: RoutingDeps,
  org_id: number,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, Hold>> {
  const now = deps.clock.now()
  const marks = await readRoutingMarks(trx, org_id, { subjects, guids: [] }, fromDate(now))
  return findHolds(trx, deps, { org_id, marks, subjects }, now)
}

/** State of an alert that its event does not contain. */
export type AlertState = Pick<Alert, 'at' | 'isAcknowledged' | 'told' | 'audience'>

/** Decides, for each enabled channel, what happens to an event now. */
export function answersFor(event: RoutedEvent, routing: Routing, known: AlertState): RoutingDecision[] {
  const { routes, channel_ids, now, tags } = routing
  const subjects = namedIn(event.data).map((one: EventSubject) => ({ ...one, tags: tags.get(one.guid) ?? [] }))
  const about = { subjects, isPartial: isPartial(event.data), tags: tagsTouched(event.data) }
  const alert: Alert = { ...known, type: event.type, ...about, hasIncident: hasIncident(event) }
  return decide(alert, { routes, channel_ids, hold: routing.holds.get(event.event_id) }, now)
}

/** Whether an event has an incident that someone can acknowledge. A degraded check has none. */
function hasIncident(event: RoutedEvent): boolean {
  return event.incident_id !== undefined && natureOf(event.type)?.isAboutDown === true
}

/** Converts a stored route without validation, because only validated routes are stored. */
export function routeOf(row: RouteRow): AlertRoute {
  return { ...(row as unknown as AlertRoute), scope: readScope(row.scope) }
}
