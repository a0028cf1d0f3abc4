// Keeps the table of rate limits small.
import { deleteFullBuckets } from '@dogwatch/store/processes/rate-limits'
import type { Deps } from '../deps.ts'

/** Runs the chore once, and returns the number of deleted keys. */
export async function forgetFullBuckets(deps: Pick<Deps, 'database'>): Promise<number> {
  return deleteFullBuckets(deps.database)
}
