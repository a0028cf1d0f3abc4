// Regular expressions in RE2 syntax. Compiled ones are kept as far as memory allows. Each thread has its own.
import { RE2JS } from 're2js'

/** Every pattern takes this, and more for each instruction of its program. */
const PATTERN_BYTES = 16 * 1024
const INSTRUCTION_BYTES = 800
/** A Unicode class brings hundreds of ranges with it, and as many kinds of characters to tell apart. */
const UNICODE_CLASS_BYTES = 32 * 1024
/** The library lets the states of one pattern grow to 8 MiB, by its own account. */
const STATES_MAX_BYTES = 10 * 1024 * 1024
/** A state, which holds a number for each instruction and one for each kind of character that the pattern tells apart. */
const STATE_BYTES = 512
const NUMBER_BYTES = 8
/** A character of a pattern stands for itself and at most four others that differ in case. */
const KINDS_PER_CHAR = 10

/** For all patterns of a thread together. The pattern thread has a heap of 96 MiB, of which its text takes a few. */
const BYTES_MAX = 32 * 1024 * 1024

interface Compiled {
  pattern: string
  re: RE2JS
  /** Characters that it was matched against: its states grow with them. */
  chars: number
}

/**
 * Compiled patterns, the latest last, because compiling costs more than most matches. Before one grows, the oldest are
 * dropped until all fit, each counted at its possible maximum: `bytes_max` limits the heap whatever the patterns and
 * texts are, as long as a single pattern at its largest does not exceed it. The caller has limited the size of a
 * pattern.
 */
export class Patterns {
  readonly #compiled = new Map<string, Compiled>()
  readonly #bytes_max: number
  #bytes = 0

  constructor(bytes_max = BYTES_MAX) {
    this.#bytes_max = bytes_max
  }

  /** The most that the kept patterns can have become. */
  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#compiled.size
  }

  /** False when the text is no pattern. */
  has(pattern: string): boolean {
    return this.#take(pattern, 0) !== undefined
  }

  /** Whether the pattern is found in the text. Undefined when it is no pattern. */
  test(pattern: string, text: string): boolean | undefined {
    return this.#take(pattern, text.length)?.test(text)
  }

  /** Makes room for a pattern that is to be matched against so many characters, and makes it the latest. */
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

/** The most memory that a pattern can take once it was matched against so many characters: each adds at most one state. */
function bytesOf({ pattern, re, chars }: Compiled): number {
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

/** Those of this thread. */
export const patterns = new Patterns()
