// The incidents of an organisation, page by page.
import { isDateTime, toMicroseconds } from '../../runtime/timestamps.ts'
import {
  countOpenIncidents,
  type IncidentFilter,
  type IncidentPosition,
  type ListedIncident,
  listIncidents,
} from '../../store/incidents/incident-list.ts'
import type { Deps } from '../deps.ts'
import { isStorable } from '../text.ts'
import { noSuchIncident } from './notes.ts'

export type { IncidentFilter, IncidentPosition, ListedIncident }

export interface IncidentPage {
  incidents: ListedIncident[]
  /** After which one the next page begins; absent on the last. */
  next?: IncidentPosition
  /** How many are open in the whole organisation. */
  open: number
}

const PAGE = 50

/** Newest first; `after` comes from the page before. */
export async function readIncidents(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  filter: IncidentFilter,
  after?: IncidentPosition,
  limit = PAGE,
): Promise<IncidentPage> {
  const [found, open] = await Promise.all([
    mayMatch(filter) ? listIncidents(database.people, org_id, filter, { after, limit: limit + 1 }) : [],
    countOpenIncidents(database.people, org_id),
  ])
  const incidents = found.slice(0, limit)
  const last = found.length > limit ? incidents.at(-1) : undefined
  return { incidents, open, ...(last && { next: { began_at: last.began_at, incident_id: last.incident_id } }) }
}

/** One incident as lists show it. */
export async function readListedIncident(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  incident_id: string,
): Promise<ListedIncident> {
  const [found] = isStorable(incident_id)
    ? await listIncidents(database.people, org_id, { incident_id }, { limit: 1 })
    : []
  if (!found) throw noSuchIncident()
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
