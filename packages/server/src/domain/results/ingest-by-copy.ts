// Stores a batch of results where one Postgres has them, by the way that nodes have, in one transaction.
import { readAssigned } from '../../store/results/assigned.ts'
import { copyResults, isMaybeKnown, isRepeat } from '../../store/results/copied-results.ts'
import type { TimedColumns } from '../../store/results/results.ts'
import type { Deps } from '../deps.ts'
import { requireCaller } from '../monitors/authenticate.ts'
import type { Caller } from '../monitors/monitor.ts'
import { type Arrival, judgeTouched } from './judge-touched.ts'
import { decidedBy, planOf, touchedBy, withoutRepeats } from './plan.ts'

/**
 * Judges what may be stored, copies it and judges the checks that it decides. Undefined: nothing was stored, because a result is known
 * already, or is for an hour that is being closed.
 */
export async function storeByCopy(
  deps: Deps,
  monitor: Caller,
  columns: TimedColumns,
  arrival: Arrival,
): Promise<{ accepted: number; fresh: number } | undefined> {
  const guids = [...new Set(columns.check_guid)]
  const store = () =>
    deps.database.machines.transaction().execute(async (trx) => {
      const batch = await readAssigned(trx, monitor, guids)
      if (!batch) {
        await requireCaller(trx, monitor)
        throw new Error('the caller may upload after all')
      }
      const planned = planOf(columns, batch)
      if (planned.some(({ ran_at }) => ran_at < batch.closing)) return undefined
      const rows = withoutRepeats(planned)
      if (await isRepeat(trx, monitor.id, rows)) return undefined
      await copyResults(trx, monitor.id, columns, rows)
      const decided = decidedBy(columns, planned, batch, arrival.wasDelayed)
      if (decided.size > 0) {
        const deciding = planned.filter(({ check }) => decided.has(check))
        const late = rows.filter(({ ran_at }) => ran_at < batch.announced)
        const touched = touchedBy(columns, deciding, late)
        await judgeTouched(trx, deps, monitor, { touched: async () => touched }, arrival)
      }
      return { accepted: planned.length, fresh: rows.length }
    })
  return store().catch((error: unknown) => {
    if (isMaybeKnown(error)) return undefined
    throw error
  })
}
