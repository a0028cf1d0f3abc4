// Finds due deliveries channel by channel, so that a long queue of one organisation does not hide those of others.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { sendableSql } from './channels.ts'

/** Position in the round over all channels with pending deliveries, ordered by organisation and channel. */
export interface RoundPosition {
  org_id: number
  channel_id: number
}

/** Position before the first channel. */
export const START: RoundPosition = { org_id: 0, channel_id: 0 }

/** Returns the position after the last channel of an organisation. */
export function behind(org_id: number): RoundPosition {
  return { org_id, channel_id: Number.MAX_SAFE_INTEGER }
}

/** Due delivery that no process has claimed. */
export interface Turn {
  org_id: number
  delivery_id: number
  channel_id: number
  kind: string
  destination: Readonly<Record<string, string>>
  email: string
  attempts: number
  subject: string
  created_at: string
  /** Whether the budgets have been charged for the delivery. */
  is_charged: boolean
  /** Whether a summary of the channel is collecting deliveries. */
  has_summary: boolean
  /**
   * Id of the deliveries that share a message, of an earlier attempt. This delivery represents all of them. Null if it has none.
   */
  group_id: string | null
  /** Time until which new alerts of the channel wait, so that one message contains all of them. Null if they need not wait. */
  paced_until: string | null
}

export interface TurnQuery {
  now: string
  after: RoundPosition
  /** Maximum number of deliveries to return per channel. */
  perChannel: number
  /** Organisations to skip. */
  fullOrgs: readonly number[]
  fullChannels: readonly number[]
  fullKinds: readonly string[]
}

interface FoundRow extends Omit<TurnScan, 'until'> {
  until: { org_id: number; channel_id?: number } | null
}

export interface TurnScan {
  /** Due deliveries, grouped by organisation in the order of the round. Within an organisation, its channels take turns. */
  turns: Turn[]
  /** Position where the scan stopped before the end of the round. Null if it reached the end. */
  until: RoundPosition | null
  /** Time at which the next delivery becomes due, among those that are not due yet. */
  next_due_at: string | null
}

/** Wait in seconds after a message of a channel was sent. Alerts that arrive in this time share the next message. */
export const PACE_SEC = 5

/** Returns the key in `rate_limits` that paces the messages of a channel. */
export const paceKey = (channel_id: number): string => `alerts-pace:${channel_id}`

/**
 * Returns the SQL condition that a row `r` of `rate_limits` still delays the next message of its channel. Ignores a time more than
 * ten delays ahead, because a wrong clock must have written it.
 */
