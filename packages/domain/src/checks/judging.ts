// Defines what judging a check as down and as degraded have in common.
import type { CheckKey } from '@dogwatch/store/check-keys'

/** Time after which two batches that were stored at the same time see each other's results, in milliseconds. */
export const OVERLAP_MS = 30_000
/** Maximum delay of a judgement for a monitor that is catching up, in milliseconds. */
export const PUT_OFF_MS = 300_000
/**
 * Length of the time range that is searched for results first, in milliseconds. It is nearly always enough, and avoids opening
 * older partitions.
 */
export const RECENT_MS = 7 * 86_400_000
export const EVER = '-infinity'
/** Number of results that is enough to show how each monitor last saw the check. */
export const VIEW = 40

/** A check to judge. `from`: time of its oldest result that no judgement has used yet. */
export type ToJudge = CheckKey & { from?: string }

/** Whether to keep waiting for results that may decide and are still to come. `late_since`: start of the wait. */
export function isPutOff(late_since: string | null, isCatchingUp: boolean, now: Date): boolean {
  if (late_since === null || !isCatchingUp) return false
  // A `late_since` in the future was recorded while the time was in doubt.
  const waited = now.getTime() - Date.parse(late_since)
  return waited >= 0 && waited < PUT_OFF_MS
}
