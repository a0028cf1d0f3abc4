// Says whether what a target sent holds what its check asks for.
import type { Check } from '@dogwatch/monitor-sdk'
import { RE2JS } from 're2js'

export interface ContentMatch {
  /** True when the text holds the string or fits the pattern, whichever way the check wants it. */
  isFound: (text: string) => boolean
  /** Whether finding it is what fails the check. */
  isUnwanted: boolean
}

/** Undefined when the check asserts nothing about the content. */
export function readContentMatch(check: Check): ContentMatch | { fault: string } | undefined {
  const wanted = check.match_string
  if (wanted === '') return undefined
  switch (check.match_mode || 'contains') {
    case 'contains':
      return { isFound: (text) => text.includes(wanted), isUnwanted: false }
    case 'not_contains':
      return { isFound: (text) => text.includes(wanted), isUnwanted: true }
    case 'regex':
      return readPattern(wanted, false)
    case 'not_regex':
      return readPattern(wanted, true)
    default:
      return { fault: 'the match_mode is not known' }
  }
}

/**
 * Matching takes at worst as many steps as the text has characters and the pattern has parts, multiplied: half a second
 * for so many, in which no other check gets on. Patterns of up to 30 parts see all of the longest body; one of 1000, made
 * to be slow, sees its first 32,000 characters.
 */
const STEPS_MAX = 32_000_000

function readPattern(pattern: string, isUnwanted: boolean): ContentMatch | { fault: string } {
  const compiled = compile(pattern)
  if (!compiled) return { fault: 'the match_string is not a regular expression' }
  const reach = Math.floor(STEPS_MAX / compiled.programSize())
  return { isFound: (text) => compiled.test(text.slice(0, reach)), isUnwanted }
}

/** Patterns that were compiled lately, the latest last: compiling costs more than most matches do. */
const compiledLately = new Map<string, RE2JS>()
const COMPILED_MAX = 500

function compile(pattern: string): RE2JS | undefined {
  const compiled = compiledLately.get(pattern) ?? compileAnew(pattern)
  if (!compiled) return undefined
  compiledLately.delete(pattern)
  compiledLately.set(pattern, compiled)
  for (const oldest of compiledLately.keys()) {
    if (compiledLately.size <= COMPILED_MAX) break
    compiledLately.delete(oldest)
  }
  return compiled
}

function compileAnew(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern)
  } catch {
    return undefined
  }
}