export function pacingSql(now: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(r.tat > ${now} and r.tat <= ${now} + ${10 * PACE_SEC} * interval '1 second')`
}

/** SQL condition that no earlier delivery of the same subject waits on the channel of delivery `d`. */
export const IS_NEXT = sql<boolean>`not exists (
  select from deliveries earlier
  where earlier.org_id = d.org_id and earlier.channel_id = d.channel_id and earlier.subject = d.subject
    and earlier.state = 'pending' and earlier.delivery_id < d.delivery_id)`

/** Maximum number of channels that one scan passes, including those without due deliveries. */
const VISITED = 1000
/** Maximum number of channels whose due deliveries one scan reads. */
const OPENED = 200
/**
 * Maximum number of deliveries of a channel that one scan reads. It skips claimed ones, and those that wait for an earlier one of
 * their subject.
 */
const READ = 200

/**
 * Finds due deliveries, one channel after the other. The work grows with the number of channels, not with their queues. For each
 * subject on a channel, returns only the oldest waiting delivery.
 */
export async function findTurns(db: Db, look: TurnQuery): Promise<TurnScan> {
  const now = sql`${look.now}::timestamptz`
  const fullOrgs = sql`${[...look.fullOrgs]}::bigint[]`
  const { rows } = await sql<FoundRow>`
    with recursive round as (
      (select d.org_id, d.channel_id, d.next_attempt_at, 1 as n from deliveries d
       where d.state = 'pending' and (d.org_id, d.channel_id) > (${look.after.org_id}::bigint, ${look.after.channel_id}::bigint)
       order by d.org_id, d.channel_id, d.next_attempt_at limit 1)
      union all
      select next.org_id, next.channel_id, next.next_attempt_at, round.n + 1
      from round cross join lateral (
        select d.org_id, d.channel_id, d.next_attempt_at from deliveries d
        where d.state = 'pending' and (d.org_id, d.channel_id) > (round.org_id,
          case when round.org_id = any(${fullOrgs}) then ${Number.MAX_SAFE_INTEGER}::bigint else round.channel_id end)
        order by d.org_id, d.channel_id, d.next_attempt_at limit 1) next
      where round.n < ${VISITED}
    ), lines as (
      select r.org_id, r.channel_id, r.n, c.kind, c.destination, c.email, ${sendableSql('c', now)} as is_open,
        row_number() over (partition by r.org_id order by r.next_attempt_at, r.channel_id) as line
      from round r
      join organisations o on o.org_id = r.org_id and o.suspended_at is null
      join notification_channels c on c.org_id = r.org_id and c.id = r.channel_id
      where r.next_attempt_at <= ${now} and r.org_id <> all(${fullOrgs})
        and r.channel_id <> all(${[...look.fullChannels]}::bigint[]) and c.kind <> all(${[...look.fullKinds]}::text[])
        -- To an address that is not confirmed, only what asks for that is sent.
        and (${sendableSql('c', now)} or exists (
          select from deliveries k
          where k.org_id = r.org_id and k.channel_id = r.channel_id and k.subject = 'confirm:' || r.channel_id
            and k.state = 'pending' and k.next_attempt_at <= ${now}))
    ), opened as (
      select *, min(n) over (partition by org_id) as org_n, exists (
        select from deliveries s
        where s.org_id = first.org_id and s.channel_id = first.channel_id and s.subject = 'summary:' || first.channel_id
          and s.state = 'pending' and not s.is_charged) as has_summary,
        (select wire_time(r.tat) from rate_limits r
          where r.key = 'alerts-pace:' || first.channel_id and ${pacingSql(now)}) as paced_until
      from (select * from lines order by line, n limit ${OPENED}) first
    ), turns as (
      select l.*, due.*, row_number() over (
        partition by l.org_id, l.channel_id order by due.next_attempt_at, due.delivery_id) as place
      from opened l cross join lateral (
        select d.delivery_id, d.attempts, d.next_attempt_at, d.subject, wire_time(d.created_at) as created_at, d.is_charged, d.group_id from (
          -- Compared as a row, and ordered by all of it: no other index can seem better while statistics are old.
          (select * from deliveries t
           where l.is_open and t.state = 'pending'
             and (t.org_id, t.channel_id, t.next_attempt_at) > (l.org_id, l.channel_id, '-infinity'::timestamptz)
             and (t.org_id, t.channel_id, t.next_attempt_at) <= (l.org_id, l.channel_id, ${now})
           order by t.org_id, t.channel_id, t.next_attempt_at, t.delivery_id limit ${READ})
          union all
          (select * from deliveries t
           where not l.is_open and t.org_id = l.org_id and t.channel_id = l.channel_id
             and t.subject = 'confirm:' || l.channel_id and t.state = 'pending' and t.next_attempt_at <= ${now}
           limit ${READ})) d
        where (d.leased_until is null or d.leased_until <= ${now}) and ${IS_NEXT}
          -- Of a group, the first that is due stands for all.
          and (d.group_id is null or not exists (
            select from deliveries g
            where g.org_id = d.org_id and g.group_id = d.group_id and g.state = 'pending' and g.next_attempt_at <= ${now}
              and g.delivery_id < d.delivery_id))
        limit ${look.perChannel}) due
    )
    select
      (select coalesce(jsonb_agg(jsonb_build_object('org_id', org_id, 'delivery_id', delivery_id, 'channel_id', channel_id,
          'kind', kind, 'destination', destination, 'email', email, 'attempts', attempts,
          'subject', subject, 'created_at', created_at, 'is_charged', is_charged, 'has_summary', has_summary,
          'group_id', group_id, 'paced_until', paced_until)
        order by org_n, place, line), '[]') from turns) as turns,
      case when (select count(*) from lines) > ${OPENED} then (select jsonb_build_object('org_id', max(org_id)) from opened)
        else (select jsonb_build_object('org_id', org_id, 'channel_id', channel_id) from round where n = ${VISITED}) end as until,
      (select wire_time(next_attempt_at) from deliveries
       where state = 'pending' and next_attempt_at > ${now} order by next_attempt_at limit 1) as next_due_at`.execute(
    db,
  )
  const [found] = rows
  if (!found) throw new Error('the database returned no row for a question that always has one')
  const { until } = found
  return { ...found, until: until && { ...behind(until.org_id), ...until } }
}
