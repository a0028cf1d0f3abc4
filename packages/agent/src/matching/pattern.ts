// Matches regular expressions in RE2 syntax, and keeps compiled expressions within a memory limit. Each thread has its own limit.
import { RE2JS } from 're2js'

/** Memory of every pattern, in bytes, without the instructions of its program. */
const PATTERN_BYTES = 16 * 1024
const INSTRUCTION_BYTES = 800
/**
 * Memory that each Unicode class (`\p`) of a pattern adds to each state, in bytes. Such a class divides the characters into hundreds
 * more kinds.
 */
const UNICODE_CLASS_BYTES = 32 * 1024
/** Maximum memory of the states of one pattern, in bytes. By its own estimate, the library lets the states grow to 8 MiB. */
const STATES_MAX_BYTES = 10 * 1024 * 1024
/**
 * Memory of a state, in bytes, without its table of numbers. The table has a number for each instruction, and one for each kind
 * of character that the pattern distinguishes.
 */
const STATE_BYTES = 512
const NUMBER_BYTES = 8
/**
 * Maximum number of kinds of characters that one character of a pattern adds. It matches itself and at most four characters that
 * differ only in case.
 */
const KINDS_PER_CHAR = 10

/**
 * Memory limit for all patterns of a thread, in bytes. The heap of the pattern thread is limited to 96 MiB, and the searched text
 * needs a few MiB of it.
 */
const BYTES_MAX = 32 * 1024 * 1024

interface CompiledPattern {
  pattern: string
  re: RE2JS
  /** Number of characters that the pattern was matched against so far. The memory of its states grows with this number. */
  chars: number
}

/**
 * Cache of compiled patterns, the latest last, because compiling costs more than most matches. Drops the oldest to keep the heap
 * below `bytes_max`. The caller must limit the size of a single pattern.
 */
export class Patterns {
  readonly #compiled = new Map<string, CompiledPattern>()
  readonly #bytes_max: number
  #bytes = 0

  constructor(bytes_max = BYTES_MAX) {
    this.#bytes_max = bytes_max
  }

  /** Maximum memory that the compiled patterns in the cache can have reached, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#compiled.size
  }

  /** Whether the text is a valid pattern. */
  has(pattern: string): boolean {
    return this.#take(pattern, 0) !== undefined
  }

  /** Whether the pattern is found in the text. Returns undefined if the pattern is invalid. */
  test(pattern: string, text: string): boolean | undefined {
    return this.#take(pattern, text.length)?.test(text)
  }

  /**
   * Returns the compiled pattern, or undefined if it is invalid. Counts `chars` more characters for it, makes it the latest, and drops
   * the oldest patterns to stay within the memory limit.
   */
  #take(pattern: string, chars: number): RE2JS | undefined {
    const before = this.#compiled.get(pattern)
    const re = before?.re ?? compile(pattern)
    if (!re) return undefined
    this.#drop(pattern)
    const compiled = { pattern, re, chars: (before?.chars ?? 0) + chars }
    const bytes = bytesOf(compiled)
    for (const oldest of this.#compiled.keys()) {
      if (this.#bytes + bytes <= this.#bytes_max) break
      this.#drop(oldest)
    }
    this.#compiled.set(pattern, compiled)
    this.#bytes += bytes
    return re
  }

  #drop(pattern: string): void {
    const compiled = this.#compiled.get(pattern)
    if (compiled) this.#bytes -= bytesOf(compiled)
    this.#compiled.delete(pattern)
  }
}

/** Returns the maximum memory of a pattern after matching `chars` characters. Each character adds at most one state. */
function bytesOf({ pattern, re, chars }: CompiledPattern): number {
  const size = re.programSize()
  const classes = UNICODE_CLASS_BYTES * (pattern.split(/\\p/i).length - 1)
  const state = STATE_BYTES + NUMBER_BYTES * (size + KINDS_PER_CHAR * pattern.length) + classes
  const states = chars === 0 ? 0 : Math.min(STATES_MAX_BYTES, (chars + 2) * state)
  return PATTERN_BYTES + INSTRUCTION_BYTES * size + classes + states
}

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern)
  } catch {
    return undefined
  }
}

/** Compiled patterns of this thread. */
export const patterns = new Patterns()
