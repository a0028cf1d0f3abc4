// Makes routes from the channels of each item: other tools list channels per item, and a route covers the items with the same
// list.
import type { FileRoute } from '../file/format.ts'
import { Keys } from '../file/keys.ts'
import type { Audit } from './audit.ts'

/** Alerts of one check or heartbeat. */
export interface Alerts {
  section: 'checks' | 'heartbeats'
  key: string
  /** Keys of the channels that receive the alerts. */
  channels: readonly string[]
  delay_sec?: number
  /** Groups of events. Absent means all. */
  events?: readonly EventGroup[]
}

type EventGroup = NonNullable<FileRoute['events']>[number]

interface KnownItems {
  checks: ReadonlyMap<string, unknown>
  heartbeats: ReadonlyMap<string, unknown>
  channels: ReadonlyMap<string, unknown>
}

const MOST_NAME = 100
const MOST_DELAY_SEC = 172_800

/**
 * Makes one route for each list of channels, or none if every item notifies every channel at once, the default. Reports items
 * without channels, because alerts that no route covers go to every channel.
 */
export function routesOf(alerts: readonly Alerts[], known: KnownItems, audit: Audit): [string, FileRoute][] {
  const groups = new Map<string, { shared: Alerts; checks: Set<string>; heartbeats: Set<string> }>()
  const told = new Set<string>()
  for (const one of joined(alerts)) {
    const channels = [...new Set(one.channels)].filter((key) => known.channels.has(key)).toSorted()
    if (!known[one.section].has(one.key) || channels.length === 0) continue
    told.add(`${one.section} ${one.key}`)
    const shared = { ...one, channels, delay_sec: Math.min(one.delay_sec ?? 0, MOST_DELAY_SEC) }
    const id = JSON.stringify([channels, shared.delay_sec, one.events ?? []])
    const group = groups.get(id) ?? { shared, checks: new Set<string>(), heartbeats: new Set<string>() }
    groups.set(id, group)
    group[one.section].add(one.key)
  }
  if (known.channels.size === 0) return []
  const untold = (['checks', 'heartbeats'] as const).flatMap((section) =>
    [...known[section].keys()].filter((key) => !told.has(`${section} ${key}`)),
  )
  for (const key of untold) {
    const note = 'notified no one; in Dogwatch, alerts that no route covers go to every channel, so add a route for it'
    audit.say('alerts', key, 'channels', { list: 'differently', note })
  }
  if (groups.size === 1 && untold.length === 0 && isEverything([...groups.values()][0]?.shared, known)) return []
  const keys = new Keys()
  return [...groups.values()].map(({ shared, checks, heartbeats }) => {
    const name = `To ${shared.channels.join(', ')}`.slice(0, MOST_NAME)
    return [keys.take(name, 'route'), routeFor(name, shared, { checks: [...checks], heartbeats: [...heartbeats] })]
  })
}

/** Joins the channels of an item that receive the same events after the same delay. */
function joined(alerts: readonly Alerts[]): Alerts[] {
  const found = new Map<string, { last: Alerts; channels: string[] }>()
  for (const one of alerts) {
    const id = JSON.stringify([one.section, one.key, one.delay_sec ?? 0, one.events ?? []])
    const same = found.get(id) ?? { last: one, channels: [] }
    found.set(id, same)
    same.last = one
    for (const channel of one.channels) same.channels.push(channel)
  }
  return [...found.values()].map(({ last, channels }) => ({ ...last, channels }))
}

function isEverything(shared: Alerts | undefined, { channels }: KnownItems): boolean {
  return shared?.channels.length === channels.size && (shared.delay_sec ?? 0) === 0 && !shared.events?.length
}

function routeFor(
  name: string,
  { channels, delay_sec = 0, events = [] }: Alerts,
  { checks, heartbeats }: { checks: string[]; heartbeats: string[] },
): FileRoute {
  return {
    name,
    scope: { ...(checks.length > 0 && { checks }), ...(heartbeats.length > 0 && { heartbeats }) },
    ...(events.length > 0 && { events: [...events] }),
    ...(delay_sec > 0 && { delay_sec }),
    steps: [{ channels: [...channels] }],
  }
}
