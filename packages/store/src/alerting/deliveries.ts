// Stores deliveries: claims them with a lease, and records their outcomes.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { type ChannelColumns, sendableSql } from './channels.ts'
import { IS_NEXT, PACE_SEC, pacingSql } from './delivery-turns.ts'
import { DELIVERIES_CHANNEL } from './events.ts'

export interface ClaimedDelivery {
  org_id: number
  delivery_id: number
  event_id: string
  channel_id: number
  created_at: string
  /** Number of earlier attempts. */
  attempts: number
  is_last_attempt: boolean
  /** Planned time of the retry. Null unless the attempt takes place earlier than planned. */
  planned_at: string | null
  last_attempt_at: string | null
  /** End of the lease. It identifies the claim, because no two claims share it. */
  leased_until: string
  subject: string
  /** Severity that a route sets. Null if the type of the event decides. */
  severity: string | null
  /**
   * Id of the delivery that was chosen for this claim. Differs from `delivery_id` if this delivery is claimed because it shares a
   * message with the chosen one.
   */
  lead_id: number
  /** Id of the deliveries that share one message. Null if this delivery has a message of its own. */
  group_id: string | null
  /** Whether the budgets allow the delivery. If not, it must not be sent. */
  is_within_budget: boolean
  type: string
  happened_at: string
  data: unknown
  channel: ChannelColumns & { enabled: boolean; confirmed: boolean }
}

export interface Claim {
  now: string
  leased_until: string
  /** Deliveries to claim, in this order. */
  chosen: readonly ClaimTarget[]
  /** Budgets that limit deliveries. The first attempt of a delivery uses them up. */
  charges: readonly Charge[]
}

/** Delivery to claim, together with the deliveries that share its message. */
export interface ClaimTarget {
  org_id: number
  delivery_id: number
  group_id: string | null
  /**
   * New message for this delivery and others that are due on the same channel and were never tried, up to `most` in all. Absent if
   * the delivery gets a message of its own.
   */
  group?: { id: string; most: number } | undefined
}

/** One of the budgets that limit a delivery. It allows `burst` deliveries at once, and one more per interval. */
export interface Charge {
  org_id: number
  delivery_id: number
  key: string
  interval_sec: number
  burst: number
}

/**
 * Returns common table expressions. The one named `free` contains the deliveries to claim, and those that share their messages.
 */
function freeSql(chosen: readonly ClaimTarget[], now: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`leads as (
      select d.org_id, d.delivery_id, d.channel_id, given.n, given.group_id, given.new_id, given.most
      from unnest(${chosen.map(({ org_id }) => org_id)}::bigint[], ${chosen.map(({ delivery_id }) => delivery_id)}::bigint[],
          ${chosen.map(({ group_id }) => group_id)}::text[], ${chosen.map(({ group }) => group?.id ?? null)}::text[],
          ${chosen.map(({ group }) => group?.most ?? 1)}::integer[])
        with ordinality as given(org_id, delivery_id, group_id, new_id, most, n)
      join deliveries d using (org_id, delivery_id)
      -- Asked again of the row itself: somebody may have taken it since.
      where d.state = 'pending' and d.next_attempt_at <= ${now} and (d.leased_until is null or d.leased_until <= ${now})
        and d.group_id is not distinct from given.group_id
        and (given.new_id is null or d.created_at <= ${now} - ${PACE_SEC} * interval '1 second' or not exists (
          select from rate_limits r where r.key = 'alerts-pace:' || d.channel_id and ${pacingSql(now)}))
      for update of d skip locked
    ), grouped as (
      select l.org_id, t.delivery_id, l.n, l.delivery_id as lead_id, l.new_id
      from leads l cross join lateral (
        select d.delivery_id from deliveries d
        where l.new_id is not null and d.state = 'pending'
          and (d.org_id, d.channel_id, d.next_attempt_at) > (l.org_id, l.channel_id, '-infinity'::timestamptz)
          and (d.org_id, d.channel_id, d.next_attempt_at) <= (l.org_id, l.channel_id, ${now})
          and d.delivery_id <> l.delivery_id and d.group_id is null and not d.is_charged and d.attempts = 0
          and d.subject !~ '^(test|confirm|summary):' and (d.leased_until is null or d.leased_until <= ${now})
          and ${IS_NEXT}
        order by d.org_id, d.channel_id, d.next_attempt_at, d.delivery_id limit l.most - 1 for update skip locked) t
    ), again as (
      select l.org_id, d.delivery_id, l.n, l.delivery_id as lead_id
      from leads l join deliveries d on d.org_id = l.org_id and d.group_id = l.group_id
      where d.state = 'pending' and d.delivery_id <> l.delivery_id and (d.leased_until is null or d.leased_until <= ${now})
      for update of d skip locked
    ), broken as (
      -- Somebody else is at one of the group: it waits, so that nothing of it is sent by itself.
      select l.org_id, l.delivery_id as lead_id from leads l
      where l.group_id is not null and (
          select count(*) from deliveries d
          where d.org_id = l.org_id and d.group_id = l.group_id and d.state = 'pending' and d.delivery_id <> l.delivery_id)
        <> (select count(*) from again a where a.org_id = l.org_id and a.lead_id = l.delivery_id)
    ), free as (
      select org_id, delivery_id, n, lead_id, new_id, count(*) over (partition by org_id, lead_id) as size from (
        select org_id, delivery_id, n, delivery_id as lead_id, new_id from leads
        union all select org_id, delivery_id, n, lead_id, new_id from grouped
        union all select org_id, delivery_id, n, lead_id, null from again) found
      where not exists (select from broken b where b.org_id = found.org_id and b.lead_id = found.lead_id))`
}

