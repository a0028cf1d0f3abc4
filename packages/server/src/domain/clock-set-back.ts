// Repairs the records after the database's clock was ahead for a while and was set back.
import { MOST_SKEW_MS } from '../runtime/clock.ts'
import { isOutOfReach } from '../runtime/database-faults.ts'
import { fromDate } from '../runtime/timestamps.ts'
import {
  bringBackBudgets,
  bringBackToNow,
  moveClosedIncidents,
  readAhead,
  type SetBackBy,
  listOrgIds,
  shiftFutureResults,
} from '../store/processes/clock-set-back.ts'
import type { Deps } from './deps.ts'

/** Two processes that trust their time cannot be further apart. */
const AHEAD_MS = 2 * MOST_SKEW_MS

/** Results in one transaction. */
const AT_ONCE = 20_000

/**
 * One run of the chore. Times of heartbeats, monitors and open incidents that were recorded while the clock was ahead
 * are moved to now: otherwise silence would not be noticed, and nobody reminded, until the time has caught up. Results
 * and closed incidents are moved back by as much as the clock was ahead: otherwise the results would decide once more
 * when the time has caught up with them.
 */
export async function takeBackFuture(deps: Pick<Deps, 'database' | 'clock' | 'log'>): Promise<void> {
  const now = deps.clock.now()
  const { machines } = deps.database
  const setBack = { now: fromDate(now), limit: fromDate(new Date(now.getTime() + AHEAD_MS)) }
  const ahead_ms = await readAhead(machines, setBack)
  const moved = await machines.transaction().execute((trx) => bringBackToNow(trx, setBack))
  if (ahead_ms !== undefined) {
    await machines.transaction().execute((trx) => bringBackBudgets(trx, { ...setBack, ahead_ms }))
    const incidents = await machines.transaction().execute((trx) => moveClosedIncidents(trx, { ...setBack, ahead_ms }))
    const results = await shiftResults(deps, { ...setBack, ahead_ms })
    if (incidents > 0) moved.closed_incidents = incidents
    if (results > 0) moved.results = results
  }
  if (Object.keys(moved).length > 0) {
    const ahead_sec = Math.round((ahead_ms ?? 0) / 1000)
    deps.log.warn({ moved, ahead_sec }, "the database's clock was ahead: what was noted of that time counts from now")
  }
}

/** A node that does not answer leaves out its own organisations alone. */
async function shiftResults({ database, log }: Pick<Deps, 'database' | 'log'>, by: SetBackBy): Promise<number> {
  let sum = 0
  const left_out: number[] = []
  for (const org_id of await listOrgIds(database.machines)) {
    try {
      for (let some = AT_ONCE; some >= AT_ONCE; sum += some) {
        some = await database.machines.transaction().execute((trx) => shiftFutureResults(trx, org_id, by, AT_ONCE))
      }
    } catch (error) {
      if (!isOutOfReach(error)) throw error
      if (left_out.length === 0) log.warn({ err: error, org_id }, 'results of the future could not be moved back')
      left_out.push(org_id)
    }
  }
  if (left_out.length > 0)
    log.warn({ org_ids: left_out }, 'organisations whose results of the future stay where they are')
  return sum
}
