// Reads heartbeats for pages and APIs.

import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  findShownHeartbeat,
  type HeartbeatIncident,
  listIncidentsOfHeartbeat,
  listShownHeartbeats,
  type OneHeartbeat,
  type ShownHeartbeat,
} from '@dogwatch/store/heartbeats/heartbeat-pages'
import { type HeartbeatRow, listHeartbeats, type SomeHeartbeats } from '@dogwatch/store/heartbeats/heartbeats'
import { listPings, type PingRow } from '@dogwatch/store/heartbeats/pings'
import { listHeartbeatDays } from '@dogwatch/store/status-pages'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { isStorable } from '../text.ts'

export type { HeartbeatIncident, OneHeartbeat, PingRow, ShownHeartbeat }

const SHOWN_PINGS = 100
const SHOWN_INCIDENTS = 20

/** Reads an organisation's heartbeats, or some of them, oldest first. */
export async function readHeartbeats(
  deps: Pick<Deps, 'database'>,
  org_id: number,
  some: SomeHeartbeats = {},
): Promise<HeartbeatRow[]> {
  return listHeartbeats(deps.database.people, org_id, some)
}

/** Reads an organisation's heartbeats with their recent pings and incidents, oldest first. */
export async function readShownHeartbeats(deps: Pick<Deps, 'database'>, org_id: number): Promise<ShownHeartbeat[]> {
  return listShownHeartbeats(deps.database.people, org_id)
}

/** Reads one of an organisation's heartbeats, with its token. Refuses a guid that the organisation does not have. */
export async function readHeartbeat(deps: Pick<Deps, 'database'>, org_id: number, guid: string): Promise<OneHeartbeat> {
  const heartbeat = isStorable(guid) ? await findShownHeartbeat(deps.database.people, org_id, guid) : undefined
  if (!heartbeat) throw new DomainError('missing', 'no heartbeat with that guid')
  return heartbeat
}

/** Reads a heartbeat's newest pings and incidents, newest first. */
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

/** State of a heartbeat on a UTC day: `pinged` and never down, `down` for a while, or `unknown`. */
export type DayOfHeartbeat = 'pinged' | 'down' | 'unknown'

const DAY_MS = 86_400_000
/** Number of days in the bar of a heartbeat. The last one is today. */
const BAR_DAYS = 30

/** Reads the last days of each heartbeat, oldest first. */
export async function readHeartbeatBars(
  deps: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
  heartbeat_ids: readonly number[],
): Promise<Map<number, DayOfHeartbeat[]>> {
  const now = deps.clock.now()
  const first = Math.floor(now.getTime() / DAY_MS) - BAR_DAYS + 1
  const span = { from: fromDate(new Date(first * DAY_MS)), until: fromDate(now) }
  const rows =
    heartbeat_ids.length === 0 ? [] : await listHeartbeatDays(deps.database.people, org_id, heartbeat_ids, span)
  const downOf = new Map(rows.map(({ heartbeat_id, day, down_sec }) => [`${heartbeat_id} ${day}`, down_sec]))
  const dayOf = (id: number, n: number): DayOfHeartbeat => {
    const day = new Date((first + n) * DAY_MS).toISOString().slice(0, 10)
    const down_sec = downOf.get(`${id} ${day}`)
    return down_sec === undefined ? 'unknown' : down_sec > 0 ? 'down' : 'pinged'
  }
  return new Map(heartbeat_ids.map((id) => [id, Array.from({ length: BAR_DAYS }, (_, n) => dayOf(id, n))]))
}
