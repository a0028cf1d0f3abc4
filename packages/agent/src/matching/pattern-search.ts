// Searches and reads long texts without keeping anything else waiting.
import type { JsonPath } from '@dogwatch/check-rules/json-path'
import { type Job, Lane, type LaneOutcome, type MatchOutcome } from './pattern-lane.ts'
import type { Question } from './pattern-worker.ts'

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

/** AskLimits of a search. `left_ms`: how long the check may still take. */
type AskLimits = Omit<Job, 'budget_ms'>

/**
 * Searches a text in another thread.
 * @throws OwnTrouble when this machine did not have the time for it
 */
export async function search({
  pattern,
  text,
  ...limits
}: AskLimits & { pattern: string; text: string }): Promise<MatchOutcome> {
  limits.signal?.throwIfAborted()
  const began = performance.now()
  const found = await ask(slowLately.has(pattern) ? lanes.slow : lanes.quick, { pattern, text }, limits)
  if (found === 'too_costly' || performance.now() - began > SLOW_MS) remember(pattern)
  return typeof found === 'boolean' || found === 'too_costly' ? found : 'no_pattern'
}

/**
 * Reads values from a text of JSON in another thread. Resolves with `invalid` if it is not JSON.
 * @throws OwnTrouble when this machine did not have the time for it
 */
export async function readValues(
  text: string,
  paths: readonly JsonPath[],
  limits: AskLimits,
): Promise<readonly unknown[] | 'too_costly' | 'invalid'> {
  limits.signal?.throwIfAborted()
  const values = await ask(lanes.quick, { paths, text }, limits)
  return typeof values === 'boolean' ? 'invalid' : values
}

function ask(lane: Lane, question: Question, { left_ms, signal }: AskLimits): Promise<LaneOutcome> {
  const left = Math.max(LEFT_MIN_MS, left_ms)
  return lane.ask(question, { left_ms: left, budget_ms: Math.min(BUDGET_MS, left), signal })
}

function remember(pattern: string): void {
  slowLately.add(pattern)
  for (const oldest of slowLately) {
    if (slowLately.size <= SLOW_MAX) break
    slowLately.delete(oldest)
  }
}
