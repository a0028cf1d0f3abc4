// Limits the size of regular expressions of checks, in RE2 syntax. The size is known before a pattern is compiled.
import { RE2JS } from 're2js'

export const PATTERN_MAX_CHARS = 1000

/**
 * Maximum weight of a pattern. Compiling a pattern of this weight takes at most about 20 ms and 1 MB. `x{0,1000}` fits, but a
 * pattern whose nested repeats multiply to more does not.
 */
export const PATTERN_MAX_WEIGHT = 3000

/** Returns the fault of a pattern's size, computed from its text alone, or undefined if it may be compiled. */
export function faultOfSize(pattern: string): string | undefined {
  if (pattern.length > PATTERN_MAX_CHARS)
    return `must be a regular expression of at most ${PATTERN_MAX_CHARS} characters`
  if (weigh(pattern) > PATTERN_MAX_WEIGHT) {
    return `must be a simpler regular expression with smaller repeat counts; the limit is ${PATTERN_MAX_WEIGHT} steps`
  }
  return undefined
}

/** Returns the fault of a pattern, or undefined. Compiles it, but never one that is too large. */
export function faultOfPattern(pattern: string): string | undefined {
  const fault = faultOfSize(pattern)
  if (fault !== undefined) return fault
  try {
    RE2JS.compile(pattern)
    return undefined
  } catch {
    return 'is not a valid regular expression (RE2 syntax)'
  }
}

/**
 * Returns an upper bound of a pattern's compiled instructions, and at least its number of characters, in one pass over the text.
 * If the text is not a pattern, counts only the part before the fault.
 */
export function weigh(pattern: string): number {
  const known = weighedLately.get(pattern)
  if (known !== undefined) return known
  const weight = Math.max(pattern.length, new Scan(pattern).weight())
  if (weighedLately.size >= WEIGHED_MAX) weighedLately.clear()
  if (pattern.length <= PATTERN_MAX_CHARS) weighedLately.set(pattern, weight)
  return weight
}

/** Cache of weights. A file may contain one pattern ten thousand times, and an agent needs the weight at each run of a check. */
const weighedLately = new Map<string, number>()
const WEIGHED_MAX = 500

/** Weight of the first instruction, which fails, and the last one, which matches. */
const FRAME = 2
/** Weight of a Unicode class. It is one instruction, but its hundreds of ranges must be combined. */
const UNICODE_CLASS = 100
/** Number of characters that cost as much as an instruction. A pattern that ignores case looks up every character of a range. */
const FOLDED_CHARS = 64
/** Range outside which no character has another case. */
const FOLDED = { first: 0x41, last: 0x1e943 }

