// Routes: which alerts go to which channels, and when.
import { tidyTags } from '@dogwatch/check-rules/tags'
import type { Group, Severity } from './natures.ts'

/** What a route is about. */
export type Scope =
  | { all: true }
  | { tags: readonly string[] }
  | { checks: readonly string[]; heartbeats: readonly string[] }

/** Reads a stored scope, which has been validated. Earlier builds stored tags as they were typed. */
export function readScope(stored: unknown): Scope {
  const scope = stored as Scope
  return 'tags' in scope ? { tags: tidyTags(scope.tags) } : scope
}

/** Hours in which alerts wait, by the clock of a time zone. */
export interface Quiet {
  /** `HH:MM`. */
  from: string
  /** `HH:MM`; not later than `from`: on the day after. */
  to: string
  /** The days on which they begin, 1 (Monday) to 7; empty: every day. */
  days: readonly number[]
  zone: string
  /** Whether alerts about what is down wait as well. */
  holds_down: boolean
}

/** Channels that take turns, a week each. */
export interface Rotation {
  channel_ids: readonly number[]
  /** The day on which the first of them begins, `YYYY-MM-DD`. */
  starts_on: string
  /** The time of day at which they change, `HH:MM`. */
  at: string
  zone: string
}

/** Who is told, this long after the first step and unless somebody acknowledged it before. */
export type Step = { after_sec: number } & ({ channel_ids: readonly number[] } | { rotation: Rotation })

export interface Route {
  route_id: number
  guid: string
  name: string
  scope: Scope
  /** Empty: all. */
  events: readonly Group[]
  /** Null: as the type of the event says. */
  severity: Severity | null
  quiet: Quiet | null
  /** How long trouble must last before the first step. */
  delay_sec: number
  /** The first is at once. */
  steps: readonly Step[]
  enabled: boolean
}

/** All channels that a step may ever tell. */
export function channelsNamed(step: Step): readonly number[] {
  return 'rotation' in step ? step.rotation.channel_ids : step.channel_ids
}

/** A check or heartbeat, as far as scopes ask. */
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

/** Reads a scope once, for questions about many subjects. */
export function matcherOf(scope: Scope): (subject: Subject) => boolean {
  if ('all' in scope) return () => true
  if ('tags' in scope) {
    const named = new Set(scope.tags)
    return ({ tags }) => tags.some((tag) => named.has(tag))
  }
  const named = { check: new Set(scope.checks), heartbeat: new Set(scope.heartbeats) }
  return ({ kind, guid }) => named[kind].has(guid)
}
