// Compares alerts with the acknowledged changes: all of them, in order, once, and no others.
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { numberOf, query } from '../world.ts'
import type { Server } from '../server.ts'
import type { Arrival, Receiver } from './receiver.ts'
import type { Side, Story } from './stories.ts'

/** Tolerance between the clocks of processes. */
export const CLOCK_MS = 100

/** A delivery, or an event of a channel's organisation without one. */
export interface StoredDelivery {
  org_id: number
  channel_id: number
  event_id: string
  webhook_id: string
  type: string
  state: string
  is_last_attempt: boolean | null
  attempts: number | null
  group_id: string | null
  /** Time of the event, in milliseconds since the Unix epoch. */
  raised_ms: number
  /** Absent if the delivery was never written. */
  written_ms: number | null
  guid: string | null
  incident_id: string | null
}

const DELIVERIES = `
  select e.org_id, c.id as channel_id, e.event_id, 'msg_' || e.event_id || '_' || c.id as webhook_id, e.type,
    coalesce(d.state, 'none') as state, d.is_last_attempt, d.attempts, d.group_id,
    (extract(epoch from e.created_at) * 1000)::float8 as raised_ms,
    (extract(epoch from d.created_at) * 1000)::float8 as written_ms, e.data -> 'check' ->> 'guid' as guid, e.incident_id
  from events e
  join notification_channels c using (org_id)
  left join deliveries d on d.org_id = e.org_id and d.event_id = e.event_id and d.channel_id = c.id
  order by d.delivery_id, e.created_at`

export function readDeliveries(deps: Deps): Promise<StoredDelivery[]> {
  return query<StoredDelivery>(deps, DELIVERIES)
}

export function countPending(deps: Deps): Promise<number> {
  return numberOf(deps, "select count(*) from deliveries where state = 'pending'")
}

/** Compares alerts with the changes that happened. */
export function judgeAlerts(
  sides: readonly Side[],
  stories: readonly Story[],
  rows: readonly StoredDelivery[],
): string[] {
  const hearers = sides.flatMap((side) => side.hearers)
  const strangers = hearers
    .flatMap((hearer) => hearer.arrivals)
    .filter(({ about }) => !stories.some(({ guid }) => guid === about))
  const givenUp = givenUpIn(stories, rows)
  return [
    ...hearers.flatMap((hearer) => hearer.faults),
    ...strangers.map(({ type, webhook_id }) => `${type} ${webhook_id} is about a change that did not happen`),
    ...stories.flatMap(judgeStory),
    ...sides.flatMap((side) => judgeRows(side, rows, givenUp)),
  ]
}

function judgeStory(story: Story): string[] {
  return story.side.hearers.flatMap((hearer) => {
    const taken = (story.isSilent ? hearer.settledAbout : hearer.takenAbout)(story.guid)
    const order = judgeTypes(hearer, story, taken)
    return order.length > 0 ? order : [...misdated(hearer, story, taken), ...mispaired(hearer, story, taken)]
  })
}

/** Requires one alert for each change, in order. */
export function judgeTypes({ name }: Receiver, { guid, changes }: Story, taken: readonly Arrival[]): string[] {
  const [seen, expected] = [taken.map(({ type }) => type), changes.map(({ type }) => type)]
  if (seen.join() === expected.join()) return []
  const position = expected.findIndex((type, n) => type !== seen[n]) + 1
  return [`${name}: ${guid}: ${seen.length} alerts about ${expected.length} changes, which differ from ${position} on`]
}

/** Returns the recoveries that were given up as documented: something newer came, and the receiver refused the last attempt. */
export function givenUpIn(stories: readonly Story[], rows: readonly StoredDelivery[]): ReadonlySet<string> {
  const byId = new Map(rows.map((row) => [row.webhook_id, row]))
  const isGivenUp = ({ answer, type, webhook_id }: Arrival): boolean => {
    const row = byId.get(webhook_id)
    const isLast = row?.state === 'superseded' && row.is_last_attempt === true && (row.attempts ?? 0) > 0
    return answer !== 'accepted' && type.endsWith('.up') && isLast
  }
  const silent = stories.filter(({ isSilent }) => isSilent)
  const settled = silent.flatMap(({ guid, side }) => side.hearers.flatMap((hearer) => hearer.settledAbout(guid)))
  return new Set(settled.filter(isGivenUp).map(({ webhook_id }) => webhook_id))
}

