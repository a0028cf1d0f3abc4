// Sends due deliveries: claims a delivery with a lease, sends it, records the outcome.

import { type Dispatch, type Message, type Outcome, SEND_MS, type Urgency } from '@dogwatch/channels/channel'
import { secretsIn, wholeDestination } from '@dogwatch/channels/destination'
import { type Channels, findKind } from '@dogwatch/channels/registry'
import { withoutSecrets } from '@dogwatch/channels/secrets'
import { createConfirmation } from '@dogwatch/domain/channels/confirmation'
import { switchOffGone } from '@dogwatch/domain/channels/gone'
import type { Deps } from '@dogwatch/domain/deps'
import { createLink } from '@dogwatch/domain/incidents/link'
import { openGate } from '@dogwatch/domain/retention/gate'
import { newGuid } from '@dogwatch/runtime/ids'
import { withoutSecrets as withoutTokens } from '@dogwatch/runtime/log'
import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  type ClaimedDelivery,
  claimDeliveries,
  type GroupMember,
  listGroup,
  updateDeliveriesForward,
  updateDeliveriesUncounted,
} from '@dogwatch/store/alerting/deliveries'
import {
  behind,
  findTurns,
  type RoundPosition,
  START,
  type Turn,
  type TurnScan,
} from '@dogwatch/store/alerting/delivery-turns'
import { type Decision, decide, OWN_TROUBLE_SEC, RETRY_SEC } from './backoff.ts'
import {
  type Budgets,
  chargesOf,
  DEFAULT_BUDGETS,
  groupSizeOf,
  isSummable,
  pacedUntil,
  summarySubject,
} from './budgets.ts'
import { confirmMessage } from './confirm-words.ts'
import { dueBy } from './due.ts'
import { groupMessage } from './group-words.ts'
import { messageFor } from './message.ts'
import { Reach } from './reach.ts'
import { type FinishedAttempt, recordStubbornly } from './record.ts'
import { gather, summarise, withSummary } from './summaries.ts'
import { AT_ONCE, chooseTurns, type UnderWay } from './turns.ts'

export interface DeliveryDeps extends Deps {
  channels: Channels
  /** Address of the console, for links. */
  public_url: string
  /** Limits for alerts. Default: {@link DEFAULT_BUDGETS}. */
  budgets?: Budgets
}

export interface ClaimOptions {
  limit?: number
  /** Deliveries that are already being sent. */
  underWay?: readonly UnderWay[]
  /** Position in the round over all channels at which to begin. Default: the start of the round. */
  after?: RoundPosition
}

/** A claimed delivery, or several deliveries of a group that go out in one message. The first represents the whole group. */
export interface ClaimedMessage extends ClaimedDelivery {
  members: readonly ClaimedDelivery[]
}

export interface ClaimBatch {
  deliveries: ClaimedMessage[]
  /** Number of deliveries that became part of a summary or were postponed. */
  withheld: number
  /** Position at which to continue the round over all channels. Absent if the round is over. */
  next?: RoundPosition
  /** Time at which the next delivery becomes due, of those that are not due yet. */
  next_due_at: string | null
}

/** Number of deliveries by their outcome in one run. */
export interface DeliveryCounts {
  claimed: number
  delivered: number
  /** Deliveries to retry, or that wait for the operator. */
  pending: number
  failed: number
  superseded: number
  /** Deliveries whose outcome could not be recorded. They will be sent again. */
  lost: number
}

/** Duration of a lease, in milliseconds. It is longer than an attempt and its recording. */
const LEASE_MS = 60_000
const LIMIT = 50

/** Claims the due deliveries up to a limit, sends them all at once and records the outcomes. */
export async function deliverOnce(deps: DeliveryDeps, options: ClaimOptions = {}): Promise<DeliveryCounts> {
  const { deliveries: claimed } = await claim(deps, options)
  const ends = await Promise.all(claimed.map((delivery) => deliver(deps, delivery)))
  const counts: DeliveryCounts = {
    claimed: claimed.length,
    delivered: 0,
    pending: 0,
    failed: 0,
    superseded: 0,
    lost: 0,
  }
  for (const end of ends) counts[end]++
  return counts
}

