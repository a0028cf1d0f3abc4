// Compares alerts with the acknowledged changes: all of them, in order, once, and nothing else.
import type { MortalServer } from './mortals.ts'
import type { Arrival, Receiver } from './receiver.ts'
import type { Side, Story } from './stories.ts'

/** The alerts match what happened, nobody got any others, and each message has one id. */
export function judgeAlerts({ sides, stories, rows }: Told): string[] {
  const hearers = sides.flatMap((side) => side.hearers)
  const arrivals = hearers.flatMap((hearer) => hearer.arrivals)
  const strangers = arrivals.filter(({ about }) => !stories.some(({ guid }) => guid === about))
  return [
    ...hearers.flatMap((hearer) => hearer.faults),
    ...strangers.map(({ type, webhook_id }) => `${type} ${webhook_id} is about nothing that happened`),
    ...stories.flatMap(judgeStory),
    ...sides.flatMap((side) => judgeRows(side, rows, givenUpIn(stories, rows))),
  ]
}

export interface Told {
  sides: readonly Side[]
  stories: readonly Story[]
  /** What the database holds of it. */
  rows: readonly StoredDelivery[]
}

/** What the stories of a hearer make of what it has taken. */
function judgeStory(story: Story): string[] {
  return story.side.hearers.flatMap((hearer) => {
    const taken = story.isSilent === true ? hearer.settledAbout(story.guid) : hearer.takenAbout(story.guid)
    const [told, expected] = [taken.map(({ type }) => type), story.changes.map(({ type }) => type)]
    if (told.join() !== expected.join()) {
      const place = expected.findIndex((type, n) => type !== told[n])
      const counts = `${told.length} messages about ${expected.length} changes`
      return [`${hearer.name}: ${story.guid}: ${counts}, other than expected from number ${place + 1} on`]
    }
    return [...misdated(hearer, story, taken), ...mispaired(hearer, story, taken)]
  })
}

/**
 * Returns the ids of recoveries that were given up as promised: something newer came before they were accepted, so they had one attempt
 * left, and their receiver refused it. Both its log and the row say so.
 */
export function givenUpIn(stories: readonly Story[], rows: readonly StoredDelivery[]): ReadonlySet<string> {
  const byId = new Map(rows.map((row) => [row.webhook_id, row]))
  const isGivenUp = ({ answer, type, webhook_id }: Arrival): boolean => {
    const row = byId.get(webhook_id)
    const isRefused = answer !== 'taken' && type.endsWith('.up')
    return isRefused && row?.state === 'superseded' && row.is_last_attempt === true && (row.attempts ?? 0) > 0
  }
  const settled = stories
    .filter(({ isSilent }) => isSilent === true)
    .flatMap(({ guid, side }) => side.hearers.flatMap((hearer) => hearer.settledAbout(guid)))
  return new Set(settled.filter(isGivenUp).map(({ webhook_id }) => webhook_id))
}

/** A down and the up after it belong to one incident, and no other. */
function mispaired({ name }: Receiver, { guid }: Story, taken: readonly Arrival[]): string[] {
  const ids = taken.map(({ incident_id }) => incident_id)
  const isPaired = ids.every((id, n) => (n % 2 === 1 ? id === ids[n - 1] : !ids.slice(0, n).includes(id)))
  return isPaired ? [] : [`${name}: ${guid}: the incidents are not one down and one up each`]
}

/** The clocks of the processes and ours. */
const CLOCK_MS = 100

function misdated({ name }: Receiver, { guid, changes }: Story, taken: readonly Arrival[]): string[] {
  return taken.flatMap(({ type, since, ended_at }, n) => {
    const [at, change] = [type.endsWith('.up') ? ended_at : since, changes[n]]
    if (at !== undefined && change && at >= change.from - CLOCK_MS && at <= change.to + CLOCK_MS) return []
    return [`${name}: ${guid}: ${type} number ${n + 1} is said to be of ${String(at)}, not ${JSON.stringify(change)}`]
  })
}

/** Whether a message that was accepted may come again. */
export type Excuse = (before: Arrival, next: Arrival) => boolean

/**
 * The same id means the same message, byte for byte. It comes again only when its sender could not record that it was
 * accepted.
 */
export function judgeRepeats({ name, arrivals }: Receiver, excuse: Excuse): string[] {
  return [...Map.groupBy(arrivals, ({ webhook_id }) => webhook_id).values()].flatMap((same) => {
    const faults = same.slice(1).flatMap((next, n) => {
      const before = same[n] as Arrival
      const isExcused = before.answer !== 'taken' || excuse(before, next)
      const after = `${next.at - before.at} ms after it was taken`
      return isExcused ? [] : [`${name}: ${next.webhook_id} came again ${after}, and its sender could note that`]
    })
    const isOne = same.every(({ body }) => body === same[0]?.body)
    return isOne ? faults : [...faults, `${name}: ${same[0]?.webhook_id} is not the same each time`]
  })
}

/** Its sender was killed in between. */
export function wasKilled(senders: readonly MortalServer[]): Excuse {
  return (before, next) => {
    // A sender that was gone when we looked it up had been killed.
    if (before.sender === undefined) return true
    const killed_at = senders.map(({ killedAt }) => killedAt.get(before.sender ?? 0)).find((at) => at !== undefined)
    return killed_at !== undefined && killed_at <= next.at
  }
}

/** The alerts match the database, and every delivery is done. */
function judgeRows(side: Side, all: readonly StoredDelivery[], givenUp: ReadonlySet<string>): string[] {
  const rows = all.filter(({ webhook_id }) => !givenUp.has(webhook_id))
  const undone = rows.filter(({ org_id, state }) => org_id === side.org_id && state !== 'delivered')
  const faults = undone.map(({ webhook_id, state }) => `${side.name}: ${webhook_id} is ${state}`)
  return side.hearers.reduce((found, { name, arrivals, channel_id }) => {
    const stored = new Set(rows.filter((row) => row.channel_id === channel_id).map(({ webhook_id }) => webhook_id))
    const told = new Set(arrivals.filter(({ answer }) => answer === 'taken').map(({ webhook_id }) => webhook_id))
    const invented = [...told]
      .filter((id) => !stored.has(id))
      .map((id) => `${name}: ${id} was told, and never happened`)
    const untold = [...stored].filter((id) => !told.has(id)).map((id) => `${name}: ${id} was not told`)
    return [...found, ...invented, ...untold]
  }, faults)
}

/** One for each event and each channel of its org. */
export interface StoredDelivery {
  org_id: number
  channel_id: number
  webhook_id: string
  /** `none`: there is no delivery. */
  state: string
  is_last_attempt: boolean | null
  attempts: number | null
}

export const PENDING = `select count(*)::integer as count from deliveries where state = 'pending'`

export const STORED_DELIVERIES = `
  select e.org_id, c.id as channel_id, 'msg_' || e.event_id || '_' || c.id as webhook_id,
    coalesce(d.state, 'none') as state, d.is_last_attempt, d.attempts
  from events e
  join notification_channels c using (org_id)
  left join deliveries d on d.org_id = e.org_id and d.event_id = e.event_id and d.channel_id = c.id`
