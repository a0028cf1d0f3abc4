// Heartbeats as people see them.
import {
  findShownHeartbeat,
  type HeartbeatIncident,
  listIncidentsOfHeartbeat,
  listShownHeartbeats,
  type OneHeartbeat,
  type ShownHeartbeat,
} from '../../store/heartbeats/heartbeat-pages.ts'
import { type HeartbeatRow, listHeartbeats } from '../../store/heartbeats/heartbeats.ts'
import { listPings, type PingRow } from '../../store/heartbeats/pings.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { isStorable } from '../text.ts'

export type { HeartbeatIncident, OneHeartbeat, PingRow, ShownHeartbeat }

const SHOWN_PINGS = 100
const SHOWN_INCIDENTS = 20

/** An org's heartbeats, oldest first. */
export async function readHeartbeats(deps: Pick<Deps, 'database'>, org_id: number): Promise<HeartbeatRow[]> {
  return listHeartbeats(deps.database.people, org_id)
}

/** An org's heartbeats with their recent pings and incidents, oldest first. */
export async function readShownHeartbeats(deps: Pick<Deps, 'database'>, org_id: number): Promise<ShownHeartbeat[]> {
  return listShownHeartbeats(deps.database.people, org_id)
}

/** One of an org's heartbeats, with its token; refuses a guid that the org does not have. */
export async function readHeartbeat(deps: Pick<Deps, 'database'>, org_id: number, guid: string): Promise<OneHeartbeat> {
  const heartbeat = isStorable(guid) ? await findShownHeartbeat(deps.database.people, org_id, guid) : undefined
  if (!heartbeat) throw new DomainError('missing', 'no heartbeat with that guid')
  return heartbeat
}

/** Its newest pings and incidents, newest first. */
export async function readHeartbeatHistory(
  deps: Pick<Deps, 'database'>,
  heartbeat: OneHeartbeat,
): Promise<{ pings: PingRow[]; incidents: HeartbeatIncident[] }> {
  const { people } = deps.database
  const [pings, incidents] = await Promise.all([
    listPings(people, heartbeat, SHOWN_PINGS),
    listIncidentsOfHeartbeat(people, heartbeat, SHOWN_INCIDENTS),
  ])
  return { pings, incidents }
}
