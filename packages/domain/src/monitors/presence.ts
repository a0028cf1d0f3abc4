// Notices when monitors go offline or come back, and alerts organisations about their own. The shared fleet is its operator's
// concern.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { lockSubject } from '@dogwatch/store/alerting/events'
import {
  type LeftCheck,
  listChecksLeft,
  listMonitorsToSettle,
  listOffline,
  updateOffline,
  updateOnline,
  type WatchedMonitor,
} from '@dogwatch/store/checks/monitor-presence'
import type { Trx } from '@dogwatch/store/database'
import { type Availability, callableMs, calledUntil, readAvailability } from '../availability.ts'
import type { Deps } from '../deps.ts'
import type { MonitorData } from '../events/event.ts'
import { raise } from '../events/raise.ts'
import { ONLINE_MS } from './monitor.ts'

/**
 * Subject that all these events of an organisation share, because monitors that are lost together come back one by one. Each
 * event lists everything that is offline, so that it can replace one that could not be delivered.
 */
const SUBJECT = 'monitors'

type PresenceState = MonitorData['state']

/** Runs the chore once: raises events about private monitors that went offline or came back. Returns their number. */
export async function sweepPresence(deps: Deps): Promise<number> {
  const { machines } = deps.database
  const now = deps.clock.now()
  const monitors = await listMonitorsToSettle(machines, silentBefore(now))
  if (monitors.length === 0) return 0
  const oldest = Math.min(...monitors.map(({ silent_since }) => Date.parse(silent_since)))
  const availability = await readAvailability(machines, now, new Date(oldest))
  if (!availability.isUp) return 0
  const lost = monitors.filter((one) => one.offline_since === null && isSilent(one, now, availability))
  const back = monitors.filter((one) => one.offline_since !== null && !isSilent(one, now, availability))
  return (
    (await recordByOrganisation(deps, 'offline', lost, now)) + (await recordByOrganisation(deps, 'online', back, now))
  )
}

function isSilent({ silent_since, refused_at }: WatchedMonitor, now: Date, { outages }: Availability): boolean {
  return callableMs(calledUntil(Date.parse(silent_since), refused_at, now), now.getTime(), outages) >= ONLINE_MS
}

/** Records the changes of each organisation separately, so that an error with one does not delay the others. */
async function recordByOrganisation(
  deps: Deps,
  state: PresenceState,
  found: readonly WatchedMonitor[],
  now: Date,
): Promise<number> {
  let told = 0
  for (const [org_id, monitors] of Map.groupBy(found, (monitor) => monitor.org_id)) {
    try {
      told += await deps.database.machines
        .transaction()
        .execute((trx) => recordChange(trx, deps, org_id, state, monitors, now))
    } catch (err) {
      deps.log.error({ err, org_id, state }, "could not write an alert about an organisation's monitors; will retry")
    }
  }
  return told
}

/** Records the changes of an organisation and raises the event. If several processes find the same changes, only one does so. */
async function recordChange(
  trx: Trx,
  deps: Deps,
  org_id: number | null,
  state: PresenceState,
  found: readonly WatchedMonitor[],
  now: Date,
): Promise<number> {
  // Changes that another process finds in the meantime are reported after these, in the order of their recording.
  if (org_id !== null) await lockSubject(trx, org_id, SUBJECT)
  const ids = found.map(({ id }) => id)
  const noted = new Set(
    state === 'offline'
      ? await updateOffline(trx, ids, silentBefore(now))
      : await updateOnline(trx, ids, fromDate(now)),
  )
  const news = found.filter(({ id }) => noted.has(id))
  if (news.length === 0 || org_id === null) return 0
  const others = (await listOffline(trx, org_id)).filter(({ id }) => !noted.has(id))
  const left = await listChecksLeft(trx, [...noted], silentBefore(now))
  const data = { ...monitorData(state, news, others, left) }
  await raise(trx, deps, [{ org_id, type: `monitor.${state}`, subject: SUBJECT, data }])
  return news.length
}

function monitorData(
  state: PresenceState,
  news: readonly WatchedMonitor[],
  others: Awaited<ReturnType<typeof listOffline>>,
  left: readonly LeftCheck[],
): MonitorData {
  const [first] = news
  const checksOf = Map.groupBy(left, ({ monitor_id }) => monitor_id)
  return {
    org: { name: first?.org_name ?? '' },
    ...(first && news.length === 1 && { monitor: { id: first.id, name: first.name } }),
    monitors: news.map(({ id, name, last_seen_at, silent_since, offline_since }) => {
      return { id, name, last_seen_at, since: offline_since ?? silent_since, checks: checksOf.get(id)?.length ?? 0 }
    }),
    still_offline: others,
    ...(state === 'offline' && { unmonitored: unmonitored(left) }),
    state,
  }
}

/** Returns the checks that no monitor watches now. Counts a check once, even if several of the monitors have it. */
function unmonitored(left: readonly LeftCheck[]): NonNullable<MonitorData['unmonitored']> {
  const alone = new Map(left.flatMap((check) => (check.is_watched ? [] : [[check.check_id, check] as const])))
  const down = [...alone.values()].flatMap(({ guid, name, down_since }) =>
    down_since === null ? [] : [{ guid, name, down_since }],
  )
  return { count: alone.size, down }
}

function silentBefore(now: Date): string {
  return fromDate(new Date(now.getTime() - ONLINE_MS))
}
