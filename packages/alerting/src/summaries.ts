// Collects the alerts over budget in one message, which also says what is down when it is sent.

import type { Deps } from '@dogwatch/domain/deps'
import type { SummaryData } from '@dogwatch/domain/events/event'
import { newGuid } from '@dogwatch/runtime/ids'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { type ClaimedDelivery, updateDeliveryPostponed } from '@dogwatch/store/alerting/deliveries'
import { joinSummary, readGathered, updateEventData } from '@dogwatch/store/alerting/summaries'
import { summarySubject, waitsOverBudget } from './budgets.ts'
import { dueBy } from './due.ts'

/** Collection time of a summary in milliseconds. It is short, but long enough for a burst to become one message. */
const GATHER_MS = 120_000
/** Time after which a delivery that waits for a budget is tried again. */
const POSTPONE_MS = 30_000
/** Maximum number of deliveries that one transaction moves into a summary. */
const JOINED = 2000
/** Maximum number of entries of each list in the message. */
const LISTED = 100

export interface SummaryChannel {
  org_id: number
  channel_id: number
}

/**
 * Moves the due alerts of a channel into the summary that is collecting there. Does nothing if the channel has no such summary.
 */
export async function gather(deps: Deps, { org_id, channel_id }: SummaryChannel): Promise<number> {
  const now = fromDate(dueBy(deps))
  const subject = summarySubject(channel_id)
  return joinSummary(deps.database.machines, { org_id, channel_id, subject, now, leased_until: null, limit: JOINED })
}

/**
 * Moves claimed deliveries over budget into a summary, with all due alerts that wait behind them. Summaries over budget wait, and
 * so do alerts for receivers that open and close incidents.
 */
export async function summarise(deps: Deps, denied: readonly ClaimedDelivery[]): Promise<void> {
  const now = dueBy(deps)
  const waits = ({ subject, channel_id, channel: { kind } }: ClaimedDelivery) =>
    waitsOverBudget({ kind, subject, channel_id })
  for (const delivery of denied.filter(waits)) {
    const next_attempt_at = fromDate(new Date(now.getTime() + POSTPONE_MS))
    await updateDeliveryPostponed(deps.database.machines, { ...delivery, next_attempt_at })
  }
  const alerts = denied.filter((delivery) => !waits(delivery))
  for (const [channel_id, [first]] of Map.groupBy(alerts, (delivery) => delivery.channel_id)) {
    if (!first) continue
    const { org_id, leased_until, channel } = first
    const subject = summarySubject(channel_id)
    const created_at = fromDate(now)
    const data = { channel: { id: channel_id, name: channel.name } }
    const event = { org_id, event_id: newGuid(deps.random), type: 'alerts.summary', created_at, subject, data }
    await joinSummary(
      deps.database.machines,
      { org_id, channel_id, subject, now: created_at, leased_until, limit: JOINED },
      { event, due_at: fromDate(new Date(now.getTime() + GATHER_MS)) },
    )
    deps.log.warn({ org_id, channel_id }, 'an alert budget is used up; further alerts are collected in one summary')
  }
}

/** Fixes a summary's content before the first attempt, so that every attempt sends the same. */
export async function withSummary(deps: Deps, delivery: ClaimedDelivery): Promise<ClaimedDelivery> {
  const known = delivery.data as Partial<SummaryData> & Pick<SummaryData, 'channel'>
  if (known.until !== undefined) return delivery
  const { counts, since, checks, heartbeats, ...rest } = await readGathered(deps.database.machines, delivery, LISTED)
  const withGuid = ({ id, ...one }: (typeof checks)[number]) => ({ guid: id, ...one })
  const until = fromDate(deps.clock.now())
  const data: SummaryData = {
    ...rest,
    channel: known.channel,
    count: counts.reduce((sum, { count }) => sum + count, 0),
    counts,
    since: since ?? delivery.created_at,
    until,
    checks: checks.map(withGuid),
    heartbeats: heartbeats.map(withGuid),
  }
  return { ...delivery, data: await updateEventData(deps.database.machines, delivery, data) }
}
