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

/** Of an event that is about more checks than it lists: the tags of all of them; undefined: they are not known. */
export function tagsTouched(data: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  return isPartial(data) ? (data as { tags?: readonly string[] }).tags : undefined
}

/** The monitor that runs all checks of an event that does not list them all. */
export function runnerOf(data: Readonly<Record<string, unknown>>): string | undefined {
  return isPartial(data) ? (data as { monitor?: { id: string } }).monitor?.id : undefined
}

/** Whether an event lists checks: its subject is all of them together, and each is held by itself. */
export function isList(data: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(data.checks)
}
