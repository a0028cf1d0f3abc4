// Defines routes, which say which alerts go to which channels, and when.
import { tidyTags } from '@dogwatch/check-rules/tags'
import type { Group, Severity } from './natures.ts'

/** Checks and heartbeats that a route or maintenance window applies to. */
export type Scope =
  | { all: true }
  | { tags: readonly string[] }
  | { checks: readonly string[]; heartbeats: readonly string[] }

/** Reads a stored scope, which was validated before. Tidies its tags, because earlier versions stored them as typed. */
export function readScope(stored: unknown): Scope {
  const scope = stored as Scope
  return 'tags' in scope ? { tags: tidyTags(scope.tags) } : scope
}

/** Hours during which alerts wait, by the clock of a time zone. */
export interface Quiet {
  /** Start of the quiet hours, as `HH:MM`. */
  from: string
  /** End of the quiet hours, as `HH:MM`. A time not later than `from` is on the next day. */
  to: string
  /** Weekdays when the quiet hours begin, 1 (Monday) to 7. Empty for every day. */
  days: readonly number[]
  zone: string
  /** Whether the quiet hours also hold alerts about something that is down. */
  holds_down: boolean
}

/** Channels that take turns, a week each. */
export interface Rotation {
  channel_ids: readonly number[]
  /** Day when the first turn begins, `YYYY-MM-DD`. */
  starts_on: string
  /** Time of day when turns change, `HH:MM`. */
  at: string
  zone: string
}

/** Channels to notify this long after the first step, unless someone acknowledged the incident before. */
export type RouteStep = { after_sec: number } & ({ channel_ids: readonly number[] } | { rotation: Rotation })

export interface AlertRoute {
  route_id: number
  guid: string
  name: string
  scope: Scope
  /** Groups of alerts. Empty for all. */
  events: readonly Group[]
  /** Severity of the alerts. Null for the severity of the event type. */
  severity: Severity | null
  quiet: Quiet | null
  /** Time that a problem must last before the first step, in seconds. */
  delay_sec: number
  /** Steps in their order. The first step has no wait. */
  steps: readonly RouteStep[]
  enabled: boolean
}

/** Fields of a route that people set. */
export type EditedRoute = Omit<AlertRoute, 'route_id' | 'guid'>

/** Returns all channels that a step can ever notify. */
export function channelsNamed(step: RouteStep): readonly number[] {
  return 'rotation' in step ? step.rotation.channel_ids : step.channel_ids
}

/** A check or heartbeat, with the fields that scopes need. */
export interface Subject {
  kind: 'check' | 'heartbeat'
  guid: string
  tags: readonly string[]
}

/** Whether a scope covers a check or heartbeat. */
export function covers(scope: Scope, { kind, guid, tags }: Subject): boolean {
  if ('all' in scope) return true
  if ('tags' in scope) return tags.some((tag) => scope.tags.includes(tag))
  return (kind === 'check' ? scope.checks : scope.heartbeats).includes(guid)
}

/** Reads a scope once and returns a test for many subjects. */
export function matcherOf(scope: Scope): (subject: Subject) => boolean {
  if ('all' in scope) return () => true
  if ('tags' in scope) {
    const named = new Set(scope.tags)
    return ({ tags }) => tags.some((tag) => named.has(tag))
  }
  const named = { check: new Set(scope.checks), heartbeat: new Set(scope.heartbeats) }
  return ({ kind, guid }) => named[kind].has(guid)
}
