// Carries out decisions about events: writes deliveries for now and planned alerts for later, and drops planned alerts that no
// longer apply.

import { channelKinds } from '@dogwatch/channels/registry'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { type FanOut, insertDeliveries, lineOf, supersedeDeliveries } from '@dogwatch/store/alerting/events'
import type { Trx } from '@dogwatch/store/database'
import {
  deletePlans,
  type HeldIncident,
  type NewPlan,
  type PlanKey,
  putPlans,
  updateIncidentsHeld,
} from '@dogwatch/store/routing/planned-alerts'
import type { RoutingDecision } from './decide.ts'
import { NATURES, natureOf } from './natures.ts'
import type { RoutedEvent, Routing } from './routing.ts'

/** An event with the decision for each channel. Lists of these are in the order of raising. */
export interface EventDecision {
  event: RoutedEvent
  answers: readonly RoutingDecision[]
  /** Whether no channel was notified of the event before. */
  isUntold: boolean
  /** Time at which the event was raised or planned. */
  planned_at: string
}

interface NewDelivery {
  event_id: string
  channel_id: number
  severity: string | null
  subject: string
  incident_id: string | null
}

/** Kinds of channels whose receivers open and close incidents. */
export const KEEPERS = channelKinds().flatMap(({ name, keepsIncidents }) => (keepsIncidents === true ? [name] : []))
/** Types of events that a receiver that opens and closes incidents assigns to the incident itself. */
const OF_INCIDENTS = Object.entries(NATURES).flatMap(([type, nature]) => (nature?.isAboutDown === true ? [type] : []))

/**
 * Returns the lines of deliveries about a subject. Deliveries of one line reach a channel one after the other. Receivers that
 * open and close incidents have one line for each incident.
 */
export function linesOf({ subject, incident_id }: { subject: string; incident_id?: string | null }): string[] {
  return incident_id == null ? [subject] : [subject, lineOf(subject, incident_id)]
}

/** Everything to write for some decisions. */
export interface PendingWrites {
  /** Deliveries for now, in the order of sending. */
  sent: NewDelivery[]
  /** Reminders, which go out only if nothing about the subject waits. */
  reminders: NewDelivery[]
  put: NewPlan[]
  dropped: PlanKey[]
  held: HeldIncident[]
}

/**
 * Maximum time until a held alert is decided again, in milliseconds. A hold can end early, and another can begin. A change of
 * holds wakes waiting alerts, but not those that another transaction is about to plan.
 */
const ASK_AGAIN_MS = 300_000
/** Time until the next decision about an alert if the end of its hold is unknown, in milliseconds. */
const ASK_SOON_MS = 30_000

export function plan(routing: Routing, decided: readonly EventDecision[]): PendingWrites {
  const { org_id, now } = routing
  const writing: PendingWrites = { sent: [], reminders: [], put: [], dropped: [], held: [] }
  const waiting = new Map(routing.plans.map((one) => [keyOf(one), one]))
  const order = [...new Set(routing.plans.map((one) => one.event_id))]
  for (const { event, answers, isUntold, planned_at } of decided) {
    const { event_id, subject, incident_id = null } = event
    const isReminder = natureOf(event.type)?.role === 'reminder'
    for (const answer of answers) {
      const key = { event_id, channel_id: answer.channel_id }
      const line = { subject, incident_id }
      const { severity = null } = answer
      if (answer.kind === 'wait') {
        const { step, by: held_by, until } = answer
        const due_at = fromDate(askAt(answer, now))
        const held_until = isOwn(held_by) || until === null ? null : fromDate(until)
        writing.put.push({
          org_id,
          ...key,
          subject,
          incident_id,
          step,
          severity,
          due_at,
          held_by,
          held_until,
          created_at: planned_at,
        })
        continue
      }
      if (waiting.delete(keyOf(key))) writing.dropped.push(key)
      if (answer.kind === 'never') continue
      const newer = new Set(order.includes(event_id) ? order.slice(order.indexOf(event_id)) : [])
      if (!isReminder) takeAlong(writing, waiting, { event, newer }, answer.channel_id)
      writing[isReminder ? 'reminders' : 'sent'].push({ ...key, severity, ...line })
    }
    writing.held.push(...heldOf(event, answers, isUntold))
  }
  return writing
}

