// Reads maintenance as a status page shows it: what is on, and what is to come.
import { Pace } from '@dogwatch/runtime/pace'
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Db } from '@dogwatch/store/database'
import { listAnnounced } from '@dogwatch/store/maintenance/times'
import { matcherOf, readScope, type Scope, type Subject } from '../routing/route.ts'
import type { PublicEntry, PublicMaintenance } from './status.ts'

/** Check or heartbeat that a page shows and maintenance can cover. */
export interface Member extends Subject {
  position: number
  public_name: string
}

interface PageMaintenance {
  maintenance: PublicMaintenance[]
  /** Positions of the entries that are under maintenance now. */
  positions: ReadonlySet<number>
}

/** How far ahead maintenance is announced. */
const ANNOUNCED_MS = 14 * 86_400_000
const MOST_SHOWN = 20

/** Reads, for each window, only what is on or comes next, and only if it covers something that the page shows. */
export async function readPlanned(
  db: Db,
  org_id: number,
  members: readonly Member[],
  now: Date,
): Promise<PageMaintenance> {
  const at = fromDate(now)
  const spans = await listAnnounced(db, org_id, at, fromDate(new Date(now.getTime() + ANNOUNCED_MS)))
  const positions = new Set<number>()
  const maintenance: PublicMaintenance[] = []
  const sorted = members.toSorted((a, b) => a.position - b.position)
  const pace = new Pace()
  for (const { scope: stored, name, begins_at, ends_at } of spans) {
    const isOn = begins_at <= at
    if (!isOn && maintenance.length === MOST_SHOWN) continue
    const scope = readScope(stored)
    const covered = sorted.filter(matcherOf(scope))
    if (isOn) for (const { position } of covered) positions.add(position)
    await pace.spend(namesIn(scope) + members.length)
    if (covered.length === 0 || maintenance.length === MOST_SHOWN) continue
    const systems = covered.map(({ public_name }) => public_name)
    maintenance.push({ name, state: isOn ? 'running' : 'announced', begins_at, ends_at, systems })
  }
  return { maintenance, positions }
}

function namesIn(scope: Scope): number {
  if ('all' in scope) return 1
  return 'tags' in scope ? scope.tags.length : scope.checks.length + scope.heartbeats.length
}

/** Returns an entry under maintenance, whatever its state. A paused entry stays paused. */
export function inMaintenance(entry: PublicEntry): PublicEntry {
  if (entry.state === 'paused') return entry
  return { ...entry, state: 'maintenance', since: null, unmonitored_since: null }
}
