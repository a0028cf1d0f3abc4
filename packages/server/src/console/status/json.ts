// The status page as JSON. Fields are added, never removed or changed.
import { percentOf, type PublicStatus, type Share } from '../../domain/status-page/status.ts'
import { seconds } from './document.tsx'
import { headlineOf } from './wording.ts'

export function statusJson(status: PublicStatus): string {
  const { title, description, computed_at, headline, entries, incidents, maintenance } = status
  return JSON.stringify({
    title,
    description,
    computed_at,
    status: headline.kind,
    headline: headlineOf(status)[1],
    down_since: headline.since,
    systems: entries.map(({ name, state, since, unmonitored_since, unknown_sec, maintenance_sec, share, days }) => ({
      name,
      state,
      down_since: since,
      unmonitored_since,
      ...told(share),
      unknown_sec,
      maintenance_sec,
      days: days.map((day) => ({ day: day.day, ...told(day.share) })),
    })),
    incidents: incidents.map(({ name, began_at, ended_at }) => ({
      system: name,
      began_at,
      ended_at,
      lasted_sec: Math.round(seconds(began_at, ended_at ?? computed_at)),
    })),
    maintenance,
  })
}

/** A percentage; null when nothing is known. */
function told(share: Share): Record<string, number | null> {
  const { kind: _, ...of } = share
  return { uptime_percent: percentOf(share), ...of }
}
