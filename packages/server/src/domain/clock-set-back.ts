// The database's clock was ahead for a while and was set back.
import { MOST_SKEW_MS } from '../runtime/clock.ts'
import { fromDate } from '../runtime/timestamps.ts'
import { bringBackToNow } from '../store/clock-set-back.ts'
import type { Deps } from './deps.ts'

/** Further ahead than two processes that trust their time can be of each other. */
const AHEAD_MS = 2 * MOST_SKEW_MS

/**
 * One run of the chore. What was noted of heartbeats, monitors and open incidents while the clock was ahead is taken to be of now:
 * silence would not be noticed, and nobody reminded, until the time has caught up.
 */
export async function takeBackFuture(deps: Pick<Deps, 'database' | 'clock' | 'log'>): Promise<void> {
  const now = deps.clock.now()
  const [at, limit] = [fromDate(now), fromDate(new Date(now.getTime() + AHEAD_MS))]
  const moved = await deps.database.work.transaction().execute((trx) => bringBackToNow(trx, { now: at, limit }))
  if (Object.keys(moved).length > 0) {
    deps.log.warn({ moved }, "the database's clock was ahead: what was noted of that time counts from now")
  }
}
