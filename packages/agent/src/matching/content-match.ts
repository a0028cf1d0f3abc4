// Decides whether a target's response contains what its check looks for.
import { weigh } from '@dogwatch/check-rules/pattern'
import type { Check } from '@dogwatch/monitor-sdk'
import { patterns } from './pattern.ts'
import type { Job, MatchOutcome } from './pattern-lane.ts'
import { search } from './pattern-search.ts'

/** Search of texts for a string or a pattern. */
export interface TextSearch {
  /**
   * Returns whether the text contains the string or matches the pattern. Returns undefined if deciding would keep other checks
   * waiting.
   */
  isFound: (text: string) => boolean | undefined
  /** Decides in any case, without keeping others waiting. Rejects with OwnTrouble, and with the signal's reason. */
  search: (text: string, limits: SearchLimits) => Promise<MatchOutcome>
}

/** SearchLimits of a search that may take long. */
export type SearchLimits = Pick<Job, 'left_ms' | 'signal'>

export interface ContentMatch extends TextSearch {
  /** Whether a match makes the check fail. */
  isUnwanted: boolean
}

/** Returns undefined if the check asserts nothing about the content. The caller must have validated the check. */
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

/** Maximum weight of a pattern that compiles in a millisecond or two. A larger pattern is compiled where no other check waits. */
const SOON_COMPILED_WEIGHT = 300

/**
 * Maximum steps to match in this thread: the characters times the parts of the pattern, at worst. They take some ten
 * milliseconds, and block all other checks.
 */
const STEPS_MAX = 250_000

function readPatternMatch(pattern: string, isUnwanted: boolean): ContentMatch | { fault: string } {
  const found = readPattern(pattern)
  return found ? { ...found, isUnwanted } : { fault: NO_PATTERN }
}

/** Returns the search for a pattern, or undefined if the pattern is known to be invalid. A large one may still be invalid. */
export function readPattern(pattern: string): TextSearch | undefined {
  const searchIt: TextSearch['search'] = (text, limits) => search({ pattern, text, ...limits })
  const weight = weigh(pattern)
  if (weight > SOON_COMPILED_WEIGHT) return { isFound: () => undefined, search: searchIt }
  if (!patterns.has(pattern)) return undefined
  const reach = Math.floor(STEPS_MAX / weight)
  // Each search looks the pattern up by its text, because the memory limit cannot count a pattern that a run keeps.
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
