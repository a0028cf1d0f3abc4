// Limits the number of alerts: per channel, organisation and mailbox, and through servers that all organisations share.
// Collects further alerts in one summary.
import { findKind, groupSize, sharesQuota } from '@dogwatch/channels/registry'
import { mailboxOf } from '@dogwatch/domain/people/mailbox'
import type { Charge } from '@dogwatch/store/alerting/deliveries'
import { PACE_SEC, paceKey, type Turn } from '@dogwatch/store/alerting/delivery-turns'

/** Number of alerts that can be sent at once, and per hour after that. Undefined means no limit. */
export type SendBudget = { per_hour: number; burst: number } | undefined

export interface Budgets {
  channel: SendBudget
  organisation: SendBudget
  /** Limit for one mailbox, over all organisations. */
  mailbox: SendBudget
  /** Limit of one organisation at a service that all organisations share through the operator's account, such as ntfy. */
  shared: SendBudget
}

export const DEFAULT_BUDGETS: Budgets = {
  channel: { per_hour: 360, burst: 300 },
  organisation: { per_hour: 3600, burst: 3000 },
  mailbox: { per_hour: 120, burst: 200 },
  shared: { per_hour: 60, burst: 120 },
}

/** Budget of a channel that groups alerts: one message every `PACE_SEC` seconds. Alerts in between wait for the next message. */
const PACE = { per_hour: 3600 / PACE_SEC, burst: 1 }

/** Subjects of test messages and confirmation emails. Budgets do not apply to them, because the requests for them are limited. */
const FREE = /^(?:test|confirm):/
/** Returns the subject that only the summaries of a channel have. */
export const summarySubject = (channel_id: number) => `summary:${channel_id}`
/** Multiple of a budget's burst that summaries may use. */
const SUMMARY_SHARE = 2
const SUMMARY_PATIENCE_MS = 600_000

/** Whether a delivery can become part of a summary: an alert that has not been attempted yet. */
export function isSummable({ kind, subject, channel_id, is_charged, attempts }: Turn): boolean {
  return !is_charged && attempts === 0 && !FREE.test(subject) && !waitsOverBudget({ kind, subject, channel_id })
}

/**
 * Returns the maximum number of alerts in one message whose first alert is this delivery. Returns 1 if the delivery must be sent
 * alone.
 */
export function groupSizeOf(turn: Turn): number {
  return turn.group_id === null && isSummable(turn) ? groupSize(turn) : 1
}

/** Returns the time at which a groupable alert stops waiting for others, in milliseconds. */
export function pacedUntil({ paced_until, created_at }: Turn): number {
  if (paced_until === null) return -Infinity
  return Math.min(Date.parse(paced_until), Date.parse(created_at) + PACE_SEC * 1000)
}

/**
 * Whether an alert waits when a budget is spent, instead of becoming part of a summary. Summaries wait, and so do alerts for
 * receivers that open and close incidents, which would stay open without the recovery.
 */
export function waitsOverBudget({ kind, subject, channel_id }: Pick<Turn, 'kind' | 'subject' | 'channel_id'>): boolean {
  return subject === summarySubject(channel_id) || findKind(kind)?.keepsIncidents === true
}

/** Returns the budgets that the first attempt of a delivery uses up. */
export function chargesOf(turn: Turn, budgets: Budgets, now: Date): Charge[] {
  const { org_id, delivery_id, channel_id, kind, email, subject, is_charged, attempts, created_at } = turn
  // A delivery that was already attempted without a charge is not charged later.
  if (is_charged || attempts > 0 || FREE.test(subject)) return []
  const isSummary = subject === summarySubject(channel_id)
  const isPaced = groupSizeOf(turn) > 1 && turn.paced_until === null
  const isLate = isSummary && now.getTime() - Date.parse(created_at) > SUMMARY_PATIENCE_MS
  const given: [isUsedUp: boolean, key: string, SendBudget][] = [
    [!isSummary, `alerts-channel:${channel_id}`, budgets.channel],
    [!isSummary, `alerts-org:${org_id}`, budgets.organisation],
    [isPaced, paceKey(channel_id), PACE],
    [email !== '' && !isLate, `alerts-mailbox:${mailboxOf(email)}`, budgets.mailbox],
    // Summaries also use up this budget, because an organisation with many channels has as many summaries.
    [sharesQuota(kind), `alerts-${kind}:${org_id}`, budgets.shared],
  ]
  return given.flatMap(([isUsedUp, key, budget]) => {
    if (!isUsedUp || budget === undefined) return []
    const burst = budget.burst * (isSummary ? SUMMARY_SHARE : 1)
    return { org_id, delivery_id, key, interval_sec: 3600 / budget.per_hour, burst }
  })
}
