// Keeps the months of results made ahead, so that no batch lands in the catch-all.
import { insertPartition, type Month } from '../../store/partitions.ts'
import type { Deps } from '../deps.ts'

const MONTHS_BEHIND = 1
const MONTHS_AHEAD = 2

/** One run of the chore; returns the months it made. Safe to run from several processes at once. */
export async function ensurePartitions(deps: Pick<Deps, 'database' | 'clock'>): Promise<Month[]> {
  const now = deps.clock.now()
  const made: Month[] = []
  for (let offset = -MONTHS_BEHIND; offset <= MONTHS_AHEAD; offset++) {
    const [month, next] = [monthAt(now, offset), monthAt(now, offset + 1)]
    const isNew = await deps.database.db.transaction().execute((trx) => insertPartition(trx, month, next))
    if (isNew) made.push(month)
  }
  return made
}

function monthAt(now: Date, offset: number): Month {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1)).toISOString().slice(0, 10)
}