/** Claims due, unclaimed deliveries, with organisations taking turns. The caller must `deliver` them at once. */
export async function claim(deps: DeliveryDeps, options: ClaimOptions = {}): Promise<ClaimBatch> {
  const { limit = LIMIT, underWay = [], after = START } = options
  const { database, channels } = deps
  const now = dueBy(deps)
  const ofKind = roomOf(channels)
  const found = await findTurns(database.machines, {
    now: fromDate(now),
    after,
    perChannel: AT_ONCE.channel,
    fullOrgs: fullOf(underWay, ({ org_id }) => org_id, AT_ONCE.organisation),
    fullChannels: fullOf(underWay, ({ channel_id }) => channel_id, AT_ONCE.channel),
    fullKinds: Object.keys(ofKind).filter(
      (kind) => underWay.filter((one) => one.kind === kind).length >= (ofKind[kind] ?? 0),
    ),
  })
  const { turns, gathered, next_due_at } = await sortOut(deps, found, now)
  const chosen = chooseTurns(turns, { limit, underWay, ofKind })
  const claimed = await claimDeliveries(database.machines, {
    now: fromDate(now),
    leased_until: fromDate(new Date(now.getTime() + LEASE_MS)),
    chosen: chosen.map((turn) => ({ ...turn, group: groupOf(deps, turn) })),
    charges: chosen.flatMap((turn) => chargesOf(turn, deps.budgets ?? DEFAULT_BUDGETS, now)),
  })
  const [within, denied] = [
    claimed.filter(({ is_within_budget }) => is_within_budget),
    claimed.filter(({ is_within_budget }) => !is_within_budget),
  ]
  await summarise(deps, denied)
  const next = nextPlace(found, chosen, limit)
  const withheld = gathered + denied.length
  return { deliveries: messagesOf(within), withheld, next_due_at, ...(next && { next }) }
}

/**
 * Returns the group that this delivery forms with other due deliveries of its channel. Returns undefined if the delivery is sent
 * alone.
 */
function groupOf(deps: DeliveryDeps, turn: Turn): { id: string; most: number } | undefined {
  const most = groupSizeOf(turn)
  return most > 1 ? { id: newGuid(deps.random), most } : undefined
}

function messagesOf(claimed: readonly ClaimedDelivery[]): ClaimedMessage[] {
  return [...Map.groupBy(claimed, ({ lead_id }) => lead_id).values()].flatMap((members) => {
    const lead = members.find(({ delivery_id, lead_id }) => delivery_id === lead_id)
    return lead ? [{ ...lead, members }] : []
  })
}

interface TurnSelection {
  turns: Turn[]
  gathered: number
  next_due_at: string | null
}

/**
 * Adds new alerts to the summary that still collects alerts in their channel. If a summary is due there, they wait. Returns only
 * the first groupable alert of each channel, and none before the channel's next message is due.
 */
async function sortOut(deps: DeliveryDeps, { turns: found, next_due_at }: TurnScan, now: Date): Promise<TurnSelection> {
  const late = found.filter((turn) => turn.has_summary && isSummable(turn))
  const due = new Set(
    found.flatMap(({ subject, channel_id }) => (subject === summarySubject(channel_id) ? channel_id : [])),
  )
  let gathered = 0
  for (const [channel_id, [turn]] of Map.groupBy(late, (one) => one.channel_id))
    if (turn && !due.has(channel_id)) gathered += await gather(deps, turn)
  const rest = found.filter((turn) => !late.includes(turn))
  const grouped = rest.filter((turn) => groupSizeOf(turn) > 1)
  const waiting = grouped.map(pacedUntil).filter((until) => until > now.getTime())
  const first = new Set(
    [...Map.groupBy(grouped, ({ channel_id }) => channel_id).values()].map((own) =>
      own.find((turn) => pacedUntil(turn) <= now.getTime()),
    ),
  )
  return {
    turns: rest.filter((turn) => !grouped.includes(turn) || first.has(turn)),
    gathered,
    next_due_at: earliest(next_due_at, waiting),
  }
}

