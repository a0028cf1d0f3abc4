// Judges the checks that a batch of results may have changed, after the results were stored.

import { isBroken } from '@dogwatch/runtime/database-faults'
import { LogThrottle } from '@dogwatch/runtime/log'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { lockChecksToJudge } from '@dogwatch/store/checks/check-health'
import { listDown, listEndedAfter } from '@dogwatch/store/checks/incidents'
import { putOffJudging } from '@dogwatch/store/checks/rejudging'
import { leaveUnjudged, type UnjudgedResults } from '@dogwatch/store/checks/unjudged'
import { attempt } from '@dogwatch/store/one-transaction'
import type { BatchCheck } from '@dogwatch/store/results/results'
import type { Tables } from '@dogwatch/store/tables'
import type { Transaction } from 'kysely'
import type { ToJudge } from '../checks/judging.ts'
import { judgeDegraded, readDegraded } from '../checks/update-degraded.ts'
import { judgeChecks } from '../checks/update-health.ts'
import type { Deps } from '../deps.ts'
import type { Caller } from '../monitors/monitor.ts'
import { noteLate } from './arrivals.ts'

/** Circumstances of a batch's arrival. */
export interface Arrival {
  /** Whether its monitor uploads what it ran while it could not upload. Judging waits until it has caught up. */
  catchingUp: boolean
  /** Whether some of its results ran a while ago. */
  wasDelayed: boolean
}

/** Checks of a batch. `touched` runs again if judging has to be left to a chore. */
export interface TouchedBatch {
  /** Locks what has to be locked first. */
  lock?(): Promise<void>
  touched(): Promise<readonly BatchCheck[]>
}

/** Due time of checks that a chore has to judge at once. A process whose clock is wrong cannot name a time. */
const AT_ONCE = '-infinity'
const QUIET_MS = 60_000

/**
 * Notes late results and judges their checks. The whole batch must be stored before. If judging fails, leaves it to a chore in
 * the same transaction, because that must not refuse results.
 */
export async function judgeTouched(
  trx: Transaction<Tables>,
  deps: Deps,
  monitor: Caller,
  batch: TouchedBatch,
  arrival: Arrival,
): Promise<void> {
  try {
    await attempt(trx, async () => {
      await batch.lock?.()
      await judge(trx, deps, monitor, await batch.touched(), arrival)
    })
  } catch (error) {
    if (isBroken(error)) throw error
    tell(deps, error)
    const left = await leftOf(trx, await batch.touched(), arrival)
    await leaveUnjudged(trx, monitor.id, left, { due_at: AT_ONCE, is_catching_up: arrival.catchingUp })
  }
}

const throttles = new WeakMap<Deps['database'], LogThrottle>()

function tell({ database, clock, log }: Deps, err: unknown): void {
  const throttle = throttles.get(database) ?? new LogThrottle(clock, QUIET_MS)
  throttles.set(database, throttle)
  throttle.run((count) => log.warn({ err, count }, 'results are stored, and their checks are judged later'))
}

async function judge(
  trx: Transaction<Tables>,
  deps: Deps,
  monitor: Caller,
  touched: readonly BatchCheck[],
  arrival: Arrival,
): Promise<void> {
  await noteLate(trx, monitor.id, touched)
  const { checks, rated } = await decidedBy(trx, touched, arrival)
  const judged = [...new Map([...checks, ...rated].map((one) => [one.check_id, one])).values()]
  // All at once: two batches must not lock them in different orders.
  if (rated.length > 0) await lockChecksToJudge(trx, judged)
  if (arrival.catchingUp && judged.length > 0) await putOffJudging(trx, judged, fromDate(deps.clock.now()))
  // What a monitor uploads late is judged when it has caught up.
  const degraded = await readDegraded(trx, deps, arrival.catchingUp ? [] : rated)
  await judgeChecks(trx, deps, checks)
  await judgeDegraded(trx, deps, degraded)
}

/** Returns the checks that can go down or up by the results, and those that can become degraded or stop being so. */
async function decidedBy(trx: Transaction<Tables>, touched: readonly BatchCheck[], { wasDelayed }: Arrival) {
  const healthy = touched.filter(({ all_succeeded }) => all_succeeded)
  // The process that takes a check down judges it again when both are visible. But late results may have waited for their checks.
  const isKnown = touched.every(({ late, is_down }) => late.length === 0 && is_down !== undefined)
  const down = isKnown ? healthy.filter(({ is_down }) => is_down) : await listDown(trx, healthy)
  const concerned = [...down, ...(wasDelayed ? await listEndedAfter(trx, healthy) : [])]
  const ids = new Set(concerned.map(({ check_id }) => check_id))
  const deciding = touched.filter(({ check_id, all_succeeded }) => !all_succeeded || ids.has(check_id))
  const rated = touched.filter(({ is_rated, may_degrade }) => may_degrade || (is_rated && wasDelayed))
  return { checks: deciding.map(toJudge), rated: rated.map(toJudge) }
}

/** Returns the checks that a chore has to judge, or whose late results it has to note. */
async function leftOf(
  trx: Transaction<Tables>,
  touched: readonly BatchCheck[],
  arrival: Arrival,
): Promise<UnjudgedResults[]> {
  const { checks, rated } = await decidedBy(trx, touched, arrival)
  const ids = new Set([...checks, ...rated].map(({ check_id }) => check_id))
  return touched.flatMap(({ org_id, check_id, oldest_at, late }) =>
    ids.has(check_id) || late.length > 0
      ? [{ org_id, check_id, oldest_at: ids.has(check_id) ? oldest_at : null, late }]
      : [],
  )
}

function toJudge({ org_id, check_id, oldest_at }: BatchCheck): ToJudge & { from: string } {
  return { org_id, check_id, from: oldest_at }
}
