// Decides who hears of an alert, and when. Pure: raising, releasing, previews and replays ask it, and nothing else decides.
import type { EventType } from '../events/event.ts'
import type { Hold } from './hold.ts'
import { endOf } from './holds.ts'
import { onCall, quietUntil } from './hours.ts'
import { GROUPS, NATURES, type Nature, type Severity, SEVERITIES } from './natures.ts'
import { channelsNamed, covers, type Route, type Step, type Subject } from './route.ts'

export interface Alert {
  type: EventType
  /** When it was raised. */
  at: Date
  /** Empty: it is about no check and no heartbeat. Several: one message lists them. */
  subjects: readonly Subject[]
  /** It is about more than these. */
  isPartial?: boolean
  /** The tags of all that it is about, when it is about more than `subjects`; undefined: they are not known. */
  tags?: readonly string[] | undefined
  /** Whether it can be acknowledged, and so escalates. */
  hasIncident: boolean
  isAcknowledged: boolean
  /** The channels that this very alert went to, and when. */
  told: ReadonlyMap<number, Date>
  /** Channels that were told of what this follows. Undefined if they are not known, and for trouble that follows nothing. */
  audience?: ReadonlySet<number> | undefined
}

export interface Rules {
  routes: readonly Route[]
  /** Channels that are enabled. */
  channel_ids: readonly number[]
  /** What holds everything that the alert is about. */
  hold?: Hold | undefined
}

interface Basis {
  channel_id: number
  /** As a route says; undefined: as the type of the event says. */
  severity?: Severity | undefined
  /** For people, in words. */
  why: string
}

/** For one channel. */
export type Answer = Basis &
  (
    | { kind: 'now' }
    /** `until` null: nobody knows. `by`: what it waits for last, as it is stored. */
    | { kind: 'wait'; until: Date | null; by: string; step: number }
    | { kind: 'never' }
  )

/** Why an alert waits, apart from holds. */
export type Wait = 'delay' | 'quiet' | 'step'

/** For each enabled channel, in their order: what becomes of the alert at an instant. */
export function decide(alert: Alert, rules: Rules, now: Date): Answer[] {
  const nature = NATURES[alert.type]
  if (!nature) return rules.channel_ids.map((channel_id) => ({ channel_id, kind: 'now', why: 'sent to all channels' }))
  const follows = nature.role === 'recovery' || nature.role === 'reminder'
  return follows ? decideFollowing(alert, nature, rules, now) : decideNew(alert, nature, rules, now)
}

/** A time at which an alert may go out, in milliseconds: Infinity when nobody knows. */
interface Offer {
  channel_id: number
  at: number
  by: string
  step: number
  severity: Severity | null
  why: string
}

