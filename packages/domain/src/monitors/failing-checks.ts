// Finds the checks that fail from a failing monitor, for when a message about it does not list them all.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { countRunChecks, listRunChecks, listSights } from '@dogwatch/store/checks/failing-monitors'
import type { Trx } from '@dogwatch/store/database'
import { failingAlone, LOOKED_AT } from './failing-rule.ts'

/** Finds the checks that now fail from the monitor alone. If it runs more than 2,000 checks, searches only a part of them. */
export async function findFailingChecks(trx: Trx, org_id: number, monitor_id: string, now: Date): Promise<number[]> {
  const of = Math.max(1, Math.ceil((await countRunChecks(trx, org_id, monitor_id)) / LOOKED_AT))
  const checks = await listRunChecks(trx, org_id, monitor_id, { of, part: 0 })
  const ids = checks.map(({ check_id }) => check_id)
  const alone = failingAlone(await listSights(trx, org_id, ids, fromDate(now))).get(monitor_id) ?? []
  return alone.map(({ check_id }) => check_id)
}
