// Validates routes before they are stored.
import { faultOfTags, tidyTags } from '@dogwatch/check-rules/tags'
import { FieldError } from '../errors.ts'
import { requireName } from '../text.ts'
import { isZone } from './hours.ts'
import { GROUPS, SEVERITIES } from './natures.ts'
import { channelsNamed, type EditedRoute, type Quiet, type Rotation, type RouteStep, type Scope } from './route.ts'

const MAX_NAME = 100
const MOST_NAMED = 2000
const MOST_STEPS = 10
const MOST_CHANNELS = 100
const MOST_WEEKS = 52
/** Maximum delay of a route, in seconds: two days. Anything longer is a matter for the next morning. */
const LONGEST_DELAY_SEC = 172_800
/** Maximum delay of a step, in seconds: a week. */
const LONGEST_STEP_SEC = 604_800
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const DAY = /^\d{4}-\d\d-\d\d$/
const EVERY_DAY = 7

/** Returns the route as it is stored. Throws FieldError if it is invalid. */
export function requireRoute(wanted: EditedRoute): EditedRoute {
  const { scope, events, severity, quiet, delay_sec, steps, enabled } = wanted
  const name = requireName('name', wanted.name.trim(), { max: MAX_NAME })
  requireScope(scope)
  if (events.some((group) => !Object.hasOwn(GROUPS, group)))
    throw invalid('events', `must contain only ${Object.keys(GROUPS).join(', ')}`)
  if (severity !== null && !SEVERITIES.includes(severity)) {
    throw invalid('severity', `must be one of ${SEVERITIES.join(', ')}`)
  }
  if (quiet) requireQuiet(quiet)
  if (!isWithin(delay_sec, 0, LONGEST_DELAY_SEC)) throw invalid('delay_sec', 'must be 2 d or less')
  requireSteps(steps)
  return { name, scope: distinctScope(scope), events: [...new Set(events)], severity, quiet, delay_sec, steps, enabled }
}

/** Refuses a scope that covers nothing, or too much. */
export function requireScope(scope: Scope): void {
  if ('all' in scope) return
  if ('tags' in scope) {
    if (scope.tags.length === 0) throw invalid('scope', 'must have at least one tag')
    const must = faultOfTags(scope.tags)
    if (must) throw invalid('scope', must)
    return
  }
  const named = [...scope.checks, ...scope.heartbeats]
  if (named.length === 0) throw invalid('scope', 'must have at least one check or heartbeat')
  if (named.some((guid) => !GUID.test(guid))) throw invalid('scope', 'must list checks and heartbeats by ID')
  if (named.length > MOST_NAMED) throw invalid('scope', `must have at most ${MOST_NAMED} checks and heartbeats`)
}

/** Returns the scope as it is stored: each name once, and tags in the spelling that checks use. */
export function distinctScope(scope: Scope): Scope {
  if ('all' in scope) return scope
  if ('tags' in scope) return { tags: tidyTags(scope.tags) }
  return { checks: [...new Set(scope.checks)], heartbeats: [...new Set(scope.heartbeats)] }
}

function requireQuiet({ from, to, days, zone }: Quiet): void {
  if (!TIME.test(from) || !TIME.test(to)) throw invalid('quiet', 'must have a start and an end time such as 22:00')
  if (days.some((day) => !isWithin(day, 1, EVERY_DAY))) throw invalid('quiet', 'must have days from 1 (Monday) to 7')
  if (from === to && (days.length === 0 || new Set(days).size === EVERY_DAY)) {
    throw invalid('quiet', 'must not cover the whole week; disable the route instead')
  }
  requireZone(zone)
}

function requireSteps(steps: readonly RouteStep[]): void {
  const [first, ...others] = steps
  if (!first) throw invalid('steps', 'must have at least one channel')
  if (steps.length > MOST_STEPS) throw invalid('steps', `must have at most ${MOST_STEPS} entries`)
  if (first.after_sec !== 0) throw invalid('steps[0].after_sec', 'must be 0, because the first step starts immediately')
  let before = 0
  for (const { after_sec } of others) {
    if (!isWithin(after_sec, before + 1, LONGEST_STEP_SEC)) {
      throw invalid('steps', 'must have increasing delays of at most 7 d')
    }
    before = after_sec
  }
  for (const step of steps) {
    const named = channelsNamed(step)
    if (named.length === 0) throw invalid('steps', 'must each have at least one channel')
    if (named.length > MOST_CHANNELS) throw invalid('steps', `must each have at most ${MOST_CHANNELS} channels`)
    if ('rotation' in step) requireRotation(step.rotation)
  }
}

function requireRotation({ channel_ids, starts_on, at, zone }: Rotation): void {
  if (channel_ids.length > MOST_WEEKS) throw invalid('steps', `must have rotations of at most ${MOST_WEEKS} weeks`)
  if (!DAY.test(starts_on) || !isDay(starts_on)) throw invalid('steps', 'must have a start date for each rotation')
  if (!TIME.test(at)) throw invalid('steps', 'must have a handover time for each rotation')
  requireZone(zone)
}

function requireZone(zone: string): void {
  if (!isZone(zone)) throw invalid('zone', 'must be a time zone, such as Europe/Paris')
}

/** Whether the calendar has this date. */
function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most
}

function invalid(field: string, must: string): FieldError {
  return new FieldError('invalid', field, must)
}