/** Returns the time at which a planned alert is decided again. */
function askAt({ until, by }: Extract<RoutingDecision, { kind: 'wait' }>, now: Date): Date {
  const at = until?.getTime() ?? now.getTime() + ASK_SOON_MS
  return new Date(isOwn(by) ? at : Math.min(at, now.getTime() + ASK_AGAIN_MS))
}

/** Whether an alert waits because of its route, and not because of a hold. */
function isOwn(by: string): boolean {
  return by === 'delay' || by === 'quiet' || by === 'step'
}

/**
 * Handles earlier alerts that wait on the channel about the same subject: sends recoveries first, to keep the order, and drops
 * the others, because the newer alert replaces them. `newer`: events raised later, whose alerts keep waiting.
 */
function takeAlong(
  writing: PendingWrites,
  waiting: Map<string, Routing['plans'][number]>,
  { event, newer }: { event: RoutedEvent; newer: ReadonlySet<string> },
  channel_id: number,
): void {
  for (const [key, older] of waiting) {
    if (newer.has(older.event_id)) return
    if (older.subject !== event.subject || older.channel_id !== channel_id) continue
    const { event_id, subject, incident_id } = older
    waiting.delete(key)
    writing.dropped.push({ event_id, channel_id })
    if (natureOf(older.type)?.role === 'recovery')
      writing.sent.push({ event_id, channel_id, severity: null, subject, incident_id })
  }
}

/** Returns why no channel was notified of an incident yet, or null as the reason if an alert goes out now. */
function heldOf(
  { type, incident_id }: RoutedEvent,
  answers: readonly RoutingDecision[],
  isUntold: boolean,
): HeldIncident[] {
  if (incident_id === undefined || !isUntold || natureOf(type)?.role !== 'trouble') return []
  if (answers.some(({ kind }) => kind === 'now')) return [{ incident_id, held_by: null }]
  const waits = answers.flatMap((answer) => (answer.kind === 'wait' ? [answer] : []))
  const [first] = waits.toSorted((a, b) => (a.until?.getTime() ?? Infinity) - (b.until?.getTime() ?? Infinity))
  return first ? [{ incident_id, held_by: first.by }] : []
}

/** Writes everything that decisions require. `ended`: lines of the subjects that have recovered. */
export async function write(
  trx: Trx,
  { org_id, now }: Pick<Routing, 'org_id' | 'now'>,
  writing: PendingWrites,
  { ended, created_at }: { ended: readonly string[]; created_at?: string },
): Promise<void> {
  const fanOut = (sent: readonly NewDelivery[], quietOnly: boolean): FanOut => {
    return {
      org_id,
      sent,
      quietOnly,
      keepers: KEEPERS,
      of_incidents: OF_INCIDENTS,
      ...(created_at !== undefined && { created_at }),
    }
  }
  const at = fromDate(now)
  await deletePlans(trx, org_id, writing.dropped)
  await putPlans(trx, writing.put)
  await updateIncidentsHeld(trx, org_id, writing.held, at)
  // If several deliveries to one channel are about one subject, the last one supersedes the others, as it does those that already
  // wait there.
  const last = new Map(writing.sent.map((one) => [`${one.channel_id} ${one.subject}`, one]))
  const isLast = (one: NewDelivery) => last.get(`${one.channel_id} ${one.subject}`) === one
  const before = writing.sent.filter((one) => !isLast(one))
  // The alerts before the last ones get their deliveries first, because they waited until now.
  if (before.length > 0) await insertDeliveries(trx, { ...fanOut(before, false), created_at: at })
  const rest = writing.sent.filter(isLast)
  const newer = rest.flatMap((one) => linesOf(one).map((line) => ({ line, channel_id: one.channel_id })))
  await supersedeDeliveries(trx, org_id, { sent: newer, ended }, at)
  if (rest.length > 0) await insertDeliveries(trx, fanOut(rest, false))
  if (writing.reminders.length > 0) await insertDeliveries(trx, fanOut(writing.reminders, true))
}

export function keyOf({ event_id, channel_id }: PlanKey): string {
  return `${event_id} ${channel_id}`
}
