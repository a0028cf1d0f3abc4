// Decides which channels receive an alert, and when. Pure: raising, releasing, previews and replays use it, and nothing else
// decides.
import type { EventType } from '../events/event.ts'
import type { Hold } from './hold.ts'
import { endOf } from './holds.ts'
import { onCall, quietUntil } from './hours.ts'
import { GROUPS, NATURES, type Nature, SEVERITIES, type Severity } from './natures.ts'
import { type AlertRoute, channelsNamed, covers, type RouteStep, type Subject } from './route.ts'

export interface Alert {
  type: EventType
  /** Time at which the alert was raised. */
  at: Date
  /** Checks and heartbeats that the alert is about. Empty if it is about none. If there are several, one message lists them. */
  subjects: readonly Subject[]
  /** Whether the alert is about more than `subjects`. */
  isPartial?: boolean
  /** Tags of everything that a partial alert (`isPartial`) is about. Undefined if they are unknown. */
  tags?: readonly string[] | undefined
  /** Whether the alert can be acknowledged, and so escalates. */
  hasIncident: boolean
  isAcknowledged: boolean
  /** Channels that received this very alert, and when. */
  told: ReadonlyMap<number, Date>
  /**
   * Channels that were notified of the problem that this alert follows. Undefined if unknown, and for a problem that follows
   * nothing.
   */
  audience?: ReadonlySet<number> | undefined
}

export interface Rules {
  routes: readonly AlertRoute[]
  /** Enabled channels. */
  channel_ids: readonly number[]
  /** Hold of everything that the alert is about. */
  hold?: Hold | undefined
}

interface Basis {
  channel_id: number
  /** Severity from a route. Undefined if the severity of the event type applies. */
  severity?: Severity | undefined
  /** Reason, in words for people. */
  why: string
}

/** Decision for one channel. */
export type RoutingDecision = Basis &
  (
    | { kind: 'now' }
    /** `until` is null if the end is unknown. `by`: last reason for the wait, as it is stored. */
    | { kind: 'wait'; until: Date | null; by: string; step: number }
    | { kind: 'never' }
  )

/** Reason for a wait other than a hold. */
export type Wait = 'delay' | 'quiet' | 'step'

/** Decides, for each enabled channel in order, what happens to the alert at an instant. */
export function decide(alert: Alert, rules: Rules, now: Date): RoutingDecision[] {
  const nature = NATURES[alert.type]
  if (!nature) return rules.channel_ids.map((channel_id) => ({ channel_id, kind: 'now', why: 'sent to all channels' }))
  const follows = nature.role === 'recovery' || nature.role === 'reminder'
  return follows ? decideFollowing(alert, nature, rules, now) : decideNew(alert, nature, rules, now)
}

/** Possible time for an alert on a channel. `at` is in milliseconds, and Infinity if the time is unknown. */
interface Offer {
  channel_id: number
  at: number
  by: string
  step: number
  severity: Severity | null
  why: string
}

function decideNew(alert: Alert, nature: Nature, rules: Rules, now: Date): RoutingDecision[] {
  const enabled = rules.routes.filter((route) => route.enabled)
  const matching = enabled.filter(
    (route) => isInScope(route, alert) && hasGroup(route, nature) && reaches(route, rules),
  )
  const why =
    enabled.length === 0
      ? 'no routes are enabled, so the alert goes to every channel'
      : 'no route matches, so the alert goes to every channel'
  const moment = { alert, nature, rules, now }
  const offers =
    matching.length > 0
      ? matching.flatMap((route) => offersOf(route, moment))
      : rules.channel_ids.map((channel_id): Offer => {
          return {
            channel_id,
            ...timeFor(undefined, alert.at.getTime(), 'delay', moment),
            step: 0,
            severity: null,
            why,
          }
        })
  const byChannel = Map.groupBy(offers, ({ channel_id }) => channel_id)
  return rules.channel_ids.map((channel_id): RoutingDecision => {
    if (alert.told.has(channel_id)) return { channel_id, kind: 'never', why: 'it was already notified' }
    const own = byChannel.get(channel_id) ?? []
    const [first, ...others] = own
    if (!first) return { channel_id, kind: 'never', why: leftOut(alert, matching, channel_id) }
    const best = others.reduce((earliest, offer) => (offer.at < earliest.at ? offer : earliest), first)
    const severity = mostUrgent(own.flatMap((offer) => offer.severity ?? []))
    return answerOf({ ...best, ...(severity && { severity }) }, now)
  })
}

