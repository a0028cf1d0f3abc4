// Decides what happens to a delivery after an attempt: delivered, retried later, or given up.
import type { Outcome } from '@dogwatch/channels/channel'

/** Seconds to wait after the first attempt, the second and so on, as Standard Webhooks recommends. */
export const RETRY_SEC = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
/** Maximum wait that a receiver can request, in seconds. */
const MAX_RETRY_AFTER_SEC = 3600
/** Seconds between attempts while a channel is not usable with the present configuration. */
const WAIT_SEC = 60
/** Age at which a delivery that waits for its channel to become usable is given up, in seconds. */
const MAX_WAIT_SEC = 3 * 86_400
/** Seconds between attempts while the fault is on our side. */
export const OWN_TROUBLE_SEC = 30
/** Maximum time during which failures on our side are not counted as attempts, in seconds. */
const MAX_OWN_TROUBLE_SEC = 7 * 86_400
/**
 * Maximum age, in seconds, of a delivery that is kept although a newer one waits behind it, while the fault is on our side.
 * Afterwards, both are sent in order.
 */
const KEPT_IN_ORDER_SEC = 3600
/**
 * Minimum wait, in seconds, until the next early attempt after an early attempt failed. The wait is otherwise twice the time
 * between that attempt and the one before it.
 */
const FORWARD_AGAIN_SEC = 60

export interface PendingDelivery {
  /** Number of attempts to send the delivery so far, without the current one. */
  attempts: number
  /** Whether the current attempt is the last, because a newer delivery waits behind this delivery. */
  is_last_attempt: boolean
  created_at: string
  /** Time at which the regular retry is due. Null unless the current attempt was brought forward. */
  planned_at: string | null
  last_attempt_at: string | null
}

export type Decision =
  | { state: 'delivered' | 'failed' | 'superseded'; attempts: number }
  | {
      state: 'pending'
      attempts: number
      next_attempt_at: Date
      /** Earliest time at which the next attempt can be made if the retry is brought forward. */
      not_before?: Date
    }

export function decide(outcome: Outcome, waiting: PendingDelivery, now: Date): Decision {
  const { attempts, is_last_attempt, created_at } = waiting
  if (outcome.kind === 'gone')
    return { state: 'failed', attempts: outcome.status === undefined ? attempts : attempts + 1 }
  if (outcome.kind === 'refused') return { state: 'failed', attempts: attempts + 1 }
  if (outcome.kind === 'delivered') return { state: 'delivered', attempts: attempts + 1 }
  if (outcome.kind === 'retry' && outcome.is_ours) return ownTrouble(waiting, now)
  const early =
    outcome.kind === 'retry' && !is_last_attempt ? triedEarly(waiting, outcome.retry_after_sec, now) : undefined
  if (early) return early
  const made = outcome.kind === 'wait' ? attempts : attempts + 1
  if (is_last_attempt) return { state: 'superseded', attempts: made }
  const delay_sec = outcome.kind === 'wait' ? patience(created_at, now) : retryDelay(made, outcome.retry_after_sec)
  if (delay_sec === undefined) return { state: 'failed', attempts: made }
  const asked_sec = outcome.kind === 'retry' ? outcome.retry_after_sec : undefined
  return {
    state: 'pending',
    attempts: made,
    next_attempt_at: after(now, delay_sec),
    ...(asked_sec !== undefined && { not_before: after(now, Math.min(asked_sec, MAX_RETRY_AFTER_SEC)) }),
  }
}

/** Decides about an attempt that failed on our side. It is not counted, so it does not use up the last attempt. */
function ownTrouble({ attempts, is_last_attempt, created_at }: PendingDelivery, now: Date): Decision {
  const age_sec = (now.getTime() - Date.parse(created_at)) / 1000
  if (is_last_attempt && age_sec > KEPT_IN_ORDER_SEC) return { state: 'superseded', attempts }
  if (age_sec > MAX_OWN_TROUBLE_SEC) return { state: 'failed', attempts }
  return { state: 'pending', attempts, next_attempt_at: after(now, OWN_TROUBLE_SEC) }
}

/**
 * Returns the decision about an extra attempt, made early because the channel accepted another delivery. Returns undefined for a
 * regular attempt.
 */
function triedEarly(
  { attempts, planned_at, last_attempt_at }: PendingDelivery,
  asked_sec = 0,
  now: Date,
): Decision | undefined {
  const planned_ms = planned_at === null ? 0 : Date.parse(planned_at)
  if (planned_ms <= now.getTime()) return undefined
  const since_sec = last_attempt_at === null ? 0 : (now.getTime() - Date.parse(last_attempt_at)) / 1000
  const patient_sec = Math.min(asked_sec, MAX_RETRY_AFTER_SEC)
  return {
    state: 'pending',
    attempts,
    next_attempt_at: new Date(Math.max(planned_ms, after(now, patient_sec).getTime())),
    not_before: after(now, Math.max(FORWARD_AGAIN_SEC, 2 * since_sec, patient_sec)),
  }
}

function after(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000)
}

/** Returns the seconds from the last attempt to the next, after `attempts` attempts. Returns undefined if no attempt is left. */
function retryDelay(attempts: number, retry_after_sec = 0): number | undefined {
  const planned = RETRY_SEC[attempts - 1]
  return planned === undefined ? undefined : Math.max(planned, Math.min(retry_after_sec, MAX_RETRY_AFTER_SEC))
}

function patience(created_at: string, now: Date): number | undefined {
  return now.getTime() - Date.parse(created_at) < MAX_WAIT_SEC * 1000 ? WAIT_SEC : undefined
}
