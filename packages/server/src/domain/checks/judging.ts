// What judging a check as down and as degraded have in common.

/** Two batches that are stored at the same time may miss each other's results. After this time both are visible. */
export const OVERLAP_MS = 30_000
/** How long judging a check is put off for a monitor that is catching up. */
export const PUT_OFF_MS = 300_000
/** Nearly always enough, and it avoids opening older partitions. */
export const RECENT_MS = 7 * 86_400_000
export const EVER = '-infinity'

/** Whether some of the results that decide are still to come, and we still wait for them. `late_since`: since when. */
export function isPutOff(late_since: string | null, isCatchingUp: boolean, now: Date): boolean {
  if (late_since === null || !isCatchingUp) return false
  // A time ahead of now was recorded while the time was in doubt.
  const waited = now.getTime() - Date.parse(late_since)
  return waited >= 0 && waited < PUT_OFF_MS
}
