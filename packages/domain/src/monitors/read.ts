// Reads the monitors that an organisation may see.
import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  type CheckOfMonitor,
  findShownMonitor,
  listChecksOfMonitor,
  listEnrolledWith,
  listShownMonitors,
  type ShownMonitor,
} from '@dogwatch/store/monitors/monitor-pages'
import { listSharedMonitors, listVisibleMonitors, type VisibleMonitorRow } from '@dogwatch/store/monitors/monitors'
import type { Slice } from '@dogwatch/store/slice'
import type { Deps } from '../deps.ts'
import { noSuchMonitor } from './edit.ts'
import { ONLINE_MS } from './monitor.ts'

export type { CheckOfMonitor, ShownMonitor, VisibleMonitorRow }

const ID = /^[0-9a-z]{12}$/

/** Reads the organisation's own monitors, enabled or not, then the enabled ones of the shared fleet. */
export async function readVisibleMonitors(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
): Promise<VisibleMonitorRow[]> {
  return listVisibleMonitors(database.people, org_id, onlineSince(clock.now()))
}

/**
 * Reads a page of the organisation's own monitors with their last reports, and a page of the shared ones with name and location.
 */
export async function readFleet(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
  slices: { own: Slice; shared: Slice },
): Promise<{ own: ShownMonitor[]; shared: VisibleMonitorRow[] }> {
  const [own, shared] = await Promise.all([
    listShownMonitors(database.people, org_id, slices.own),
    listSharedMonitors(database.people, onlineSince(clock.now()), slices.shared),
  ])
  return { own, shared }
}

/** Reads one of the organisation's own monitors. Refuses an id that the organisation does not have. */
export async function readMonitor(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  id: string,
): Promise<ShownMonitor> {
  // No monitor has an id of another form, which may contain what Postgres cannot store.
  const monitor = ID.test(id) ? await findShownMonitor(database.people, org_id, id) : undefined
  if (!monitor) throw noSuchMonitor()
  return monitor
}

/** Reads the organisation's checks that are assigned to a monitor, oldest first. */
export async function readChecksOfMonitor(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  id: string,
): Promise<CheckOfMonitor[]> {
  return listChecksOfMonitor(database.people, org_id, id)
}

export interface EnrolledMonitor {
  monitor: ShownMonitor
  checks: CheckOfMonitor[]
}

const TOKEN_HASH = /^[0-9a-f]{64}$/
const MOST_ENROLLED = 10

/**
 * Reads the organisation's monitors that enrolled with the token of this SHA-256 (in hex), the earliest first, with their checks.
 * Returns ten at most.
 */
export async function readEnrolledWith(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  token_hash: string,
): Promise<EnrolledMonitor[]> {
  if (!TOKEN_HASH.test(token_hash)) return []
  const hash = Buffer.from(token_hash, 'hex')
  const monitors = await listEnrolledWith(database.people, org_id, hash, MOST_ENROLLED)
  return Promise.all(
    monitors.map(async (monitor) => ({
      monitor,
      checks: await listChecksOfMonitor(database.people, org_id, monitor.id),
    })),
  )
}

export type MonitorState = 'reset' | 'disabled' | 'unseen' | 'offline' | 'online'

/**
 * Returns the state of a private monitor. It is offline only once the presence chore has recorded that, so that an outage of ours
 * makes no monitor offline.
 */
export function monitorState(monitor: ShownMonitor): MonitorState {
  const { enrolled, enabled, platform_enabled, enrolled_at, last_seen_at, offline_since } = monitor
  if (!enrolled) return 'reset'
  if (!enabled || !platform_enabled) return 'disabled'
  if (last_seen_at === null || last_seen_at < enrolled_at) return 'unseen'
  return offline_since !== null && last_seen_at <= offline_since ? 'offline' : 'online'
}

/** Returns the time since which a monitor must have made a request to be online at `now`. */
function onlineSince(now: Date): string {
  return fromDate(new Date(now.getTime() - ONLINE_MS))
}
