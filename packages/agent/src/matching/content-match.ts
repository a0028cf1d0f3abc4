// Decides whether a target's response contains what its check looks for.
import { weigh } from '@dogwatch/check-rules/pattern'
import type { Check } from '@dogwatch/monitor-sdk'
import { patterns } from './pattern.ts'
import type { Job, MatchOutcome } from './pattern-lane.ts'
import { search } from './pattern-search.ts'

/** Search of texts for a string or a pattern. */
export interface TextSearch {
  /**
   * Returns whether the text contains the string or matches the pattern. Returns undefined if the search would make other checks
   * wait.
   */
  isFound: (text: string) => boolean | undefined
  /**
   * Searches without making other checks wait, however long the search takes. Rejects with OwnTrouble, and with the signal's
   * reason.
   */
  search: (text: string, limits: SearchLimits) => Promise<MatchOutcome>
}

/** Limits of a search that can take long. */
export type SearchLimits = Pick<Job, 'left_ms' | 'signal'>

export interface ContentMatch extends TextSearch {
  /** Whether a match makes the check fail. */
  isUnwanted: boolean
}

/**
 * Returns what a check asserts about the content, or undefined if it asserts nothing. The caller must have validated the check.
 */
export function readContentMatch(check: Check): ContentMatch | { fault: string } | undefined {
  const wanted = check.match_string
  if (wanted === '') return undefined
  switch (check.match_mode || 'contains') {
    case 'contains':
      return readString(wanted, false)
    case 'not_contains':
      return readString(wanted, true)
    case 'regex':
    case 'not_regex':
      return readPatternMatch(wanted, check.match_mode === 'not_regex')
    default:
      return { fault: 'the match_mode is unknown' }
  }
}

function readString(wanted: string, isUnwanted: boolean): ContentMatch {
  const isFound = (text: string): boolean => text.includes(wanted)
  return { isFound, search: async (text) => isFound(text), isUnwanted }
}

export const NO_PATTERN = 'the match_string is not a valid regular expression (RE2 syntax)'

/** Maximum weight of a pattern that compiles in a millisecond or two. Patterns with a higher weight compile in another thread. */
const SOON_COMPILED_WEIGHT = 300

/**
 * Maximum number of steps to match in this thread: at worst, the characters times the parts of the pattern. Matching takes some
 * ten milliseconds, during which all other checks wait.
 */
const STEPS_MAX = 250_000

function readPatternMatch(pattern: string, isUnwanted: boolean): ContentMatch | { fault: string } {
  const found = readPattern(pattern)
  return found ? { ...found, isUnwanted } : { fault: NO_PATTERN }
}

/**
 * Returns the search for a pattern, or undefined if the pattern is known to be invalid. A large pattern can still prove invalid
 * later.
 */
export function readPattern(pattern: string): TextSearch | undefined {
  const searchIt: TextSearch['search'] = (text, limits) => search({ pattern, text, ...limits })
  const weight = weigh(pattern)
  if (weight > SOON_COMPILED_WEIGHT) return { isFound: () => undefined, search: searchIt }
  if (!patterns.has(pattern)) return undefined
  const reach = Math.floor(STEPS_MAX / weight)
  // Looks the compiled pattern up for each search, because the memory limit cannot count a compiled pattern that a run keeps.
  const isFound = (text: string): boolean | undefined =>
    text.length > reach ? undefined : patterns.test(pattern, text)
  return { isFound, search: searchIt }
}

/** Searches a text for a pattern whose size has been checked. */
export async function findPattern(pattern: string, text: string, limits: SearchLimits): Promise<MatchOutcome> {
  const match = readPattern(pattern)
  if (!match) return 'no_pattern'
  return match.isFound(text) ?? (await match.search(text, limits))
}
