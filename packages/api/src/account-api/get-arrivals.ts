// Handles GET /checks/{guid}/arrivals: returns the results that arrived since a cursor, and the next cursor.
import type { Deps } from '@dogwatch/domain/deps'
import { readArrivals } from '@dogwatch/domain/results/arrivals'
import type { AccountAnswer, AccountInput } from './contract.ts'
import { toResult } from './wire.ts'

export async function getArrivals(
  deps: Deps,
  { caller, path, query, reply }: AccountInput<'listArrivals'>,
): AccountAnswer<'listArrivals'> {
  const { results, cursor } = await readArrivals(deps, caller.org_id, path.guid, query)
  return reply(200, { results: results.map(toResult), cursor })
}
