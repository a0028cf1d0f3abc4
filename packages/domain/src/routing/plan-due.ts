// Decides what to write when waiting alerts are due. Pure, because replays also use it.
import type { PlannedAlert } from '@dogwatch/store/routing/planned-alerts'
import { type EventDecision, type PendingWrites, plan } from './carry-out.ts'
import type { RoutingDecision } from './decide.ts'
import { natureOf } from './natures.ts'
import { answersFor, type RoutedEvent, type Routing } from './routing.ts'

/** An event with an alert that is due, and all planned alerts about the event. */
export interface DueEvent {
  event: RoutedEvent
  plans: readonly PlannedAlert[]
  /** Whether the event is still true: its problem is not over, and its subject was not paused or deleted. */
  isTrue: boolean
  told: ReadonlyMap<number, Date>
}

export function planDue(routing: Routing, events: readonly DueEvent[]): PendingWrites {
  const gone = events.filter(({ isTrue }) => !isTrue).flatMap(({ plans }) => plans)
  const rest = {
    ...routing,
    plans: routing.plans.filter((one) => !gone.some(({ event_id }) => event_id === one.event_id)),
  }
  const decided = events.filter(({ isTrue }) => isTrue).map((due) => decideDue(due, rest))
  const writing = plan(rest, decided)
  // Planned alerts without a decision are for channels that were disabled or deleted.
  const answered = new Set(
    decided.flatMap(({ event, answers }) => answers.map(({ channel_id }) => `${event.event_id} ${channel_id}`)),
  )
  const orphans = events.flatMap(({ plans }) =>
    plans.filter((one) => !answered.has(`${one.event_id} ${one.channel_id}`)),
  )
  writing.dropped.push(...orphans)
  return writing
}

function decideDue({ event, plans, told }: DueEvent, routing: Routing): EventDecision {
  const [first] = plans
  const planned_at = plans.reduce(
    (oldest, { created_at }) => (created_at < oldest ? created_at : oldest),
    first?.created_at ?? '',
  )
  const nature = natureOf(event.type)
  const isTrouble = nature?.role !== 'recovery' && nature?.follows === undefined
  const known = {
    at: new Date(planned_at),
    isAcknowledged: first?.is_acknowledged === true,
    told,
    audience: isTrouble ? undefined : new Set(plans.map(({ channel_id }) => channel_id)),
  }
  // A recovery, or an event that follows others, goes only to channels for which it was planned. A problem goes where the routes
  // now say, so that it is not lost if a channel is deleted.
  const planned = new Set(plans.map(({ channel_id }) => channel_id))
  const mayHear = ({ channel_id }: RoutingDecision) => isTrouble || planned.has(channel_id)
  return { event, answers: answersFor(event, routing, known).filter(mayHear), isUntold: told.size === 0, planned_at }
}
