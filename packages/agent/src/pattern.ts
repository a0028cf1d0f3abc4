// Regular expressions in RE2 syntax, compiled.
import { RE2JS } from 're2js'

/** Patterns that were compiled lately, the latest last: compiling costs more than most matches do. */
const compiledLately = new Map<string, RE2JS>()
const COMPILED_MAX = 500

/** Undefined when it is no pattern. */
export function compile(pattern: string): RE2JS | undefined {
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

const SOON_COMPILED_CHARS = 1000
const SOON_COMPILED_PARTS = 2000

/** False for a pattern that takes long to compile: a few repeats make it a program of any size. */
export function isSoonCompiled(pattern: string): boolean {
  if (pattern.length > SOON_COMPILED_CHARS) return false
  let parts = 1
  for (const [, least = '', most = ''] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) {
    parts *= Math.max(1, Number(least), Number(most))
  }
  return parts <= SOON_COMPILED_PARTS
}
