// The incidents of an organisation, page by page.
import { isDateTime, toMicroseconds } from '../../runtime/timestamps.ts'
import {
  countOpenIncidents,
  type IncidentFilter,
  type IncidentPosition,
  type FirstWitness,
  INCIDENTS_A_PAGE,
  type ListedIncident,
  listFirstWitnesses,
  listIncidents,
} from '../../store/incidents/incident-list.ts'
import type { Deps } from '../deps.ts'
import { isStorable } from '../text.ts'
import { groupAtOnce, groupRepeats } from './at-once.ts'
import { withErrors } from './errors.ts'
import { noSuchIncident } from './notes.ts'

export type { IncidentFilter, IncidentPosition, ListedIncident }

export interface IncidentPage {
  incidents: ListedIncident[]
  /** After which one the next page begins; absent on the last. */
  next?: IncidentPosition
  /** The newest of the next page; absent on the last. */
  beyond?: ListedIncident
  /** How many are open in the whole organisation. */
  open: number
}

/** Newest first; `after` comes from the page before. */
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

/** Incidents that began together, or those of one thing that was down again and again, or one that is alone. */
export interface IncidentGroup {
  /** Newest first. */
  incidents: ListedIncident[]
  /** More of them are on the page before or on the next. */
  isCut: boolean
  /** By how many of them each monitor was the first to see it, the most first; empty for one that is alone. */
  first_seen: { name: string; count: number }[]
}

/** A page of incidents with those that belong together as one. */
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

/** One incident as lists show it. */
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

/** What cannot be stored matches nothing. */
function mayMatch({ of, tag = '' }: IncidentFilter): boolean {
  return isStorable(tag) && isStorable(of?.guid ?? '')
}

/** A position as a link carries it; undefined for any other text. */
export function toIncidentPosition(began_at: string, incident_id: string): IncidentPosition | undefined {
  if (!isDateTime(began_at) || !isStorable(incident_id)) return undefined
  return { began_at: toMicroseconds(began_at), incident_id }
}
