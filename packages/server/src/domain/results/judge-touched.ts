// Judges the checks that a batch of results may have changed, after the results were stored.
import type { Transaction } from 'kysely'
import { fromDate } from '../../runtime/timestamps.ts'
import { lockChecksToJudge, putOffJudging } from '../../store/checks/check-health.ts'
import { listDown, listEndedAfter } from '../../store/checks/incidents.ts'
import type { Touched } from '../../store/results/results.ts'
import type { Tables } from '../../store/tables.ts'
import { judgeDegraded, readDegraded } from '../checks/update-degraded.ts'
import { judgeChecks, type ToJudge } from '../checks/update-health.ts'
import type { Deps } from '../deps.ts'
import type { Caller } from '../monitors/monitor.ts'
import { noteLate } from './arrivals.ts'

/** How a batch arrived. */
export interface Arrival {
  /** Its monitor uploads what it ran while it could not: judging waits until it has caught up. */
  catchingUp: boolean
  /** Some of its results ran a while ago. */
  wasDelayed: boolean
}

/** Notes late results and judges their checks, in the transaction after whose beginning nothing of the batch is stored any more. */
export async function judgeTouched(
  trx: Transaction<Tables>,
  deps: Deps,
  monitor: Caller,
  touched: readonly Touched[],
  { catchingUp, wasDelayed }: Arrival,
): Promise<void> {
  await noteLate(trx, monitor.id, touched)
  const healthy = touched.filter(({ all_succeeded }) => all_succeeded)
  const concerned = [...(await listDown(trx, healthy)), ...(wasDelayed ? await listEndedAfter(trx, healthy) : [])]
  const ids = new Set(concerned.map(({ check_id }) => check_id))
  const deciding = touched.filter(({ check_id, all_succeeded }) => !all_succeeded || ids.has(check_id))
  const checks = deciding.map(toJudge)
  const rated = touched.filter(({ is_rated, may_degrade }) => may_degrade || (is_rated && wasDelayed)).map(toJudge)
  const judged = [...new Map([...checks, ...rated].map((one) => [one.check_id, one])).values()]
  // All at once: two batches must not lock them in different orders.
  if (rated.length > 0) await lockChecksToJudge(trx, judged)
  if (catchingUp && judged.length > 0) await putOffJudging(trx, judged, fromDate(deps.clock.now()))
  // What a monitor uploads late is judged when it has caught up.
  const degraded = await readDegraded(trx, deps, catchingUp ? [] : rated)
  await judgeChecks(trx, deps, checks)
  await judgeDegraded(trx, deps, degraded)
}

function toJudge({ org_id, check_id, oldest_at }: Touched): ToJudge & { from: string } {
  return { org_id, check_id, from: oldest_at }
}
