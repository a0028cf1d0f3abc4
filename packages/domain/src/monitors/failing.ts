// Sends one alert about a monitor if many checks fail from it and nowhere else, and another alert when that is over.
import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  countRunChecks,
  deleteFailingMonitor,
  type FailingMonitor,
  findNamedMonitor,
  type HashPart,
  isAnyMonitorInDoubt,
  listMonitorsInDoubt,
  listRunChecks,
  listSights,
  type RunCheck,
  type Sight,
  updateFailingBegan,
  updateLooks,
  wakeGrouped,
} from '@dogwatch/store/checks/failing-monitors'
import type { Trx } from '@dogwatch/store/database'
import type { Deps } from '../deps.ts'
import type { EventType, FailingData } from '../events/event.ts'
import { raise } from '../events/raise.ts'
import { type Alone, failingAlone, isGroup, isOver, LOOKED_AT, SUSPECTED_MS, whyOver } from './failing-rule.ts'

/** Time after which a suspicion is dropped, because no alert waits longer for it. A later alert raises it again. */
const FORGOTTEN_MS = 2 * SUSPECTED_MS
/** Maximum number of checks that a message lists. */
const MOST_LISTED = 200
/** Maximum number of tags in an event. With more tags it contains none, so that every route for some tag matches. */
const MOST_TAGS = 500

/** Returns the milliseconds until the chore has a monitor to look at: 0 or Infinity. Costs one cheap statement. */
export async function untilMonitorInDoubt({ database }: Pick<Deps, 'database'>): Promise<number> {
  return (await isAnyMonitorInDoubt(database.machines)) ? 0 : Infinity
}

/**
 * Runs the chore once: looks at each monitor that makes alerts wait, and returns the number of messages that it raised. An error
 * with one monitor does not delay the others.
 */
export async function sweepFailing(deps: Deps): Promise<number> {
  let told = 0
  for (const one of await listMonitorsInDoubt(deps.database.machines)) {
    try {
      told += await deps.database.machines.transaction().execute((trx) => lookAt(trx, deps, one))
    } catch (err) {
      deps.log.error({ err, ...one }, 'could not write an alert about a failing monitor; will retry')
    }
  }
  return told
}

async function lookAt(
  trx: Trx,
  deps: Deps,
  { org_id, monitor_id, suspected_at, began_at, looks, quiet_looks }: FailingMonitor,
): Promise<number> {
  const now = deps.clock.now()
  const of = Math.max(1, Math.ceil((await countRunChecks(trx, org_id, monitor_id)) / LOOKED_AT))
  const part: HashPart = { of, part: looks % of }
  const checks = await listRunChecks(trx, org_id, monitor_id, part)
  const ids = checks.map(({ check_id }) => check_id)
  const sights = await listSights(trx, org_id, ids, fromDate(now))
  const alone = failingAlone(sights).get(monitor_id) ?? []
  const seen: MonitorLook = { org_id, monitor_id, of, checks, sights, alone }
  // One part of the checks can have few failures while other parts have many. So the group is over only after all parts had few
  // in turn.
  const quiet = began_at !== null && isOver(alone) ? quiet_looks + 1 : 0
  const isEnding = began_at !== null && quiet >= of
  // The other checks get their alerts now, because they also fail from elsewhere, or no longer fail from this monitor. Waiting
  // alerts are locked before the monitor's row, in the same order as when alerts are raised.
  const still = isEnding ? [] : alone.map(({ check_id }) => check_id)
  const woken = isEnding ? { of: 1, part: 0 } : part
  await wakeGrouped(trx, org_id, monitor_id, { ...woken, still, now: fromDate(now) })
  if (of > 1 && !(await updateLooks(trx, { org_id, monitor_id, looks, quiet_looks: quiet }))) return 0
  if (isEnding) return end(trx, deps, seen, { began_at, now })
  if (began_at !== null) return 0
  if (isGroup(alone, ranOf(seen))) return begin(trx, deps, seen, now)
  if (now.getTime() - Date.parse(suspected_at) > FORGOTTEN_MS) await deleteFailingMonitor(trx, seen)
  return 0
}

interface MonitorLook {
  org_id: number
  monitor_id: string
  /** Number of parts of the monitor's checks. Each look covers one part, as do the fields below. */
  of: number
  /** Checks that the monitor runs for the organisation. */
  checks: readonly RunCheck[]
  sights: readonly Sight[]
  alone: readonly Alone[]
}

/** Returns the number of checks with a fresh result of the monitor. */
function ranOf({ sights, monitor_id }: MonitorLook): number {
  return sights.filter((sight) => sight.monitor_id === monitor_id).length
}

/** Estimates the total from the count in one of `of` parts, to two digits. */
function inAll(count: number, of: number): number {
  return of === 1 ? count : Number((count * of).toPrecision(2))
}

async function begin(trx: Trx, deps: Deps, seen: MonitorLook, now: Date): Promise<number> {
  const began_at = fromDate(now)
  if (!(await updateFailingBegan(trx, seen, began_at))) return 0
  return tell(trx, deps, seen, { type: 'monitor.failing', began_at })
}

async function end(
  trx: Trx,
  deps: Deps,
  seen: MonitorLook,
  { began_at, now }: { began_at: string; now: Date },
): Promise<number> {
  const { monitor_id, sights, checks } = seen
  if (!(await deleteFailingMonitor(trx, seen))) return 0
  const reason = whyOver(sights, monitor_id, checks.length)
  const duration_sec = Math.max(0, Math.round((now.getTime() - Date.parse(began_at)) / 1000))
  const over = { ended_at: fromDate(now), duration_sec, reason }
  return tell(trx, deps, seen, { type: 'monitor.settled', began_at, over })
}

interface FailingChange {
  type: EventType & `monitor.${FailingData['state']}`
  began_at: string
  over?: Pick<FailingData, 'ended_at' | 'duration_sec' | 'reason'>
}

async function tell(
  trx: Trx,
  deps: Deps,
  seen: MonitorLook,
  { type, began_at, over = {} }: FailingChange,
): Promise<number> {
  const { org_id, monitor_id, of, checks, alone } = seen
  const named = await findNamedMonitor(trx, org_id, monitor_id)
  if (!named) return 0
  const monitor = { id: monitor_id, name: named.name }
  const seenAlone = new Map(alone.map((one) => [one.check_id, one]))
  const touched = checks.filter(({ check_id }) => seenAlone.has(check_id))
  const tags = [...new Set(touched.flatMap((one) => one.tags))].toSorted()
  const total = inAll(alone.length, of)
  const isPartial = total > Math.min(touched.length, MOST_LISTED)
  const data: FailingData = {
    org: { name: named.org_name },
    monitor,
    monitors: [{ ...monitor, since: began_at }],
    since: began_at,
    checks: checks
      .flatMap(({ check_id, guid, name, down_since }): FailingData['checks'] => {
        const one = seenAlone.get(check_id)
        if (!one) return []
        return [
          { guid, name, ...(down_since !== null && { down_since }), elsewhere: one.isUpElsewhere ? 'up' : 'unknown' },
        ]
      })
      .slice(0, MOST_LISTED),
    total,
    ...(isPartial && tags.length <= MOST_TAGS && { tags }),
    ran: inAll(ranOf(seen), of),
    ...(of > 1 && { is_estimate: true }),
    state: type === 'monitor.failing' ? 'failing' : 'settled',
    ...over,
  }
  await raise(trx, deps, [{ org_id, type, subject: `monitor:${monitor_id}`, data: { ...data } }])
  return 1
}