const REPEAT = /\{(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\}/y
const NAME = /\(\?P?<[^>]*>/y
const FLAGS = /\(\?([imsU-]*)([:)])/y
const CLASS_ESCAPE = /\\x\{([0-9A-Fa-f]+)\}|\\x([0-9A-Fa-f]{2})|\\([0-7]{1,3})|\\?(.)/suy

/** An open group, or the whole pattern. */
interface Group {
  captures: boolean
  /** Weight of everything complete in the group. */
  weight: number
  /** Weight of the part that a repeat would repeat. */
  last: number
}

/** Scanner that splits a pattern like the parser of RE2, to the extent that decides what each repeat repeats. */
class Scan {
  readonly #text: string
  readonly #groups: Group[] = []
  #group: Group = { captures: false, weight: 0, last: 0 }
  #at = 0
  /** Weight that no repeat multiplies, because the work is done once, when the pattern is read. */
  #once = 0
  #ignoresCase = false

  constructor(text: string) {
    this.#text = text
  }

  weight(): number {
    while (this.#at < this.#text.length) this.#next()
    while (this.#groups.length > 0) this.#close()
    return FRAME + Math.max(1, weightOf(this.#group)) + Math.ceil(this.#once)
  }

  #next(): void {
    switch (this.#text[this.#at]) {
      case '(':
        return this.#open()
      case ')':
        this.#at += 1
        return this.#close()
      case '|':
        this.#at += 1
        // Counts one instruction for the choice between the alternatives, and one more in case an alternative is empty.
        this.#add(2)
        return this.#add(0)
      case '[':
        return this.#class()
      case '*':
      case '+':
      case '?':
        this.#at += 1
        return this.#repeat(1, 1)
      case '{':
        return this.#brace()
      case '\\':
        return this.#escape()
      default:
        this.#at += 1
        return this.#add(1)
    }
  }

  #add(weight: number): void {
    this.#group.weight += this.#group.last
    this.#group.last = weight
  }

  #open(): void {
    const isPlain = this.#text[this.#at + 1] !== '?'
    const isNamed = !isPlain && this.#match(NAME) !== undefined
    const flags = isPlain || isNamed ? undefined : this.#match(FLAGS)
    if (isPlain) this.#at += 1
    // No other group can begin with `(?`, so the parser ends here with a fault.
    else if (!isNamed && !flags) return this.#end()
    if (flags?.[1]?.includes('i')) this.#ignoresCase = true
    // Flags alone are no group: a repeat after them repeats the part before them.
    if (flags?.[2] === ')') return
    this.#groups.push(this.#group)
    this.#group = { captures: !flags, weight: 0, last: 0 }
  }

  #close(): void {
    const outer = this.#groups.pop()
    if (!outer) return this.#end()
    const weight = Math.max(1, weightOf(this.#group)) + (this.#group.captures ? 2 : 0)
    this.#group = outer
    this.#add(weight)
  }

  #brace(): void {
    const repeat = this.#match(REPEAT)
    if (!repeat) {
      this.#at += 1
      return this.#add(1)
    }
    const [, min, hasMax, max] = repeat
    const least = Number(min)
    this.#repeat(least, hasMax === undefined || max === undefined ? least : Number(max))
  }

  /** Multiplies the weight of the last part, because the compiler writes that part out as often as the part may occur. */
  #repeat(min: number, max: number): void {
    const times = Math.max(1, min, max)
    this.#group.last = this.#group.last * times + Math.max(0, max - min) + 2
    if (this.#text[this.#at] === '?') this.#at += 1
  }

  #escape(): void {
    const letter = this.#text[this.#at + 1] ?? ''
    if (letter === 'Q') return this.#quoted()
    if (letter === 'p' || letter === 'P') this.#unicodeClass()
    else if (letter === 'x' && this.#text[this.#at + 2] === '{') this.#skipPast('}')
    else this.#at += 2
    this.#add(1)
  }

  #quoted(): void {
    const from = this.#at + 2
    const end = this.#text.indexOf('\\E', from)
    const to = end < 0 ? this.#text.length : end
    for (let at = from; at < to; at++) this.#add(1)
    this.#at = end < 0 ? to : end + 2
  }

  #unicodeClass(): void {
    this.#once += UNICODE_CLASS
    if (this.#text[this.#at + 2] === '{') this.#skipPast('}')
    else this.#at += 2 + String.fromCodePoint(this.#text.codePointAt(this.#at + 2) ?? 0).length
  }

  #class(): void {
    this.#at += this.#text[this.#at + 1] === '^' ? 2 : 1
    // A closing bracket at the start of a class is a literal character.
    for (let isFirst = true; isFirst || this.#text[this.#at] !== ']'; isFirst = false) {
      if (this.#at >= this.#text.length) break
      this.#classItem()
    }
    this.#at += 1
    this.#add(1)
  }

  #classItem(): void {
    const two = this.#text.slice(this.#at, this.#at + 2)
    if (two === '[:' && this.#text.includes(':]', this.#at)) return this.#skipPast(':]')
    if (two === '\\p' || two === '\\P') return this.#unicodeClass()
    if (/^\\[dDsSwW]$/.test(two)) return void (this.#at += 2)
    const first = this.#classChar()
    if (this.#text[this.#at] !== '-' || this.#text[this.#at + 1] === ']') return
    this.#at += 1
    const last = this.#classChar()
    if (this.#ignoresCase) this.#once += foldedChars(first, last) / FOLDED_CHARS
  }

  /** Reads the next character of a class and returns its code. */
  #classChar(): number {
    const [, braced, hex, octal, char] = this.#match(CLASS_ESCAPE) ?? []
    if (braced !== undefined || hex !== undefined) return Number.parseInt(braced ?? hex ?? '', 16)
    if (octal !== undefined) return Number.parseInt(octal, 8)
    if (char !== undefined) return char.codePointAt(0) ?? 0
    this.#end()
    return 0
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (!found) return undefined
    this.#at = pattern.lastIndex
    return found
  }

  #skipPast(words: string): void {
    const at = this.#text.indexOf(words, this.#at)
    this.#at = at < 0 ? this.#text.length : at + words.length
  }

  #end(): void {
    this.#at = this.#text.length
  }
}

/** Returns the number of characters of a range that are looked up for their other cases. */
function foldedChars(first: number, last: number): number {
  const isWhole = first <= FOLDED.first && last >= FOLDED.last
  return isWhole ? 0 : Math.max(0, Math.min(last, FOLDED.last) - Math.max(first, FOLDED.first) + 1)
}

function weightOf({ weight, last }: Group): number {
  return weight + last
}
