// Searches long texts for patterns without keeping anything else waiting.
import { type MatchOutcome, type Job, Lane } from './pattern-lane.ts'

/** Maximum CPU time for one text, in milliseconds. An ordinary pattern takes a few milliseconds. */
const BUDGET_MS = 2000
/** Minimum time for a search, in milliseconds, so that a response that came at the last moment is judged, too. */
const LEFT_MIN_MS = 250
/** Time above which a pattern counts as slow, in milliseconds. */
const SLOW_MS = 250
const SLOW_MAX = 1000

/** Threads for quick and slow patterns. Slow ones share a thread, so that others do not wait for them twice. */
const lanes = { quick: new Lane(), slow: new Lane() }
const slowLately = new Set<string>()

/**
 * Searches a text in another thread.
 * @param left_ms how long the check may still take
 * @throws OwnTrouble when this machine did not have the time for it
 */
export async function search({ pattern, text, left_ms, signal }: Omit<Job, 'budget_ms'>): Promise<MatchOutcome> {
  signal?.throwIfAborted()
  const left = Math.max(LEFT_MIN_MS, left_ms)
  const lane = slowLately.has(pattern) ? lanes.slow : lanes.quick
  const began = performance.now()
  const found = await lane.search({ pattern, text, left_ms: left, budget_ms: Math.min(BUDGET_MS, left), signal })
  if (found === 'too_costly' || performance.now() - began > SLOW_MS) remember(pattern)
  return found
}

function remember(pattern: string): void {
  slowLately.add(pattern)
  for (const oldest of slowLately) {
    if (slowLately.size <= SLOW_MAX) break
    slowLately.delete(oldest)
  }
}
