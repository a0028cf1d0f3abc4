// Raises events: stores the alerts for people in the transaction that caused them.
import { newGuid } from '@dogwatch/runtime/ids'
import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  type Audience,
  findHearers,
  findListAudience,
  insertEvents,
  listAudiences,
  lockChannels,
  type NewEvent,
} from '@dogwatch/store/alerting/events'
import { updateEventData } from '@dogwatch/store/alerting/summaries'
import type { Trx } from '@dogwatch/store/database'
import type { Deps } from '../deps.ts'
import { noteSuspects } from '../monitors/holds.ts'
import { type EventDecision, linesOf, write } from '../routing/carry-out.ts'
import { LISTS, newItems } from '../routing/lists.ts'
import { NATURES, natureOf, RECOVERIES } from '../routing/natures.ts'
import { planRaised } from '../routing/plan-raised.ts'
import { answersFor, type Routing, readRouting } from '../routing/routing.ts'
import type { EventType } from './event.ts'

export type EventToRaise = Omit<NewEvent, 'event_id' | 'created_at' | 'type'> & {
  type: EventType
  /** Time at which the problem of the event began, if that was before the event. Delays count from then. */
  lasts_since?: string | undefined
}
type RaisedEvent = EventToRaise & Pick<NewEvent, 'event_id' | 'created_at'>

/**
 * Stores events, with a delivery for each channel that receives them now, and a planned alert for each channel that receives them
 * later. A recovery goes only to channels that have received, or still will receive, the alert about the problem.
 */
export async function raise(
  trx: Trx,
  deps: Pick<Deps, 'clock' | 'random' | 'hold_sources'>,
  toRaise: readonly EventToRaise[],
): Promise<void> {
  // Deliveries about the same subject that already wait get one last attempt first. A reminder goes only to channels where
  // nothing about its subject waits. A recovery also drops the planned alerts about the problem.
  for (const [org_id, given] of Map.groupBy(toRaise, (event) => event.org_id)) {
    const channel_ids = await lockChannels(trx, org_id)
    const now = deps.clock.now()
    const own = given.map((event) => raisedAt(event, deps, now))
    await insertEvents(
      trx,
      own.map(({ lasts_since: _, ...event }) => event),
    )
    // Reminders are written last.
    const ordered = [...own.filter((event) => !isReminder(event)), ...own.filter(isReminder)]
    const routing = await readRouting(trx, deps, { org_id, channel_ids, now }, ordered)
    await noteSuspects(trx, org_id, routing.holds.values(), routing.now)
    await raiseIn(trx, routing, ordered, await decideAll(trx, routing, ordered))
  }
}

/**
 * Raises the reminders that any channel receives now, and returns the others, which quiet hours or routes keep from all channels.
 * Without an enabled channel, raises them all, for readers of the events.
 */
export async function raiseHeard(
  trx: Trx,
  deps: Pick<Deps, 'clock' | 'random' | 'hold_sources'>,
  reminders: readonly EventToRaise[],
): Promise<Set<EventToRaise>> {
  const unheard = new Set<EventToRaise>()
  for (const [org_id, own] of Map.groupBy(reminders, (event) => event.org_id)) {
    const channel_ids = await lockChannels(trx, org_id)
    const now = deps.clock.now()
    const events = own.map((event) => raisedAt(event, deps, now))
    const routing = await readRouting(trx, deps, { org_id, channel_ids, now }, events)
    await noteSuspects(trx, org_id, routing.holds.values(), routing.now)
    const decided = await decideAll(trx, routing, events)
    // Without routes, each reminder goes to every channel, unless a hold applies.
    const mayBeUnheard = routing.routes.length > 0 && channel_ids.length > 0
    const isHeard = ({ answers }: EventDecision) => !mayBeUnheard || answers.some(({ kind }) => kind !== 'never')
    for (const [n, event] of own.entries()) if (decided[n] && !isHeard(decided[n])) unheard.add(event)
    const heard = events.filter((_, n) => decided[n] !== undefined && isHeard(decided[n]))
    if (heard.length === 0) continue
    await insertEvents(trx, heard)
    await raiseIn(trx, routing, heard, decided.filter(isHeard))
  }
  return unheard
}

