// Writes the status page as JSON. Fields are added, never removed or changed.

import { type PublicEntry, type PublicStatus, percentOf, type Share } from '@dogwatch/domain/status-page/status'
import { lazyList } from '@dogwatch/runtime/json-pieces'
import { seconds } from './document.tsx'
import { headlineOf } from './wording.ts'

/** Returns the page as JSON, to be written in pieces: there may be thousands of entries. */
export function statusJson(status: PublicStatus): Record<string, unknown> {
  const { title, description, computed_at, history_at, headline, entries, incidents, maintenance } = status
  return {
    title,
    description,
    computed_at,
    history_computed_at: history_at,
    status: headline.kind,
    headline: headlineOf(status)[1],
    down_since: headline.since,
    systems: lazyList(entries, systemOf),
    incidents: incidents.map(({ name, began_at, ended_at }) => ({
      system: name,
      began_at,
      ended_at,
      lasted_sec: Math.round(seconds(began_at, ended_at ?? computed_at)),
    })),
    maintenance,
  }
}

function systemOf({ name, state, since, unmonitored_since, unknown_sec, maintenance_sec, share, days }: PublicEntry) {
  return {
    name,
    state,
    down_since: since,
    unmonitored_since,
    ...told(share),
    unknown_sec,
    maintenance_sec,
    days: days.map((day) => ({ day: day.day, ...told(day.share) })),
  }
}

/** Returns a share with its percentage. The percentage is null if there is no data. */
function told(share: Share): Record<string, number | null> {
  const { kind: _, ...of } = share
  return { uptime_percent: percentOf(share), ...of }
}
