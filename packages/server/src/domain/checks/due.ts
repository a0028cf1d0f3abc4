// How many runs of a check were due, as its interval is now: its monitors together run it once in each.
import { percent } from '../results/uptime.ts'

const DAY_MS = 86_400_000

export interface DayCoverage {
  /** When the day began, UTC. */
  day: Date
  due: number
  arrived: number
  /** Null when nothing was due. */
  percent: number | null
}

/** Whole intervals of a check between two instants, none of them before it was there. */
export function runsDue(
  { interval_sec, created_at }: { interval_sec: number; created_at: string },
  from_ms: number,
  until_ms: number,
): number {
  const begin = Math.max(from_ms, Date.parse(created_at))
  return Math.max(0, Math.floor((until_ms - begin) / (interval_sec * 1000)))
}

/** The coverage of the last days, today first, of those on which the check was there. */
export function coverageByDay(
  check: { interval_sec: number; created_at: string },
  arrived: ReadonlyMap<number, number>,
  now: Date,
  days: number,
): DayCoverage[] {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  return Array.from({ length: days }, (_, ago) => today - ago * DAY_MS)
    .filter((day) => day + DAY_MS > Date.parse(check.created_at))
    .map((day) => {
      const due = runsDue(check, day, Math.min(day + DAY_MS, now.getTime()))
      const count = arrived.get(day) ?? 0
      return { day: new Date(day), due, arrived: count, percent: percent(count, due) }
    })
}
