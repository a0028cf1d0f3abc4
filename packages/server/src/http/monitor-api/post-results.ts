// POST /results: a batch of what a monitor found.
import type { Deps } from '../../domain/deps.ts'
import { ingestResults } from '../../domain/results/ingest.ts'
import type { MonitorAnswer, MonitorInput } from './contract.ts'

export async function postResults(
  deps: Deps,
  { body, caller, reply }: MonitorInput<'uploadResults'>,
): MonitorAnswer<'uploadResults'> {
  const accepted = await ingestResults(deps, caller, body.results)
  return reply(200, { accepted })
}
