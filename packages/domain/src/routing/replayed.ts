// Passes the alerts of a replay through routes and holds, channel by channel, by the rules that decide about real alerts. It
// keeps waiting alerts, as planned_alerts does, and nothing about alerts that are over.
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { PlannedAlert } from '@dogwatch/store/routing/planned-alerts'
import type { EventType } from '../events/event.ts'
import type { EventDecision, PendingWrites } from './carry-out.ts'
import type { Hold } from './hold.ts'
import { natureOf } from './natures.ts'
import { planDue } from './plan-due.ts'
import { planRaised } from './plan-raised.ts'
import type { AlertRoute, Subject } from './route.ts'
import { answersFor, type RoutedEvent, type Routing } from './routing.ts'

export interface ReplayedRouting {
  routes: readonly AlertRoute[]
  /** Enabled channels. */
  channel_ids: readonly number[]
  /** Check of the replay. */
  subject: Subject
  /** Returns what holds the alerts of the check at an instant. It is called for one instant after another. */
  holdAt(now: Date): Hold | undefined
}

/** Number of alerts that each channel received, by type. */
export type AlertCounts = ReadonlyMap<number, ReadonlyMap<EventType, number>>

const SUBJECT = 'check'

export class RoutedAlerts {
  readonly #given: ReplayedRouting
  readonly #from_ms: number
  readonly #heard = new Map<number, Map<EventType, number>>()
  #plans: PlannedAlert[] = []
  /** Times at which channels received events that still have waiting alerts, by event. */
  readonly #told = new Map<string, Map<number, Date>>()
  /** Channels that were notified of the newest incident. */
  #audience = new Set<number>()
  /** Time at which each channel last received an event of a type, in milliseconds. */
  readonly #told_ms = new Map<EventType, Map<number, number>>()
  #incident = 0
  #isOpen = false
  #isHeld = false
  #events = 0

  /** `from_ms`: alerts before this time are not counted. */
  constructor(given: ReplayedRouting, from_ms = -Infinity) {
    this.#given = given
    this.#from_ms = from_ms
  }

  get heard(): AlertCounts {
    return this.#heard
  }

  /** Whether no channel was notified of the open incident yet. */
  get isHeld(): boolean {
    return this.#isHeld
  }

  /** Whether any channel received a flapping alert since an instant. */
  isFlappingTold(since: string): boolean {
    return this.#hearersOf(['check.flapping'], since).size > 0
  }

  /** Time at which a waiting alert is decided again, in milliseconds. Infinity if none waits. */
  get nextDue_ms(): number {
    return this.#plans.reduce((least, { due_at }) => Math.min(least, Date.parse(due_at)), Infinity)
  }

  open(isHeld: boolean): void {
    this.#incident++
    this.#isOpen = true
    this.#isHeld = isHeld
    this.#audience = new Set()
  }

  close(): void {
    this.#isOpen = false
    this.#isHeld = false
  }

  /** Releases the open incident, because the check has settled and the incident is reported now. */
  unhold(): void {
    this.#isHeld = false
  }

