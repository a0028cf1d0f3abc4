// What becomes of a delivery after an attempt: done, again at some time, or given up.
import type { Outcome } from './channels/channel.ts'

/** Seconds after the first attempt, the second and so on, as Standard Webhooks has them. */
export const RETRY_SEC = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
/** A receiver may ask for patience, and not for silence. */
export const MAX_RETRY_AFTER_SEC = 3600
/** A channel that cannot be used as the service is set up is looked at again after that. */
export const WAIT_SEC = 60
/** So long it may be so. */
export const MAX_WAIT_SEC = 3 * 86_400

export interface Waiting {
  /** Attempts before this one. */
  attempts: number
  /** Something newer waits behind it. */
  is_last_attempt: boolean
  created_at: string
}

export type Decision =
  | { state: 'delivered' | 'failed' | 'superseded'; attempts: number }
  | { state: 'pending'; attempts: number; next_attempt_at: Date }

export function decide(outcome: Outcome, { attempts, is_last_attempt, created_at }: Waiting, now: Date): Decision {
  if (outcome.kind === 'gone') return { state: 'failed', attempts }
  if (outcome.kind === 'delivered') return { state: 'delivered', attempts: attempts + 1 }
  const made = outcome.kind === 'wait' ? attempts : attempts + 1
  if (is_last_attempt) return { state: 'superseded', attempts: made }
  const delay_sec = outcome.kind === 'wait' ? patience(created_at, now) : retryDelay(made, outcome.retry_after_sec)
  if (delay_sec === undefined) return { state: 'failed', attempts: made }
  return { state: 'pending', attempts: made, next_attempt_at: new Date(now.getTime() + delay_sec * 1000) }
}

/** Seconds to wait after so many attempts; undefined when there were enough. */
function retryDelay(attempts: number, retry_after_sec = 0): number | undefined {
  const planned = RETRY_SEC[attempts - 1]
  return planned === undefined ? undefined : Math.max(planned, Math.min(retry_after_sec, MAX_RETRY_AFTER_SEC))
}

function patience(created_at: string, now: Date): number | undefined {
  return now.getTime() - Date.parse(created_at) < MAX_WAIT_SEC * 1000 ? WAIT_SEC : undefined
}
