// Keeps the table of rate limits small.
import { deleteFullBuckets } from '../../store/processes/rate-limits.ts'
import type { Deps } from '../deps.ts'

/** One run of the chore; returns how many keys it deleted. */
export async function forgetFullBuckets(deps: Pick<Deps, 'database'>): Promise<number> {
  return deleteFullBuckets(deps.database)
}
