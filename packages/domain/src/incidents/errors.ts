// Reads the errors of incidents, from the first alert or from the failing result that began the incident.
import { listFirstErrors, listToldCauses } from '@dogwatch/store/incidents/causes'
import type { ToldCause } from '@dogwatch/store/incidents/incident-list'
import { kindOfError } from '../checks/event-data.ts'
import { redactResultsOfChecks } from '../checks/redact.ts'
import type { Deps } from '../deps.ts'

export type { ToldCause }

interface IncidentKey {
  incident_id: string
  kind: 'check' | 'heartbeat'
  began_at: string
}

/** Returns incidents with their errors. Reads those that no stored alert has from the first failing results. */
export async function withErrors<Incident extends IncidentKey & Pick<ToldCause, 'error'>>(
  { database: { people } }: Pick<Deps, 'database'>,
  org_id: number,
  incidents: readonly Incident[],
): Promise<Incident[]> {
  const missing = incidents.filter(({ kind, error }) => kind === 'check' && (error === null || error === ''))
  if (missing.length === 0) return [...incidents]
  const times = missing.map(({ began_at }) => began_at).toSorted()
  const span = { from: times[0] ?? '', until: times.at(-1) ?? '' }
  const ids = missing.map(({ incident_id }) => incident_id)
  const found = await redactResultsOfChecks(people, await listFirstErrors(people, org_id, ids, span))
  const errors = new Map(
    // For a private definition, only the kind of failure is shown, because the rest can quote the target.
    found.map(({ incident_id, url, error }) => [incident_id, url === '' ? (kindOfError(error) ?? null) : error]),
  )
  return incidents.map((one) => ({ ...one, error: errors.get(one.incident_id) ?? one.error }))
}

/** Reads the causes of incidents, by incident id. */
export async function readCauses(
  deps: Pick<Deps, 'database'>,
  org_id: number,
  incidents: readonly IncidentKey[],
): Promise<Map<string, ToldCause>> {
  if (incidents.length === 0) return new Map()
  const ids = incidents.map(({ incident_id }) => incident_id)
  const told = new Map((await listToldCauses(deps.database.people, org_id, ids)).map((one) => [one.incident_id, one]))
  const causes = incidents.map(({ incident_id, kind, began_at }) => {
    const { error = null, reason = null, exit_code = null } = told.get(incident_id) ?? {}
    return { incident_id, kind, began_at, error, reason, exit_code }
  })
  return new Map((await withErrors(deps, org_id, causes)).map((one) => [one.incident_id, one]))
}

export const NO_CAUSE: ToldCause = { error: null, reason: null, exit_code: null }
