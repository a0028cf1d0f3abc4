// The times of cron expressions of five fields, by the clock of a zone.
import { Cron } from 'croner'

/** In no zone: for what is asked of the calendar alone. */
export const CALENDAR = 'UTC'

/**
 * The first time after an instant, in milliseconds. Where clocks are set forward, a time that does not occur is the moment at which they
 * are; where they are set back, a time that occurs twice counts once, unless the expression comes every hour.
 */
export function nextOf(cron: string, zone: string, after_ms: number): number | undefined {
  return compiled(cron, zone).nextRun(new Date(after_ms))?.getTime()
}

/** The last time before an instant. */
export function lastOf(cron: string, zone: string, before_ms: number): number | undefined {
  return compiled(cron, zone).previousRuns(1, new Date(before_ms))[0]?.getTime()
}

const kept = new Map<string, Cron>()
const MOST_KEPT = 1_000

/** Throws when it is no expression. */
export function compiled(cron: string, zone: string): Cron {
  const key = `${zone} ${cron}`
  const known = kept.get(key)
  if (known) return known
  const made = new Cron(cron, { timezone: zone, paused: true, mode: '5-part' })
  const [oldest] = kept.keys()
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest)
  kept.set(key, made)
  return made
}
