// Sends what is due: claims a delivery with a lease, sends it, records the outcome.
import type { Deps } from '../domain/deps.ts'
import { switchOffGone } from '../domain/channels/gone.ts'
import { withoutSecrets as withoutTokens } from '../runtime/log.ts'
import { newGuid } from '../runtime/ids.ts'
import { fromDate } from '../runtime/timestamps.ts'
import {
  type AttemptRecord,
  type ClaimedDelivery,
  claimDeliveries,
  type GroupMember,
  listGroup,
  updateDeliveriesAttempted,
  updateDeliveriesForward,
  updateDeliveriesUncounted,
} from '../store/alerting/deliveries.ts'
import { behind, findTurns, type Found, type Place, START, type Turn } from '../store/alerting/delivery-turns.ts'
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
import { type Dispatch, type Message, type Outcome, SEND_MS, type Urgency } from '../channels/channel.ts'
import { secretsIn, wholeDestination } from '../channels/destination.ts'
import { type Channels, findKind } from '../channels/registry.ts'
import { dueBy } from './due.ts'
import { groupMessage } from './group-words.ts'
import { describe } from './message.ts'
import { Reach } from './reach.ts'
import { withoutSecrets } from '../channels/secrets.ts'
import { createConfirmation } from '../domain/channels/confirmation.ts'
import { createLink } from '../domain/incidents/link.ts'
import { openGate } from '../domain/retention/gate.ts'
import { confirmMessage } from './confirm-words.ts'
import { gather, summarise, withSummary } from './summaries.ts'
import { AT_ONCE, chooseTurns, type UnderWay } from './turns.ts'
import { oneLine } from '../channels/wording.ts'

export interface DeliveryDeps extends Deps {
  channels: Channels
  /** The address of the console, for links. */
  public_url: string
  /** Limits for alerts; left out, the defaults. */
  budgets?: Budgets
}

export interface ClaimOptions {
  limit?: number
  /** What is being sent already. */
  underWay?: readonly UnderWay[]
  /** Where to begin in the round over all channels; left out, at its start. */
  after?: Place
}

/** A claimed delivery, or several of a group that go out in one message; then the first stands for all. */
export interface ClaimedMessage extends ClaimedDelivery {
  members: readonly ClaimedDelivery[]
}

export interface Claimed {
  deliveries: ClaimedMessage[]
  /** How many became part of a summary, or were postponed. */
  withheld: number
  /** Where to continue; undefined when the round is over. */
  next?: Place
  /** When the next delivery falls due, among those that are not due yet. */
  next_due_at: string | null
}

/** The outcomes of one run. */
export interface Counts {
  claimed: number
  delivered: number
  /** To be retried, or waiting for the operator. */
  pending: number
  failed: number
  superseded: number
  /** Not recorded: the lease had expired, or the database was away. They will be sent again. */
  lost: number
}

/** Longer than an attempt and its recording can take. */
const LEASE_MS = 60_000
const LIMIT = 50
/** A database that is away for a moment must not make us send twice. */
const RECORD_TRIES = 30
const RECORD_AGAIN_MS = 1000
const MAX_ERROR = 500

/** One run: claims what is due, up to a limit, sends it all at once and records it. */
export async function deliverOnce(deps: DeliveryDeps, options: ClaimOptions = {}): Promise<Counts> {
  const { deliveries: claimed } = await claim(deps, options)
  const ends = await Promise.all(claimed.map((delivery) => deliver(deps, delivery)))
  const counts: Counts = { claimed: claimed.length, delivered: 0, pending: 0, failed: 0, superseded: 0, lost: 0 }
  for (const end of ends) counts[end]++
  return counts
}

/**
 * Claims deliveries that are due and unclaimed, with organisations taking turns. The caller must `deliver` them at
 * once.
 */