function earliest(at: string | null, others_ms: readonly number[]): string | null {
  if (others_ms.length === 0) return at
  return fromDate(new Date(Math.min(...others_ms, ...(at === null ? [] : [Date.parse(at)]))))
}

/**
 * Returns the position after the last organisation that got a slot, or the end of the scan if no other organisation waits for a
 * slot.
 */
function nextPlace({ turns, until }: TurnScan, chosen: readonly Turn[], limit: number): RoundPosition | undefined {
  const served = new Set(chosen.map(({ org_id }) => org_id))
  const last = chosen.length === limit ? turns.findLast(({ org_id }) => served.has(org_id)) : undefined
  return last ? behind(last.org_id) : (until ?? undefined)
}

/** Returns the ids of the organisations or channels that already have the maximum number of deliveries in progress. */
function fullOf(underWay: readonly UnderWay[], idOf: (one: UnderWay) => number, most: number): number[] {
  return [...Map.groupBy(underWay, idOf)].flatMap(([id, { length }]) => (length >= most ? [id] : []))
}

/** Returns the maximum number of deliveries at once for each kind of channel that has such a limit. */
function roomOf(channels: Channels): Record<string, number> {
  return Object.fromEntries(
    Object.entries(channels).flatMap(([kind, { at_once }]) =>
      at_once === undefined ? [] : [[kind, at_once] as const],
    ),
  )
}

/** Sends a claimed delivery and records the outcome. Never rejects. */
export async function deliver(
  deps: DeliveryDeps,
  delivery: ClaimedMessage,
): Promise<Exclude<keyof DeliveryCounts, 'claimed'>> {
  const sent_at = deps.clock.now()
  // This process stood still since the claim. In the meantime, other processes may have sent this alert, and the recovery.
  if (dueBy(deps).getTime() + SEND_MS > Date.parse(delivery.leased_until)) return 'lost'
  const began = deps.clock.monotonicMs()
  const outcome = withoutSecrets(await attempt(deps, delivery, sent_at), secretsIn(delivery.channel))
  const latency_ms = Math.round(deps.clock.monotonicMs() - began)
  const marked = markOwnTrouble(deps, delivery, outcome)
  const age_from = await ageFrom(deps, delivery, marked)
  const decision = decide(marked, { ...delivery, created_at: age_from }, dueBy(deps))
  report(deps, delivery, marked, decision)
  const attempted = { outcome: marked, decision, age_from, sent_at, latency_ms }
  if (marked.kind === 'gone' && marked.status !== undefined) await switchOff(deps, delivery)
  const isRecorded = await recordStubbornly(deps, delivery, attempted)
  if (isRecorded) await follow(deps, delivery, attempted)
  return isRecorded ? decision.state : 'lost'
}

/**
 * Returns the time at which the age of a delivery starts to count. It is later than `created_at` if the delivery is too old only
 * by a clock that is ahead, because no decision may rely on such an age.
 */
async function ageFrom(deps: DeliveryDeps, delivery: ClaimedDelivery, outcome: Outcome): Promise<string> {
  const now = dueBy(deps)
  const isForAge = outcome.kind === 'wait' || (outcome.kind === 'retry' && outcome.is_ours === true)
  if (!isForAge || decide(outcome, delivery, now).state !== 'failed') return delivery.created_at
  const gate = await openGate(deps).catch(() => undefined)
  const lag_ms = gate && !gate.held ? now.getTime() - Date.parse(gate.ago(0)) : Number.POSITIVE_INFINITY
  return fromDate(new Date(Math.min(now.getTime(), Date.parse(delivery.created_at) + lag_ms)))
}

/**
 * Disables a channel whose receiver no longer exists. Runs before the attempt is recorded, so that a process that stops in
 * between finds the channel disabled. Never rejects.
 */
async function switchOff(deps: DeliveryDeps, { org_id, channel_id: id, channel }: ClaimedDelivery): Promise<void> {
  try {
    await switchOffGone(deps, { org_id, id }, channel)
  } catch (err) {
    // If this fails, the next message will get the same response and disable the channel.
    deps.log.warn({ err, org_id, channel_id: id }, 'could not disable a channel whose receiver no longer exists')
  }
}

