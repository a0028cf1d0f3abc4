// Decides whether a target's answer contains what its check looks for.
import { weigh } from '@dogwatch/check-rules/pattern'
import type { Check } from '@dogwatch/monitor-sdk'
import { patterns } from './pattern.ts'
import type { Found, Job } from './pattern-lane.ts'
import { search } from './pattern-search.ts'

export interface ContentMatch {
  /**
   * True when the text contains the string or matches the pattern, as the check wants. Undefined when deciding would
   * keep other checks waiting.
   */
  isFound: (text: string) => boolean | undefined
  /** Decides it in any case, without keeping others waiting. Rejects with OwnTrouble, and with the signal's reason. */
  search: (text: string, limits: Pick<Job, 'left_ms' | 'signal'>) => Promise<Found>
  /** Whether a match is what fails the check. */
  isUnwanted: boolean
}

/** Undefined when the check asserts nothing about the content. The check's form is without fault. */
export function readContentMatch(check: Check): ContentMatch | { fault: string } | undefined {
  const wanted = check.match_string
  if (wanted === '') return undefined
  switch (check.match_mode || 'contains') {
    case 'contains':
      return readString(wanted, false)
    case 'not_contains':
      return readString(wanted, true)
    case 'regex':
      return readPattern(wanted, false)
    case 'not_regex':
      return readPattern(wanted, true)
    default:
      return { fault: 'the match_mode is unknown' }
  }
}

function readString(wanted: string, isUnwanted: boolean): ContentMatch {
  const isFound = (text: string): boolean => text.includes(wanted)
  return { isFound, search: async (text) => isFound(text), isUnwanted }
}

export const NO_PATTERN = 'the match_string is not a valid regular expression (RE2 syntax)'

/** A larger pattern takes longer than a millisecond or two to compile, and is compiled where no other check waits. */
const SOON_COMPILED_WEIGHT = 300

/**
 * Matching takes at worst the number of characters times the parts of the pattern. This many steps take some ten
 * milliseconds, in which no other check proceeds. Larger work is done in another thread.
 */
const STEPS_MAX = 250_000

function readPattern(pattern: string, isUnwanted: boolean): ContentMatch | { fault: string } {
  const searchIt: ContentMatch['search'] = (text, limits) => search({ pattern, text, ...limits })
  const weight = weigh(pattern)
  if (weight > SOON_COMPILED_WEIGHT) return { isFound: () => undefined, search: searchIt, isUnwanted }
  if (!patterns.has(pattern)) return { fault: NO_PATTERN }
  const reach = Math.floor(STEPS_MAX / weight)
  // The pattern is looked up by its text: the limit on memory could not count a pattern that a run holds on to.
  const isFound = (text: string): boolean | undefined =>
    text.length > reach ? undefined : patterns.test(pattern, text)
  return { isFound, search: searchIt, isUnwanted }
}
