// Searches long texts, and reads values from them, in other threads, so that other checks do not wait.
import type { JsonPath } from '@dogwatch/check-rules/json-path'
import { type Job, Lane, type LaneOutcome, type MatchOutcome } from './pattern-lane.ts'
import type { Question } from './pattern-worker.ts'

/** Maximum CPU time for one text, in milliseconds. An ordinary pattern takes a few milliseconds. */
const BUDGET_MS = 2000
/** Minimum time for a search, in milliseconds, so that the agent also judges a response that came just before the timeout. */
const LEFT_MIN_MS = 250
/** CPU time of one search above which its pattern counts as slow, in milliseconds. */
const SLOW_MS = 250
const SLOW_MAX = 1000

/** Threads for searches. Patterns that were slow lately share the thread `slow`, so that quick patterns do not wait for them again. */
const lanes = { quick: new Lane(), slow: new Lane() }
const slowLately = new Set<string>()

/** Limits of a search. `left_ms` is the time that the check still has, in milliseconds. */
type AskLimits = Pick<Job, 'left_ms' | 'signal'>

/**
 * Returns whether a text matches a pattern, which another thread finds out.
 * @throws OwnTrouble if this machine did not have enough time for the search
 */
export async function search({
  pattern,
  text,
  ...limits
}: AskLimits & { pattern: string; text: string }): Promise<MatchOutcome> {
  limits.signal?.throwIfAborted()
  let spent_ms = 0
  const onSpent = (ms: number): void => void (spent_ms = ms)
  const lane = slowLately.has(pattern) ? lanes.slow : lanes.quick
  const found = await ask(lane, { pattern, text }, { ...limits, onSpent })
  // Waits do not count, because a quick pattern can wait for a slow one.
  if (found === 'too_costly' || spent_ms > SLOW_MS) remember(pattern)
  return typeof found === 'boolean' || found === 'too_costly' ? found : 'no_pattern'
}

/**
 * Reads values from a text of JSON in another thread. Resolves with `invalid` if the text is not JSON.
 * @throws OwnTrouble if this machine did not have enough time for this
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

function ask(lane: Lane, question: Question, limits: Omit<Job, 'budget_ms'>): Promise<LaneOutcome> {
  const left_ms = Math.max(LEFT_MIN_MS, limits.left_ms)
  return lane.ask(question, { ...limits, left_ms, budget_ms: Math.min(BUDGET_MS, left_ms) })
}

function remember(pattern: string): void {
  slowLately.add(pattern)
  for (const oldest of slowLately) {
    if (slowLately.size <= SLOW_MAX) break
    slowLately.delete(oldest)
  }
}
