// Decides what to write when events are raised: deliveries for now, planned alerts for later, and which planned alerts end. Pure,
// because replays also use it.
import type { PlannedAlert } from '@dogwatch/store/routing/planned-alerts'
import { type EventDecision, type PendingWrites, plan } from './carry-out.ts'
import { fateOf, LISTS } from './lists.ts'
import { NATURES } from './natures.ts'
import type { RoutedEvent, Routing } from './routing.ts'

export function planRaised(routing: Routing, decided: readonly EventDecision[]): PendingWrites {
  const ended = routing.plans.filter((one) => decided.some(({ event }) => isEndedBy(one, event)))
  const writing = plan({ ...routing, plans: routing.plans.filter((one) => !ended.includes(one)) }, decided)
  writing.dropped.push(...ended)
  writing.put.push(...decided.flatMap((one) => planRest(routing.org_id, one, ended)))
  // Incidents whose alert goes out at once were stored as reported.
  writing.held = writing.held.filter(({ held_by }) => held_by !== null)
  return writing
}

/** Whether an event ends the problem of a planned alert. */
function isEndedBy(one: PlannedAlert, { type, subject, incident_id, data }: RoutedEvent): boolean {
  const ends = NATURES[type]?.ends ?? []
  if (one.subject !== subject || one.incident_id !== (incident_id ?? null)) return false
  const listing = LISTS[type]
  return ends.some((ended) => ended === one.type) && (!listing || fateOf(one.data, data, listing) !== 'keep')
}

/**
 * Plans the event for channels with a planned alert about several problems that are only partly over, because the event lists the
 * others.
 */
function planRest(org_id: number, { event, answers }: EventDecision, ended: readonly PlannedAlert[]): PlanOfRest[] {
  const listing = LISTS[event.type]
  if (!listing) return []
  const hearing = new Set(answers.flatMap(({ kind, channel_id }) => (kind === 'never' ? [] : [channel_id])))
  const waiting = ended.filter(
    (one) =>
      one.subject === event.subject &&
      !hearing.has(one.channel_id) &&
      fateOf(one.data, event.data, listing) === 'replace',
  )
  return [...Map.groupBy(waiting, ({ channel_id }) => channel_id)].flatMap(([channel_id, plans]) => {
    const [first] = plans.toSorted((a, b) => (a.due_at < b.due_at ? -1 : 1))
    if (!first) return []
    const { event_id, subject } = event
    const { due_at, held_by, created_at } = first
    const wait = { incident_id: null, step: 0, severity: null, due_at, held_by, held_until: null, created_at }
    return [{ org_id, event_id, channel_id, subject, ...wait }]
  })
}

type PlanOfRest = ReturnType<typeof plan>['put'][number]
