// Decides what happens to a delivery after an attempt: delivered, retried later, or given up.
import type { Outcome } from '../channels/channel.ts'

/** Seconds to wait after the first attempt, the second and so on, as Standard Webhooks recommends. */
export const RETRY_SEC = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
/** A receiver may ask us to wait, but no longer than this. */
const MAX_RETRY_AFTER_SEC = 3600
/** A channel that cannot be used with the present configuration is tried again after this. */
const WAIT_SEC = 60
/** After this long, it is given up. */
const MAX_WAIT_SEC = 3 * 86_400
/** While the trouble is ours, a delivery is retried at this pace. */
export const OWN_TROUBLE_SEC = 30
/** For this long, no attempt is counted. */
const MAX_OWN_TROUBLE_SEC = 7 * 86_400
/**
 * For this long, trouble of our own does not let a message give way to the one behind it: both are sent when it is
 * over.
 */
const KEPT_IN_ORDER_SEC = 3600
/**
 * A delivery that failed although it was brought forward is not brought forward again for this long, and then twice
 * that.
 */
const FORWARD_AGAIN_SEC = 60

export interface Waiting {
  /** Attempts before this one. */
  attempts: number
  /** A newer delivery waits behind it. */
  is_last_attempt: boolean
  created_at: string
  /** When the regular retry is due; null unless this attempt was brought forward. */
  planned_at: string | null
  last_attempt_at: string | null
}

export type Decision =
  | { state: 'delivered' | 'failed' | 'superseded'; attempts: number }
  | {
      state: 'pending'
      attempts: number
      next_attempt_at: Date
      /** It is not brought forward to before this time. */
      not_before?: Date
    }

export function decide(outcome: Outcome, waiting: Waiting, now: Date): Decision {
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

/** The attempt is not counted, so the last one is not used up either. */
function ownTrouble({ attempts, is_last_attempt, created_at }: Waiting, now: Date): Decision {
  const age_sec = (now.getTime() - Date.parse(created_at)) / 1000
  if (is_last_attempt && age_sec > KEPT_IN_ORDER_SEC) return { state: 'superseded', attempts }
  if (age_sec > MAX_OWN_TROUBLE_SEC) return { state: 'failed', attempts }
  return { state: 'pending', attempts, next_attempt_at: after(now, OWN_TROUBLE_SEC) }
}

/** An attempt that was made because the channel accepted another delivery: it is extra, besides the regular ones. */
function triedEarly(
  { attempts, planned_at, last_attempt_at }: Waiting,
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

/** Seconds to wait after this many attempts; undefined when there were enough. */
function retryDelay(attempts: number, retry_after_sec = 0): number | undefined {
  const planned = RETRY_SEC[attempts - 1]
  return planned === undefined ? undefined : Math.max(planned, Math.min(retry_after_sec, MAX_RETRY_AFTER_SEC))
}

function patience(created_at: string, now: Date): number | undefined {
  return now.getTime() - Date.parse(created_at) < MAX_WAIT_SEC * 1000 ? WAIT_SEC : undefined
}