  /** Raises events. `flapping`: since when the check is or was flapping, and when it last changed. */
  raise(types: readonly EventType[], now: Date, flapping?: { since: string; changed_at: string }): void {
    const events = types.map((type) => this.#event(type))
    const routing = this.#routing(events, now)
    const decided = events.map((event) => this.#decide(event, routing, flapping))
    this.#apply(planRaised(routing, decided), new Map(events.map((event) => [event.event_id, event])), now)
  }

  /** Whether a reminder at an instant has to wait, because a hold applies or no channel would receive it. */
  isPutOff(now: Date): boolean {
    const { routes, channel_ids, holdAt } = this.#given
    if (holdAt(now)) return true
    if (routes.length === 0 || channel_ids.length === 0) return false
    const event = this.#event('check.reminder')
    return this.#decide(event, this.#routing([event], now)).answers.every(({ kind }) => kind === 'never')
  }

  /**
   * Sends `times` reminders. Decides about the first, and sends the others to the same channels. `counted`: number to count if
   * there are several.
   */
  remind(now: Date, times: number, counted: number): void {
    const event = this.#event('check.reminder')
    const { answers } = this.#decide(event, this.#routing([event], now))
    for (const { kind, channel_id } of answers) {
      if (kind !== 'now') continue
      this.#audience.add(channel_id)
      this.#count(channel_id, event.type, times > 1 ? counted : now.getTime() >= this.#from_ms ? 1 : 0)
    }
  }

  /** Decides again about alerts that are due. Returns whether a channel was notified of the open incident for the first time. */
  release(now: Date): boolean {
    const at = fromDate(now)
    const wasHeld = this.#isHeld
    const byEvent = Map.groupBy(this.#plans, ({ event_id }) => event_id)
    const due = [...byEvent.values()].filter((own) => own.some(({ due_at }) => due_at <= at))
    const events = due.map((own) => {
      const [first] = own as [PlannedAlert]
      const { event_id, type, subject, incident_id, data } = first
      const isTrue =
        natureOf(type)?.role === 'recovery' ||
        incident_id === null ||
        (this.#isOpen && incident_id === String(this.#incident))
      const event: RoutedEvent = {
        event_id,
        type: type as EventType,
        subject,
        data,
        ...(incident_id !== null && { incident_id }),
      }
      return { event, plans: own, isTrue, told: this.#told.get(event_id) ?? new Map<number, Date>() }
    })
    const routing = this.#routing(
      events.map(({ event }) => event),
      now,
    )
    const known = new Map(events.map(({ event }) => [event.event_id, event]))
    this.#apply(planDue(routing, events), known, now)
    return wasHeld && !this.#isHeld
  }

  #event(type: EventType): RoutedEvent {
    const event_id = String(this.#events++).padStart(12, '0')
    const isOfIncident = type !== 'check.flapping' && type !== 'check.settled'
    const data = { check: { guid: this.#given.subject.guid } }
    return { event_id, type, subject: SUBJECT, data, ...(isOfIncident && { incident_id: String(this.#incident) }) }
  }

  #routing(events: readonly RoutedEvent[], now: Date): Routing {
    const { routes, channel_ids, subject, holdAt } = this.#given
    const hold = holdAt(now)
    return {
      org_id: 0,
      now,
      channel_ids,
      routes,
      plans: this.#plans,
      tags: new Map([[subject.guid, subject.tags]]),
      holds: new Map(hold ? events.map(({ event_id }) => [event_id, hold]) : []),
    }
  }

  #decide(event: RoutedEvent, routing: Routing, flapping?: { since: string; changed_at: string }): EventDecision {
    const { role, follows } = natureOf(event.type) ?? {}
    const isFollowing = role === 'recovery' || (role === 'reminder' && routing.routes.length > 0)
    const ofIncident = isFollowing ? this.#audience : undefined
    const audience = follows && flapping ? this.#hearersOf(follows, flapping.since) : ofIncident
    const at = flapping && event.type === 'check.down' ? new Date(flapping.changed_at) : routing.now
    const known = { at, isAcknowledged: false, told: new Map<number, Date>(), audience }
    return { event, answers: answersFor(event, routing, known), isUntold: true, planned_at: fromDate(at) }
  }

  #hearersOf(types: readonly EventType[], since: string): Set<number> {
    const told = types.flatMap((type) => [...(this.#told_ms.get(type) ?? [])])
    return new Set(told.flatMap(([channel_id, at]) => (at >= Date.parse(since) ? [channel_id] : [])))
  }

  #apply(writing: PendingWrites, events: ReadonlyMap<string, RoutedEvent>, now: Date): void {
    const known = new Map([...this.#plans, ...events.values()].map(({ event_id, type }) => [event_id, type]))
    const put = new Map(writing.put.map((one) => [`${one.event_id} ${one.channel_id}`, one]))
    const dropped = new Set(writing.dropped.map((one) => `${one.event_id} ${one.channel_id}`))
    const kept = this.#plans.flatMap((one): PlannedAlert[] => {
      const key = `${one.event_id} ${one.channel_id}`
      const moved = put.get(key)
      put.delete(key)
      if (dropped.has(key)) return []
      return [moved ? { ...one, due_at: moved.due_at, held_by: moved.held_by } : one]
    })
    const added = [...put.values()].map(({ event_id, channel_id, incident_id, due_at, held_by, created_at }) => {
      const { type = '', data = {} } = events.get(event_id) ?? {}
      const rest = { check_id: null, is_over: false, is_acknowledged: false, raised_at: created_at, created_at }
      return { event_id, channel_id, subject: SUBJECT, incident_id, due_at, held_by, type, data, ...rest }
    })
    this.#plans = [...kept, ...added].toSorted((a, b) =>
      a.event_id < b.event_id ? -1 : a.event_id > b.event_id ? 1 : 0,
    )
    for (const { event_id, channel_id } of [...writing.sent, ...writing.reminders]) {
      this.#hear(event_id, channel_id, known.get(event_id) as EventType, now)
    }
    for (const { held_by } of writing.held) this.#isHeld = held_by !== null
    const waiting = new Set(this.#plans.map(({ event_id }) => event_id))
    for (const event_id of this.#told.keys()) if (!waiting.has(event_id)) this.#told.delete(event_id)
  }

  #hear(event_id: string, channel_id: number, type: EventType, now: Date): void {
    const told = this.#told.get(event_id)
    if (told) told.set(channel_id, now)
    else this.#told.set(event_id, new Map([[channel_id, now]]))
    if (type === 'check.down') this.#audience.add(channel_id)
    this.#told_ms.set(type, (this.#told_ms.get(type) ?? new Map<number, number>()).set(channel_id, now.getTime()))
    if (now.getTime() >= this.#from_ms) this.#count(channel_id, type, 1)
  }

  #count(channel_id: number, type: EventType, times: number): void {
    if (times <= 0) return
    const own = this.#heard.get(channel_id)
    if (own) own.set(type, (own.get(type) ?? 0) + times)
    else this.#heard.set(channel_id, new Map([[type, times]]))
  }
}
