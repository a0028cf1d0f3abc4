// Limits how many alerts are sent: per channel, organisation and mailbox, and through servers that all organisations
// share. Alerts beyond that are collected in one summary.
import { findKind, groupSize, sharesQuota } from '../channels/registry.ts'
import { mailboxOf } from '../domain/people/mailbox.ts'
import type { Charge } from '../store/alerting/deliveries.ts'
import { PACE_SEC, paceKey, type Turn } from '../store/alerting/delivery-turns.ts'

/** This many at once, and then this many per hour; undefined: no limit. */
export type Budget = { per_hour: number; burst: number } | undefined

export interface Budgets {
  channel: Budget
  organisation: Budget
  /** All organisations together. */
  mailbox: Budget
  /** Of one organisation, through the operator's account at a service that all organisations share, such as ntfy. */
  shared: Budget
}

export const DEFAULT_BUDGETS: Budgets = {
  channel: { per_hour: 360, burst: 300 },
  organisation: { per_hour: 3600, burst: 3000 },
  mailbox: { per_hour: 120, burst: 200 },
  shared: { per_hour: 60, burst: 120 },
}

/** One message, and the next after the pace. The alerts of a channel that may not go out yet wait. */
const PACE = { per_hour: 3600 / PACE_SEC, burst: 1 }

/** Subjects that are no alerts: they are limited where somebody requests them. */
const FREE = /^(?:test|confirm):/
/** The subject of a channel's summaries, and of nothing else. */
export const summarySubject = (channel_id: number) => `summary:${channel_id}`
/** Summaries are sent before everything else, and in the end regardless of what was sent before them. */
const SUMMARY_SHARE = 2
const SUMMARY_PATIENCE_MS = 600_000

/** Whether it may become part of a summary: an alert that nobody has tried to send yet. */
export function isSummable({ kind, subject, channel_id, is_charged, attempts }: Turn): boolean {
  return !is_charged && attempts === 0 && !FREE.test(subject) && !waitsOverBudget({ kind, subject, channel_id })
}

/** Returns how many alerts the message may hold that is begun with a delivery: 1 if that goes out by itself. */
export function groupSizeOf(turn: Turn): number {
  return turn.group_id === null && isSummable(turn) ? groupSize(turn) : 1
}

/** Returns when an alert that may be grouped is no longer held back for others, in milliseconds. */
export function pacedUntil({ paced_until, created_at }: Turn): number {
  if (paced_until === null) return -Infinity
  return Math.min(Date.parse(paced_until), Date.parse(created_at) + PACE_SEC * 1000)
}

/**
 * Whether it waits when a budget is spent, instead of becoming part of a summary: it is one itself, or its receiver keeps
 * incidents, which would stay open without their UP.
 */
export function waitsOverBudget({ kind, subject, channel_id }: Pick<Turn, 'kind' | 'subject' | 'channel_id'>): boolean {
  return subject === summarySubject(channel_id) || findKind(kind)?.keepsIncidents === true
}

/** The budgets that the first attempt is charged to. */
export function chargesOf(turn: Turn, budgets: Budgets, now: Date): Charge[] {
  const { org_id, delivery_id, channel_id, kind, email, subject, is_charged, attempts, created_at } = turn
  // A delivery that was tried without a charge is left alone.
  if (is_charged || attempts > 0 || FREE.test(subject)) return []
  const isSummary = subject === summarySubject(channel_id)
  const isPaced = groupSizeOf(turn) > 1 && turn.paced_until === null
  const isLate = isSummary && now.getTime() - Date.parse(created_at) > SUMMARY_PATIENCE_MS
  const given: [string, Budget][] = [
    ...(isSummary
      ? []
      : ([
          [`alerts-channel:${channel_id}`, budgets.channel],
          [`alerts-org:${org_id}`, budgets.organisation],
        ] satisfies [string, Budget][])),
    ...(isPaced ? ([[paceKey(channel_id), PACE]] satisfies [string, Budget][]) : []),
    ...(email === '' || isLate
      ? []
      : ([[`alerts-mailbox:${mailboxOf(email)}`, budgets.mailbox]] satisfies [string, Budget][])),
    // An organisation with many channels has as many summaries: they wait for as long as it takes.
    ...(sharesQuota(kind) ? ([[`alerts-${kind}:${org_id}`, budgets.shared]] satisfies [string, Budget][]) : []),
  ]
  return given.flatMap(([key, budget]) =>
    budget === undefined
      ? []
      : {
          org_id,
          delivery_id,
          key,
          interval_sec: 3600 / budget.per_hour,
          burst: budget.burst * (isSummary ? SUMMARY_SHARE : 1),
        },
  )
}
