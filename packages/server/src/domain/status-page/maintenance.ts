// Maintenance as a status page shows it: what is on, and what is to come.
import { fromDate } from '../../runtime/timestamps.ts'
import type { Db } from '../../store/database.ts'
import { listSpans } from '../../store/maintenance/spans.ts'
import { covers, type Scope, type Subject } from '../routing/route.ts'
import type { PublicEntry, PublicMaintenance } from './status.ts'

/** What a page shows, as far as maintenance may cover it. */
export interface Member extends Subject {
  position: number
  public_name: string
}

interface Planned {
  maintenance: PublicMaintenance[]
  /** Those of the entries that are under maintenance now. */
  positions: ReadonlySet<number>
}

/** How far ahead maintenance is announced. */
const ANNOUNCED_MS = 14 * 86_400_000
const MOST_SHOWN = 20

/** Of each window only what is on or comes next, and only if it covers something that the page shows. */
export async function readPlanned(db: Db, org_id: number, members: readonly Member[], now: Date): Promise<Planned> {
  const at = fromDate(now)
  const spans = await listSpans(db, org_id, at, fromDate(new Date(now.getTime() + ANNOUNCED_MS)))
  const positions = new Set<number>()
  const seen = new Set<number>()
  const maintenance = spans.flatMap((span): PublicMaintenance[] => {
    const { window_id, is_public, scope, name, begins_at, ends_at } = span
    const isOn = begins_at <= at
    const covered = is_public ? members.filter((member) => covers(scope as Scope, member)) : []
    if (isOn) for (const { position } of covered) positions.add(position)
    if (covered.length === 0 || seen.has(window_id)) return []
    seen.add(window_id)
    const systems = covered.toSorted((a, b) => a.position - b.position).map(({ public_name }) => public_name)
    return [{ name, state: isOn ? 'running' : 'announced', begins_at, ends_at, systems }]
  })
  return { maintenance: maintenance.slice(0, MOST_SHOWN), positions }
}

/** However it looks meanwhile. A paused entry stays paused. */
export function inMaintenance(entry: PublicEntry): PublicEntry {
  if (entry.state === 'paused') return entry
  return { ...entry, state: 'maintenance', since: null, unmonitored_since: null }
}
