// How many alerts may go out: for each channel, each organisation and each mailbox. What is over is told in one summary.
import { mailboxOf } from '../domain/people/mailbox.ts'
import type { Charge } from '../store/alerting/deliveries.ts'
import type { Turn } from '../store/alerting/delivery-turns.ts'

/** So many at once, and then so many an hour; undefined: without a limit. */
export type Budget = { per_hour: number; burst: number } | undefined

export interface Budgets {
  channel: Budget
  organisation: Budget
  /** Of all organisations together. */
  mailbox: Budget
}

export const DEFAULT_BUDGETS: Budgets = {
  channel: { per_hour: 360, burst: 300 },
  organisation: { per_hour: 3600, burst: 3000 },
  mailbox: { per_hour: 120, burst: 200 },
}

/** Subjects that are no alerts: each is bounded where somebody asks for it. */
const FREE = /^(?:test|confirm):/
/** A summary of a channel is about that, and nothing else is. */
export const summarySubject = (channel_id: number) => `summary:${channel_id}`
/** Summaries go out before all else, and at last whatever was sent before them. */
const SUMMARY_SHARE = 2
const SUMMARY_PATIENCE_MS = 600_000

/** Whether it may be told in a summary: an alert that nobody has tried to send yet. */
export function isSummable({ subject, channel_id, is_charged, attempts }: Turn): boolean {
  return !is_charged && attempts === 0 && !FREE.test(subject) && subject !== summarySubject(channel_id)
}

/** What sending it for the first time is counted against. */
export function chargesOf(turn: Turn, budgets: Budgets, now: Date): Charge[] {
  const { org_id, delivery_id, channel_id, email, subject, is_charged, attempts, created_at } = turn
  // What was tried by a build that did not charge is let be.
  if (is_charged || attempts > 0 || FREE.test(subject)) return []
  const isSummary = subject === summarySubject(channel_id)
  if (isSummary && now.getTime() - Date.parse(created_at) > SUMMARY_PATIENCE_MS) return []
  const given: [string, Budget][] = [
    ...(isSummary
      ? []
      : ([
          [`alerts-channel:${channel_id}`, budgets.channel],
          [`alerts-org:${org_id}`, budgets.organisation],
        ] satisfies [string, Budget][])),
    ...(email === '' ? [] : ([[`alerts-mailbox:${mailboxOf(email)}`, budgets.mailbox]] satisfies [string, Budget][])),
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
