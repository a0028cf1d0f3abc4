// Handles GET /checks/{guid}/results: returns one page.
import { readResults } from '@dogwatch/domain/checks/read'
import type { Deps } from '@dogwatch/domain/deps'
import type { AccountAnswer, AccountInput } from './contract.ts'
import { toResult } from './wire.ts'

export async function getResults(
  deps: Deps,
  { caller, path, query, reply }: AccountInput<'listResults'>,
): AccountAnswer<'listResults'> {
  const rows = await readResults(deps, caller.org_id, path.guid, query)
  const last = rows.at(-1)
  const next = last && { after: last.ran_at, after_monitor: last.monitor_id }
  return reply(200, { results: rows.map(toResult), ...(next && { next }) })
}