/**
 * Leases due deliveries to one process each. Charges a delivery once for all attempts, if its budgets suffice. Simultaneous claims
 * can overdraw a budget, which recovers later. Deliveries that share a message are claimed and charged as one.
 */
export async function claimDeliveries(db: Db, claim: Claim): Promise<ClaimedDelivery[]> {
  const { leased_until, chosen, charges } = claim
  if (chosen.length === 0) return []
  const now = sql`${claim.now}::timestamptz`
  const of = <Key extends keyof Charge>(key: Key) => charges.map((charge) => charge[key])
  // A time further ahead than any charge can reach was written while a clock was wrong, so such a budget counts as full.
  const tat = sql`case when r.tat > ${now} + 10 * b.burst * b.each then ${now} else greatest(r.tat, ${now}) end`
  const { rows } = await sql<ClaimedDelivery>`
    with ${freeSql(chosen, now)}, charges as (
      select org_id, delivery_id, key, burst, interval_sec * interval '1 second' as each
      from unnest(${of('org_id')}::bigint[], ${of('delivery_id')}::bigint[], ${of('key')}::text[],
        ${of('interval_sec')}::float8[], ${of('burst')}::float8[]) as s(org_id, delivery_id, key, interval_sec, burst)
    ), wanted as (
      select b.*, ${tat} as tat, row_number() over (partition by b.key order by f.n) as place
      from charges b join free f using (org_id, delivery_id) left join rate_limits r on r.key = b.key
    ), judged as (
      select org_id, delivery_id, bool_and(tat + place * each <= ${now} + burst * each) as fits from wanted group by 1, 2
    ), spent as (
      insert into rate_limits as r (key, tat)
      select key, ${now} + count(*) * max(each) from wanted join judged using (org_id, delivery_id) where fits
      group by key order by key
      on conflict (key) do update set
        tat = (select ${tat} from wanted b where b.key = r.key limit 1) + (excluded.tat - ${now})
    ), claimed as (
      update deliveries d set leased_until = ${leased_until}::timestamptz, is_charged = d.is_charged or coalesce(j.fits, true),
        group_id = case when free.size > 1 and coalesce(j.fits, true) then coalesce(free.new_id, d.group_id) else d.group_id end,
        -- One that is tried with its group before its time is not counted.
        planned_at = case when d.next_attempt_at > ${now} then coalesce(d.planned_at, d.next_attempt_at) else d.planned_at end
      from free left join judged j on j.org_id = free.org_id and j.delivery_id = free.lead_id
      where d.org_id = free.org_id and d.delivery_id = free.delivery_id
      returning d.*, free.lead_id, free.n, coalesce(j.fits, true) as is_within_budget
    )
    select d.org_id, d.delivery_id, d.event_id, d.channel_id, wire_time(d.created_at) as created_at, d.attempts,
      d.is_last_attempt, wire_time(d.planned_at) as planned_at, wire_time(d.last_attempt_at) as last_attempt_at,
      wire_time(d.leased_until) as leased_until, d.subject, d.severity, d.lead_id, d.group_id, d.is_within_budget, e.type, wire_time(e.created_at) as happened_at, e.data,
      jsonb_build_object('name', c.name, 'kind', c.kind, 'enabled', c.enabled, 'destination', c.destination,
        'email', c.email, 'confirmed', c.confirmed_at is not null) as channel
    from claimed d
    join events e on e.org_id = d.org_id and e.event_id = d.event_id
    join notification_channels c on c.org_id = d.org_id and c.id = d.channel_id
    order by d.delivery_id`.execute(db)
  return rows
}

