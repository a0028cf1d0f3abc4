// Counts how many runs of a check were due on each day, by the schedules of that time. The monitors of a check together run it
// once per interval.
import { percent } from '../results/uptime.ts'
import type { Timetable } from '../results/watched.ts'

const DAY_MS = 86_400_000
/** Tolerance in runs, because the recorded ends of schedules differ a little from the runs that they end with. */
const NEARLY_DUE = 0.001

export interface DayCoverage {
  /** Start of the day, in UTC. */
  day: Date
  due: number
  arrived: number
  /** Coverage of the day in percent. Null if no run was due. */
  percent: number | null
}

/** Returns the coverage of the last days, today first, without days before the check existed. */
export function coverageByDay(
  { timetable, created_at }: { timetable: Timetable; created_at: string },
  arrived: ReadonlyMap<number, number>,
  now: Date,
  days: number,
): DayCoverage[] {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  return Array.from({ length: days }, (_, ago) => today - ago * DAY_MS)
    .filter((day) => day + DAY_MS > Date.parse(created_at) || arrived.has(day))
    .map((day) => {
      const due = Math.floor(timetable.runsDue(day, Math.min(day + DAY_MS, now.getTime())) + NEARLY_DUE)
      const count = arrived.get(day) ?? 0
      return { day: new Date(day), due, arrived: count, percent: percent(count, due) }
    })
}
