// Handles POST /results: stores a batch of a monitor's results.

import { takeReports } from '@dogwatch/domain/checks/asked-runs'
import type { Deps } from '@dogwatch/domain/deps'
import { DomainError } from '@dogwatch/domain/errors'
import { ingestResults } from '@dogwatch/domain/results/ingest'
import type { Intake } from '@dogwatch/domain/results/intake'
import type { Metrics } from '@dogwatch/runtime/metrics'
import { toMicroseconds } from '@dogwatch/runtime/timestamps'
import type { MonitorAnswer, MonitorInput } from './contract.ts'

/** Retry time for a batch that exceeds the budget of an organisation, in seconds. */
const RETRY_SEC = 60

export async function postResults(
  deps: Deps,
  { metrics, intake }: { metrics: Metrics; intake: Intake },
  { body, caller, reply }: MonitorInput<'uploadResults'>,
): MonitorAnswer<'uploadResults'> {
  const { sent_at, remaining, results, partial = false, runs = [] } = body
  const facts = {
    received_at: caller.seen_at,
    held_ms: caller.held_ms,
    sent_at: sent_at && toMicroseconds(sent_at),
    remaining,
  }
  const { accepted, fresh, misdated, excess, again } = await ingestResults(deps, caller, results, {
    facts,
    intake,
    isPartial: partial,
  })
  // After the results, so that a reader of a report finds them.
  if (runs.length > 0) await takeReports(deps, caller, runs)
  metrics.batches.inc()
  metrics.results.inc({ outcome: 'fresh' }, fresh)
  metrics.results.inc({ outcome: 'known' }, accepted - fresh)
  metrics.results.inc({ outcome: 'misdated' }, misdated)
  metrics.results.inc({ outcome: 'excess' }, excess)
  metrics.results.inc({ outcome: 'again' }, again.length - excess)
  metrics.results.inc({ outcome: 'dropped' }, Math.max(0, results.length - misdated - accepted - again.length))
  // A sender that keeps no part sends the whole batch again. The rest of it is stored.
  if (excess > 0 && !partial) throw new DomainError('limited', 'rate limit exceeded', RETRY_SEC)
  return reply(200, { accepted, ...(again.length > 0 && { again }) })
}
