// POST /results: a batch of what a monitor found.
import type { Deps } from '../../domain/deps.ts'
import { ingestResults } from '../../domain/results/ingest.ts'
import { toMicroseconds } from '../../runtime/timestamps.ts'
import type { Metrics } from '../../runtime/metrics.ts'
import type { MonitorAnswer, MonitorInput } from './contract.ts'

export async function postResults(
  deps: Deps,
  metrics: Metrics,
  { body, caller, reply }: MonitorInput<'uploadResults'>,
): MonitorAnswer<'uploadResults'> {
  const { sent_at, remaining, results } = body
  const sending = {
    received_at: caller.seen_at,
    held_ms: caller.held_ms,
    sent_at: sent_at && toMicroseconds(sent_at),
    remaining,
  }
  const { accepted, fresh, misdated } = await ingestResults(deps, caller, results, sending)
  metrics.batches.inc()
  metrics.results.inc({ outcome: 'fresh' }, fresh)
  metrics.results.inc({ outcome: 'known' }, accepted - fresh)
  metrics.results.inc({ outcome: 'misdated' }, misdated)
  metrics.results.inc({ outcome: 'dropped' }, results.length - misdated - accepted)
  return reply(200, { accepted })
}
