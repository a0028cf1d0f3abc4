// Lists the days that a status page shows.
import { fromDate } from '@dogwatch/runtime/timestamps'

export const DAY_MS = 86_400_000
const DAYS_SHOWN = 90

/** Days in UTC, such as `2026-11-20`, oldest first, and the instants that enclose them. */
export interface Days {
  names: readonly string[]
  from: string
  /** End of today. */
  until: string
  now: string
}

export function daysUntil(now: Date): Days {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  const first = today - (DAYS_SHOWN - 1) * DAY_MS
  const names = Array.from({ length: DAYS_SHOWN }, (_, index) =>
    new Date(first + index * DAY_MS).toISOString().slice(0, 10),
  )
  return { names, from: fromDate(new Date(first)), until: fromDate(new Date(today + DAY_MS)), now: fromDate(now) }
}
