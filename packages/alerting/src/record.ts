// Records the outcome of an attempt to send a delivery, for all deliveries of its message.

import type { Outcome } from '@dogwatch/channels/channel'
import { oneLine } from '@dogwatch/channels/wording'
import type { Deps } from '@dogwatch/domain/deps'
import { newGuid } from '@dogwatch/runtime/ids'
import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  type AttemptRecord,
  type ClaimedDelivery,
  updateDeliveriesAttempted,
} from '@dogwatch/store/alerting/deliveries'
import { type Decision, decide } from './backoff.ts'
import { dueBy } from './due.ts'

/** Number of attempts to record an outcome, because a short failure of the database must not make us send an alert twice. */
const RECORD_TRIES = 30
const RECORD_AGAIN_MS = 1000
const MAX_ERROR = 500

/** An attempt to send a delivery, and what follows for the delivery. */
export interface FinishedAttempt {
  outcome: Outcome
  decision: Decision
  /** Time at which the age of the delivery starts to count. */
  age_from: string
  sent_at: Date
  latency_ms: number
}

/**
 * Records an attempt, and tries again if the database fails. Returns false if another process took over the delivery, or if no
 * try succeeded.
 */
export async function recordStubbornly(
  deps: Deps,
  delivery: Pick<ClaimedDelivery, 'delivery_id'> & { members: readonly ClaimedDelivery[] },
  attempted: FinishedAttempt,
): Promise<boolean> {
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
  deps: Deps,
  { members }: { members: readonly ClaimedDelivery[] },
  { outcome, age_from, sent_at, latency_ms }: FinishedAttempt,
): Promise<boolean> {
  const wasTried = outcome.kind === 'delivered' || outcome.kind === 'retry' || 'status' in outcome
  const tellsHowLong = wasTried && !('for_operator' in outcome)
  const now = dueBy(deps)
  const records = members.map((member): AttemptRecord => {
    // All deliveries of a group have the age of the first.
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

/** Gives the rest of a group a new id if some of its alerts were superseded, because an id always identifies the same alerts. */
function withoutSuperseded(deps: Deps, records: readonly AttemptRecord[]): readonly AttemptRecord[] {
  const left = records.filter(({ state }) => state === 'pending')
  if (left.length === 0 || left.length === records.length) return records
  const group_id = left.length > 1 ? newGuid(deps.random) : null
  return records.map((one) => (one.state === 'pending' ? { ...one, group_id } : one))
}

/** Returns the reason of a failure as the delivery log shows it. */
function reasonShown(outcome: Outcome): string | null {
  if (!('reason' in outcome)) return null
  const isOurs = outcome.kind === 'retry' && outcome.is_ours === true
  return oneLine(
    isOurs ? `problem on the Dogwatch side, not counted as an attempt: ${outcome.reason}` : outcome.reason,
    MAX_ERROR,
  )
}