export interface AttemptRecord {
  org_id: number
  delivery_id: number
  /** End of the lease, as the claim returned it. */
  leased_until: string
  was_last_attempt: boolean
  state: 'pending' | 'delivered' | 'failed' | 'superseded'
  next_attempt_at: string | null
  /** Earliest time of the next attempt. Null if the delivery may be retried earlier than planned. */
  not_before: string | null
  attempts: number
  /** Time of the attempt. Null if nothing was attempted. */
  last_attempt_at: string | null
  last_error: string | null
  last_status: number | null
  last_latency_ms: number | null
  /** Id of the deliveries that the next attempt sends in one message. */
  group_id: string | null
}

/**
 * Records the outcome of a claim for all deliveries that share a message, and ends the lease. Returns false if another process has
 * claimed them since, or they no longer exist. Does not retry deliveries that were given up in the meantime.
 */
export async function updateDeliveriesAttempted(db: Db, records: readonly AttemptRecord[]): Promise<boolean> {
  const isOver = sql`d.state <> 'pending' and k.state = 'pending'`
  const of = <Key extends keyof AttemptRecord>(key: Key) => records.map((record) => record[key])
  const { numAffectedRows } = await sql`
    update deliveries d set
      state = case when ${isOver} then d.state else k.state end,
      -- Something newer may have come behind it meanwhile: then it is tried again at once.
      next_attempt_at = case when ${isOver} then null
        when d.is_last_attempt and not k.was_last_attempt and k.state = 'pending' then least(d.next_attempt_at, k.next_attempt_at)
        else k.next_attempt_at end,
      attempts = k.attempts, leased_until = null, planned_at = null, not_before = k.not_before, group_id = k.group_id,
      last_attempt_at = coalesce(k.last_attempt_at, d.last_attempt_at),
      last_error = k.last_error, last_status = k.last_status, last_latency_ms = k.last_latency_ms
    from unnest(${of('org_id')}::bigint[], ${of('delivery_id')}::bigint[], ${of('leased_until')}::timestamptz[],
      ${of('was_last_attempt')}::boolean[], ${of('state')}::text[], ${of('next_attempt_at')}::timestamptz[],
      ${of('not_before')}::timestamptz[], ${of('attempts')}::integer[], ${of('last_attempt_at')}::timestamptz[],
      ${of('last_error')}::text[], ${of('last_status')}::integer[], ${of('last_latency_ms')}::integer[], ${of('group_id')}::text[])
      as k(org_id, delivery_id, leased_until, was_last_attempt, state, next_attempt_at, not_before, attempts, last_attempt_at,
        last_error, last_status, last_latency_ms, group_id)
    where d.org_id = k.org_id and d.delivery_id = k.delivery_id
      and d.state in ('pending', 'superseded', 'failed') and d.leased_until = k.leased_until`.execute(db)
  return (numAffectedRows ?? 0n) > 0n
}

/** One of the deliveries that share a message, with its data for this message. */
export type GroupMember = Pick<
  ClaimedDelivery,
  'org_id' | 'delivery_id' | 'channel_id' | 'created_at' | 'severity' | 'type' | 'happened_at' | 'data'
>

/** Lists the deliveries that share a message, oldest first, including those that were given up after the first attempt. */
export async function listGroup(db: Db, org_id: number, group_id: string): Promise<GroupMember[]> {
  const { rows } = await sql<GroupMember>`
    select d.org_id, d.delivery_id, d.channel_id, wire_time(d.created_at) as created_at, d.severity, e.type,
      wire_time(e.created_at) as happened_at, e.data
    from deliveries d join events e on e.org_id = d.org_id and e.event_id = d.event_id
    where d.org_id = ${org_id} and d.group_id = ${group_id} order by d.delivery_id`.execute(db)
  return rows
}

