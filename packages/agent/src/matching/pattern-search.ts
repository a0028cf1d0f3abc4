// Searches long texts for patterns without keeping anything else waiting.
import { type Found, type Job, Lane } from './pattern-lane.ts'

/** CPU time for one text: an ordinary pattern takes a few milliseconds of it. */
const BUDGET_MS = 2000
/** An answer that came at the last moment is looked at, too. */
const LEFT_MIN_MS = 250
/** What takes longer is slow. */
const SLOW_MS = 250
const SLOW_MAX = 1000

/** Slow patterns share a thread of their own, so that others do not wait for them twice. */
const lanes = { quick: new Lane(), slow: new Lane() }
const slowLately = new Set<string>()

/**
 * @param left_ms how long the check may still take
 * @throws OwnTrouble when this machine had not the time for it
 */
export async function search({ pattern, text, left_ms, signal }: Omit<Job, 'budget_ms'>): Promise<Found> {
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
