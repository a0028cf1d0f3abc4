// What an event is about, read from what it says.

/** A check or heartbeat by its guid. */
export interface Named {
  kind: 'check' | 'heartbeat'
  guid: string
}

interface Guid {
  guid: string
}

/** The checks and heartbeats that an event names; none: it is about monitors, or about the organisation. */
export function namedIn(data: Readonly<Record<string, unknown>>): Named[] {
  const { check, checks, heartbeat } = data as { check?: Guid; checks?: readonly Guid[]; heartbeat?: Guid }
  if (heartbeat) return [{ kind: 'heartbeat', guid: heartbeat.guid }]
  return (checks ?? (check ? [check] : [])).map(({ guid }) => ({ kind: 'check', guid }))
}

/** Whether an event is about more checks than it lists. */
export function isPartial(data: Readonly<Record<string, unknown>>): boolean {
  const { checks, total } = data as { checks?: readonly Guid[]; total?: number }
  return checks !== undefined && total !== undefined && total > checks.length
}

/** Whether an event lists checks: its subject is all of them together, and each is held by itself. */
export function isList(data: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(data.checks)
}