interface Moment {
  alert: Alert
  nature: Nature
  rules: Rules
  now: Date
}

/**
 * Returns the offers of a route: its first step after the delay of the route, and the other steps at their times after the first.
 */
function offersOf(route: AlertRoute, moment: Moment): Offer[] {
  const { alert, nature, rules, now } = moment
  const delay_sec = nature.role === 'trouble' ? route.delay_sec : 0
  const live = route.steps.filter((step) => isLive(step, rules))
  const [first] = live
  if (!first) return []
  const told = channelsNamed(first).flatMap((id) => alert.told.get(id)?.getTime() ?? [])
  const start = timeFor(route, alert.at.getTime() + delay_sec * 1000, 'delay', moment)
  // The steps count from the time at which the first of them really notified a channel.
  const began = told.length > 0 ? Math.min(...told) : start.at
  const steps = alert.hasIncident && !alert.isAcknowledged ? live : [first]
  // If failures wait for a delay, only checks with failures that outlasted it are flapping.
  const isJudgedByTold = delay_sec > 0 && nature.follows?.some((type) => hasGroup(route, NATURES[type] ?? nature))
  const mayHear = (channel_id: number) => !isJudgedByTold || alert.audience?.has(channel_id) !== false
  return steps.flatMap((step, n): Offer[] => {
    const after_sec = step.after_sec - first.after_sec
    const time = n === 0 ? start : timeFor(route, began + after_sec * 1000, 'step', moment)
    const base = { ...time, step: n, severity: route.severity }
    const at = Number.isFinite(time.at) ? time.at : now.getTime()
    return channelsAt(step, at, rules)
      .filter(mayHear)
      .map((channel_id) => ({ ...base, channel_id, why: whyStep(route, n, after_sec) }))
  })
}

/** Returns the first time from `wanted` on that is outside of holds and quiet hours, and the last reason for the wait. */
function timeFor(
  route: AlertRoute | undefined,
  wanted: number,
  by: string,
  { nature, rules: { hold }, now }: Moment,
): { at: number; by: string } {
  const asked = Math.max(wanted, now.getTime())
  const held =
    hold && (endOf(hold) > asked || asked === Infinity) ? { at: endOf(hold), by: hold.by } : { at: asked, by }
  const quiet = Number.isFinite(held.at) && route ? quietEnd(route, nature, held.at) : undefined
  return quiet === undefined ? held : { at: quiet, by: 'quiet' }
}

/**
 * Returns the end of a route's quiet hours at an instant. Returns undefined outside of the quiet hours, or if they do not hold
 * such alerts.
 */
function quietEnd({ quiet }: AlertRoute, { isAboutDown }: Nature, at: number): number | undefined {
  if (!quiet || (isAboutDown && !quiet.holds_down)) return undefined
  return quietUntil(quiet, at)
}

/**
 * Decides about a recovery or reminder. It goes to channels that were notified of the problem, unless their routes exclude it. A
 * reminder is never late, because the next one will follow.
 */
