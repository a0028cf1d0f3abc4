// Compares alerts with the changes of state that the server acknowledged: each change must have one alert, in order, and there
// must be no other alerts.
import type { Deps } from '../../../packages/domain/dist/deps.js'
import type { Server } from '../server.ts'
import { query } from '../world.ts'
import type { Arrival, Receiver } from './receiver.ts'
import type { Side, Story } from './stories.ts'

/** Tolerance for differences between the clocks of processes, in milliseconds. */
const CLOCK_MS = 100

/** A delivery, or an event of the organisation that has no delivery to a channel. */
export interface StoredDelivery {
  channel_id: number
  event_id: string
  type: string
  state: string
  /** Time of the event, in milliseconds since the Unix epoch. */
  raised_ms: number
  /** Time at which the delivery was written, in milliseconds since the Unix epoch. Null if it never was. */
  written_ms: number | null
}

const DELIVERIES = `
  select c.id as channel_id, e.event_id, e.type, coalesce(d.state, 'none') as state,
    (extract(epoch from e.created_at) * 1000)::float8 as raised_ms,
    (extract(epoch from d.created_at) * 1000)::float8 as written_ms
  from events e
  join notification_channels c using (org_id)
  left join deliveries d on d.org_id = e.org_id and d.event_id = e.event_id and d.channel_id = c.id
  where e.org_id = $1
  order by d.delivery_id, e.created_at`

export function readDeliveries(deps: Deps, org_id: number): Promise<StoredDelivery[]> {
  return query<StoredDelivery>(deps, DELIVERIES, org_id)
}

/** Compares the alerts of an organisation with the changes that its stories made. */
export function judgeAlerts(
  { name, hearers, stories }: Side,
  rows: readonly StoredDelivery[],
  tolerance_ms = CLOCK_MS,
): string[] {
  const guids = new Set(stories.map(({ guid }) => guid))
  const strangers = hearers.flatMap(({ arrivals }) => arrivals.filter(({ about }) => !guids.has(about)))
  const undone = rows.filter(({ state }) => state !== 'delivered')
  return [
    ...hearers.flatMap((hearer) => hearer.faults),
    ...strangers.map(({ type, webhook_id }) => `${type} ${webhook_id} is about a change that did not happen`),
    ...undone.map(({ event_id, state }) => `${name}: ${event_id} is ${state}`),
    ...stories.flatMap((story) => hearers.flatMap((hearer) => judgeStory(hearer, story, tolerance_ms))),
  ]
}

/**
 * Requires one alert for each change of a story, in order and with its time, and that each recovery has the incident of the
 * outage before it.
 */
function judgeStory({ name, takenAbout }: Receiver, { guid, changes }: Story, tolerance_ms: number): string[] {
  const taken = takenAbout(guid)
  const wrong = changes.findIndex(({ type }, n) => type !== taken[n]?.type)
  if (wrong >= 0 || taken.length > changes.length) {
    const where = `which differ from ${wrong + 1} on`
    return [`${name}: ${guid}: ${taken.length} alerts about ${changes.length} changes, ${where}`]
  }
  const ids = taken.map(({ incident_id }) => incident_id)
  return taken.flatMap(({ type, incident_id, since, ended_at }, n) => {
    const change = changes[n]
    const isUp = type.endsWith('.up')
    const at = isUp ? ended_at : since
    if (at === undefined || !change) return []
    const isPaired = isUp ? incident_id === ids[n - 1] : ids.indexOf(incident_id) === n
    const isDated = at >= change.from - tolerance_ms && at <= change.to + tolerance_ms
    const what = `${name}: ${guid}: ${type} number ${n + 1}`
    return [
      ...(isPaired ? [] : [`${what} is of another incident`]),
      ...(isDated ? [] : [`${what} says ${at}, not ${JSON.stringify(change)}`]),
    ]
  })
}

/** Whether it is no fault that a message came again although its receiver had accepted it. */
export type Excuse = (before: Arrival, next: Arrival) => boolean

/**
 * Requires that a repeated message is the same byte for byte, and that a message repeats only if its sender could not record its
 * acceptance.
 */
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

/** Excuses the repeat of a message if the sender of the first one was killed in between. */
export function excuseKilled(senders: readonly Server[]): Excuse {
  return ({ sender }, next) => senders.some(({ killedAt }) => (killedAt.get(sender) ?? Infinity) <= next.at)
}