/** State of the network of this process, by the channels that it sends through. */
const REACHES = new WeakMap<Channels, Reach>()

function reachOf({ channels }: DeliveryDeps): Reach {
  const known = REACHES.get(channels) ?? new Reach()
  REACHES.set(channels, known)
  return known
}

/** Marks the outcome if the fault is on our side, judged by the hosts of other receivers. */
function markOwnTrouble(deps: DeliveryDeps, { channel }: ClaimedDelivery, outcome: Outcome): Outcome {
  // Servers of the operator, such as the mail server, can be local, so they prove nothing about the network.
  if (findKind(channel.kind)?.sending.server !== 'receiver') return outcome
  const reach = reachOf(deps)
  if (outcome.kind === 'delivered' || 'status' in outcome) {
    reach.reached(deps.clock.monotonicMs())
  }
  if (outcome.kind !== 'retry' || outcome.unreached === undefined) return outcome
  const now_ms = deps.clock.monotonicMs()
  reach.failed(outcome.unreached, now_ms)
  return reach.isOurs(now_ms) ? { ...outcome, is_ours: true } : outcome
}

/** Reschedules other deliveries after a recorded attempt. Never rejects, because an error here must not stop the sender. */
async function follow(
  deps: DeliveryDeps,
  delivery: ClaimedMessage,
  { outcome, decision }: FinishedAttempt,
): Promise<void> {
  const { database, clock, log } = deps
  const { delivery_id, members } = delivery
  const reach = reachOf(deps)
  try {
    if (outcome.kind === 'delivered')
      await updateDeliveriesForward(database.machines, delivery, {
        now: fromDate(dueBy(deps)),
        settle_sec: RETRY_SEC[0],
      })
    if (outcome.kind !== 'retry' || outcome.unreached === undefined) return
    const { attempts } = decision
    if (!outcome.is_ours) for (const member of members) reach.count({ ...member, attempts })
    // The attempts counted so far are rescheduled as well, because they failed before it was clear that the fault is on our side.
    if (!reach.isOurs(clock.monotonicMs())) return
    const again_at = new Date(dueBy(deps).getTime() + OWN_TROUBLE_SEC * 1000)
    await updateDeliveriesUncounted(database.machines, reach.takeCounted(), fromDate(again_at))
  } catch (err) {
    log.warn({ err, delivery_id }, 'could not reschedule the other deliveries of a channel')
  }
}

async function attempt(deps: DeliveryDeps, delivery: ClaimedMessage, sent_at: Date): Promise<Outcome> {
  const { channel } = delivery
  if (!channel.enabled) return { kind: 'gone', reason: 'the channel is disabled' }
  try {
    if (delivery.type === 'channel.confirm') return await ask(deps, delivery, sent_at)
    if (delivery.group_id !== null) return await sendGroup(deps, delivery, sent_at)
    const told = delivery.type === 'alerts.summary' ? await withSummary(deps, delivery) : delivery
    const linked = { ...told, data: await withLink(deps, told) }
    return withoutLinks(await sendBy(deps, channel.kind, dispatchOf(deps, linked, sent_at)))
  } catch (err) {
    deps.log.error({ err, delivery_id: delivery.delivery_id }, 'the code of a channel kind threw an error')
    return { kind: 'retry', reason: 'internal error' }
  }
}

/** Sends a group of deliveries in one message. Each attempt sends the same content and the same id. */
async function sendGroup(deps: DeliveryDeps, delivery: ClaimedMessage, sent_at: Date): Promise<Outcome> {
  const { org_id, group_id, channel, channel_id } = delivery
  const members = await listGroup(deps.database.machines, org_id, group_id ?? '')
  const alerts = []
  for (const member of members) {
    const data = await withLink(deps, member)
    alerts.push({ ...member, data, message: messageOf(deps, { ...member, data }) })
  }
  const message = groupMessage(alerts, `${deps.public_url.replace(/(?<!\/)\/+$/, '')}/incidents`)
  const { org } = alerts[0]?.data as { org: { name: string } }
  const summary = {
    ...delivery,
    type: 'alerts.summary',
    data: { org, channel: { id: channel_id, name: channel.name } },
  }
  return withoutLinks(await sendBy(deps, channel.kind, dispatchWith(summary, sent_at, message)))
}