function decideFollowing(alert: Alert, nature: Nature, rules: Rules, now: Date): RoutingDecision[] {
  const { hold } = rules
  const inScope = rules.routes.filter((route) => route.enabled && isInScope(route, alert))
  const isReminder = nature.role === 'reminder'
  return rules.channel_ids.map((channel_id): RoutingDecision => {
    if (alert.told.has(channel_id)) return { channel_id, kind: 'never', why: 'it was already notified' }
    if (alert.audience && !alert.audience.has(channel_id)) {
      return { channel_id, kind: 'never', why: 'was not notified about the problem' }
    }
    const own = inScope.filter(({ steps }) => steps.some((step) => channelsNamed(step).includes(channel_id)))
    const willing = own.filter((route) => hasGroup(route, nature))
    const basis = { channel_id, why: willing[0] ? named(willing[0]) : 'was notified about the problem' }
    if (own.length > 0 && willing.length === 0) {
      return { channel_id, kind: 'never', why: `${named(own[0] as AlertRoute)} excludes "${GROUPS[nature.group]}"` }
    }
    const times = (willing.length > 0 ? willing : [undefined]).map((route) =>
      timeFor(route, now.getTime(), 'delay', { alert, nature, rules, now }),
    )
    const best = times.reduce((earliest, time) => (time.at < earliest.at ? time : earliest))
    if (isReminder && best.at > now.getTime()) {
      return {
        ...basis,
        kind: 'never',
        why: `reminders are paused: ${hold && best.by === hold.by ? hold.words : 'quiet hours'}`,
      }
    }
    const severity = isReminder ? mostUrgent(willing.flatMap((route) => route.severity ?? [])) : undefined
    return answerOf({ ...basis, ...best, step: 0, ...(severity && { severity }) }, now)
  })
}

function answerOf(
  { at, by, step, ...basis }: Omit<Offer, 'severity'> & { severity?: Severity | null },
  now: Date,
): RoutingDecision {
  const { channel_id, why, severity } = basis
  const given = { channel_id, why, ...(severity && { severity }) }
  if (at <= now.getTime()) return { ...given, kind: 'now' }
  return { ...given, kind: 'wait', until: Number.isFinite(at) ? new Date(at) : null, by, step }
}

function isInScope({ scope }: AlertRoute, { subjects, isPartial, tags }: Alert): boolean {
  if ('all' in scope || subjects.some((subject) => covers(scope, subject))) return true
  if (!isPartial) return false
  if ('tags' in scope) return tags === undefined || tags.some((tag) => scope.tags.includes(tag))
  // Checks that are not listed could be any that the monitor runs, and the scope was compared only with the listed ones.
  return scope.checks.length > 0
}

/** Whether a route applies to the group of an alert. */
export function hasGroup({ events }: Pick<AlertRoute, 'events'>, { group, also }: Nature): boolean {
  return events.length === 0 || events.includes(group) || (also !== undefined && events.includes(also))
}

/** Whether a route has an enabled channel. A route without one matches nothing, so that its alerts are not lost. */
function reaches({ steps }: AlertRoute, rules: Rules): boolean {
  return steps.some((step) => isLive(step, rules))
}

function isLive(step: RouteStep, { channel_ids }: Rules): boolean {
  return channelsNamed(step).some((id) => channel_ids.includes(id))
}

/** Returns the channels of a step at an instant. If the channel on call is disabled, the next enabled one replaces it. */
function channelsAt(step: RouteStep, at: number, { channel_ids }: Rules): number[] {
  if (!('rotation' in step)) return step.channel_ids.filter((id) => channel_ids.includes(id))
  const { rotation } = step
  const turn = onCall(rotation, at)
  const order = [...rotation.channel_ids.slice(turn), ...rotation.channel_ids.slice(0, turn)]
  return order.filter((id) => channel_ids.includes(id)).slice(0, 1)
}

function mostUrgent(severities: readonly Severity[]): Severity | undefined {
  return SEVERITIES.find((severity) => severities.includes(severity))
}

function named({ name }: Pick<AlertRoute, 'name'>): string {
  return `route "${name}"`
}

function whyStep(route: AlertRoute, step: number, after_sec: number): string {
  return step === 0
    ? named(route)
    : `${named(route)}, step ${step + 1}: not acknowledged after ${Math.round(after_sec / 60)} min`
}

/** Returns why an alert does not go to a channel, although a route matches it. */
function leftOut({ hasIncident, isAcknowledged }: Alert, matching: readonly AlertRoute[], channel_id: number): string {
  const own = matching.find(({ steps }) => steps.some((step) => channelsNamed(step).includes(channel_id)))
  if (!own) return 'no matching route includes this channel'
  if (own.steps.some((step) => 'rotation' in step && step.rotation.channel_ids.includes(channel_id))) {
    return `${named(own)}: another channel is on call this week`
  }
  if (isAcknowledged) return `${named(own)} stopped because the incident is acknowledged`
  return hasIncident ? `${named(own)} does not reach this channel` : `${named(own)} only escalates incidents`
}
