// Says how long a check can fail before it counts as down. Pure.
import { count, duration } from '@dogwatch/channels/wording'
import type { CheckFields } from '@dogwatch/check-rules/fields'
import { failuresNeeded, neededOf, placesOf } from './places.ts'

type DownRule = Pick<CheckFields, 'down_interval_sec' | 'down_places' | 'down_majority'>

interface WatchingMonitor {
  is_on: boolean
  latest: { success: boolean } | undefined
}

/**
 * Returns sentences such as `Not down yet: failing on 1 monitor. The check goes down when it fails on 2 monitors.` `newest`: results
 * of all monitors, newest first.
 */
export function unconfirmedWords(
  rule: DownRule,
  monitors: readonly WatchingMonitor[],
  newest: readonly { success: boolean }[],
): string {
  const row = failuresNeeded(rule.down_interval_sec)
  const rounds = row > 1 ? `, ${row} times in a row on each` : ''
  if (placesOf(rule) !== undefined) {
    const seen = monitors.filter(({ is_on, latest }) => is_on && latest !== undefined)
    const failing = seen.filter(({ latest }) => latest?.success === false).length
    const needed = neededOf(placesOf(rule), monitors.filter(({ is_on }) => is_on).length)
    const [now, enough] = [count(failing, 'monitor'), count(needed, 'monitor')]
    return `Not down yet: failing on ${now}. The check goes down when it fails on ${enough}${rounds}.`
  }
  const first = newest.findIndex(({ success }) => success)
  const failures = first < 0 ? newest.length : first
  // Without a required number of monitors, failures in a row count over the results of all monitors.
  if (failures === 0)
    return `Not down: another monitor has passed since. The check goes down after ${count(row, 'failure')} in a row.`
  return `Not down yet: ${failures} of ${count(row, 'failure')} in a row.`
}

/** Returns how long a check that fails from everywhere takes to go down, in words. Returns undefined if no monitor runs it. */
export function downWithin(rule: DownRule & { interval_sec: number }, monitors: number): string | undefined {
  if (monitors < 1) return undefined
  const row = failuresNeeded(rule.down_interval_sec)
  const places = placesOf(rule)
  const runs = places === undefined ? row : (row - 1) * monitors + neededOf(places, monitors)
  return duration(runs * rule.interval_sec)
}
