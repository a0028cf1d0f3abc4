// Picks up results that were stored without judging their checks, so that these are judged like any others that are due.

import { isCrossed, isOutOfReach } from '@dogwatch/runtime/database-faults'
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { CheckKey } from '@dogwatch/store/check-keys'
import { lockChecksToJudge } from '@dogwatch/store/checks/check-health'
import { judgeBatches, listUnjudged, lockFreeChecks, takeUnjudged } from '@dogwatch/store/checks/unjudged'
import type { Trx } from '@dogwatch/store/database'
import { insertLateResults } from '@dogwatch/store/results/arrivals'
import type { Deps } from '../deps.ts'

const AT_ONCE = 200
/** Maximum number of locked checks that a run waits for. Each wait takes as long as a statement may wait for a lock. */
const PATIENCE = 5

/**
 * Picks up the due results of checks that no one has locked, and then waits its turn for the others. A check that fails delays
 * none of them.
 */
export async function takeAllUnjudged(deps: Deps): Promise<void> {
  const { machines } = deps.database
  const now = fromDate(deps.clock.now())
  let held = 0
  let after: CheckKey | undefined
  for (;;) {
    const keys = await listUnjudged(machines, now, after, AT_ONCE)
    after = keys.at(-1)
    if (!after) return
    const free = await takeFree(deps, keys, now)
    for (const key of keys) {
      if (free.has(key.check_id) || held === PATIENCE) continue
      if ((await takeInTurn(deps, key, now)).isHeld) held++
    }
  }
}

/**
 * Picks up the results of the checks that no transaction has locked, and returns the ids of these checks. Returns none if one of
 * them fails.
 */
async function takeFree({ database, log }: Deps, keys: readonly CheckKey[], now: string): Promise<Set<number>> {
  try {
    return await database.machines.transaction().execute(async (trx) => {
      const locked = await lockFreeChecks(trx, keys)
      await take(trx, locked, now)
      return new Set(locked.map(({ check_id }) => check_id))
    })
  } catch (err) {
    if (isOutOfReach(err)) throw err
    log.error({ err }, 'could not process stored results of several checks at once; processing each check on its own')
    return new Set()
  }
}

/** Picks up the results of one check. `isHeld`: whether another transaction keeps the check locked for too long. */
async function takeInTurn({ database, log }: Deps, key: CheckKey, now: string): Promise<{ isHeld: boolean }> {
  try {
    await database.machines.transaction().execute(async (trx) => {
      await lockChecksToJudge(trx, [key])
      await take(trx, [key], now)
    })
    return { isHeld: false }
  } catch (err) {
    if (isCrossed(err)) return { isHeld: true }
    if (isOutOfReach(err)) throw err
    const { org_id, check_id } = key
    log.error({ err, org_id, check_id }, 'could not process the stored results of a check; will retry')
    return { isHeld: false }
  }
}

/** Picks up the results of checks. The caller must hold the locks of the checks. */
async function take(trx: Trx, keys: readonly CheckKey[], now: string): Promise<void> {
  const taken = await takeUnjudged(trx, keys, now)
  for (const [monitor_id, its] of Map.groupBy(taken, (one) => one.monitor_id)) {
    const late = its.flatMap(({ org_id, check_id, late: times }) =>
      times.map((ran_at) => ({ org_id, check_id, ran_at })),
    )
    if (late.length > 0) await insertLateResults(trx, monitor_id, late)
  }
  await judgeBatches(trx, taken, now)
}