/** Returns an event raised at `now`. Holds are judged for the same instant, so that both agree at the edge of a window. */
function raisedAt(event: EventToRaise, { random }: Pick<Deps, 'random'>, now: Date): RaisedEvent {
  return { ...event, event_id: newGuid(random), created_at: fromDate(now) }
}

async function raiseIn(
  trx: Trx,
  routing: Routing,
  events: readonly RaisedEvent[],
  decided: readonly EventDecision[],
): Promise<void> {
  await correctSettled(trx, routing, events)
  const ended_by = events.filter(({ type }) => NATURES[type]?.ends)
  await write(trx, routing, planRaised(routing, decided), { ended: ended_by.flatMap(linesOf) })
}

/** Changes waiting check.settled alerts whose check has come up since, because no check.up follows them. */
async function correctSettled(trx: Trx, { org_id, plans }: Routing, events: readonly RaisedEvent[]): Promise<void> {
  const up = new Set(events.flatMap(({ type, subject }) => (type === 'check.up' ? [subject] : [])))
  const waiting = plans.filter(({ type, subject }) => type === 'check.settled' && up.has(subject))
  for (const [event_id, [first]] of Map.groupBy(waiting, (one) => one.event_id)) {
    const { incident_id: _, down_since: __, ...data } = first?.data ?? {}
    await updateEventData(trx, { org_id, event_id }, { ...data, check_state: 'up' })
  }
}

async function decideAll(trx: Trx, routing: Routing, events: readonly RaisedEvent[]): Promise<EventDecision[]> {
  const { org_id, routes } = routing
  // Without routes, a reminder goes to every channel, even to one that was added since the problem began.
  const following = events.filter((event) => !isReminder(event) || routes.length > 0)
  const audiences = await findAudiences(trx, org_id, following)
  return events.map((event): EventDecision => {
    const audience = audiences.get(event)
    const planned_at = event.lasts_since ?? event.created_at
    const known = {
      at: new Date(planned_at),
      isAcknowledged: false,
      told: new Map(),
      audience: audience?.isKnown ? new Set(audience.channel_ids) : undefined,
    }
    return { event, answers: answersFor(event, routing, known), isUntold: true, planned_at }
  })
}

/** Finds the channels that received, or still will receive, the alert that a recovery or reminder follows. */
async function findAudiences(
  trx: Trx,
  org_id: number,
  events: readonly RaisedEvent[],
): Promise<Map<RaisedEvent, Audience | undefined>> {
  const audiences = new Map<RaisedEvent, Audience | undefined>()
  const ofIncidents = events.flatMap((event) =>
    isFollowing(event) && event.incident_id !== undefined ? [{ event, incident_id: event.incident_id }] : [],
  )
  const found = await listAudiences(
    trx,
    org_id,
    ofIncidents.map(({ event, incident_id }) => ({ incident_id, check_id: event.check_id })),
    RECOVERIES,
  )
  for (const { event, incident_id } of ofIncidents) audiences.set(event, found.get(incident_id))
  for (const event of events) {
    const { follows: types } = NATURES[event.type] ?? {}
    const { check_id, data } = event
    if (types && check_id !== undefined)
      audiences.set(event, await findHearers(trx, org_id, { check_id, types, since: String(data.since) }))
    const listing = LISTS[event.type]
    if (listing) audiences.set(event, await findListAudience(trx, org_id, listing, newItems(event.data, listing)))
  }
  return audiences
}

function isReminder({ type }: { type: EventType }): boolean {
  return natureOf(type)?.role === 'reminder'
}

function isFollowing(event: EventToRaise): boolean {
  return isReminder(event) || natureOf(event.type)?.role === 'recovery'
}
