// Stores a batch of results in one transaction of a single Postgres, by COPY, as nodes do.

import { readAssignedAnd } from '@dogwatch/store/results/assigned'
import { askingIfKnown, copyResults, isMaybeKnown } from '@dogwatch/store/results/copied-results'
import type { TimedColumns } from '@dogwatch/store/results/results'
import type { Tables } from '@dogwatch/store/tables'
import type { Transaction } from 'kysely'
import type { Deps } from '../deps.ts'
import { requireCaller } from '../monitors/authenticate.ts'
import type { Caller } from '../monitors/monitor.ts'
import { type Arrival, judgeTouched } from './judge-touched.ts'
import { decidedBy, type PlannedResult, planOf, touchedBy, withoutRepeats } from './plan.ts'

/**
 * Copies the results of assigned checks and judges the checks that they affect. Returns undefined, without storing anything, if a
 * result is already known or belongs to an hour that is being closed.
 */
export async function storeByCopy(
  deps: Deps,
  monitor: Caller,
  columns: TimedColumns,
  arrival: Arrival,
): Promise<{ accepted: number; fresh: number } | undefined> {
  const guids = [...new Set(columns.check_guid)]
  const ifKnown = (places: readonly number[]) =>
    askingIfKnown(
      monitor.id,
      places.map((place) => ({ guid: columns.check_guid[place] ?? '', ran_at: columns.ran_at[place] ?? '' })),
    )
  const ends = [0, columns.check_guid.length - 1]
  /** Whether the first or last result to store is already known, if both ends of the batch are of unassigned checks. */
  const isStored = async (trx: Transaction<Tables>, planned: readonly PlannedResult[]): Promise<boolean> => {
    const [first, last] = [planned[0], planned.at(-1)]
    if (!first || !last || planned.some(({ place }) => ends.includes(place))) return false
    return (await ifKnown([first.place, last.place]).execute(trx)).rows.length > 0
  }
  const store = () =>
    deps.database.machines.transaction().execute(async (trx) => {
      const { batch, rows: known } = await readAssignedAnd(trx, monitor, guids, ifKnown(ends))
      if (!batch) {
        await requireCaller(trx, monitor)
        throw new Error('the upload was refused, but the monitor is allowed to upload')
      }
      const planned = planOf(columns, batch)
      if (planned.some(({ ran_at }) => ran_at < batch.closing)) return undefined
      if (known.length > 0 || (await isStored(trx, planned))) return undefined
      const rows = withoutRepeats(planned)
      const decided = decidedBy(columns, planned, batch, arrival.wasDelayed)
      await copyResults(trx, monitor.id, columns, rows, { isLast: decided.size === 0 })
      if (decided.size > 0) {
        const deciding = planned.filter(({ check }) => decided.has(check))
        const late = rows.filter(({ ran_at }) => ran_at < batch.announced)
        const touched = touchedBy(columns, deciding, late, { isOld: false })
        await judgeTouched(trx, deps, monitor, { touched: async () => touched }, arrival)
      }
      return { accepted: planned.length, fresh: rows.length }
    })
  return store().catch((error: unknown) => {
    if (isMaybeKnown(error)) return undefined
    throw error
  })
}
