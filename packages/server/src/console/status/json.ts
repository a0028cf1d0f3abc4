// The status page as JSON. Fields are added, never removed or changed.
import type { Pace } from '../../runtime/pace.ts'
import { percentOf, type PublicEntry, type PublicStatus, type Share } from '../../domain/status-page/status.ts'
import { seconds, STEPS_EACH } from './document.tsx'
import { headlineOf } from './wording.ts'

/** Writes the page in pieces, which together are one JSON text. */
export async function statusJson(status: PublicStatus, pace: Pace): Promise<string[]> {
  const { title, description, computed_at, history_at, headline, entries, incidents, maintenance } = status
  const before = JSON.stringify({
    title,
    description,
    computed_at,
    history_computed_at: history_at,
    status: headline.kind,
    headline: headlineOf(status)[1],
    down_since: headline.since,
  })
  const after = JSON.stringify({
    incidents: incidents.map(({ name, began_at, ended_at }) => ({
      system: name,
      began_at,
      ended_at,
      lasted_sec: Math.round(seconds(began_at, ended_at ?? computed_at)),
    })),
    maintenance,
  })
  const systems = await pace.map(
    entries,
    (entry, n) => `${n === 0 ? '' : ','}${JSON.stringify(systemOf(entry))}`,
    () => STEPS_EACH,
  )
  return [`${before.slice(0, -1)},"systems":[`, ...systems, `],${after.slice(1)}`]
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

/** A percentage; null when nothing is known. */
function told(share: Share): Record<string, number | null> {
  const { kind: _, ...of } = share
  return { uptime_percent: percentOf(share), ...of }
}
