// Limits and compiles the patterns of a whole file. Checks their total size before it compiles any, and does not block the
// server.
import { setImmediate as pause } from 'node:timers/promises'
import { patternsIn } from '@dogwatch/check-rules/definition'
import { PATTERN_MAX_WEIGHT, weigh } from '@dogwatch/check-rules/pattern'
import { DomainError } from '../errors.ts'
import { type CheckFields, requirePattern } from './check.ts'

/**
 * Maximum weight of all patterns, about 300 ms of work. A file of a thousand checks, each with an ordinary pattern, weighs about
 * half of it.
 */
const MAX_WEIGHT = 60_000

/** Limit for the weight of all patterns of a file together. Equal patterns count once. */
export class PatternBudget {
  readonly #patterns = new Set<string>()
  #weight = 0

  /** Refuses the check whose patterns exceed the limit. */
  spend(content: CheckFields): void {
    for (const { pattern } of patternsIn(content)) {
      if (this.#patterns.has(pattern)) continue
      this.#patterns.add(pattern)
      this.#weight += weigh(pattern)
    }
    if (this.#weight <= MAX_WEIGHT) return
    throw new DomainError(
      'invalid',
      `the regular expressions in the file need more than ${MAX_WEIGHT} steps together, the maximum for an import; split the file`,
    )
  }
}

/** Refuses the first check of a file whose pattern does not compile. The server handles other requests in the meantime. */
export async function requirePatterns(contents: readonly CheckFields[]): Promise<void> {
  for (const slice of slicesOf(contents)) {
    for (const [index, content] of slice) requirePattern(`[${index}]`, content)
    await pause()
  }
}

type IndexedContent = [index: number, content: CheckFields]

/**
 * Returns the checks whose patterns must be compiled, in slices of at most about 20 ms. Omits checks whose patterns all occur in
 * earlier checks.
 */
export function slicesOf(contents: readonly CheckFields[]): IndexedContent[][] {
  const known = new Set<string>()
  const slices: IndexedContent[][] = []
  let room = 0
  for (const [index, content] of contents.entries()) {
    const patterns = patternsIn(content).map(({ pattern }) => pattern)
    if (patterns.every((pattern) => known.has(pattern))) continue
    for (const pattern of patterns) known.add(pattern)
    const weight = patterns.reduce((sum, pattern) => sum + weigh(pattern), 0)
    if (weight > room) {
      slices.push([])
      room = PATTERN_MAX_WEIGHT
    }
    slices.at(-1)?.push([index, content])
    room -= weight
  }
  return slices
}
