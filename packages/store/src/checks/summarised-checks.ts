// Reads the data of checks that statistics about their history need.
import type { Selectable } from 'kysely'
import type { Db } from '../database.ts'
import type { Tables } from '../tables.ts'
import { wireTime } from '../wire-time.ts'
import { type CheckFilter, liveChecks } from './checks.ts'

const COLUMNS = ['check_id', 'guid', 'name', 'key', 'tags', 'interval_sec', 'enabled'] as const

export type SummarisedCheck = Pick<Selectable<Tables['checks']>, (typeof COLUMNS)[number] | 'created_at'>

/** Lists some checks of an organisation, oldest first. */
export async function listChecksToSum(
  db: Db,
  org_id: number,
  { limit, ...filter }: CheckFilter & { limit: number },
): Promise<SummarisedCheck[]> {
  return liveChecks(db, org_id, filter)
    .select((eb) => [...COLUMNS, wireTime(eb.ref('created_at')).as('created_at')])
    .orderBy('check_id')
    .limit(limit)
    .execute()
}