function decideNew(alert: Alert, nature: Nature, rules: Rules, now: Date): Answer[] {
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
  return rules.channel_ids.map((channel_id): Answer => {
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

/** What a route offers: its first step once the trouble has lasted, the others as long after it as they say. */
function offersOf(route: Route, moment: Moment): Offer[] {
  const { alert, nature, rules, now } = moment
  const delay_sec = nature.role === 'trouble' ? route.delay_sec : 0
  const live = route.steps.filter((step) => isLive(step, rules))
  const [first] = live
  if (!first) return []
  const told = channelsNamed(first).flatMap((id) => alert.told.get(id)?.getTime() ?? [])
  const start = timeFor(route, alert.at.getTime() + delay_sec * 1000, 'delay', moment)
  // The steps count from when the first of them was really told.
  const began = told.length > 0 ? Math.min(...told) : start.at
  const steps = alert.hasIncident && !alert.isAcknowledged ? live : [first]
  // Where failures wait for a delay, only those that outlasted it are flapping.
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

/** The first time from a wanted one on at which neither a hold nor quiet hours are in the way, and what it waits for last. */
function timeFor(
  route: Route | undefined,
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

/** When the quiet hours of a route end that an instant is in, if they hold such alerts. */
function quietEnd({ quiet }: Route, { isAboutDown }: Nature, at: number): number | undefined {
  if (!quiet || (isAboutDown && !quiet.holds_down)) return undefined
  return quietUntil(quiet, at)
}

/**
 * A recovery or a reminder goes to the channels that heard of the trouble, as far as their routes do not leave such alerts out. A
 * reminder is never sent late: the next one will come.
 */
function decideFollowing(alert: Alert, nature: Nature, rules: Rules, now: Date): Answer[] {
  const { hold } = rules
  const inScope = rules.routes.filter((route) => route.enabled && isInScope(route, alert))
  const isReminder = nature.role === 'reminder'
  return rules.channel_ids.map((channel_id): Answer => {
    if (alert.told.has(channel_id)) return { channel_id, kind: 'never', why: 'it was already notified' }
    if (alert.audience && !alert.audience.has(channel_id)) {
      return { channel_id, kind: 'never', why: 'was not notified about the problem' }
    }
    const own = inScope.filter(({ steps }) => steps.some((step) => channelsNamed(step).includes(channel_id)))
    const willing = own.filter((route) => hasGroup(route, nature))
    const basis = { channel_id, why: willing[0] ? named(willing[0]) : 'was notified about the problem' }
    if (own.length > 0 && willing.length === 0) {
      return { channel_id, kind: 'never', why: `${named(own[0] as Route)} excludes "${GROUPS[nature.group]}"` }
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
): Answer {
  const { channel_id, why, severity } = basis
  const given = { channel_id, why, ...(severity && { severity }) }
  if (at <= now.getTime()) return { ...given, kind: 'now' }
  return { ...given, kind: 'wait', until: Number.isFinite(at) ? new Date(at) : null, by, step }
}

function isInScope({ scope }: Route, { subjects, isPartial, tags }: Alert): boolean {
  if ('all' in scope || subjects.some((subject) => covers(scope, subject))) return true
  if (!isPartial) return false
  if ('tags' in scope) return tags === undefined || tags.some((tag) => scope.tags.includes(tag))
  // Those that are not named here could be any that the monitor runs, and the scope was read with these only.
  return scope.checks.length > 0
}

/** Whether a route is about the kind of alert. */
export function hasGroup({ events }: Pick<Route, 'events'>, { group, also }: Nature): boolean {
  return events.length === 0 || events.includes(group) || (also !== undefined && events.includes(also))
}

/** A route without any enabled channel matches nothing: its alerts must not be lost. */
function reaches({ steps }: Route, rules: Rules): boolean {
  return steps.some((step) => isLive(step, rules))
}

function isLive(step: Step, { channel_ids }: Rules): boolean {
  return channelsNamed(step).some((id) => channel_ids.includes(id))
}

/** The channels of a step at an instant. Who is on call and cannot be told is replaced by the next one who can. */
function channelsAt(step: Step, at: number, { channel_ids }: Rules): number[] {
  if (!('rotation' in step)) return step.channel_ids.filter((id) => channel_ids.includes(id))
  const { rotation } = step
  const turn = onCall(rotation, at)
  const order = [...rotation.channel_ids.slice(turn), ...rotation.channel_ids.slice(0, turn)]
  return order.filter((id) => channel_ids.includes(id)).slice(0, 1)
}

function mostUrgent(severities: readonly Severity[]): Severity | undefined {
  return SEVERITIES.find((severity) => severities.includes(severity))
}

function named({ name }: Pick<Route, 'name'>): string {
  return `route "${name}"`
}

function whyStep(route: Route, step: number, after_sec: number): string {
  return step === 0
    ? named(route)
    : `${named(route)}, step ${step + 1}: not acknowledged after ${Math.round(after_sec / 60)} min`
}

/** Why an alert that some route matches does not go to a channel. */
function leftOut({ hasIncident, isAcknowledged }: Alert, matching: readonly Route[], channel_id: number): string {
  const own = matching.find(({ steps }) => steps.some((step) => channelsNamed(step).includes(channel_id)))
  if (!own) return 'no matching route includes this channel'
  if (own.steps.some((step) => 'rotation' in step && step.rotation.channel_ids.includes(channel_id))) {
    return `${named(own)}: another channel is on call this week`
  }
  if (isAcknowledged) return `${named(own)} stopped because the incident is acknowledged`
  return hasIncident ? `${named(own)} does not reach this channel` : `${named(own)} only escalates incidents`
}
