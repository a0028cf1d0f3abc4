// Reads the incidents of an organisation, page by page.
import { isDateTime, toMicroseconds } from '@dogwatch/runtime/timestamps'
import {
  countOpenIncidents,
  type FirstWitness,
  INCIDENTS_A_PAGE,
  type IncidentFilter,
  type IncidentPosition,
  type ListedIncident,
  listFirstWitnesses,
  listIncidents,
} from '@dogwatch/store/incidents/incident-list'
import type { Deps } from '../deps.ts'
import { isStorable } from '../text.ts'
import { groupAtOnce, groupRepeats } from './at-once.ts'
import { withErrors } from './errors.ts'
import { noSuchIncident } from './notes.ts'

export type { IncidentFilter, IncidentPosition, ListedIncident }

export interface IncidentPage {
  incidents: ListedIncident[]
  /** Position after which the next page begins. Absent on the last page. */
  next?: IncidentPosition
  /** Newest incident of the next page. Absent on the last page. */
  beyond?: ListedIncident
  /** Number of open incidents in the whole organisation. */
  open: number
}

/** Reads one page of incidents, newest first. `after` comes from the previous page. */
export async function readIncidents(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  filter: IncidentFilter,
  after?: IncidentPosition,
  limit = INCIDENTS_A_PAGE,
): Promise<IncidentPage> {
  const [found, open] = await Promise.all([
    mayMatch(filter) ? listIncidents(database.people, org_id, filter, { after, limit: limit + 1 }) : [],
    countOpenIncidents(database.people, org_id),
  ])
  const incidents = await withErrors({ database }, org_id, found.slice(0, limit))
  const last = found.length > limit ? incidents.at(-1) : undefined
  const [beyond] = found.slice(limit)
  const next = last && { began_at: last.began_at, incident_id: last.incident_id }
  return { incidents, open, ...(next && { next }), ...(beyond && { beyond }) }
}

/** Incidents that began together, repeated incidents of one check or heartbeat, or a single incident. */
export interface IncidentGroup {
  /** Incidents of the group, newest first. */
  incidents: ListedIncident[]
  /** Whether the previous or the next page has more incidents of the group. */
  isCut: boolean
  /** Number of incidents that each monitor saw first, highest first. Empty unless the incidents began together. */
  first_seen: { name: string; count: number }[]
}

/** Groups the incidents of a page that belong together. */
export async function groupIncidents(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  { incidents, beyond }: Pick<IncidentPage, 'incidents' | 'beyond'>,
  after?: IncidentPosition,
): Promise<IncidentGroup[]> {
  const before = after && (await findListed(database, org_id, after.incident_id))
  const around = new Set([before, beyond])
  const groups = groupAtOnce([...(before ? [before] : []), ...incidents, ...(beyond ? [beyond] : [])])
  const grouped = groups.filter(({ length }) => length > 1).flat()
  const bounds = { from: grouped.at(-1)?.began_at ?? '', until: grouped[0]?.began_at ?? '' }
  const ids = grouped.map(({ incident_id }) => incident_id)
  const witnesses = ids.length === 0 ? [] : await listFirstWitnesses(database.people, org_id, ids, bounds)
  const by = new Map(witnesses.map((one) => [one.incident_id, one]))
  return groupRepeats(groups).flatMap((group) => {
    const shown = group.filter((one) => !around.has(one))
    const first_seen = countNames(shown.flatMap(({ incident_id }) => by.get(incident_id) ?? []))
    return shown.length === 0 ? [] : [{ incidents: shown, isCut: shown.length < group.length, first_seen }]
  })
}

function countNames(witnesses: readonly FirstWitness[]): IncidentGroup['first_seen'] {
  return [...Map.groupBy(witnesses, ({ monitor_id }) => monitor_id).values()]
    .map((some) => ({ name: some[0]?.monitor_name || some[0]?.monitor_id || '', count: some.length }))
    .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
}

/** Reads one incident as lists show it. Throws DomainError if there is none. */
export async function readListedIncident(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  incident_id: string,
): Promise<ListedIncident> {
  const found = isStorable(incident_id) ? await findListed(database, org_id, incident_id) : undefined
  if (!found) throw noSuchIncident()
  const [incident = found] = await withErrors({ database }, org_id, [found])
  return incident
}

async function findListed(
  { people }: Deps['database'],
  org_id: number,
  incident_id: string,
): Promise<ListedIncident | undefined> {
  const [found] = await listIncidents(people, org_id, { incident_id }, { limit: 1 })
  return found
}

/** Whether a filter can match anything. A text that cannot be stored matches nothing. */
function mayMatch({ of, tag = '' }: IncidentFilter): boolean {
  return isStorable(tag) && isStorable(of?.guid ?? '')
}

/** Reads the position in a link. Returns undefined for any other text. */
export function toIncidentPosition(began_at: string, incident_id: string): IncidentPosition | undefined {
  if (!isDateTime(began_at) || !isStorable(incident_id)) return undefined
  return { began_at: toMicroseconds(began_at), incident_id }
}