/** Sends the email that asks the owner of an address for consent. Each attempt has its own link. */
async function ask(deps: DeliveryDeps, delivery: ClaimedDelivery, sent_at: Date): Promise<Outcome> {
  const { org_id, channel_id, channel } = delivery
  if (channel.email === '' || channel.confirmed) return { kind: 'gone', reason: 'the address is already confirmed' }
  const token = await createConfirmation(deps, { org_id, id: channel_id }, channel.email)
  const message = confirmMessage(deps.public_url, token)
  return sendBy(deps, channel.kind, { ...dispatchWith(delivery, sent_at, message), data: {} })
}

async function sendBy({ channels }: DeliveryDeps, kind: string, dispatch: Dispatch): Promise<Outcome> {
  // A newer version may have created a channel of a kind that this version does not support.
  return (
    channels[kind]?.send(dispatch) ?? { kind: 'wait', reason: `this server does not support channels of kind ${kind}` }
  )
}

/** Returns the data of an alert. For an open incident, it contains the address of the page where a member can acknowledge it. */
async function withLink(deps: DeliveryDeps, delivery: GroupMember): Promise<unknown> {
  const { data, delivery_id } = delivery
  try {
    const token = await createLink(deps, delivery)
    if (token === undefined) return data
    return { ...(data as object), acknowledge_url: `${deps.public_url.replace(/(?<!\/)\/+$/, '')}/a/${token}` }
  } catch (err) {
    deps.log.warn({ err, delivery_id }, 'sending an alert without its acknowledge link')
    return data
  }
}

/** Removes the secrets of links from an outcome, because a receiver can repeat the message in its refusal. */
function withoutLinks(outcome: Outcome): Outcome {
  return 'reason' in outcome ? { ...outcome, reason: withoutTokens(outcome.reason) } : outcome
}

function dispatchOf(deps: DeliveryDeps, delivery: ClaimedDelivery, sent_at: Date): Dispatch {
  return dispatchWith(delivery, sent_at, messageOf(deps, delivery))
}

function messageOf(
  { public_url }: DeliveryDeps,
  { type, data, happened_at: timestamp, severity }: GroupMember,
): Message {
  const message = messageFor({ type, timestamp, data }, public_url)
  const urgency = URGENCIES.find((one) => one === severity)
  return { ...message, ...(urgency && { urgency }) }
}

function dispatchWith(delivery: ClaimedDelivery, sent_at: Date, message: Message): Dispatch {
  const { org_id, event_id, channel_id, group_id, channel, type, data, happened_at: timestamp } = delivery
  const webhook_id = webhookId(group_id ?? event_id, channel_id)
  return { webhook_id, org_id, sent_at, type, timestamp, data, message, destination: wholeDestination(channel) }
}

const URGENCIES: readonly Urgency[] = ['critical', 'warning', 'info']

/** Returns the id of a message. It is the same for every attempt, so that a receiver can drop repeats. */
function webhookId(id: string, channel_id: number): string {
  return `msg_${id}_${channel_id}`
}

function report({ log }: DeliveryDeps, delivery: ClaimedDelivery, outcome: Outcome, decision: Decision): void {
  if (!('reason' in outcome)) return
  const { org_id, delivery_id, channel_id, type } = delivery
  const why = outcome.kind === 'retry' && outcome.for_operator !== undefined && { why: outcome.for_operator }
  const facts = { org_id, delivery_id, channel_id, type, attempts: decision.attempts, reason: outcome.reason, ...why }
  if (decision.state === 'failed') log.warn(facts, 'gave up on a delivery')
  else log.info(facts, decision.state === 'pending' ? 'a delivery failed; will retry' : 'a delivery was superseded')
}