/** Requires that a down and the up after it belong to one incident of their own. */
function mispaired({ name }: Receiver, { guid }: Story, taken: readonly Arrival[]): string[] {
  const ids = taken.map(({ incident_id }) => incident_id)
  const isPaired = ids.every((id, n) => (n % 2 === 1 ? id === ids[n - 1] : !ids.slice(0, n).includes(id)))
  return isPaired ? [] : [`${name}: ${guid}: the incidents are not one down and one up each`]
}

function misdated({ name }: Receiver, { guid, changes }: Story, taken: readonly Arrival[]): string[] {
  return taken.flatMap(({ type, since, ended_at }, n) => {
    const [at, change] = [type.endsWith('.up') ? ended_at : since, changes[n]]
    if (at !== undefined && change && at >= change.from - CLOCK_MS && at <= change.to + CLOCK_MS) return []
    return [`${name}: ${guid}: ${type} number ${n + 1} says ${String(at)}, not ${JSON.stringify(change)}`]
  })
}

/** Requires that each alert about an incident comes once, its end right after it, and that the last incident lasts. */
export function judgeOrder({ name, takenAbout }: Receiver, { guid }: Story): string[] {
  const taken = takenAbout(guid)
  const isInOrder = taken.every(({ type, incident_id, since }, n) => {
    const before = taken[n - 1]
    if (type === 'check.up') return before?.type === 'check.down' && before.incident_id === incident_id
    return before === undefined || (before.type === 'check.up' && before.since < since)
  })
  if (isInOrder && taken.at(-1)?.type === 'check.down') return []
  return [`${name}: ${guid}: ${taken.map(({ type }) => type).join(' ')} is not in order, or not whole`]
}

/** Whether an accepted message may come again. */
export type Excuse = (before: Arrival, next: Arrival) => boolean

/** Requires that a message stays the same byte for byte, and comes again only if its sender could not record that it was accepted. */
export function judgeRepeats({ name, arrivals }: Receiver, excuse: Excuse): string[] {
  return [...Map.groupBy(arrivals, ({ webhook_id }) => webhook_id)].flatMap(([id, same]) => {
    const repeats = same.slice(1).map((next, n) => ({ next, before: same[n] as Arrival }))
    const bad = repeats.filter(({ before, next }) => before.answer === 'accepted' && !excuse(before, next))
    return [
      ...bad.map(({ before, next }) => `${name}: ${id} came again ${next.at - before.at} ms after it was accepted`),
      ...(same.every(({ body }) => body === same[0]?.body) ? [] : [`${name}: ${id} is not the same each time`]),
    ]
  })
}

/** Excuses a message whose sender was killed before it came again. */
export function excuseKilled(senders: readonly Server[]): Excuse {
  return ({ sender }, next) => {
    // A sender that had ended when the receiver looked for it was killed.
    if (sender === undefined) return true
    const killed_at = senders.map(({ killedAt }) => killedAt.get(sender)).find((at) => at !== undefined)
    return killed_at !== undefined && killed_at <= next.at
  }
}

/** Requires that every delivery arrived, and every message has a delivery. */
function judgeRows(side: Side, all: readonly StoredDelivery[], givenUp: ReadonlySet<string>): string[] {
  const rows = all.filter(({ org_id, webhook_id }) => org_id === side.org_id && !givenUp.has(webhook_id))
  const undone = rows.filter(({ state }) => state !== 'delivered')
  const taken = side.hearers.flatMap(({ arrivals }) => arrivals.filter(({ answer }) => answer === 'accepted'))
  const [stored, seen] = [new Set(rows.map((row) => row.webhook_id)), new Set(taken.map((one) => one.webhook_id))]
  return [
    ...undone.map(({ webhook_id, state }) => `${side.name}: ${webhook_id} is ${state}`),
    ...[...seen].filter((id) => !stored.has(id)).map((id) => `${side.name}: ${id} arrived, and has no event`),
    ...[...stored].filter((id) => !seen.has(id)).map((id) => `${side.name}: ${id} did not arrive`),
  ]
}
