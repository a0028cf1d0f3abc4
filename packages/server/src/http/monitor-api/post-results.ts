// POST /results: a batch of what a monitor found.
import type { Deps } from '../../domain/deps.ts'
import { ingestResults } from '../../domain/results/ingest.ts'
import type { Metrics } from '../../runtime/metrics.ts'
import type { MonitorAnswer, MonitorInput } from './contract.ts'

export async function postResults(
  deps: Deps,
  metrics: Metrics,
  { body, caller, reply }: MonitorInput<'uploadResults'>,
): MonitorAnswer<'uploadResults'> {
  const { accepted, fresh } = await ingestResults(deps, caller, body.results)
  metrics.batches.inc()
  metrics.results.inc({ outcome: 'fresh' }, fresh)
  metrics.results.inc({ outcome: 'known' }, accepted - fresh)
  metrics.results.inc({ outcome: 'dropped' }, body.results.length - accepted)
  return reply(200, { accepted })
}
