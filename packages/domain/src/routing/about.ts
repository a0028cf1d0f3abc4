// Reads from the data of an event what the event is about.

/** A check or heartbeat, by its guid. */
export interface EventSubject {
  kind: 'check' | 'heartbeat'
  guid: string
}

interface Guid {
  guid: string
}

/** Returns the checks and heartbeats that an event names. Returns none if it is about monitors or the organisation. */
export function namedIn(data: Readonly<Record<string, unknown>>): EventSubject[] {
  const { check, checks, heartbeat } = data as { check?: Guid; checks?: readonly Guid[]; heartbeat?: Guid }
  if (heartbeat) return [{ kind: 'heartbeat', guid: heartbeat.guid }]
  return (checks ?? (check ? [check] : [])).map(({ guid }) => ({ kind: 'check', guid }))
}

/** Whether an event is about more checks than it lists. */
export function isPartial(data: Readonly<Record<string, unknown>>): boolean {
  const { checks, total } = data as { checks?: readonly Guid[]; total?: number }
  return checks !== undefined && total !== undefined && total > checks.length
}

/**
 * Returns the tags of all checks of an event that lists only some of them. Returns undefined if they are unknown, or if it lists
 * all.
 */
export function tagsTouched(data: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  return isPartial(data) ? (data as { tags?: readonly string[] }).tags : undefined
}

/** Returns the id of the monitor that runs all checks of an event, if the event lists only some of them. */
export function runnerOf(data: Readonly<Record<string, unknown>>): string | undefined {
  return isPartial(data) ? (data as { monitor?: { id: string } }).monitor?.id : undefined
}

/** Whether an event lists several checks. Its subject is all of them together, but a hold can apply to a single one. */
export function isList(data: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(data.checks)
}