export async function claim(deps: DeliveryDeps, options: ClaimOptions = {}): Promise<Claimed> {
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

/** Returns the group that a delivery begins, with all that is due on its channel; undefined if it goes out by itself. */
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

interface Sorted {
  turns: Turn[]
  gathered: number
  next_due_at: string | null
}

/**
 * Where a summary is being collected, new alerts are added to it. Where one is due, they wait until it is being sent. Where alerts are grouped,
 * the first of them stands for the others, and all wait while a message of the channel has just begun to be sent.
 */
async function sortOut(deps: DeliveryDeps, { turns: found, next_due_at }: Found, now: Date): Promise<Sorted> {
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

/** After the last organisation that was served, when others wait for a place; else where the scan stopped. */
function nextPlace({ turns, until }: Found, chosen: readonly Turn[], limit: number): Place | undefined {
  const served = new Set(chosen.map(({ org_id }) => org_id))
  const last = chosen.length === limit ? turns.findLast(({ org_id }) => served.has(org_id)) : undefined
  return last ? behind(last.org_id) : (until ?? undefined)
}

/** Channels with as many deliveries in progress as they may have. */
function fullOf(underWay: readonly UnderWay[], idOf: (one: UnderWay) => number, most: number): number[] {
  return [...Map.groupBy(underWay, idOf)].flatMap(([id, { length }]) => (length >= most ? [id] : []))
}

/** How many, for the kinds that send only a few at once. */
function roomOf(channels: Channels): Record<string, number> {
  return Object.fromEntries(
    Object.entries(channels).flatMap(([kind, { at_once }]) =>
      at_once === undefined ? [] : [[kind, at_once] as const],
    ),
  )
}

/** Sends a claimed delivery and records the outcome. Never rejects. */
export async function deliver(deps: DeliveryDeps, delivery: ClaimedMessage): Promise<Exclude<keyof Counts, 'claimed'>> {
  const sent_at = deps.clock.now()
  // This process stood still since the claim. Others may have told it meanwhile, and that it is over.
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
 * Returns the time by which the age of a delivery counts. It is later than `created_at` if the delivery would be given up for an age that
 * the gate of deletions does not know of, because a clock that is ahead for a moment makes every delivery old.
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
 * Before the attempt is recorded: if this process dies in between, the next one finds the channel disabled. Never
 * rejects.
 */
async function switchOff(deps: DeliveryDeps, { org_id, channel_id: id, channel }: ClaimedDelivery): Promise<void> {
  try {
    await switchOffGone(deps, { org_id, id }, channel)
  } catch (err) {
    // The next message will get the same answer.
    deps.log.warn({ err, org_id, channel_id: id }, 'could not disable a channel whose receiver no longer exists')
  }
}

/** What each process knows of its network, from the channels that it sends through. */
const REACHES = new WeakMap<Channels, Reach>()

function reachOf({ channels }: DeliveryDeps): Reach {
  const known = REACHES.get(channels) ?? new Reach()
  REACHES.set(channels, known)
  return known
}

/** The outcome, marked if the trouble is ours as far as the hosts of other receivers tell. */
function markOwnTrouble(deps: DeliveryDeps, { channel }: ClaimedDelivery, outcome: Outcome): Outcome {
  // Servers of the operator, such as the mail server, may be local: they say nothing about the network.
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

/** What a recorded attempt means for other deliveries. It may wait, and an error in it must not stop the sender. */
async function follow(deps: DeliveryDeps, delivery: ClaimedMessage, { outcome, decision }: Attempted): Promise<void> {
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
    // Also for attempts that were recorded while this became clear.
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

/** Sends a group: each attempt says the same, under one id. */
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

/** The mail that asks the owner of an address. Each attempt has a link of its own. */
async function ask(deps: DeliveryDeps, delivery: ClaimedDelivery, sent_at: Date): Promise<Outcome> {
  const { org_id, channel_id, channel } = delivery
  if (channel.email === '' || channel.confirmed) return { kind: 'gone', reason: 'the address is already confirmed' }
  const token = await createConfirmation(deps, { org_id, id: channel_id }, channel.email)
  const message = confirmMessage(deps.public_url, token)
  return sendBy(deps, channel.kind, { ...dispatchWith(delivery, sent_at, message), data: {} })
}

async function sendBy({ channels }: DeliveryDeps, kind: string, dispatch: Dispatch): Promise<Outcome> {
  // A newer build may have made a channel of a kind that this one does not know.
  return (
    channels[kind]?.send(dispatch) ?? { kind: 'wait', reason: `this server does not support channels of kind ${kind}` }
  )
}

/** The data of an alert about an open incident, with the address of the page where it can be acknowledged. */
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

/** A receiver may repeat in its refusal what it was sent. */
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
  const message = describe({ type, timestamp, data }, public_url)
  const urgency = URGENCIES.find((one) => one === severity)
  return { ...message, ...(urgency && { urgency }) }
}

function dispatchWith(delivery: ClaimedDelivery, sent_at: Date, message: Message): Dispatch {
  const { org_id, event_id, channel_id, group_id, channel, type, data, happened_at: timestamp } = delivery
  const webhook_id = webhookId(group_id ?? event_id, channel_id)
  return { webhook_id, org_id, sent_at, type, timestamp, data, message, destination: wholeDestination(channel) }
}

const URGENCIES: readonly Urgency[] = ['critical', 'warning', 'info']

/** The same for every attempt, so that a receiver can drop repeats. */
function webhookId(id: string, channel_id: number): string {
  return `msg_${id}_${channel_id}`
}

interface Attempted {
  outcome: Outcome
  decision: Decision
  /** Time by which the age of the delivery counts. */
  age_from: string
  sent_at: Date
  latency_ms: number
}

async function recordStubbornly(deps: DeliveryDeps, delivery: ClaimedMessage, attempted: Attempted): Promise<boolean> {
  for (let left = RECORD_TRIES - 1; ; left--) {
    try {
      return await record(deps, delivery, attempted)
    } catch (err) {
      deps.log.warn({ err, delivery_id: delivery.delivery_id, left }, 'could not record a delivery attempt')
      if (left === 0) return false
      await new Promise((resolve) => setTimeout(resolve, RECORD_AGAIN_MS))
    }
  }
}

function record(
  deps: DeliveryDeps,
  delivery: ClaimedMessage,
  { outcome, age_from, sent_at, latency_ms }: Attempted,
): Promise<boolean> {
  const wasTried = outcome.kind === 'delivered' || outcome.kind === 'retry' || 'status' in outcome
  const tellsHowLong = wasTried && !('for_operator' in outcome)
  const now = dueBy(deps)
  const records = delivery.members.map((member): AttemptRecord => {
    // All of a group are as old as the first.
    const decision = decide(outcome, { ...member, created_at: age_from }, now)
    return {
      org_id: member.org_id,
      delivery_id: member.delivery_id,
      leased_until: member.leased_until,
      was_last_attempt: member.is_last_attempt,
      state: decision.state,
      attempts: decision.attempts,
      next_attempt_at: decision.state === 'pending' ? fromDate(decision.next_attempt_at) : null,
      last_attempt_at: wasTried ? fromDate(sent_at) : null,
      not_before: decision.state === 'pending' && decision.not_before ? fromDate(decision.not_before) : null,
      last_error: reasonShown(outcome),
      last_status: ('status' in outcome ? outcome.status : undefined) ?? null,
      last_latency_ms: tellsHowLong ? latency_ms : null,
      group_id: member.group_id,
    }
  })
  return updateDeliveriesAttempted(deps.database.machines, withoutSuperseded(deps, records))
}

/** Gives what is left of a group an id of its own when some of it made way for newer alerts: the same id always stands for the same alerts. */
function withoutSuperseded(deps: DeliveryDeps, records: readonly AttemptRecord[]): readonly AttemptRecord[] {
  const left = records.filter(({ state }) => state === 'pending')
  if (left.length === 0 || left.length === records.length) return records
  const group_id = left.length > 1 ? newGuid(deps.random) : null
  return records.map((one) => (one.state === 'pending' ? { ...one, group_id } : one))
}

/** As the delivery log shows it. */
function reasonShown(outcome: Outcome): string | null {
  if (!('reason' in outcome)) return null
  const isOurs = outcome.kind === 'retry' && outcome.is_ours === true
  return oneLine(
    isOurs ? `problem on the Dogwatch side, not counted as an attempt: ${outcome.reason}` : outcome.reason,
    MAX_ERROR,
  )
}

function report({ log }: DeliveryDeps, delivery: ClaimedDelivery, outcome: Outcome, decision: Decision): void {
  if (!('reason' in outcome)) return
  const { org_id, delivery_id, channel_id, type } = delivery
  const why = outcome.kind === 'retry' && outcome.for_operator !== undefined && { why: outcome.for_operator }
  const facts = { org_id, delivery_id, channel_id, type, attempts: decision.attempts, reason: outcome.reason, ...why }
  if (decision.state === 'failed') log.warn(facts, 'gave up on a delivery')
  else log.info(facts, decision.state === 'pending' ? 'a delivery failed; will retry' : 'a delivery was superseded')
}
