// Reads the data of checks that statistics about their history need.
import type { Db } from '../database.ts'
import { wireTime } from '../wire-time.ts'
import { type CheckFilter, liveChecks } from './checks.ts'

export interface SummarisedCheck {
  check_id: number
  guid: string
  name: string
  key: string | null
  tags: string[]
  interval_sec: number
  enabled: boolean
  created_at: string
}

/** Lists some checks of an organisation, oldest first. */
export async function listChecksToSum(
  db: Db,
  org_id: number,
  { limit, ...filter }: CheckFilter & { limit: number },
): Promise<SummarisedCheck[]> {
  return liveChecks(db, org_id, filter)
    .select((eb) => [
      ...(['check_id', 'guid', 'name', 'key', 'tags', 'interval_sec', 'enabled'] as const),
      wireTime(eb.ref('created_at')).as('created_at'),
    ])
    .orderBy('check_id')
    .limit(limit)
    .execute()
}