/** Releases a claim without an attempt, and schedules the delivery for later. */
export async function updateDeliveryPostponed(
  db: Db,
  {
    org_id,
    delivery_id,
    leased_until,
    next_attempt_at,
  }: Pick<AttemptRecord, 'org_id' | 'delivery_id' | 'leased_until'> & {
    next_attempt_at: string
  },
): Promise<void> {
  await sql`
    update deliveries set next_attempt_at = ${next_attempt_at}::timestamptz, leased_until = null
    where org_id = ${org_id} and delivery_id = ${delivery_id} and state = 'pending'
      and leased_until = ${leased_until}::timestamptz`.execute(db)
}

/**
 * Makes all waiting deliveries of a channel due at once, in order, because the channel accepted one. Waits for `not_before`, and
 * for `settle_sec` after their last attempt. Stores when a retry was planned. Skips deliveries that are being sent.
 */
export async function updateDeliveriesForward(
  db: Db,
  { org_id, channel_id }: { org_id: number; channel_id: number },
  { now, settle_sec }: { now: string; settle_sec: number },
): Promise<void> {
  const soonest = sql`greatest(${now}::timestamptz, not_before, last_attempt_at + ${settle_sec}::integer * interval '1 second')`
  await sql`
    update deliveries d set planned_at = coalesce(d.planned_at, d.next_attempt_at), next_attempt_at = waiting.soonest
    from (
      select org_id, delivery_id, ${soonest} as soonest from deliveries
      where org_id = ${org_id} and channel_id = ${channel_id} and state = 'pending' and next_attempt_at > ${soonest}
        -- Not a summary that is still gathering.
        and (is_charged or attempts > 0)
        and (leased_until is null or leased_until <= ${now}::timestamptz)
      order by delivery_id for update skip locked
    ) waiting
    where d.org_id = waiting.org_id and d.delivery_id = waiting.delivery_id`.execute(db)
}

/** Stops counting attempts that failed through no fault of the receiver, unless another attempt was recorded since. */
export async function updateDeliveriesUncounted(
  db: Db,
  counted: readonly { org_id: number; delivery_id: number; attempts: number }[],
  next_attempt_at: string,
): Promise<void> {
  if (counted.length === 0) return
  await sql`
    update deliveries d set attempts = d.attempts - 1, state = 'pending', planned_at = null,
      next_attempt_at = least(coalesce(d.next_attempt_at, ${next_attempt_at}::timestamptz), ${next_attempt_at}::timestamptz)
    from unnest(${counted.map(({ org_id }) => org_id)}::bigint[], ${counted.map((one) => one.delivery_id)}::bigint[],
      ${counted.map(({ attempts }) => attempts)}::integer[]) as k(org_id, delivery_id, attempts)
    where d.org_id = k.org_id and d.delivery_id = k.delivery_id and d.attempts = k.attempts and d.attempts > 0
      and d.state in ('pending', 'failed') and d.leased_until is null`.execute(db)
}

/** Gives up all waiting deliveries of a disabled channel, except those that are being sent. */
export async function updateDeliveriesOfDisabled(db: Db, channel_id: number, reason: string): Promise<void> {
  await sql`
    update deliveries d set state = 'failed', next_attempt_at = null, last_error = ${reason}
    from notification_channels c
    where c.id = ${channel_id} and not c.enabled and d.org_id = c.org_id and d.channel_id = c.id
      and d.state = 'pending' and d.leased_until is null`.execute(db)
}

/** Creates one delivery of an event to one channel, and wakes the senders. */
export async function insertDelivery(
  db: Db,
  { org_id, event_id, channel_id }: { org_id: number; event_id: string; channel_id: number },
): Promise<number> {
  const { rows } = await sql<{ delivery_id: number }>`
    insert into deliveries (org_id, event_id, channel_id, subject, created_at, next_attempt_at)
    select org_id, event_id, ${channel_id}::bigint, subject, created_at, created_at from events
    where org_id = ${org_id} and event_id = ${event_id} returning delivery_id`.execute(db)
  const [row] = rows
  if (!row) throw new Error('no event with that id')
  await sql`select pg_notify(${DELIVERIES_CHANNEL}, '')`.execute(db)
  return row.delivery_id
}

/**
 * SQL for the state of a delivery as pages show it. `summarised`: sent as part of a summary. `unconfirmed`: waits for the owner of
 * an address.
 */
export const SHOWN_STATE = sql<string>`case
  when d.summary_id is not null then 'summarised'
  when d.state = 'pending' and d.subject !~ '^confirm:' and not (${sendableSql('c', sql`now()`)}) then 'unconfirmed'
  else d.state end`
