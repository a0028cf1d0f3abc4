// Handles POST /results: stores a batch of a monitor's results.

import { takeReports } from '@dogwatch/domain/checks/asked-runs'
import type { Deps } from '@dogwatch/domain/deps'
import { DomainError } from '@dogwatch/domain/errors'
import { ingestResults } from '@dogwatch/domain/results/ingest'
import type { Intake } from '@dogwatch/domain/results/intake'
import type { Metrics } from '@dogwatch/runtime/metrics'
import { toMicroseconds } from '@dogwatch/runtime/timestamps'
import type { MonitorAnswer, MonitorInput } from './contract.ts'

/** Retry time in seconds of a batch with more results than the organisation may store. */
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
  // Comes after the results, so that someone who sees the report of a run also finds its result.
  if (runs.length > 0) await takeReports(deps, caller, runs)
  metrics.batches.inc()
  metrics.results.inc({ outcome: 'fresh' }, fresh)
  metrics.results.inc({ outcome: 'known' }, accepted - fresh)
  metrics.results.inc({ outcome: 'misdated' }, misdated)
  metrics.results.inc({ outcome: 'excess' }, excess)
  metrics.results.inc({ outcome: 'again' }, again.length - excess)
  metrics.results.inc({ outcome: 'dropped' }, Math.max(0, results.length - misdated - accepted - again.length))
  // An agent that does not know partial batches sends the whole batch again. Its accepted results are already stored.
  if (excess > 0 && !partial) throw new DomainError('limited', 'rate limit exceeded', RETRY_SEC)
  return reply(200, { accepted, ...(again.length > 0 && { again }) })
}
